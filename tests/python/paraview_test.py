"""A run's series as ParaView opens them: times, arrays, and the volume that stats.csv has. Run by ctest, by pvpython
where there is one; else VTK's Python module reads the same files with ParaView's readers; skipped without both."""
import csv
import os
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml

try:
    from paraview import servermanager, simple
except ImportError:
    simple = None
    try:
        import vtk
    except ImportError:
        print("neither pvpython nor VTK's Python module is installed (Debian: paraview, python3-vtk9): skipped")
        sys.exit(77)

SCENE = """
title = "Drop"
[grid]
dimension = 3
resolution = 16
[time]
frames = 3
fps = 30
[output]
preview = "off"
surface = "vtp"
particles = "vtp"
particle_attributes = ["age", "source", "vorticity", "spray"]
volume = "vti"
first_frame = 1001
[[liquid.body]]
shape = { type = "box", min = [0, 0, 0], max = [1, 0.4, 1] }
[[liquid.body]]
shape = { type = "sphere", center = [0.5, 0.7, 0.5], radius = 0.2 }
[[solid]]
shape = { type = "sphere", center = [0.3, 0.2, 0.5], radius = 0.15 }
"""


def with_paraview(pvd):
    reader = simple.PVDReader(FileName=pvd)
    reader.UpdatePipelineInformation()
    for time in list(reader.TimestepValues):
        reader.UpdatePipeline(time)
        yield time, servermanager.Fetch(reader)


def with_vtk(pvd):
    for entry in xml.parse(pvd).getroot().iter("DataSet"):
        name = os.path.join(os.path.dirname(pvd), entry.get("file"))
        reader = vtk.vtkXMLPolyDataReader() if name.endswith(".vtp") else vtk.vtkXMLImageDataReader()
        reader.SetFileName(name)
        reader.Update()
        yield float(entry.get("timestep")), reader.GetOutput()


series = with_paraview if simple else with_vtk


def volumes_by_filters(pvd):
    """Volume inside the surface, by the filters of docs/paraview.md alone: the flux of place / 3 through it."""
    reader = simple.PVDReader(FileName=pvd)
    reader.UpdatePipelineInformation()
    place = simple.Calculator(Input=reader, ResultArrayName="place", Function="coords")
    cells = simple.PointDatatoCellData(Input=place)
    normals = simple.GenerateSurfaceNormals(Input=cells, ComputeCellNormals=1, Splitting=0, Consistency=0)
    inside = simple.Calculator(Input=normals, AttributeType="Cell Data", ResultArrayName="inside",
                               Function="dot(place, Normals) / 3")
    integral = simple.IntegrateVariables(Input=inside)
    for time in list(reader.TimestepValues):
        integral.UpdatePipeline(time)
        yield servermanager.Fetch(integral).GetCellData().GetArray("inside").GetValue(0)


def enclosed(mesh):
    """Volume inside a closed mesh of triangles that look outward."""
    total = 0.0
    for n in range(mesh.GetNumberOfCells()):
        ids = mesh.GetCell(n).GetPointIds()
        a, b, c = (mesh.GetPoint(ids.GetId(k)) for k in range(3))
        total += (a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2])
                  + a[2] * (b[0] * c[1] - b[1] * c[0])) / 6
    return total


class ParaView(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        with open(f"{cls.folder.name}/drop.toml", "w") as file:
            file.write(SCENE)
        said = subprocess.run(
            [os.environ["GLUG_PROGRAM"], "run", "drop.toml", "--out", "run", "--threads", "1", "--quiet"],
            cwd=cls.folder.name, capture_output=True, text=True)
        assert said.returncode == 0, said.stderr
        cls.volumes = {}
        with open(f"{cls.folder.name}/run/stats.csv") as file:
            for row in csv.DictReader(file):
                cls.volumes[int(row["frame"])] = float(row["liquid_volume"])  # the last substep of a frame

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def frames(self, kind):
        found = list(series(f"{self.folder.name}/run/{kind}/{kind}.pvd"))
        self.assertEqual(len(found), 4)
        for n, (time, _) in enumerate(found):
            self.assertAlmostEqual(time, n / 30)
        return [data for _, data in found]

    def test_the_surface_holds_the_volume_of_the_table(self):
        for n, mesh in enumerate(self.frames("surface")):
            self.assertAlmostEqual(enclosed(mesh) / self.volumes[n], 1, delta=0.01)
            self.assertTrue(mesh.GetPointData().HasArray("velocity"))

    @unittest.skipUnless(simple, "needs pvpython")
    def test_the_filters_of_the_manual_find_the_volume_of_the_table(self):
        found = list(volumes_by_filters(f"{self.folder.name}/run/surface/surface.pvd"))
        self.assertEqual(len(found), 4)
        for n, volume in enumerate(found):
            self.assertAlmostEqual(volume / self.volumes[n], 1, delta=0.01)

    def test_particles_have_the_attributes_asked_for(self):
        for n, points in enumerate(self.frames("particles")):
            data = points.GetPointData()
            for name in ("id", "velocity", "age", "source", "vorticity", "spray"):
                self.assertTrue(data.HasArray(name), name)
            low, high = data.GetArray("age").GetRange()
            self.assertAlmostEqual(low, n / 30, places=5)
            self.assertAlmostEqual(high, n / 30, places=5)
            self.assertEqual(data.GetArray("source").GetRange(), (0.0, 1.0))

    def test_volumes_have_the_documented_arrays_on_the_whole_grid(self):
        for image in self.frames("volume"):
            self.assertEqual(image.GetNumberOfCells(), 16 ** 3)
            for name in ("phi", "velocity", "pressure", "solid_fraction"):
                self.assertTrue(image.GetCellData().HasArray(name), name)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]], exit=False).result.wasSuccessful() or sys.exit(1)
