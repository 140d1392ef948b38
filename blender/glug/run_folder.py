"""The folder of a run, also while it grows: which frames there are, what the scene says, where bodies are."""
import csv
import json
import os
import re

_FRAME = re.compile(r"^(\w+)\.(\d+)\.(\w+)$")


class RunFolder:
    def __init__(self, path):
        self.path = os.path.abspath(path)
        if not os.path.exists(self.file("scene.toml")):
            raise ValueError(f"{self.path} is not the folder of a run: it has no scene.toml")
        self.scene = read_scene(self.file("scene.toml"))
        self.names = read_names(self.file("run.json"))

    def file(self, *names):
        return os.path.join(self.path, *names)

    @property
    def fps(self):
        return float(self.scene.get("time", {}).get("fps", 24))

    @property
    def last_frame(self):
        return int(self.scene.get("time", {}).get("frames", 0))

    @property
    def size(self):
        """Of the domain's longest side, m."""
        size = self.scene.get("grid", {}).get("size", 1.0)
        return float(max(size) if isinstance(size, list) else size)

    @property
    def resolution(self):
        return max(1, int(self.scene.get("grid", {}).get("resolution", 64)))

    @property
    def title(self):
        return self.scene.get("title") or os.path.basename(self.path)

    @property
    def first_frame(self):
        """What the numbers in the names of files count from; frames, as the tables have them, count from 0."""
        return int(self.scene.get("output", {}).get("first_frame", 0))

    @property
    def z_up(self):
        return self.scene.get("output", {}).get("up_axis", "y") == "z"

    def frames(self, kind, extension):
        """Frames that have this file, in order."""
        try:
            names = os.listdir(self.file(kind))
        except FileNotFoundError:
            return []
        found = (_FRAME.match(n) for n in names)
        return sorted(int(m[2]) - self.first_frame for m in found if m and m[1] == kind and m[3] == extension)

    def frame_file(self, kind, extension, frame):
        return self.file(kind, f"{kind}.{frame + self.first_frame:04d}.{extension}")

    def solids(self):
        """{name: file} of the solids that were written as PLY."""
        try:
            names = sorted(os.listdir(self.file("solids")))
        except FileNotFoundError:
            return {}
        return {n[:-4]: self.file("solids", n) for n in names if n.endswith(".ply")}

    def look(self, name):
        """Of a solid by the name of its file, which is not always the one that the scene gives it."""
        entries = self.scene.get("solid", []) + self.scene.get("rigid", [])
        names = self.names if len(self.names) == len(entries) else [e.get("name") for e in entries]
        for entry, file in zip(entries, names):
            if file == name:
                return entry.get("look", "matte")
        return "matte"

    def poses(self):
        """{body: [(frame, position, quaternion w x y z)]}"""
        poses = {}
        if not os.path.exists(self.file("bodies.csv")):
            return poses
        with open(self.file("bodies.csv"), newline="") as file:
            for row in csv.DictReader(file):
                try:
                    pose = (int(row["frame"]), tuple(float(row[c]) for c in "xyz"),
                            tuple(float(row[c]) for c in ("qw", "qx", "qy", "qz")))
                except (TypeError, ValueError):
                    break  # the row that is being written
                poses.setdefault(row["body"], []).append(pose)
        return poses


def read_names(path):
    """What the files of solids are called, [[solid]] before [[rigid]]; runs of earlier versions do not tell."""
    try:
        with open(path, "rb") as file:
            names = json.load(file).get("solids", [])
    except (OSError, ValueError, AttributeError):
        return []
    return names if isinstance(names, list) else []


def read_scene(path):
    with open(path, "rb") as file:
        text = file.read()
    try:
        import tomllib
    except ImportError:  # before Python 3.11
        return _plain_scene(text.decode())
    return tomllib.loads(text.decode())


def _plain_scene(text):
    """Plain keys of a resolved scene: numbers, lists of them, strings and truths, in tables and lists of tables."""
    scene = {}
    table = scene
    for line in text.splitlines():
        line = line.strip()
        if line.startswith("[[") and line.endswith("]]"):
            *path, last = line[2:-2].split(".")
            parent = scene
            for name in path:
                parent = parent.setdefault(name, {})
            table = {}
            parent.setdefault(last, []).append(table)
        elif line.startswith("[") and line.endswith("]"):
            table = scene
            for name in line[1:-1].split("."):
                table = table.setdefault(name, {})
        elif "=" in line and not line.startswith("#"):
            key, value = (part.strip() for part in line.split("=", 1))
            if re.fullmatch(r'"[^"\\]*"', value):
                table[key] = value[1:-1]
            elif value in ("true", "false"):
                table[key] = value == "true"
            elif value.startswith("["):
                numbers = re.findall(r"[-+]?[0-9.]+(?:[eE][-+]?[0-9]+)?", value)
                table[key] = [float(n) for n in numbers]
            else:
                try:
                    table[key] = float(value) if re.search(r"[.eE]", value) else int(value)
                except ValueError:
                    pass
    return scene
