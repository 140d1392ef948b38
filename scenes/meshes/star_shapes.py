#!/usr/bin/env python3
"""Writes rabbit.obj and jack.obj: closed meshes whose points lie at r(direction) around the origin.

A sphere of triangles is pulled out along a few directions: a bump of height h and width w (radians) about
the direction d adds h exp(-(angle / w)^2) to the radius.
"""
import math

RABBIT = (0.30, [((0.75, 0.35, 0), 0.30, 0.55), ((0.55, 1.0, 0.28), 0.42, 0.20), ((0.55, 1.0, -0.28), 0.42, 0.20),
                 ((-1, 0.25, 0), 0.14, 0.30), ((0.5, -1, 0.45), 0.16, 0.35), ((0.5, -1, -0.45), 0.16, 0.35),
                 ((-0.7, -0.8, 0.4), 0.18, 0.4), ((-0.7, -0.8, -0.4), 0.18, 0.4)])
JACK = (0.16, [((1, 0, 0), 0.42, 0.28), ((-1, 0, 0), 0.42, 0.28), ((0, 1, 0), 0.42, 0.28), ((0, -1, 0), 0.42, 0.28),
               ((0, 0, 1), 0.42, 0.28), ((0, 0, -1), 0.42, 0.28)])


def unit(v):
    n = math.sqrt(sum(x * x for x in v))
    return tuple(x / n for x in v)


def sphere(times):
    points = [unit(p) for p in [(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1)]]
    faces = [(0, 2, 4), (2, 1, 4), (1, 3, 4), (3, 0, 4), (2, 0, 5), (1, 2, 5), (3, 1, 5), (0, 3, 5)]
    for _ in range(times):
        middles, finer = {}, []

        def middle(a, b):
            key = (min(a, b), max(a, b))
            if key not in middles:
                middles[key] = len(points)
                points.append(unit([x + y for x, y in zip(points[a], points[b])]))
            return middles[key]

        for a, b, c in faces:
            ab, bc, ca = middle(a, b), middle(b, c), middle(c, a)
            finer += [(a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca)]
        faces = finer
    return points, faces


def write(path, shape):
    base, bumps = shape
    points, faces = sphere(4)
    with open(path, "w") as out:
        out.write("# written by star_shapes.py\n")
        for p in points:
            r = base
            for direction, height, width in bumps:
                angle = math.acos(max(-1.0, min(1.0, sum(x * y for x, y in zip(p, unit(direction))))))
                r += height * math.exp(-((angle / width) ** 2))
            out.write("v %.4f %.4f %.4f\n" % tuple(r * x for x in p))
        for f in faces:
            out.write("f %d %d %d\n" % tuple(i + 1 for i in f))


write("rabbit.obj", RABBIT)
write("jack.obj", JACK)
