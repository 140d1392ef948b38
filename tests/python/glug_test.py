"""Glug from Python: arrays in place, callbacks, errors, and the bits of `glug run`. Run by ctest."""
import contextlib
import gc
import io
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

try:
    import numpy as np
except ImportError:
    print("NumPy is not installed (Debian: python3-numpy): skipped")
    sys.exit(77)

import glug

POOL = {
    "grid": {"dimension": 2, "resolution": 24},
    "time": {"frames": 3},
    "output": {"preview": "off", "particles": "ply"},
    "liquid": {"body": [{"shape": {"type": "box", "min": [0, 0], "max": (0.4, 0.6)}}]},
}
SEALED = {
    "grid": {"dimension": 2, "resolution": 24},
    "air": {"model": "constraint", "body": [{"shape": {"type": "sphere", "center": [0.5, 0.3], "radius": 0.15}}]},
    "liquid": {"body": [{"shape": {"type": "box", "min": [0, 0], "max": [1, 0.6]}}]},
}


class Python(unittest.TestCase):
    def test_reproduces_the_bits_of_glug_run(self):
        with tempfile.TemporaryDirectory() as folder:
            scene = pathlib.Path(folder, "pool.toml")
            scene.write_text(glug.check(POOL))
            subprocess.run(
                [os.environ["GLUG_PROGRAM"], "run", scene, "--out", f"{folder}/run", "--threads", "1", "--quiet"],
                check=True,
            )
            water = glug.Simulation(POOL, threads=2)
            os.mkdir(f"{folder}/mine")
            while water.frame < water.frames:
                water.advance_frame()
                water.write_frame(f"{folder}/mine")
            name = "particles/particles.0003.ply"
            self.assertEqual(pathlib.Path(folder, "run", name).read_bytes(), pathlib.Path(folder, "mine", name).read_bytes())
            # The program's checkpoint holds the same particles.
            (checkpoint,) = sorted(pathlib.Path(folder, "run/checkpoint").glob("*.glug"))[-1:]
            resumed = glug.Simulation.load(checkpoint)
            np.testing.assert_array_equal(resumed.positions, water.positions)
            np.testing.assert_array_equal(resumed.ids, water.ids)

    def test_frames_are_written_as_glug_run_does(self):
        scene = POOL | {
            "output": {"preview": "off", "surface": "ply", "particles": "ply",
                       "particle_attributes": ["age", "source", "vorticity", "spray"]},
            "solid": [{"name": "a ball", "shape": {"type": "sphere", "center": [0.8, 0.3], "radius": 0.1}}],
            "probe": [{"name": "gauge", "at": [0.2, 0.1]}, {"name": "push", "on": "a ball"}],
        }
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "pool.toml")
            path.write_text(glug.check(scene))
            subprocess.run(
                [os.environ["GLUG_PROGRAM"], "run", path, "--out", f"{folder}/run", "--threads", "1", "--quiet"],
                check=True,
            )
            water = glug.Simulation(scene, threads=1)
            os.mkdir(f"{folder}/mine")
            water.write_frame(f"{folder}/mine")
            while water.frame < water.frames:
                water.advance_frame()
                if water.frame == 1:  # what particles came from is in the file
                    water.save(f"{folder}/state.glug")
                    water = glug.Simulation.load(f"{folder}/state.glug", threads=1)
                water.write_frame(f"{folder}/mine")
            for name in ("particles/particles.0003.ply", "solids/a_ball.ply", "surface/surface.0002.ply"):
                run, mine = (pathlib.Path(folder, which, name).read_bytes() for which in ("run", "mine"))
                self.assertEqual(run, mine, name)
            last = [row.split(",") for row in pathlib.Path(folder, "run/probes.csv").read_text().splitlines()[-2:]]
            gauge, push = water.probes
            self.assertEqual((gauge.name, push.name), ("gauge", "push"))
            self.assertEqual(gauge.pressure, float(last[0][4]))
            self.assertEqual(push.force[1], float(last[1][10]))
            self.assertTrue(np.isnan(push.pressure))

    def test_what_cannot_be_meant_is_an_input_error(self):
        for scene in (5, None, ["dam_break"]):
            with self.assertRaisesRegex(glug.InputError, "a scene is a name, a path or a dict"):
                glug.check(scene)
        with self.assertRaisesRegex(glug.InputError, "grid.resolution is too large: 10000000"):
            glug.check(POOL, set={"grid.resolution": 10**30})
        with self.assertRaisesRegex(glug.InputError, '"title=x" is no key'):
            glug.check(POOL, set={"title=x": "y"})
        with self.assertRaisesRegex(glug.InputError, "threads must be between 1 and 1024, or 0 for all, got 1000000"):
            glug.Simulation(POOL, threads=1000000)

    def test_a_section_is_changed_key_by_key(self):
        scene = glug.check(POOL, set={"grid": {"resolution": 32}})
        self.assertIn("resolution = 32", scene)
        self.assertIn("dimension = 2", scene)

    def test_arrays_are_the_memory_of_the_simulation(self):
        water = glug.Simulation(POOL, threads=1)
        water.advance_frame()
        x, again = water.positions, water.positions
        self.assertEqual(x.__array_interface__["data"], again.__array_interface__["data"])
        self.assertFalse(x.flags.writeable)
        self.assertFalse(x.flags.owndata)
        self.assertEqual(x.shape, water.velocities.shape)
        self.assertEqual(x.dtype, np.float32)
        self.assertEqual(len(np.unique(water.ids)), len(x))
        phi, pressure, solid = water.field("phi"), water.field("pressure"), water.field("solid")
        self.assertEqual((phi.shape, water.field("velocity_x").shape, solid.shape), ((24, 24), (25, 24), (25, 25)))
        self.assertEqual(pressure.dtype, np.float64)
        # Every particle of a calm corner is where phi says that liquid is.
        cells = np.floor(x / water.cell_size).astype(int)
        deep = x[:, 1] < 0.1
        self.assertTrue((phi[cells[deep, 0], cells[deep, 1]] < water.cell_size).all())
        self.assertTrue(water.known[cells[:, 0], cells[:, 1]].all())
        # phi follows the simulation without being asked for again: it is no copy.
        before = phi.copy()
        water.advance_frame()
        self.assertFalse(np.array_equal(before, phi))

    def test_arrays_outlive_their_simulation(self):
        water = glug.Simulation(POOL, threads=1)
        x, phi = water.positions, water.field("phi")
        expected = x.copy(), phi.copy()
        del water
        gc.collect()
        np.testing.assert_array_equal(x, expected[0])
        np.testing.assert_array_equal(phi, expected[1])

    def test_calls_back_after_every_substep_and_may_be_stopped_there(self):
        water = glug.Simulation(POOL, threads=1)
        steps = []
        report = water.advance_frame(lambda r: steps.append((r.step, r["liquid_volume"], water.positions.shape[0])))
        self.assertEqual([s[0] for s in steps], list(range(1, report.step + 1)))
        self.assertTrue(report.frame_done)

        def stop(_):
            raise KeyError("enough")

        with self.assertRaises(KeyError):
            water.advance_frame(stop)
        self.assertEqual(water.advance_frame().frame, 2)

    def test_a_scene_that_is_wrong_says_where(self):
        with self.assertRaises(glug.InputError) as caught:
            glug.Simulation({**POOL, "liquid": {"density": -1}}, set={"grid.resolution": 2})
        self.assertIsInstance(caught.exception, ValueError)
        messages = [p[3] for p in caught.exception.problems]
        self.assertIn("liquid.density must be > 0, got -1", messages)
        self.assertTrue(any(m.startswith("grid.resolution must be") for m in messages))
        with tempfile.TemporaryDirectory() as folder:
            scene = pathlib.Path(folder, "a.toml")
            scene.write_text("[grid]\n\n  resolutoin = 8\n")
            with self.assertRaises(glug.InputError) as caught:
                glug.Simulation(scene)
            file, line, column, message = caught.exception.problems[0]
            self.assertEqual((file, line, column), (str(scene), 3, 3))
            self.assertIn("did you mean grid.resolution?", message)
            self.assertTrue(str(caught.exception).startswith(f"{scene}:3:3: "))
        with self.assertRaises(glug.InputError):
            glug.Simulation({"grid": {"size": object()}})
        with self.assertRaises(glug.InputError):
            glug.Simulation.load("/nowhere/checkpoint.glug")

    def test_bubbles_keep_their_volumes_in_the_arrays_of_a_script(self):
        water = glug.Simulation(SEALED, set={"grid.size": np.array([1.0, 1.0])}, threads=1)
        for _ in range(3):
            water.advance_frame()
        trapped = [b for b in water.bubbles if not b.free]
        self.assertEqual(len(trapped), 1)
        radius = 0.15
        self.assertLess(abs(trapped[0].volume / (np.pi * radius**2) - 1), 0.02)
        self.assertEqual(len(trapped[0].center), 3)

    def test_saves_and_loads(self):
        with tempfile.TemporaryDirectory() as folder:
            water = glug.Simulation(POOL, threads=1)
            water.step()
            water.save(f"{folder}/one.glug")
            other = glug.Simulation.load(f"{folder}/one.glug", threads=1)
            np.testing.assert_array_equal(water.step()["kinetic_energy"], other.step()["kinetic_energy"])
            np.testing.assert_array_equal(water.velocities, other.velocities)

    def test_every_snippet_of_the_docs_runs(self):
        page = pathlib.Path(__file__).parents[2] / "docs/python.md"
        snippets = re.findall(r"^```python\n(.*?)^```$", page.read_text(), re.S | re.M)
        self.assertGreater(len(snippets), 5)
        here, names = os.getcwd(), {}
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
            os.chdir(folder)
            try:
                for snippet in snippets:
                    exec(compile(snippet, "docs/python.md", "exec"), names)
                self.assertTrue(pathlib.Path("frames/preview/preview.0000.png").exists())
            finally:
                os.chdir(here)

    def test_the_example_plots_bubbles(self):
        script = pathlib.Path(__file__).parents[2] / "examples/bubble_volumes.py"
        with tempfile.TemporaryDirectory() as folder:
            said = subprocess.run(
                [sys.executable, script, "--frames", "1", "--resolution", "24", "--threads", "1", "--out", f"{folder}/b.png"],
                check=True, capture_output=True, text=True,
            ).stdout
            self.assertIn("bubble", said)

    def test_stubs_name_what_the_module_has(self):
        stub = pathlib.Path(glug.__file__).with_name("__init__.pyi").read_text()
        for kind in (glug.Simulation, glug.Report, glug.Bubble, glug.Body):
            for name in dir(kind):
                if not name.startswith("_"):
                    self.assertIn(f"def {name}(", stub, f"{kind.__name__}.{name} is missing in the stubs")


if __name__ == "__main__":
    unittest.main()
