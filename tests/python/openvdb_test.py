"""What OpenVDB's own Python module finds in files of a run. Run by ctest; skipped where it is not installed."""
import csv
import os
import subprocess
import sys
import tempfile
import unittest

try:
    import pyopenvdb as vdb
except ImportError:
    print("pyopenvdb is not installed (Debian: python3-openvdb): skipped")
    sys.exit(77)

SCENE = """
title = "Pool"
[grid]
dimension = 3
resolution = 16
[time]
frames = 1
fps = 30
[output]
preview = "off"
surface = ["vdb", "ply"]
particles = "vdb"
volume = "vdb"
first_frame = 1001
[[liquid.body]]
shape = { type = "box", min = [0, 0, 0], max = [1, 0.5, 1] }
"""


class OpenVdb(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        with open(f"{cls.folder.name}/pool.toml", "w") as file:
            file.write(SCENE)
        said = subprocess.run(
            [os.environ["GLUG_PROGRAM"], "run", "pool.toml", "--out", "run", "--threads", "1", "--quiet"],
            cwd=cls.folder.name, capture_output=True, text=True,
        )
        if said.returncode == 2 and "OpenVDB" in said.stderr:
            raise unittest.SkipTest("built without OpenVDB")
        assert said.returncode == 0, said.stderr

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def grids(self, kind):
        grids, metadata = vdb.readAll(f"{self.folder.name}/run/{kind}/{kind}.1002.vdb")
        return {grid.name: grid for grid in grids}, metadata

    def test_names_classes_transforms_and_metadata_are_as_documented(self):
        grids, metadata = self.grids("volume")
        self.assertEqual(set(grids), {"surface", "vel", "pressure", "density", "solid"})
        self.assertEqual(grids["surface"].gridClass, vdb.GridClass.LEVEL_SET)
        self.assertEqual(grids["solid"].gridClass, vdb.GridClass.LEVEL_SET)
        self.assertEqual(grids["density"].gridClass, vdb.GridClass.FOG_VOLUME)
        self.assertEqual(grids["vel"].gridClass, vdb.GridClass.STAGGERED)
        self.assertAlmostEqual(grids["surface"].transform.voxelSize()[0], 1 / 32)
        self.assertAlmostEqual(grids["pressure"].transform.voxelSize()[0], 1 / 16)
        for axis in range(3):
            self.assertAlmostEqual(grids["pressure"].transform.indexToWorld((0, 0, 0))[axis], 1 / 32)
        self.assertEqual(metadata["scene"], "Pool")
        self.assertEqual((metadata["frame"], metadata["fps"], metadata["up_axis"]), (1, 30, "y"))
        self.assertAlmostEqual(metadata["time"], 1 / 30)

    def test_the_fog_holds_the_volume_of_the_table(self):
        grids, _ = self.grids("volume")
        with open(f"{self.folder.name}/run/stats.csv") as file:
            volume = float(list(csv.DictReader(file))[-1]["liquid_volume"])
        total = 0
        for item in grids["density"].citerOnValues():
            total += item.value * item.count
        self.assertLess(abs(total / 16**3 / volume - 1), 1e-5)

    def test_surfaces_carry_their_velocity(self):
        grids, _ = self.grids("surface")
        self.assertEqual(set(grids), {"surface", "vel"})
        self.assertEqual(grids["vel"].gridClass, vdb.GridClass.STAGGERED)


if __name__ == "__main__":
    unittest.main()
