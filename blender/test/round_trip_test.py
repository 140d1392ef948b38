"""Scenes that a script builds go out, are simulated and come back.
    blender -b --factory-startup -P round_trip_test.py -- PROGRAM FOLDER"""
import math
import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import bpy
import numpy as np
from common import arguments, main
from glug import axes, exporter, importer, ply
from glug.run_folder import RunFolder, _plain_scene, read_scene
from mathutils import Quaternion, Vector

program, folder = arguments()


def near(a, b, error=1e-5):
    assert np.allclose(np.array(a), np.array(b), atol=error, rtol=0), f"{a} is not {b}"


def box(name, low, high, kind):
    low, high = Vector(low), Vector(high)
    bpy.ops.mesh.primitive_cube_add(size=1, location=(low + high) / 2)
    thing = bpy.context.object
    thing.name = name
    thing.scale = high - low
    thing.glug.kind = kind
    return thing


def pool():
    """A tank off the origin, half full, with a paddle that moves and turns and a ball that floats."""
    scene = bpy.context.scene
    scene.render.fps, scene.frame_start, scene.frame_end = 24, 1, 5
    scene.glug.resolution = 20
    scene.glug.program = program
    scene.glug.folder = os.path.join(folder, "pool")
    box("tank", (1, 2, 3), (2, 2.5, 3.8), "DOMAIN")
    box("water", (1, 2, 3), (2, 2.5, 3.3), "LIQUID").glug.velocity = (0.2, 0, 0)
    paddle = box("paddle board", (1.1, 2.2, 3.2), (1.2, 2.3, 3.6), "SOLID")
    paddle.keyframe_insert("location", frame=1)
    paddle.keyframe_insert("rotation_euler", frame=1)
    paddle.location.x += 0.1
    paddle.rotation_euler[2] = math.radians(40)
    paddle.keyframe_insert("location", frame=5)
    paddle.keyframe_insert("rotation_euler", frame=5)
    bpy.ops.mesh.primitive_uv_sphere_add(radius=0.08, location=(1.7, 2.25, 3.35), segments=16, ring_count=8)
    ball = bpy.context.object
    ball.name, ball.glug.kind, ball.glug.density, ball.glug.glass = "ball", "RIGID", 400, True
    return scene


def axes_turn_and_turn_back():
    v = np.random.default_rng(1).normal(size=(20, 3))
    near(axes.to_glug(axes.to_blender(v)), v)
    near(axes.to_blender(np.array([[0, 1, 0]])), [[0, 0, 1]])
    q = Quaternion((0.3, -0.5, 0.2, 0.8)).normalized()
    turned = Quaternion(axes.quaternion_to_blender(*q)) @ Vector(axes.to_blender(v[:1])[0])
    near(turned, axes.to_blender(np.array([q @ Vector(v[0])]))[0])


def a_scene_goes_out_is_simulated_and_comes_back():
    scene = pool()
    assert bpy.ops.glug.run_scene(wait=True) == {"FINISHED"}
    run = RunFolder(os.path.join(folder, "pool", "run"))
    assert run.frames("surface", "ply") == [0, 1, 2, 3, 4], run.frames("surface", "ply")
    near(run.scene["grid"]["size"], (1, 0.8, 0.5), 1e-4)
    root = next(t for t in bpy.data.objects if t.glug.run)
    liquid = next(t for t in root.children if t.glug.sequence == "surface")
    # Back in Glug's place, with the corner of the domain at the origin: z is up, the water 0.3 m deep.
    scene.frame_set(0)
    points = np.array([v.co for v in liquid.data.vertices])
    near(points.min(axis=0), (0, -0.5, 0), 0.02)
    assert abs(points[:, 0].max() - 1) < 0.02 and 0.28 < points[:, 2].max() < 0.38, points.max(axis=0)
    assert len(liquid.data.attributes["velocity"].data) == len(liquid.data.vertices)
    before = len(liquid.data.vertices), points.sum()
    scene.frame_set(3)
    points = np.array([v.co for v in liquid.data.vertices])
    assert (len(points), points.sum()) != before, "another frame, another mesh"
    near(liquid.data.vertices[0].co, axes.to_blender(ply.read(run.frame_file("surface", "ply", 3)).points)[0])
    assert liquid.data.materials[0].name == "Glug water"
    assert root.children[0].users_collection
    # The paddle came back where it went: its corners, through the run, are those that Blender moved.
    for came in root.children:
        if came.glug.body != "paddle_board":
            continue
        for number in (0, 4):
            scene.frame_set(number)
            corners = np.array([came.matrix_world @ v.co for v in came.data.vertices])
            scene.frame_set(number + 1)
            sent = bpy.data.objects["paddle board"]
            wanted = np.array([sent.matrix_world @ v.co for v in sent.data.vertices]) - (1, 2.5, 3)
            for low in (np.min, np.max):
                near(low(corners, axis=0), low(wanted, axis=0), 2e-6)
        break
    else:
        raise AssertionError("no paddle came back")
    ball = next(t for t in root.children if t.glug.body == "ball")
    near(np.mean([v.co for v in ball.data.vertices], axis=0), (0, 0, 0), 1e-3)  # it turns about its middle
    scene.frame_set(0)
    near(ball.matrix_world.translation, (0.7, -0.25, 0.35), 1e-3)
    assert ball.data.materials[0].name == "Glug glass"
    assert ball.animation_data, "a body that floats has keyframes"


def what_is_wrong_is_said_before_anything_is_written():
    scene = pool()
    for change, word in ((lambda: setattr(bpy.data.objects["tank"].glug, "kind", "NONE"), "domain"),
                         (lambda: setattr(bpy.data.objects["water"].glug, "kind", "NONE"), "liquid")):
        bpy.ops.wm.read_factory_settings(use_empty=True)
        scene = pool()
        change()
        try:
            exporter.export_scene(os.path.join(folder, "wrong"), scene)
            raise AssertionError("taken")
        except exporter.ExportError as error:
            assert word in str(error), error
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = pool()
    bpy.ops.mesh.primitive_plane_add(size=0.1, location=(1.5, 2.2, 3.5))
    bpy.context.object.name = "sheet"
    bpy.context.object.glug.kind = "SOLID"
    try:
        exporter.export_scene(os.path.join(folder, "wrong"), scene)
        raise AssertionError("taken")
    except exporter.ExportError as error:
        assert "sheet is not closed: 4 of its edges" in str(error), error
    assert not os.path.exists(os.path.join(folder, "wrong"))


def glug_takes_what_goes_out():
    scene = pool()
    path = exporter.export_scene(os.path.join(folder, "checked"), scene)
    said = subprocess.run([program, "check", path], capture_output=True, text=True)
    assert said.returncode == 0, said.stderr
    for part in ('name = "paddle_board"', 'look = "glass"', "density = 400"):
        assert part in said.stdout, said.stdout
    assert "rotation = [0, 40.00000" in open(path).read(), open(path).read()


def a_run_that_goes_on_is_followed():
    run = os.path.join(folder, "growing")
    os.makedirs(os.path.join(run, "surface"))
    with open(os.path.join(run, "scene.toml"), "w") as file:
        file.write('title = "Growing"\n[grid]\ndimension = 3\nsize = [1, 1, 1]\nresolution = 8\n[time]\nframes = 9\nfps = 25\n')

    def frame(number, x):
        points = np.array([[x, 0, 0], [x + 1, 0, 0], [x, 1, 0]])
        ply.write(os.path.join(run, "surface", f"surface.{number:04d}.ply"), points, np.array([[0, 1, 2]]))

    frame(0, 0.0)
    root = importer.import_run(run, offset=100)
    scene = bpy.context.scene
    assert (scene.frame_start, scene.frame_end, scene.render.fps) == (100, 109, 25)
    liquid = root.children[0]
    scene.frame_set(104)
    near(liquid.data.vertices[0].co, (0, 0, 0))  # the last that is there
    frame(4, 4.0)
    importer.follow()
    near(liquid.data.vertices[0].co, (4, 0, 0))
    scene.frame_set(103, subframe=0.8)  # what motion blur asks for around 104
    near(liquid.data.vertices[0].co, (4, 0, 0))
    scene.frame_set(102)
    near(liquid.data.vertices[0].co, (0, 0, 0))


def scenes_are_read_without_a_library_too():
    path = os.path.join(folder, "pool", "run", "scene.toml")
    plain, whole = _plain_scene(open(path).read()), read_scene(path)
    for section, key in (("grid", "size"), ("grid", "resolution"), ("time", "fps"), ("time", "frames")):
        assert plain[section][key] == whole[section][key], (section, key)
    assert [s.get("name") for s in plain["solid"]] == [s.get("name") for s in whole["solid"]]
    assert [s.get("look") for s in plain["rigid"]] == ["glass"]


def velocities_blur():
    """A bright square, 12 m/s to the right, frame time 1/24 s, half of it exposed: 0.25 m of blur."""
    scene = bpy.context.scene
    square = np.array([[-0.1, -0.1, 0], [0.1, -0.1, 0], [0.1, 0.1, 0], [-0.1, 0.1, 0]], np.float32)
    mesh = ply.Mesh(square, np.tile(np.float32([12, 0, 0]), (4, 1)), np.array([[0, 1, 2], [0, 2, 3]], np.int32))
    thing = bpy.data.objects.new("square", bpy.data.meshes.new("square"))
    importer.fill_mesh(thing.data, mesh)  # y up: it stands upright
    material = bpy.data.materials.new("lamp")
    material.use_nodes = True
    material.node_tree.nodes.clear()
    lamp, out = (material.node_tree.nodes.new(n) for n in ("ShaderNodeEmission", "ShaderNodeOutputMaterial"))
    material.node_tree.links.new(lamp.outputs[0], out.inputs["Surface"])
    thing.data.materials.append(material)
    scene.collection.objects.link(thing)
    camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
    camera.data.type, camera.data.ortho_scale = "ORTHO", 1
    camera.location, camera.rotation_euler = (0, -2, 0), (math.pi / 2, 0, 0)
    scene.collection.objects.link(camera)
    scene.camera = camera
    scene.render.engine, scene.render.fps = "CYCLES", 24
    scene.cycles.samples, scene.cycles.use_denoising = 16, False
    scene.render.resolution_x, scene.render.resolution_y = 64, 16
    scene.render.image_settings.file_format = "OPEN_EXR"
    scene.render.motion_blur_shutter = 0.5
    widths = []
    for blur in (False, True):
        scene.render.use_motion_blur = blur
        scene.render.filepath = os.path.join(folder, f"blur_{blur}.exr")
        bpy.ops.render.render(write_still=True)
        image = bpy.data.images.load(scene.render.filepath)
        row = np.array(image.pixels).reshape(16, 64, 4)[8, :, 0]
        widths.append(((row > 0.02).sum() / 64, row.sum() / 64))
    near(widths[0], (0.2, 0.2), 0.04)
    near(widths[1], (0.45, 0.2), 0.04)


def vdb_surfaces_are_water_where_it_is():
    """The same water as in meshes, from frame to frame."""
    if not bpy.app.build_options.openvdb:
        print("skipped: this Blender has no OpenVDB")
        return
    scene = os.path.join(folder, "dam.toml")
    with open(scene, "w") as file:
        file.write('title = "Dam"\n[grid]\ndimension = 3\nsize = [1.2, 0.9, 0.6]\nresolution = 16\n[time]\nframes = 3\n'
                   '[output]\npreview = "off"\nfirst_frame = 7\n'
                   '[[liquid.body]]\nshape = { type = "box", min = [0, 0, 0], max = [0.5, 0.6, 0.6] }\n')
    shown = {}
    for kind in ("ply", "vdb"):
        out = os.path.join(folder, kind)
        subprocess.run([program, "run", scene, "--set", f"output.surface={kind}", "--out", out, "--quiet"], check=True)
        root = importer.import_run(out, offset=20)
        liquid = next(t for t in root.children if t.name.startswith("liquid"))
        assert liquid.data.materials[0].name.startswith("Glug water")
        for number in (20, 22, 23):
            bpy.context.scene.frame_set(number)
            mesh = liquid.evaluated_get(bpy.context.evaluated_depsgraph_get())
            points = np.array([mesh.matrix_world @ v.co for v in mesh.to_mesh().vertices])
            shown.setdefault(number, []).append((points.min(axis=0), points.max(axis=0), points.mean(axis=0)))
    for number, (ply_box, vdb_box) in shown.items():
        for of_ply, of_vdb in zip(ply_box[:2], vdb_box[:2]):
            near(of_ply, of_vdb, 0.01)  # edges are a quarter of a voxel rounder in one of the meshes
        near(vdb_box[0], (0, -0.6, 0), 1e-4)  # flat where walls are
        near(ply_box[2], vdb_box[2], 0.03)
    assert shown[23][0][1][0] > shown[20][0][1][0] + 0.02, "the dam breaks"


def files_that_count_from_1001_are_frames_from_0():
    """Tables count frames from 0, whatever the numbers in the names of files."""
    path = os.path.join(folder, "numbered")
    os.makedirs(os.path.join(path, "surface"))
    with open(os.path.join(path, "scene.toml"), "w") as file:
        file.write('[time]\nframes = 2\n[output]\nfirst_frame = 1001\nup_axis = "z"\n'
                   '[[solid]]\nname = "the bowl"\nlook = "glass"\n[[rigid]]\nname = "ball"\n')
    with open(os.path.join(path, "run.json"), "w") as file:
        file.write('{"state": "finished", "solids": ["the_bowl", "ball"]}')
    os.makedirs(os.path.join(path, "solids"))
    for name in ("the_bowl", "ball"):
        ply.write(os.path.join(path, "solids", f"{name}.ply"), np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]]),
                  np.array([[0, 1, 2]]))
    with open(os.path.join(path, "bodies.csv"), "w") as file:
        file.write("frame,time,body,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz\n")
        for n in range(3):
            file.write(f"{n},{n / 24},ball,{n},2,3,1,0,0,0,0,0,0,0,0,0\n")
    for n in range(3):
        open(os.path.join(path, "surface", f"surface.{1001 + n}.ply"), "w").close()
    run = RunFolder(path)
    assert run.frames("surface", "ply") == [0, 1, 2], run.frames("surface", "ply")
    assert run.frame_file("surface", "ply", 1).endswith("surface.1002.ply")
    assert [pose[0] for pose in run.poses()["ball"]] == run.frames("surface", "ply")
    assert run.z_up
    # Files are called otherwise than solids where a name is none of a file's; poses of such a run are turned.
    assert (run.look("the_bowl"), run.look("ball")) == ("glass", "matte")
    thing = bpy.data.objects.new("ball", None)
    importer._key_poses(thing, run.poses()["ball"], 0, run.z_up)
    near(thing.location, (2, 2, 3))


main([files_that_count_from_1001_are_frames_from_0, vdb_surfaces_are_water_where_it_is, velocities_blur, axes_turn_and_turn_back, a_scene_goes_out_is_simulated_and_comes_back, what_is_wrong_is_said_before_anything_is_written,
      glug_takes_what_goes_out, a_run_that_goes_on_is_followed, scenes_are_read_without_a_library_too])
