#include "scene/reference.h"

#include <fmt/format.h>

#include "scene/option_reader.h"
#include "scene/print_scene.h"
#include "scene/sections.h"

namespace glug {
namespace {

template <class T>
struct FormatsOf;
template <class E>
struct FormatsOf<Formats<E>> {
  using type = E;
};

template <class T>
std::string type_text() {
  if constexpr (std::is_same_v<T, bool>) return "true or false";
  if constexpr (std::is_same_v<T, int>) return "whole number";
  if constexpr (std::is_same_v<T, double>) return "number";
  if constexpr (std::is_same_v<T, std::string>) return "string";
  if constexpr (std::is_same_v<T, std::vector<double>>) return "numbers";
  if constexpr (std::is_same_v<T, std::vector<std::string>>) return "strings";
  if constexpr (std::is_enum_v<T>) return quoted_list(enum_names<T>());
  if constexpr (requires { typename FormatsOf<T>::type; })
    return quoted_list(enum_names<typename FormatsOf<T>::type>()) + ", or a list";
}

struct ReferencePrinter {
  std::string prefix;  // of the keys
  std::string& text;
  template <class T>
  void option(const char* name, const T& value, const OptionInfo& info) {
    std::string rule = type_text<std::remove_const_t<T>>();
    if (const std::string range = range_rule(info); !range.empty()) rule += ", " + range;
    text += fmt::format("| `{}{}` | `{}` | {} | {} | {} |\n", prefix, name, toml_text(value), info.unit, rule,
                        info.help);
  }
};

constexpr const char* table_head = "| key | default | unit | value | |\n| --- | --- | --- | --- | --- |\n";

constexpr const char* introduction = R"(# Scene reference

A scene is a TOML file. Units are SI (metres, seconds, kilograms), y points up, angles are in degrees. An unknown key, a value
of the wrong type or out of range is an error; `glug check SCENE` lists all of them and prints the scene with every default
filled in. `--set KEY=VALUE` changes any key from the command line, also inside arrays: `--set solid.0.shape.radius=0.2`; a table
for a whole section, `--set 'grid={resolution=64}'`, changes those keys of it. No number may exceed 1e12.

This page is printed by `glug options`, from the same declarations that read the file.

| key | meaning |
| --- | --- |
| `title` | what pictures and lists call the scene |
| `shows` | one line for `glug list` |
| `paper` | the paper and figure it follows |
| `gravity` | m/s², a number per axis; `[0, -9.81]` or `[0, -9.81, 0]` unless given |
)";

constexpr const char* entries = R"(
## Liquid: `[[liquid.body]]`

| key | meaning |
| --- | --- |
| `shape` | where liquid is at the start; bodies may overlap; less than half a cell from a solid it is poured up to it |
| `velocity` | m/s at the start, a number per axis; 0 unless given |

## Air: `[[air.body]]`

| key | meaning |
| --- | --- |
| `shape` | where air is at the start, also inside bodies of liquid; all that is not liquid is air anyway |

## Solids: `[[solid]]`

)";

constexpr const char* motion_and_taps = R"(| `shape` | | | see below | Where it is. |
| `motion` | | | see below | Keyframes; at rest unless given. |

    motion = { interpolation = "smooth", pivot = [0.5, 0.5], keys = [ { time = 0 }, { time = 2, position = [0.1, 0], rotation = 360 } ] }

`interpolation` is "linear" or "smooth" (no jerk at the keys, and never beyond them). `position` is added to where the shape was placed; `rotation` turns
it about `pivot` (the shape's centre unless given; of combinations the middle of the box around them, of a mesh the origin it was made about): degrees in 2D; in 3D axis times degrees, so `[0, 720, 0]` is two turns about
y. Times ascend. Before the first and after the last key the solid rests.

## Rigid bodies: `[[rigid]]`

Bodies that the liquid carries and that push it; they meet walls, solids and each other. Besides the keys of a solid (`name`, `look`, `shape`):

| key | default | unit | meaning |
| --- | --- | --- | --- |
| `density` | 1000 | kg/m^D | of what it is made of; above 0; cavities of its shape are left out and may hold air or liquid |
| `velocity` | 0 | m/s | of its centre of mass, at the start |
| `spin` | 0 | degrees/s | a number in 2D; axis times speed in 3D |
| `friction`, `restitution` | 0.3, 0.2 | | in contacts; 0 to 10, and 0 to 1 |
| `motion` | | | keyframes as of a solid: it follows them until the last, then it is free |
| `force` | 0 | N | acts at its centre of mass, besides gravity; in 2D per metre of depth |
| `force_start`, `force_stop` | 0, never | s | when it acts; the first must be less |
| `drag`, `spin_drag` | 0 | 1/s | velocity and spin fall as exp(-drag t), besides what the liquid does; at least 0 |
| `hinge` | | m | a point of it that stays where it is in the world; what the body begins inside of beside it, nearer than half of the body reaches, it passes through there |
| `axis` | | | 3D: the direction that the hinge lets it turn about; without it, any |

## Emitters and drains: `[[emitter]]`, `[[drain]]`

| key | meaning |
| --- | --- |
| `shape` | where liquid comes in or goes out; it must have an end on every side |
| `velocity` | of an emitter: m/s, a number per axis; what is inside moves so, and as much as that carries out of the shape comes in, also under water. 0 unless given: the shape is filled again when it has run empty |
| `start`, `stop` | s; from 0 to the end unless given; `stop` must be later |
| `rate` | how far it is opened, 0 to 1: a stream of that share of the width, a drain of that share of the volume. A number or keys: `rate = [ { time = 0, rate = 0 }, { time = 1, rate = 1 } ]` |
| `motion` | keyframes as of a solid; the velocity turns and moves with the shape |

Liquid that enters a drain is gone. The drain is open to the outside air: what stands above flows out by its own weight, and a pocket of air that reaches a drain is free.
Emitters and drains need `air.model = "void"` or `"constraint"`, and `adaptivity.tile = 0`.
)";

constexpr const char* probes = R"(
## Probes: `[[probe]]`

What they measure after every substep is in probes.csv (below). They change nothing.

| key | meaning |
| --- | --- |
| `name` | what the table calls it; every probe has one of its own |
| `at` | m: a point of the domain. Measures pressure, the liquid's velocity, and the level of the surface |
| `on` | instead of `at`: the name of a `[[solid]]` or `[[rigid]]`, or a side of the domain that is a wall ("left", "right", "bottom", "top", "back", "front"). Measures the force of pressure on it and the torque |
| `about` | m, with `on`: the point that torque is about; the centre of mass of a rigid body, else 0, unless given |

Probes need liquid and `solver.method = "pressure"`, `adaptivity.tile = 0`, and any `air.model` but "affine": pressure inside what moves as one is not known.
)";

constexpr const char* smoke_entries = R"(
## Smoke: `[[smoke.body]]`, `[[smoke.source]]`

A scene with either of them is of smoke: one fluid fills the domain, and there is no liquid, so bodies of liquid or air, emitters,
drains and tiles are refused. Solids are as ever.

)";

constexpr const char* smoke_keys =
    R"(| `shape` | | | see below | Of a body: where smoke is at the start. Of a source: what is inside has its density and temperature all the time. |
| `velocity` | 0 | m/s | a number per axis | Of a body: at the start. Of a source: of what is inside. 0 (and no spin) leaves the flow alone. |
| `spin` | 0 | degrees/s | a number; in 3D one per axis | Of a body: turns about the middle of its shape at the start. |
| `start`, `stop`, `rate`, `motion` | | | as of an emitter | Of a source; `rate` scales density, temperature and velocity. |
)";

constexpr const char* shapes = R"(
## Shapes

Points have two numbers in 2D and three in 3D; points and lengths are in metres. A 2D scene is the plane z = 0 of the same shapes: a sphere is a disk there.

    { type = "box", min = [0, 0], max = [1, 0.5] }                     or center and size; rounding = 0.05 rounds its edges
    { type = "sphere", center = [0.5, 0.5], radius = 0.2 }
    { type = "capsule", from = [0.2, 0.2], to = [0.8, 0.4], radius = 0.1 }     or center and height, along y; `from` and `to` are the centres of its caps, `height` is between them
    { type = "cylinder", center = [0.5, 0.5, 0.5], height = 1, radius = 0.2 }  or from and to
    { type = "cone", from = [0.5, 0, 0.5], to = [0.5, 1, 0.5], radius = 0.3 }  base at `from`, tip at `to`
    { type = "torus", center = [0.5, 0.5, 0.5], radius = 0.3, thickness = 0.05 }   ring about y; thickness is the radius of its tube
    { type = "plane", point = [0, 0.2], normal = [0, 1] }              everything below the plane
    { type = "mesh", file = "meshes/funnel.obj" }                      closed .obj, .ply or .stl beside the scene; 3D
                                                                       checksum = "1a2b3c4d", which a run writes, refuses another mesh
    { type = "union", of = [ {..}, {..} ] }                            also "intersection", and "difference": the first minus the others

Any of them may have, applied in this order:

| key | meaning |
| --- | --- |
| `scale` | a number |
| `rotate` | degrees; in 3D about x, then y, then z, about axes that stay fixed in space |
| `translate` | m |
| `pivot` | the point that scaling and turning keep in place: the shape's centre unless given; the origin for meshes and combinations |
)";

}  // namespace

std::string scene_reference() {
  std::string text = introduction;
  const Scene scene;
  for_each_section(scene, [&](const char* section, const auto& options) {
    text += fmt::format("\n## `[{}]`\n\n{}", section, table_head);
    ReferencePrinter printer{fmt::format("{}.", section), text};
    declare_options(options, printer);
  });
  text += entries;
  text += table_head;
  ReferencePrinter printer{"", text};
  const Solid solid;
  Solid::declare(solid, printer);
  text += motion_and_taps;
  text += probes;
  text += smoke_entries;
  text += table_head;
  const SmokeBodyEntry smoke;
  SmokeBodyEntry::declare(smoke, printer);
  return text + smoke_keys + shapes;
}

}  // namespace glug
