// options.h: what a scene can set about the physics and its solution, each declared once.
#pragma once

#include <string>
#include <vector>

#include "core/options.h"
#include "projection/solver_options.h"

namespace glug {

struct GridOptions {
  int dimension = 3;
  std::vector<double> size = {1, 1, 1};
  int resolution = 64;
  std::vector<std::string> open;
  std::vector<std::string> slip;

  template <class Self, class Visitor>
  static void declare(Self& s, Visitor& v) {
    v.option("dimension", s.dimension, {.at_least = 2, .at_most = 3, .help = "2 for a plane, 3 for space."});
    v.option("size", s.size,
             {.unit = "m", .at_least = 1e-6, .at_most = 1e6, .help = "Edge lengths of the domain."});
    v.option("resolution", s.resolution,
             {.unit = "cells", .at_least = 4, .at_most = 8192, .help = "Cells along the longest side."});
    v.option("open", s.open,
             {.help = "The sides that are open to the air: left, right, bottom, top, back, front; the others "
                      "are walls."});
    v.option("slip", s.slip,
             {.help = "The walls that a viscous liquid slides along freely, named as those of `open`; it "
                      "sticks to the others."});
  }
};

struct TimeOptions {
  int frames = 120;
  double fps = 24;
  double cfl = 1;
  int max_substeps = 60;

  template <class Self, class Visitor>
  static void declare(Self& s, Visitor& v) {
    v.option("frames", s.frames, {.at_least = 0, .at_most = 1000000, .help = "Frames after frame 0."});
    v.option("fps", s.fps, {.unit = "1/s", .at_least = 1e-30, .at_most = 1e6, .help = "Frames per second."});
    v.option("cfl", s.cfl,
             {.unit = "cells",
              .above = 0,
              .at_most = 4,
              .help = "How far the fastest particle may move in a substep. Above 1 costs accuracy."});
    v.option("max_substeps", s.max_substeps,
             {.at_least = 1, .help = "At most this many substeps a frame, whatever the speed."});
  }
};

enum class Transfer { flip, apic, pic };
template <>
struct EnumNames<Transfer> {
  static constexpr EnumName<Transfer> names[] = {
      {Transfer::flip, "flip"}, {Transfer::apic, "apic"}, {Transfer::pic, "pic"}};
};

// Cells below which liquid.narrow_band makes no sense.
inline constexpr int least_narrow_band = 3;

struct LiquidOptions {
  double density = 1000;
  double viscosity = 0;
  Transfer transfer = Transfer::flip;
  double flip_ratio = 0.97;
  int particles_per_cell = 0;
  int narrow_band = 0;
  bool volume_correction = true;
  double surface_tension = 0;
  double contact_angle = 90;

  // Particles that fill a cell. In the plane two along an axis are too few: waves lose three times as much as
  // with three (docs/notebook/calm_water.md), which cost a fifth more there.
  int filling(int dimension) const {
    return particles_per_cell > 0 ? particles_per_cell : dimension == 2 ? 9 : 8;
  }

  template <class Self, class Visitor>
  static void declare(Self& s, Visitor& v) {
    v.option("density", s.density,
             {.unit = "kg/m^D", .above = 0, .at_most = 1e9, .help = "Mass of the liquid per volume."});
    v.option("viscosity", s.viscosity,
             {.unit = "Pa s",
              .at_least = 0,
              .at_most = 1e9,
              .help = "How thick the liquid is; 0 = not at all, which costs nothing. Water has 0.001, honey "
                      "10. Thick liquid keeps its swirls best with transfer = \"apic\"."});
    v.option("surface_tension", s.surface_tension,
             {.unit = "N/m",
              .at_least = 0,
              .at_most = 1e6,
              .help = "Pull of the surface, which rounds drops and bubbles; water has 0.072. 0 = none."});
    v.option("contact_angle", s.contact_angle,
             {.unit = "degrees",
              .at_least = 0,
              .at_most = 180,
              .help = "Angle, inside the liquid, at which the surface meets walls and solids: small where it "
                      "wets them. Read with surface_tension."});
    v.option("transfer", s.transfer, {.help = "How particles and grid exchange velocity."});
    v.option("flip_ratio", s.flip_ratio,
             {.at_least = 0,
              .at_most = 1,
              .help = "Share of a particle's own velocity that is kept over 1/24 s, whatever the frame rate "
                      "(flip; with apic and pic of films along solids only)."});
    v.option("particles_per_cell", s.particles_per_cell,
             {.at_least = 0,
              .at_most = 64,
              .help = "Particles seeded in a cell of liquid; 0 = 9 in 2D, 8 in 3D. Must be a square (2D) or "
                      "cube (3D)."});
    v.option("narrow_band", s.narrow_band,
             {.unit = "cells",
              .at_least = 0,
              .at_most = 7,
              .help = "Only liquid this near its surface has particles; below it the grid carries the "
                      "velocity, with less memory and time. 0 = particles everywhere, 4 is a good choice; 3 "
                      "is the least, and two more than time.cfl."});
    v.option("volume_correction", s.volume_correction,
             {.help = "Move the liquid so that its volume stays what was poured."});
  }
};

enum class AirModel { void_air, constraint, two_phase, affine };
template <>
struct EnumNames<AirModel> {
  static constexpr EnumName<AirModel> names[] = {{AirModel::void_air, "void"},
                                                 {AirModel::constraint, "constraint"},
                                                 {AirModel::two_phase, "two_phase"},
                                                 {AirModel::affine, "affine"}};
};

struct AirOptions {
  AirModel model = AirModel::void_air;
  double density = 1.2;
  double viscosity = 0;
  bool volume_correction = true;
  bool ambient_free = true;
  int band = 3;
  int tile = 0;

  template <class Self, class Visitor>
  static void declare(Self& s, Visitor& v) {
    v.option(
        "model", s.model,
        {.help =
             "void: air has no mass and no pressure. constraint: neither has it mass, but every closed "
             "pocket of it keeps its volume. two_phase: it is a fluid with a mass and a motion of its "
             "own, and fills the domain. affine: the same, but away from the surface a body of air moves as "
             "one."});
    v.option(
        "density", s.density,
        {.unit = "kg/m^D",
         .above = 0,
         .at_most = 1e9,
         .help = "Mass of the air per volume; void and constraint take it for nothing. It may exceed the "
                 "liquid's."});
    v.option("viscosity", s.viscosity,
             {.unit = "Pa s",
              .at_least = 0,
              .at_most = 1e9,
              .help = "How thick the air is (two_phase only); 0 = not at all."});
    v.option("volume_correction", s.volume_correction,
             {.help = "Move the liquid so that bubbles keep their volumes (not with void)."});
    v.option(
        "ambient_free", s.ambient_free,
        {.help = "Whether air that reaches an open side of the domain is a free surface; else it is a bubble "
                 "like any other (constraint only)."});
    v.option("band", s.band,
             {.unit = "cells",
              .at_least = 2,
              .at_most = 200,
              .help = "Layers of ordinary cells of air along the surface (affine only). In a single one "
                      "cells would have but heavy liquid around them, and the pressure solve stalls."});
    v.option("tile", s.tile,
             {.unit = "cells",
              .at_least = 0,
              .at_most = 1024,
              .help = "The air inside the band moves in tiles this wide; 0 = each body of it as one (affine "
                      "only)."});
  }
};

// Calm liquid by the tile.
struct AdaptivityOptions {
  int tile = 0;
  int surface_band = 9;
  int wall_band = 2;
  bool graded = false;

  template <class Self, class Visitor>
  static void declare(Self& s, Visitor& v) {
    v.option("tile", s.tile,
             {.unit = "cells",
              .at_least = 0,
              .at_most = 1024,
              .help = "Liquid far from its surface and from walls moves in tiles this wide, each with one "
                      "affine velocity; 0 = off, 16 is a good choice."});
    v.option("surface_band", s.surface_band,
             {.unit = "cells",
              .at_least = 1,
              .at_most = 200,
              .help = "Layers of ordinary cells along the surface. Below 6 or so the tiles show in it."});
    v.option("wall_band", s.wall_band,
             {.unit = "cells",
              .at_least = 1,
              .at_most = 200,
              .help = "Layers of ordinary cells along walls and solids, of liquid and of affine air."});
    v.option("graded", s.graded,
             {.help = "Whether tiles grow with depth: twice and four times `tile` where they fit."});
  }
};

}  // namespace glug
