// The command `new`: a commented scene to start from.
#include <fmt/format.h>

#include <cstdio>

#include "app/commands.h"
#include "app/shell_word.h"
#include "core/error.h"
#include "output/atomic_file.h"

namespace glug {
namespace {

// What differs between the plane and space.
struct Words {
  int resolution;
  const char *size, *gravity, *pool, *drop, *velocity, *post, *camera;
};
constexpr Words plane = {96,
                         "[1.6, 1]",
                         "[0, -9.81]",
                         "min = [0, 0], max = [1.6, 0.25]",
                         "center = [0.4, 0.7], radius = 0.12",
                         "[1, -1]",
                         "center = [1.1, 0.25], radius = 0.1",
                         ""};
constexpr Words space = {48,
                         "[1.6, 1, 1]",
                         "[0, -9.81, 0]",
                         "min = [0, 0, 0], max = [1.6, 0.25, 1]",
                         "center = [0.4, 0.7, 0.5], radius = 0.15",
                         "[1, -1, 0]",
                         "center = [1.1, 0.25, 0.5], radius = 0.12",
                         R"(
[camera]                        # of the pictures; left out: chosen to show the domain
from = [0.8, 1.3, 3.4]
at = [0.8, 0.35, 0.5]
)"};

std::string starter(const std::string& title, int dimension) {
  const Words& w = dimension == 2 ? plane : space;
  return fmt::format(
      R"(# A scene for Glug. `glug check {12}` finds mistakes, `glug run {12}` simulates it.
# Every key, its unit, range and default: docs/reference.md, or `glug options`.
title = "{0}"
shows = "a drop falls into a pool with a post"

gravity = {1}                   # m/s^2; lengths are metres, y is up

[grid]
dimension = {2}                 # 2: a plane, 3: space
size = {3}                      # m
resolution = {4}                # cells along the longest side: twice as many are {5} times the work
open = ["top"]                  # sides open to the air; the others are walls

[time]
frames = 96
fps = 24

[liquid]
# viscosity = 10                # Pa s: honey; 0, the default, is water
# surface_tension = 0.072       # N/m: matters for drops of millimetres

[air]
model = "constraint"            # trapped air keeps its volume; "void": it does not, which is cheaper

[output]
preview = "png"                 # a picture of every frame; `glug render` makes a movie of them
# surface = "ply"               # meshes for Blender, Houdini, ParaView: "ply", "vdb" or "vtp"
# particles = "ply"
{6}
[[liquid.body]]                 # a pool
shape = {{ type = "box", {7} }}

[[liquid.body]]                 # and a drop that falls into it
shape = {{ type = "sphere", {8} }}
velocity = {9}              # m/s, at the start

[[solid]]                       # a post in its way
name = "post"
shape = {{ type = "sphere", {10} }}
# motion = {{ keys = [ {{ time = 0 }}, {{ time = 2, rotation = {11} }} ] }}   # solids may move
)",
      title, w.gravity, dimension, w.size, w.resolution, dimension == 2 ? 8 : 16, w.camera, w.pool, w.drop,
      w.velocity, w.post, dimension == 2 ? "90" : "[0, 90, 0]", shell_word(title + ".toml"));
}

}  // namespace

void new_command(const std::string& name, int dimension) {
  std::filesystem::path path(name);
  const std::string word = path.filename().string();
  const bool named = !word.empty() && word != "." && word != ".." && word != ".toml";
  if (path.extension() != ".toml") path += ".toml";
  const std::string title = path.stem().string();
  if (!named || title.find_first_of("\"\\\n\r\t") != std::string::npos)
    throw InputError("\"" + name +
                     "\" is no name for a scene: give a word such as pool, or a path such as a/pool.toml");
  if (std::filesystem::exists(path))
    throw InputError(path.string() + " is there already: choose another name, or delete it first");
  if (path.has_parent_path() && !std::filesystem::is_directory(path.parent_path()))
    throw InputError("there is no folder " + path.parent_path().string() + " to write " +
                     path.filename().string() + " into: make it first");
  write_file(path, starter(title, dimension));
  fmt::print("{0}: a starter scene\ncheck it: glug check {0}   simulate it: glug run {0}\n",
             shell_word(path.string()));
}

}  // namespace glug
