"""A Blender scene as a Glug scene: what is marked goes out as PLY, in place and closed, with its motion.

One object is marked as the domain: the box around it is the grid, and its lower corner Glug's origin."""
import json
import math
import os
import re

import bpy
import numpy as np
from mathutils import Quaternion, Vector

from . import axes, ply


class ExportError(ValueError):
    """Something the user can mend; says what and how."""


def _file_name(name, taken):
    plain = re.sub(r"[^A-Za-z0-9_-]+", "_", name).strip("_") or "mesh"
    unique, n = plain, 1
    while unique in taken:
        n += 1
        unique = f"{plain}_{n}"
    taken.add(unique)
    return unique


def _number(value):
    """To a tenth of a micrometre: Blender computes with floats. Never -0."""
    return f"{round(float(value), 7) + 0.0:.9g}"


def _vector(values):
    return "[" + ", ".join(_number(v) for v in values) + "]"


def _glug(vector):
    return axes.to_glug(np.array([vector], float))[0]


def _world_mesh(thing, depsgraph):
    """Points in the world and triangles of an object with its modifiers."""
    evaluated = thing.evaluated_get(depsgraph)
    data = evaluated.to_mesh()
    try:
        data.calc_loop_triangles()
        points = np.empty(3 * len(data.vertices), np.float32)
        data.vertices.foreach_get("co", points)
        triangles = np.empty(3 * len(data.loop_triangles), np.int32)
        data.loop_triangles.foreach_get("vertices", triangles)
    finally:
        evaluated.to_mesh_clear()
    matrix = np.array(evaluated.matrix_world)
    points = points.reshape(-1, 3) @ matrix[:3, :3].T + matrix[:3, 3]
    triangles = triangles.reshape(-1, 3)
    if np.linalg.det(matrix[:3, :3]) < 0:
        triangles = triangles[:, ::-1]  # mirrored
    return points, triangles


def _demand_closed(thing, points, triangles):
    if not len(triangles):
        raise ExportError(f"{thing.name} has no faces: Glug takes closed meshes")
    # Corners that lie together are one: meshes come apart at sharp edges.
    _, same = np.unique(np.round(points, 7), axis=0, return_inverse=True)
    corners = same.reshape(-1)[triangles]
    edges = np.sort(np.concatenate([corners[:, [0, 1]], corners[:, [1, 2]], corners[:, [2, 0]]]), axis=1)
    edges = edges[edges[:, 0] != edges[:, 1]]
    _, count = np.unique(edges, axis=0, return_counts=True)
    odd = int((count % 2 != 0).sum())
    if odd:
        raise ExportError(f"{thing.name} is not closed: {odd} of its edges have a face on one side only. "
                          "Fill its holes (Mesh > Clean Up > Fill Holes) or give it thickness (Solidify)")


def _samples(scene, things):
    """{object: [(time, location, rotation)]} over the scene's frames, all objects in one walk."""
    poses = {thing: [] for thing in things}
    fps = scene.render.fps / scene.render.fps_base
    before = scene.frame_current
    for frame in range(scene.frame_start, scene.frame_end + 1):
        scene.frame_set(frame)
        for thing, list_ in poses.items():
            location, rotation, _ = thing.matrix_world.decompose()
            list_.append(((frame - scene.frame_start) / fps, location.copy(), rotation.copy()))
    scene.frame_set(before)
    return poses


def _motion(poses, corner):
    """Keys of a motion, or None for what rests. Keys on a straight way between others are left out."""
    _, start, turned = poses[0]
    keys, last = [], Vector((0, 0, 0))
    for time, location, rotation in poses:
        turn = rotation @ turned.inverted()
        if turn.w < 0:
            turn = -turn
        axis, angle = turn.to_axis_angle() if turn.angle > 1e-7 else (Vector((0, 0, 1)), 0.0)
        vector = axis * angle
        # Of all vectors that mean this turn, the one that goes on from the key before.
        if angle > 1e-7:
            round_ = 2 * math.pi * round((last.dot(axis) - angle) / (2 * math.pi))
            vector = axis * (angle + round_)
        elif last.length > 1e-7:
            vector = last.normalized() * (2 * math.pi * round(last.length / (2 * math.pi)))
        last = vector
        position = _glug(location - start)
        keys.append((time, position, _glug(vector) * 180 / math.pi))
    rests = max(max(np.abs(p).max() for _, p, _ in keys), max(np.abs(r).max() for _, _, r in keys) / 90)
    if rests < 1e-6:
        return None
    kept, first = [keys[0]], 0
    for n in range(1, len(keys) - 1):
        (t0, p0, r0), (t2, p2, r2) = keys[first], keys[n + 1]
        for t1, p1, r1 in keys[first + 1:n + 1]:
            w = (t1 - t0) / (t2 - t0)
            if max(np.abs(p0 + w * (p2 - p0) - p1).max(), np.abs(r0 + w * (r2 - r0) - r1).max() / 90) > 1e-5:
                kept.append(keys[n])
                first = n
                break
    kept.append(keys[-1])
    pivot = _glug(start) - corner
    lines = ",\n".join(f"  {{ time = {_number(t)}, position = {_vector(p)}, rotation = {_vector(r)} }}" for t, p, r in kept)
    return f"motion = {{ pivot = {_vector(pivot)}, keys = [\n{lines},\n] }}"


def _domain(things, depsgraph):
    domains = [t for t in things if t.glug.kind == "DOMAIN"]
    if len(domains) != 1:
        raise ExportError(f"{len(domains)} objects are marked as the domain: mark one box (Glug panel of the object)")
    points, _ = _world_mesh(domains[0], depsgraph)
    points = axes.to_glug(points)
    low, high = points.min(axis=0), points.max(axis=0)
    if (high - low).min() <= 0:
        raise ExportError(f"{domains[0].name} is flat: the domain is a box")
    return low, high - low


def export_scene(folder, scene=None):
    """Writes folder/scene.toml and folder/meshes/*.ply; returns the path of the scene."""
    scene = scene or bpy.context.scene
    settings = scene.glug
    things = [t for t in scene.objects if t.type == "MESH" and t.glug.kind != "NONE"]
    if not any(t.glug.kind in ("LIQUID", "EMITTER") for t in things):
        raise ExportError("nothing is marked as liquid or emitter: select a mesh and choose in its Glug panel")
    before = scene.frame_current
    scene.frame_set(scene.frame_start)
    depsgraph = bpy.context.evaluated_depsgraph_get()
    corner, size = _domain(things, depsgraph)
    meshes, taken = {}, set()
    for thing in things:
        if thing.glug.kind == "DOMAIN":
            continue
        points, triangles = _world_mesh(thing, depsgraph)
        _demand_closed(thing, points, triangles)
        meshes[thing] = (_file_name(thing.name, taken), axes.to_glug(points) - corner, triangles)
    movers = [t for t in meshes if t.glug.kind in ("SOLID", "RIGID", "EMITTER", "DRAIN")]
    poses = _samples(scene, movers) if movers else {}
    scene.frame_set(before)

    os.makedirs(os.path.join(folder, "meshes"), exist_ok=True)
    fps = scene.render.fps / scene.render.fps_base
    text = [f"title = {json.dumps(scene.name)}", ""]
    text += ["[grid]", "dimension = 3", f"size = {_vector(size)}", f"resolution = {settings.resolution}"]
    if settings.open_top:
        text.append('open = ["top"]')
    text += ["", "[time]", f"frames = {scene.frame_end - scene.frame_start}", f"fps = {_number(fps)}"]
    text += ["", "[air]", f'model = "{settings.air.lower()}"']
    if settings.viscosity > 0:
        text += ["", "[liquid]", f"viscosity = {_number(settings.viscosity)}"]
    text += ["", "[output]", 'surface = "ply"', f'particles = "{"ply" if settings.particles else "off"}"', 'preview = "off"']
    headings = {"LIQUID": "liquid.body", "AIR": "air.body", "SOLID": "solid", "RIGID": "rigid", "EMITTER": "emitter", "DRAIN": "drain"}
    for thing, (file, points, triangles) in meshes.items():
        ply.write(os.path.join(folder, "meshes", file + ".ply"), points, triangles)
        kind = thing.glug.kind
        text += ["", f"[[{headings[kind]}]]"]
        if kind in ("SOLID", "RIGID"):
            text += [f"name = {json.dumps(file)}", f'look = "{"glass" if thing.glug.glass else "matte"}"']
        text.append(f'shape = {{ type = "mesh", file = "meshes/{file}.ply" }}')
        velocity = _glug(thing.glug.velocity)
        motion = _motion(poses[thing], corner) if thing in poses else None
        if kind in ("LIQUID", "EMITTER") or (kind == "RIGID" and not motion):
            text.append(f"velocity = {_vector(velocity)}")
        if kind == "RIGID":
            text.append(f"density = {_number(thing.glug.density)}")
        if motion:
            text.append(motion)
    path = os.path.join(folder, "scene.toml")
    with open(path + ".partial", "w") as file:
        file.write("\n".join(text) + "\n")
    os.replace(path + ".partial", path)
    return path
