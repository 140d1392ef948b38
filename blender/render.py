"""A frame of a run, rendered by Cycles in a small studio, to see it without opening Blender:
    blender -b --factory-startup -P blender/render.py -- RUN FRAME PICTURE [SAMPLES [WIDTH HEIGHT]]"""
import math
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import bpy
import glug
from glug import importer
from glug.run_folder import RunFolder
from mathutils import Vector


def studio(size):
    """A floor that bends up into a wall, two soft lamps and a pale sky; size: of the domain (x, y, z), z up."""
    reach = max(size)
    middle = Vector((size[0] / 2, -size[1] / 2, 0))
    curve = [(-4, 0)] + [(3 + math.sin(a * math.pi / 20), 1 - math.cos(a * math.pi / 20)) for a in range(11)] + [(4, 6)]
    points = [(x * reach, y * reach, z * reach) for y, z in curve for x in (-8, 8)]
    faces = [(2 * n, 2 * n + 1, 2 * n + 3, 2 * n + 2) for n in range(len(curve) - 1)]
    data = bpy.data.meshes.new("studio")
    data.from_pydata(points, [], faces)
    for face in data.polygons:
        face.use_smooth = True
    wall = bpy.data.objects.new("studio", data)
    wall.location = middle - Vector((0, 0, 0.012 * reach))
    bpy.context.collection.objects.link(wall)
    glug.materials.put(data, glug.materials.matte("studio", (0.085, 0.11, 0.14)))
    for name, place, power, side in (("key", (-1.6, -1.2, 2.4), 150, 1.2), ("rim", (1.8, 1.2, 1.6), 120, 0.9)):
        lamp = bpy.data.lights.new(name, "AREA")
        lamp.energy, lamp.size = power * reach * reach, side * reach
        thing = bpy.data.objects.new(name, lamp)
        thing.location = middle + Vector(place) * reach
        thing.rotation_euler = (middle + Vector((0, 0, 0.45 * size[2])) - thing.location).to_track_quat("-Z", "Y").to_euler()
        bpy.context.collection.objects.link(thing)
    world = bpy.data.worlds.new("sky")
    world.use_nodes = True
    world.node_tree.nodes["Background"].inputs["Color"].default_value = (0.75, 0.84, 0.92, 1)
    world.node_tree.nodes["Background"].inputs["Strength"].default_value = 0.6
    bpy.context.scene.world = world


def camera(run, size):
    """The scene's own, or one that shows the domain."""
    given = run.scene.get("camera", {})
    view = math.radians(given.get("field_of_view", 35))
    turn = lambda v: Vector((v[0], -v[2], v[1]))
    middle = Vector((size[0] / 2, -size[1] / 2, size[2] / 2))
    at = turn(given["at"]) if given.get("at") else middle
    reach = middle.length
    place = turn(given["from"]) if given.get("from") else at + Vector((0.5, -2.2, 0.7)) * reach * 0.9 / math.tan(view)
    data = bpy.data.cameras.new("camera")
    data.sensor_fit, data.angle = "VERTICAL", view
    thing = bpy.data.objects.new("camera", data)
    thing.location = place
    thing.rotation_euler = (at - place).to_track_quat("-Z", "Y").to_euler()
    bpy.context.collection.objects.link(thing)
    bpy.context.scene.camera = thing


def refuse(why):
    """Ends Blender with a sentence and status 2, where it would go on after an exception."""
    print(f"render.py: {why}", file=sys.stderr)
    sys.exit(2)


def asked():
    """RUN, its folder; FRAME, PICTURE and the numbers after them; or a word on what is wrong."""
    words = sys.argv[sys.argv.index("--") + 1:] if "--" in sys.argv else []
    if not 3 <= len(words) <= 6:
        refuse(__doc__.split("\n", 1)[1].strip())
    try:
        run = RunFolder(words[0])
        frame, samples, width, height = (int(w) for w in [words[1]] + words[3:] + ["64", "480", "270"][len(words) - 3:])
    except ValueError as error:
        refuse(error)
    there = run.frames("surface", "ply")
    if run.scene["grid"]["dimension"] == 2:
        refuse(f"{words[0]} is of a 2D scene: its own pictures show it (glug render)")
    if not there:
        refuse(f"{words[0]} has no surfaces: glug export {words[0]} --surface ply makes them of what is left of the run")
    if frame not in there:
        refuse(f"{words[0]} has no frame {frame}: there are {there[0]} to {there[-1]}")
    return run, frame, os.path.abspath(words[2]), samples, width, height


def main():
    run, frame, picture, samples, width, height = asked()
    folder = run.path
    bpy.ops.wm.read_factory_settings(use_empty=True)
    glug.register()
    x, y, z = run.scene["grid"]["size"]
    importer.import_run(folder)
    studio((x, z, y))
    camera(run, (x, z, y))
    scene = bpy.context.scene
    scene.render.engine = "CYCLES"
    scene.cycles.samples = samples
    denoisers = scene.cycles.bl_rna.properties["denoiser"].enum_items.keys()  # none in Debian's Blender
    scene.cycles.use_denoising = "OPENIMAGEDENOISE" in denoisers
    scene.cycles.max_bounces, scene.cycles.transmission_bounces, scene.cycles.transparent_max_bounces = 24, 24, 24
    scene.cycles.caustics_reflective = scene.cycles.caustics_refractive = False
    scene.cycles.sample_clamp_direct, scene.cycles.sample_clamp_indirect = 6, 3
    scene.view_settings.view_transform = "Filmic"
    scene.view_settings.look = "High Contrast"
    scene.render.resolution_x, scene.render.resolution_y, scene.render.resolution_percentage = width, height, 100
    scene.render.image_settings.file_format = "PNG"
    scene.render.filepath = picture
    scene.frame_set(frame)
    bpy.ops.render.render(write_still=True)


main()
