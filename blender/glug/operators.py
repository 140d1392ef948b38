"""What can be clicked."""
import os
import subprocess

import bpy
from bpy_extras.io_utils import ImportHelper

from . import exporter, importer, materials

_runs = {}  # folder of a run -> its process, to say when it failed


class ImportRun(bpy.types.Operator, ImportHelper):
    """Import a run of Glug: its liquid, solids, bodies and particles"""
    bl_idname = "glug.import_run"
    bl_label = "Import Glug run"
    bl_options = {"UNDO"}
    directory: bpy.props.StringProperty(subtype="DIR_PATH")
    filter_glob: bpy.props.StringProperty(default="*.toml", options={"HIDDEN"})
    offset: bpy.props.IntProperty(name="First frame", default=0, description="Blender's frame that shows frame 0 of the run")
    particles: bpy.props.BoolProperty(name="Particles", default=False, description="As points, if the run wrote them")

    def execute(self, context):
        folder = self.directory or os.path.dirname(self.filepath) or self.filepath
        try:
            importer.import_run(folder, self.offset, self.particles)
        except (OSError, ValueError) as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        return {"FINISHED"}


class ExportScene(bpy.types.Operator):
    """Write what is marked as a scene of Glug"""
    bl_idname = "glug.export_scene"
    bl_label = "Export to Glug"

    def execute(self, context):
        try:
            path = exporter.export_scene(_folder(context))
        except (OSError, ValueError) as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        self.report({"INFO"}, f"{path}: glug run {path}")
        return {"FINISHED"}


class RunScene(bpy.types.Operator):
    """Export, simulate beside Blender and show the frames as they come"""
    bl_idname = "glug.run_scene"
    bl_label = "Simulate"
    wait: bpy.props.BoolProperty(default=False, options={"HIDDEN"}, description="Until the run has ended")

    def execute(self, context):
        try:
            folder = _folder(context)
            out = os.path.join(folder, "run")
            if out in _runs and _runs[out].poll() is None:
                raise ValueError("the run is going on: stop it first")
            scene = exporter.export_scene(folder)
            program = bpy.path.abspath(context.scene.glug.program) if os.sep in context.scene.glug.program else context.scene.glug.program
            log = open(os.path.join(folder, "run.log"), "wb")
            _runs[out] = subprocess.Popen([program, "run", scene, "--out", out, "--overwrite", "--quiet"], stdout=log,
                                          stderr=subprocess.STDOUT, start_new_session=True)
        except FileNotFoundError:
            self.report({"ERROR"}, f"there is no program {context.scene.glug.program}: give its path in the Glug panel")
            return {"CANCELLED"}
        except (OSError, ValueError) as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        if self.wait:
            if _runs[out].wait() != 0:
                self.report({"ERROR"}, _log(folder))
                return {"CANCELLED"}
            importer.import_run(out)
        else:
            bpy.app.timers.register(lambda: _await(folder, out), first_interval=0.5)
        return {"FINISHED"}


class StopRun(bpy.types.Operator):
    """Ask the run to write a checkpoint and end"""
    bl_idname = "glug.stop_run"
    bl_label = "Stop"

    def execute(self, context):
        try:
            out = os.path.join(_folder(context), "run")
            with open(os.path.join(out, "stop"), "w"):
                pass
        except (OSError, ValueError) as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        return {"FINISHED"}


class GiveMaterial(bpy.types.Operator):
    """Give the selected objects this material"""
    bl_idname = "glug.give_material"
    bl_label = "Glug material"
    bl_options = {"UNDO"}
    name: bpy.props.EnumProperty(items=[("WATER", "Water", ""), ("GLASS", "Glass", "")])

    def execute(self, context):
        for thing in context.selected_objects:
            if thing.type == "MESH":
                size = max(thing.dimensions) or 1
                materials.put(thing.data, materials.water(size) if self.name == "WATER" else materials.glass())
        return {"FINISHED"}


def _folder(context):
    path = context.scene.glug.folder
    if path.startswith("//") and not bpy.data.filepath:
        raise ValueError("save the file first, or give the Glug panel a folder: // means beside the file")
    return bpy.path.abspath(path)


def _log(folder):
    with open(os.path.join(folder, "run.log"), errors="replace") as file:
        return file.read().strip()[-2000:] or "the run ended without a word"


def _await(folder, out):
    """Until there is a frame; then the timer of importer.follow() does the rest."""
    process = _runs.get(out)
    if os.path.exists(os.path.join(out, "surface", "surface.0000.ply")):
        if not any(t.glug.run and os.path.samefile(bpy.path.abspath(t.glug.run), out) for t in bpy.data.objects):
            importer.import_run(out)
        return None
    if process is None or process.poll() is not None:
        print(f"Glug: {_log(folder)}")
        return None
    return 0.5


CLASSES = (ImportRun, ExportScene, RunScene, StopRun, GiveMaterial)
