#!/usr/bin/env python3
"""Surfaces as other programs find them, against stats.csv: scenes with solids are run, every frame's .ply and .vdb is read
back, its volume is held against the table's, and edges that do not belong to two polygons are counted. Then a still pool:
how far its triangles lean.

    python3 tests/python/surface_files.py --glug build/release/glug [--only water_cooler,funnel]

Needs numpy; .vdb files are left out without pyopenvdb (Debian: python3-openvdb), and in 2D, where they are one layer.
Ends with status 1 where a volume is off by more than 1%, a mesh is not closed or the pool leans by more than half a degree. Not part of ./test, which does this
in memory (ShownSurface.*): it takes minutes.
"""
import argparse
import csv
import os
import re
import subprocess
import sys
import tempfile

import numpy as np

try:
    import pyopenvdb as vdb
except ImportError:
    vdb = None

SCENES = ["water_cooler", "funnel", "wall_with_holes", "paddle", "drain", "rigid_and_bubbles", "moving_platform",
          "floating_bodies", "bottle_in_water", "two_meshes", "affine_ball_2d", "closed_bottle", "inverted_cup", "u_tube",
          "tilted_tank", "bubble_tube"]
TYPES = {"float": "<f4", "uint": "<u4", "int": "<i4", "uchar": "u1", "double": "<f8"}


def read_ply(path):
    """Vertices, and triangles (or, in 2D, segments)."""
    with open(path, "rb") as file:
        data = file.read()
    head, body = data.split(b"end_header\n", 1)
    at, vertices, cells = 0, None, None
    for element in re.split(r"\nelement ", head.decode())[1:]:
        lines = element.splitlines()
        name, count = lines[0].split()[0], int(lines[0].split()[1])
        fields = []
        for line in lines[1:]:
            words = line.split()
            if words[0] != "property":
                continue
            if words[1] == "list":  # triangles alone
                fields += [("n", TYPES[words[2]]), ("corners", TYPES[words[3]], (3,))]
            else:
                fields.append((words[2], TYPES[words[1]]))
        kind = np.dtype(fields)
        values = np.frombuffer(body, kind, count, at)
        at += count * kind.itemsize
        if name == "vertex":
            vertices = np.stack([values[c].astype(float) for c in "xyz"], axis=1)
        elif name == "face":
            assert count == 0 or (values["n"] == 3).all()
            cells = values["corners"].astype(np.int64)
        elif name == "edge":
            cells = np.stack([values["vertex1"], values["vertex2"]], axis=1).astype(np.int64)
    return vertices, cells


def volume(x, cells):
    if cells is None or len(cells) == 0:
        return 0.0
    if cells.shape[1] == 2:
        a, b = x[cells[:, 0]], x[cells[:, 1]]
        return float((a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]).sum() / 2)
    total = 0.0
    for k in range(1, cells.shape[1] - 1):
        a, b, c = x[cells[:, 0]], x[cells[:, k]], x[cells[:, k + 1]]
        total += float((a * np.cross(b, c)).sum() / 6)
    return total


def loose_edges(cells):
    """Edges that do not belong to two polygons (2D: points that do not to two segments)."""
    if cells is None or len(cells) == 0:
        return 0
    if cells.shape[1] == 2:
        return int((np.unique(cells, return_counts=True)[1] != 2).sum())
    edges = np.concatenate([np.sort(cells[:, [k, (k + 1) % cells.shape[1]]], axis=1) for k in range(cells.shape[1])])
    return int((np.unique(edges, axis=0, return_counts=True)[1] != 2).sum())


def measure(glug, name, folder, options):
    text = subprocess.run([glug, "check", name], capture_output=True, text=True, check=True).stdout
    flat = "\ndimension = 2\n" in text
    size = [float(x) for x in re.search(r"^size = \[(.*)\]$", text, re.MULTILINE).group(1).split(",")]
    fps = float(re.search(r"^fps = (\S+)$", text, re.MULTILINE).group(1))
    resolution, frames = (options.flat, options.flat_frames) if flat else (options.space, options.space_frames)
    least = 50 * (max(size) / resolution) ** len(size)  # a few cells of liquid have no shape to speak of
    formats = '["ply", "vdb"]' if vdb and not flat else '"ply"'
    out = f"{folder}/{name}"
    subprocess.run([glug, "run", name, "--out", out, "--frames", str(frames), "--threads", "1", "--quiet", "--set",
                    f"grid.resolution={resolution}", "--set", "output.preview=off", "--set", f"output.surface={formats}"],
                   check=True)
    with open(f"{out}/stats.csv") as file:
        rows = list(csv.DictReader(file))
    worst = {"ply": 0.0, "vdb": 0.0 if vdb and not flat else float("nan")}
    loose = 0
    for n in range(frames + 1):
        known = [float(r["liquid_volume"]) for r in rows if abs(float(r["time"]) - n / fps) < 1e-9][-1]
        if known < least:
            continue
        x, cells = read_ply(f"{out}/surface/surface.{n:04}.ply")
        loose += loose_edges(cells)
        worst["ply"] = max(worst["ply"], abs(volume(x, cells) / known - 1))
        if vdb and not flat:
            x, quads = vdb.read(f"{out}/surface/surface.{n:04}.vdb", "surface").convertToQuads(0)
            quads = quads.astype(np.int64)
            loose += loose_edges(quads)
            worst["vdb"] = max(worst["vdb"], abs(abs(volume(x.astype(float), quads)) / known - 1))
    return frames + 1, worst, loose


def still_pool(glug, folder):
    """How far triangles of a still pool's top lean, in degrees: median and largest, for every frame."""
    with open(f"{folder}/pool.toml", "w") as file:
        file.write("[grid]\nsize = [1, 0.5, 1]\nresolution = 48\n[[liquid.body]]\n"
                   'shape = { type = "box", min = [0, 0, 0], max = [1, 0.2137, 1] }\n')
    frames = 6
    subprocess.run([glug, "run", f"{folder}/pool.toml", "--out", f"{folder}/pool", "--frames", str(frames), "--threads", "1",
                    "--quiet", "--set", "output.preview=off", "--set", "output.surface=ply"], check=True)
    for n in range(frames + 1):
        x, cells = read_ply(f"{folder}/pool/surface/surface.{n:04}.ply")
        area = np.cross(x[cells[:, 1]] - x[cells[:, 0]], x[cells[:, 2]] - x[cells[:, 0]])
        up = area[:, 1] / np.linalg.norm(area, axis=1)
        lean = np.degrees(np.arccos(np.minimum(1, up[up > 0.5])))
        yield n, float(np.median(lean)), float(lean.max())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--glug", required=True)
    parser.add_argument("--only", type=lambda text: text.split(","), default=SCENES)
    parser.add_argument("--space", type=int, default=40, help="resolution in 3D")
    parser.add_argument("--space-frames", type=int, default=6)
    parser.add_argument("--flat", type=int, default=64, help="resolution in 2D")
    parser.add_argument("--flat-frames", type=int, default=24)
    options = parser.parse_args()
    bad = 0
    print(f"{'scene':<20} frames  .ply off by  .vdb off by  loose edges")
    with tempfile.TemporaryDirectory() as folder:
        for name in options.only:
            frames, worst, loose = measure(os.path.abspath(options.glug), name, folder, options)
            bad += loose > 0 or worst["ply"] > 0.01 or worst["vdb"] > 0.01
            print(f"{name:<20} {frames:>6}  {100 * worst['ply']:>9.3f}%  {100 * worst['vdb']:>9.3f}%  {loose:>11}", flush=True)
        print("\na still pool, 48 cells: triangles lean by (degrees)\nframe  median  largest")
        for n, median, largest in still_pool(os.path.abspath(options.glug), folder):
            bad += largest > 0.5
            print(f"{n:>5}  {median:>6.3f}  {largest:>7.3f}", flush=True)
    if bad:
        sys.exit(f"{bad} of {len(options.only)} scenes are off")


if __name__ == "__main__":
    main()
