"""What OpenVDB's own Python module finds in files of a run is what docs/export.md says, grid by grid. Run by ctest;
skipped where the module is not installed. It has no type for points: those are read in tests/output/vdb_test.cpp."""
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

PAGE = os.path.join(os.path.dirname(__file__), "../../docs/export.md")
CELLS = 16
SCENE = """
title = "Pool"
[grid]
dimension = {dimension}
size = {size}
resolution = 16
[time]
frames = 1
fps = 30
[output]
preview = "off"
volume = "vdb"
first_frame = 1001
"""
LIQUID = """
surface = ["vdb", "ply"]
particles = "vdb"
particle_attributes = ["age", "source", "vorticity", "spray"]
[[liquid.body]]
shape = {{ type = "box", min = {low}, max = {high} }}
"""
SMOKE = """
[[smoke.body]]
density = 1
temperature = 20
shape = {{ type = "box", min = {low}, max = {high} }}
"""


def documented(place):
    """Grids that files in `place` have, with class and voxel, from the table of docs/export.md."""
    grids = {}
    with open(PAGE) as page:
        lines = page.read().split("## Inside a .vdb file")[1].split("\n## ")[0].splitlines()
    for line in lines:
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if len(cells) == 5 and cells[0].startswith("`") and place in cells[3].replace("`", "").split(", "):
            grids[cells[0].strip("`")] = (cells[1], {"a cell": 1 / CELLS, "half a cell": 0.5 / CELLS}[cells[2]])
    return grids


class OpenVdb(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        for dimension in (2, 3):
            size = {"dimension": dimension, "size": [1] * dimension, "low": [0] * dimension,
                    "high": [1, 0.5, 1][:dimension]}
            for name, more in (("liquid", LIQUID), ("smoke", SMOKE)):
                cls.run_scene(f"{name}{dimension}", (SCENE + more).format(**size))
        cls.run_scene("up", (SCENE + 'up_axis = "z"\n' + LIQUID).format(
            dimension=3, size=[1, 1, 1], low=[0, 0, 0], high=[1, 0.5, 1]))

    @classmethod
    def run_scene(cls, name, scene):
        with open(f"{cls.folder.name}/{name}.toml", "w") as file:
            file.write(scene)
        said = subprocess.run(
            [os.environ["GLUG_PROGRAM"], "run", f"{name}.toml", "--out", name, "--threads", "1", "--quiet"],
            cwd=cls.folder.name, capture_output=True, text=True,
        )
        if said.returncode == 2 and "OpenVDB" in said.stderr:
            raise unittest.SkipTest("built without OpenVDB")
        assert said.returncode == 0, said.stderr

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def path(self, run, kind):
        return f"{self.folder.name}/{run}/{kind}/{kind}.1002.vdb"

    def grids(self, run, kind):
        grids, metadata = vdb.readAll(self.path(run, kind))
        return {grid.name: grid for grid in grids}, metadata

    def check_metadata(self, metadata, up):
        self.assertEqual(set(metadata), {"creator", "scene", "units", "up_axis", "frame", "time", "fps"})
        self.assertEqual((metadata["creator"], metadata["scene"], metadata["units"]), ("Glug", "Pool", "m, s, kg"))
        self.assertEqual((metadata["frame"], metadata["fps"], metadata["up_axis"]), (1, 30, up))
        self.assertAlmostEqual(metadata["time"], 1 / 30)

    def test_names_classes_transforms_and_metadata_of_every_grid_are_as_documented(self):
        seen = set()
        for run in ("liquid2", "liquid3", "up", "smoke2", "smoke3"):
            smoke = run.startswith("smoke")
            for kind in ("volume",) if smoke else ("surface", "volume"):
                expected = documented("smoke" if smoke else kind)
                grids, metadata = self.grids(run, kind)
                self.check_metadata(metadata, "z" if run == "up" else "y")
                self.assertEqual(set(grids), set(expected), f"{run} {kind}")
                for name, (grid_class, voxel) in expected.items():
                    grid, where = grids[name], f"{name} of {run} {kind}"
                    seen.add(name)
                    self.assertEqual(grid.gridClass, grid_class, where)
                    self.assertEqual(type(grid).__name__, "Vec3SGrid" if name == "vel" else "FloatGrid", where)
                    self.assertEqual(grid.metadata["creator"], "Glug", where)
                    self.assertAlmostEqual(grid.metadata["time"], 1 / 30)
                    self.assertGreater(grid.activeVoxelCount(), 0, where)
                    for axis in range(3):
                        self.assertAlmostEqual(grid.transform.voxelSize()[axis], voxel, msg=where)
                        half = 0 if run.endswith("2") and axis == 2 else voxel / 2
                        self.assertAlmostEqual(grid.transform.indexToWorld((0, 0, 0))[axis], half, msg=where)
                        one = grid.transform.indexToWorld((1, 1, 1))[axis]
                        self.assertAlmostEqual(one, half + voxel, msg=where)
                    low, high = grid.evalActiveVoxelBoundingBox()
                    if run.endswith("2"):
                        self.assertEqual((low[2], high[2]), (0, 0), where)
        self.assertEqual(seen, set(documented("surface")) | set(documented("volume")) | set(documented("smoke")))

    def test_files_of_points_say_of_themselves_what_others_do(self):
        self.assertEqual(set(documented("particles")), {"points"})
        for run in ("liquid2", "liquid3", "up"):
            self.check_metadata(vdb.readMetadata(self.path(run, "particles")), "z" if run == "up" else "y")

    def test_the_fog_holds_the_volume_of_the_table(self):
        for run in ("liquid2", "liquid3", "up"):
            grids, _ = self.grids(run, "volume")
            with open(f"{self.folder.name}/{run}/stats.csv") as file:
                volume = float(list(csv.DictReader(file))[-1]["liquid_volume"])
            total = 0
            for item in grids["density"].citerOnValues():
                total += item.value * item.count
            dimension = 2 if run.endswith("2") else 3
            self.assertLess(abs(total / CELLS**dimension / volume - 1), 1e-5)

    def test_levels_lie_where_the_liquid_is(self):
        """The middle of the pool is half a metre deep, whichever axis is up."""
        for run, above, below in (("liquid3", (0.5, 0.53, 0.5), (0.5, 0.47, 0.5)),
                                  ("up", (0.5, -0.5, 0.53), (0.5, -0.5, 0.47))):
            grids, _ = self.grids(run, "surface")
            values = grids["surface"].getConstAccessor()
            at = [values.getValue(tuple(round(c) for c in grids["surface"].transform.worldToIndex(place)))
                  for place in (above, below)]
            self.assertGreater(at[0], 0, run)
            self.assertLess(at[1], 0, run)


if __name__ == "__main__":
    unittest.main()
