"""A run as objects: the surface as a mesh that changes with the frame, solids and bodies with keyframes,
particles as points, VDB surfaces as meshes where Blender has OpenVDB. Follows a run that is still going on."""
import os

import bpy
import numpy as np
from bpy.app.handlers import persistent
from mathutils import Quaternion, Vector

from . import axes, materials, ply
from .run_folder import RunFolder

KINDS = ("surface", "particles")


def _collection(name):
    collection = bpy.data.collections.new(name)
    bpy.context.scene.collection.children.link(collection)
    return collection


def fill_mesh(data, mesh):
    """Replaces what is in a mesh; velocities become the attribute that Cycles blurs by, m/s."""
    data.clear_geometry()
    points = mesh.points if mesh.z_up else axes.to_blender(mesh.points)
    data.vertices.add(len(points))
    data.vertices.foreach_set("co", np.ascontiguousarray(points, np.float32).ravel())
    if mesh.triangles is not None and len(mesh.triangles):
        corners = mesh.triangles.ravel()
        data.loops.add(len(corners))
        data.loops.foreach_set("vertex_index", corners)
        data.polygons.add(len(mesh.triangles))
        data.polygons.foreach_set("loop_start", np.arange(0, len(corners), 3, dtype=np.int32))
        if bpy.app.version < (4, 0, 0):
            data.polygons.foreach_set("loop_total", np.full(len(mesh.triangles), 3, np.int32))
        data.polygons.foreach_set("use_smooth", np.ones(len(mesh.triangles), bool))
    elif mesh.edges is not None:
        data.edges.add(len(mesh.edges))
        data.edges.foreach_set("vertices", mesh.edges.ravel())
    if mesh.velocities is not None:
        velocities = mesh.velocities if mesh.z_up else axes.to_blender(mesh.velocities)
        attribute = data.attributes.get("velocity") or data.attributes.new("velocity", "FLOAT_VECTOR", "POINT")
        attribute.data.foreach_set("vector", np.ascontiguousarray(velocities, np.float32).ravel())
    data.update(calc_edges=True)


def _object(name, data, collection, parent):
    thing = bpy.data.objects.new(name, data)
    collection.objects.link(thing)
    thing.parent = parent
    return thing


def _key_poses(thing, poses, offset, z_up):
    """Keyframes for poses from `thing.glug.keyed` on. z_up: they are turned already, as files of meshes are."""
    thing.rotation_mode = "QUATERNION"
    before = None
    for frame, position, quaternion in poses:
        if frame < thing.glug.keyed:
            continue
        at = Vector(position if z_up else axes.to_blender(np.array([position]))[0])
        turn = np.array(quaternion if z_up else axes.quaternion_to_blender(*quaternion))
        if before is not None and np.dot(before, turn) < 0:
            turn = -turn  # the same turn, reached the short way
        before = turn
        thing.location = at + Quaternion(turn) @ Vector(thing.glug.middle)
        thing.rotation_quaternion = turn
        thing.keyframe_insert("location", frame=frame + offset)
        thing.keyframe_insert("rotation_quaternion", frame=frame + offset)
        thing.glug.keyed = frame + 1
    if thing.animation_data and thing.animation_data.action:
        for curve in thing.animation_data.action.fcurves:
            for key in curve.keyframe_points:
                key.interpolation = "LINEAR"


def import_run(path, offset=0, particles=False):
    """Returns the empty that everything hangs on; Blender's frame `offset` shows frame 0. Sets the scene's
    frame rate and range, and motion blur."""
    run = RunFolder(path)
    scene = bpy.context.scene
    collection = _collection(run.title)
    root = bpy.data.objects.new(run.title, None)
    size = run.size
    root.empty_display_size = 0.1 * size
    collection.objects.link(root)
    root.glug.run = run.path
    root.glug.offset = offset

    liquid = None
    if run.frames("surface", "ply"):
        liquid = _object("liquid", bpy.data.meshes.new("liquid"), collection, root)
        liquid.glug.sequence = "surface"
    elif run.frames("surface", "vdb"):
        liquid = _meshed_volume(run, collection, root, offset)
    if liquid:
        materials.put(liquid.data, materials.water(size))
        if any(run.look(name) == "glass" for name in run.solids()):
            # Water ends exactly where glass begins. Renderers need to know which comes first: a little into it.
            overlap = liquid.modifiers.new("Into the glass", "DISPLACE")
            overlap.strength, overlap.mid_level = 0.15 * size / run.resolution, 0
    if particles and run.frames("particles", "ply"):
        points = _object("particles", bpy.data.meshes.new("particles"), collection, root)
        points.glug.sequence = "particles"
        _points_modifier(points, 0.2 * size / run.resolution)
    poses = run.poses()
    for name, file in run.solids().items():
        solid = _object(name, bpy.data.meshes.new(name), collection, root)
        mesh = ply.read(file)
        if name in poses and len(mesh.points):
            # Between frames, which motion blur looks at, Blender moves the origin along a straight line: in the
            # middle of the body that is nearly its way; at Glug's origin, which may be far from it, it is not.
            middle = 0.5 * (mesh.points.min(axis=0) + mesh.points.max(axis=0))
            mesh.points = mesh.points - middle
            solid.glug.middle = middle if mesh.z_up else axes.to_blender(middle[None])[0]
        fill_mesh(solid.data, mesh)
        look = run.look(name)
        materials.put(solid.data, materials.glass() if look == "glass" else
                      materials.body() if name in poses else materials.matte())
        solid.glug.body = name
    scene.render.fps = max(1, round(run.fps))
    scene.render.fps_base = scene.render.fps / run.fps
    scene.frame_start = offset
    scene.frame_end = offset + run.last_frame
    scene.render.use_motion_blur = True
    scene.render.motion_blur_shutter = 0.5
    catch_up(root)
    show_frame(scene)
    return root


def catch_up(root):
    """What a run wrote since the last look: keyframes of bodies."""
    run = RunFolder(bpy.path.abspath(root.glug.run))
    poses = run.poses()
    for thing in root.children:
        if thing.glug.body in poses:
            _key_poses(thing, poses[thing.glug.body], root.glug.offset, run.z_up)


def _meshed_volume(run, collection, root, offset):
    """The surface in VDB files, which Blender itself makes a mesh of; None where it cannot."""
    if not bpy.app.build_options.openvdb:
        print(f"Glug: {run.path} has VDB surfaces and this Blender was built without OpenVDB: "
              "`glug export DIR --surface ply` writes meshes")
        return None
    frames = run.frames("surface", "vdb")
    data = bpy.data.volumes.new("surface")
    data.filepath = run.frame_file("surface", "vdb", frames[0])
    data.grids.load()
    voxel = data.grids["surface"].matrix_object.to_scale()
    data.is_sequence = True
    data.frame_start = offset + frames[0]
    data.frame_duration = frames[-1] - frames[0] + 1
    data.frame_offset = run.first_frame + frames[0] - 1  # Blender takes the first file for number 1
    volume = _object("surface", data, collection, root)
    if not run.z_up:
        volume.rotation_euler[0] = np.pi / 2
    # Blender takes a value for that of a voxel's corner and moves the mesh it makes by half a voxel.
    volume.location = volume.rotation_euler.to_matrix() @ (-0.5 * voxel)
    volume.hide_render = True  # distances are no density
    volume.display_type = "BOUNDS"
    liquid = _object("liquid", bpy.data.meshes.new("liquid"), collection, root)
    liquid.rotation_euler = volume.rotation_euler  # half a voxel is then the same in both
    meshed = liquid.modifiers.new("Surface", "VOLUME_TO_MESH")
    meshed.object, meshed.grid_name = volume, "surface"
    meshed.resolution_mode, meshed.threshold, meshed.use_smooth_shade = "GRID", 0, True
    return liquid


def _points_modifier(thing, radius):
    """Vertices as points: Cycles draws them as balls."""
    group = bpy.data.node_groups.new("Glug points", "GeometryNodeTree")
    if hasattr(group, "interface"):
        group.interface.new_socket("Geometry", in_out="INPUT", socket_type="NodeSocketGeometry")
        group.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
    else:
        group.inputs.new("NodeSocketGeometry", "Geometry")
        group.outputs.new("NodeSocketGeometry", "Geometry")
    start, end = group.nodes.new("NodeGroupInput"), group.nodes.new("NodeGroupOutput")
    points, paint = group.nodes.new("GeometryNodeMeshToPoints"), group.nodes.new("GeometryNodeSetMaterial")
    points.inputs["Radius"].default_value = radius
    paint.inputs["Material"].default_value = materials.spray()
    for a, b in ((start.outputs[0], points.inputs["Mesh"]), (points.outputs[0], paint.inputs["Geometry"]),
                 (paint.outputs[0], end.inputs[0])):
        group.links.new(a, b)
    thing.modifiers.new("Glug points", "NODES").node_group = group


def _nearest(frames, wanted):
    before = [f for f in frames if f <= wanted]
    return before[-1] if before else frames[0]


def show_frame(scene):
    """Reads the files of this frame, or of the last one before it that is there."""
    # Motion blur asks for times around a frame: to the nearest.
    wanted = round(scene.frame_current + scene.frame_subframe)
    for thing in list(bpy.data.objects):
        if not thing.glug.sequence or thing.parent is None or not thing.parent.glug.run:
            continue
        path = bpy.path.abspath(thing.parent.glug.run)
        kind = thing.glug.sequence
        try:
            run = RunFolder(path)
            frames = run.frames(kind, "ply")
            if not frames:
                continue
            number = _nearest(frames, wanted - thing.parent.glug.offset)
            file = run.frame_file(kind, "ply", number)
            stamp = f"{file} {os.stat(file).st_mtime_ns}"
            if thing.glug.shown == stamp:
                continue
            fill_mesh(thing.data, ply.read(file))
            thing.glug.shown = stamp
        except (OSError, ValueError) as error:
            print(f"Glug: {error}")


@persistent
def on_frame(scene, _depsgraph=None):
    show_frame(scene)


@persistent
def on_load(_file):
    """Meshes of a file that was saved hold one frame; the run may have gone on."""
    for thing in bpy.data.objects:
        thing.glug.shown = ""
    show_frame(bpy.context.scene)


def follow():
    """Called by Blender's timer: a run that goes on has more to show."""
    for thing in bpy.data.objects:
        if thing.glug.run:
            try:
                catch_up(thing)
            except (OSError, ValueError) as error:
                print(f"Glug: {error}")
    show_frame(bpy.context.scene)
    return 2.0
