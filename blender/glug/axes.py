"""Glug has y up, Blender z: (x, y, z) there is (x, -z, y) here, a quarter turn about x."""
import numpy as np


def to_blender(vectors):
    return np.stack([vectors[:, 0], -vectors[:, 2], vectors[:, 1]], axis=1)


def to_glug(vectors):
    return np.stack([vectors[:, 0], vectors[:, 2], -vectors[:, 1]], axis=1)


def quaternion_to_blender(w, x, y, z):
    return w, x, -z, y
