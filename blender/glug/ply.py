"""Binary PLY files: those that Glug writes, and those that it reads. Needs NumPy alone."""
import numpy as np

_TYPES = {"char": "i1", "uchar": "u1", "short": "<i2", "ushort": "<u2", "int": "<i4", "uint": "<u4",
          "float": "<f4", "double": "<f8"}


class Mesh:
    """points (n, 3); velocities (n, 3) or None; triangles (m, 3) or None; edges (k, 2) or None."""

    def __init__(self, points, velocities=None, triangles=None, edges=None, z_up=False):
        self.points, self.velocities, self.triangles, self.edges = points, velocities, triangles, edges
        self.z_up = z_up


def _header(data):
    end = data.find(b"end_header\n")
    if not data.startswith(b"ply\n") or end < 0:
        raise ValueError("not a PLY file")
    lines = data[:end].decode("latin1").split("\n")
    if "format binary_little_endian 1.0" not in lines:
        raise ValueError("not a binary PLY file")
    elements, z_up = [], False
    for line in lines:
        words = line.split()
        if words[:1] == ["comment"] and line.rstrip().endswith("z up"):
            z_up = True
        elif words[:1] == ["element"]:
            elements.append((words[1], int(words[2]), []))
        elif words[:2] == ["property", "list"]:
            elements[-1][2].extend([("corners", _TYPES[words[2]]), (words[4], _TYPES[words[3]], (3,))])
        elif words[:1] == ["property"]:
            elements[-1][2].append((words[2], _TYPES[words[1]]))
    return elements, end + len(b"end_header\n"), z_up


def _vectors(rows, names):
    if rows.dtype.names is None or any(n not in rows.dtype.names for n in names):
        return None
    return np.stack([rows[n].astype(np.float32) for n in names], axis=1)


def read(path):
    with open(path, "rb") as file:
        data = file.read()
    elements, at, z_up = _header(data)
    mesh = Mesh(np.zeros((0, 3), np.float32), z_up=z_up)
    for name, count, fields in elements:
        kind = np.dtype(fields)
        rows = np.frombuffer(data, kind, count, at)
        at += count * kind.itemsize
        if name == "vertex":
            mesh.points = _vectors(rows, ("x", "y", "z"))
            mesh.velocities = _vectors(rows, ("vx", "vy", "vz"))
        elif name == "face":
            if count and not (rows["corners"] == 3).all():
                raise ValueError("faces that are no triangles")
            mesh.triangles = rows[kind.names[1]].astype(np.int32)
        elif name == "edge":
            mesh.edges = np.stack([rows["vertex1"], rows["vertex2"]], axis=1).astype(np.int32)
    return mesh


def write(path, points, triangles):
    faces = np.zeros(len(triangles), np.dtype([("corners", "u1"), ("vertices", "<i4", (3,))]))
    faces["corners"] = 3
    faces["vertices"] = triangles
    with open(path, "wb") as file:
        file.write((f"ply\nformat binary_little_endian 1.0\ncomment for Glug, metres, y up\nelement vertex {len(points)}\n"
                    "property float x\nproperty float y\nproperty float z\n"
                    f"element face {len(triangles)}\nproperty list uchar int vertex_indices\nend_header\n").encode())
        file.write(np.ascontiguousarray(points, "<f4").tobytes())
        file.write(faces.tobytes())
