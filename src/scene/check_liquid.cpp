#include "scene/check_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "scene/estimate.h"

#include "scene/make_setup.h"

namespace glug {

void check_narrow_band(const SceneCheck& c) {
  const int given = c.scene.liquid.narrow_band;
  if (given == 0) return;
  if (given < least_narrow_band)
    c.say(
        "liquid.narrow_band",
        fmt::format("liquid.narrow_band must be 0 or at least {} cells, got {}: the surface looks two cells "
                    "deep for particles; 4 is a good choice",
                    least_narrow_band, given));
  else if (given < c.scene.time.cfl + 2)
    c.say("liquid.narrow_band",
          fmt::format("liquid.narrow_band = {} does not go with time.cfl = {}: the surface moves that many "
                      "cells in a substep, and would reach where particles are absent; set it to {} or more, "
                      "or lower time.cfl",
                      given, c.scene.time.cfl, std::ceil(c.scene.time.cfl + 2)));
}

void check_particles_per_cell(const SceneCheck& c) {
  const int given = c.scene.liquid.particles_per_cell, d = c.scene.grid.dimension;
  const int root = static_cast<int>(std::lround(std::pow(given, 1.0 / d)));
  if (power(root, d) != given)
    c.say("liquid.particles_per_cell",
          fmt::format("liquid.particles_per_cell must be 0 or a {} in {}D ({}), got {}",
                      d == 2 ? "square" : "cube", d, d == 2 ? "1, 4, 9, 16, .." : "1, 8, 27, 64", given));
}

void check_viscosity(const SceneCheck& c) {
  const double liquid = c.scene.liquid.viscosity, air = c.scene.air.viscosity;
  side_names(c, "grid.slip", c.scene.grid.slip);
  for (const std::string& side : c.scene.grid.slip)
    if (std::find(c.scene.grid.open.begin(), c.scene.grid.open.end(), side) != c.scene.grid.open.end())
      c.say("grid.slip",
            fmt::format("grid.slip: the side \"{}\" is open, so there is no wall to slide along", side));
  if (air > 0 && c.scene.air.model != AirModel::two_phase)
    c.say("air.viscosity", fmt::format("air.viscosity has no meaning with air.model = \"{}\": set that to "
                                       "\"two_phase\", or leave this out",
                                       name_of(c.scene.air.model)));
  if (liquid == 0 && air == 0) {
    const char* remedy = c.scene.has_smoke()
                             ? "has no meaning in smoke, which slides along everything: leave this out"
                             : "has no meaning without viscosity: set liquid.viscosity, or leave this out";
    if (!c.scene.grid.slip.empty()) c.say("grid.slip", fmt::format("grid.slip {}", remedy));
    for (std::size_t n = 0; n < c.scene.solids.size(); ++n)
      if (c.scene.solids[n].slip != Slip::no_slip)
        c.problems.add(c.scene.solids[n].where, fmt::format("solid[{}].slip {}", n, remedy));
    return;
  }
  if (c.scene.air.model == AirModel::affine)
    c.say("liquid.viscosity",
          "liquid.viscosity does not go with air.model = \"affine\": air that moves as one has no shear to "
          "resist; set that to \"two_phase\" or \"constraint\"");
  if (c.scene.adaptivity.tile > 0)
    c.say("liquid.viscosity",
          "liquid.viscosity does not go with adaptivity.tile: stress inside tiles is not known; set that to "
          "0");
}

void check_tension(const SceneCheck& c) {
  const LiquidOptions &given = c.scene.liquid, usual;
  if (given.contact_angle != usual.contact_angle && given.surface_tension == 0)
    c.say("liquid.contact_angle",
          "liquid.contact_angle has no meaning with liquid.surface_tension = 0: set that to 0.072 for water, "
          "or leave this out");
}

void check_poured(const SceneCheck& c) {
  if (c.scene.has_smoke()) return;
  if (c.scene.bodies.empty() && c.scene.emitters.empty()) {
    c.say("liquid", "there is no liquid: add a [[liquid.body]] with a shape, or an [[emitter]]");
    return;
  }
  const Estimate estimate = estimate_scene(c.scene);
  check_taps_reach(c, "emitter", c.scene.emitters, estimate.emitters);
  check_taps_reach(c, "drain", c.scene.drains, estimate.drains);
  for (std::size_t i = 0; i < c.scene.air_bodies.size(); ++i)
    if (estimate.air_bodies[i].cells == 0)
      c.problems.add(
          c.scene.air_bodies[i].where,
          fmt::format("air.body[{}] holds no cell of {:.4g} m inside the domain, which reaches from "
                      "0 to {} m: make it larger, move it, or leave it out",
                      i, spacing(c.scene.grid), extent_text(c.scene)));
  for (std::size_t i = 0; i < c.scene.bodies.size(); ++i) {
    const BodyEstimate& body = estimate.bodies[i];
    const SourceLocation& where = c.scene.bodies[i].where;
    if (body.cells == 0) {
      c.problems.add(where, body.outside
                                ? fmt::format("liquid.body[{}] lies outside the domain, which reaches from 0 "
                                              "to {} m",
                                              i, extent_text(c.scene))
                                : fmt::format("liquid.body[{}] holds no cell of {:.4g} m: make it larger or "
                                              "raise grid.resolution",
                                              i, spacing(c.scene.grid)));
    } else if (body.in_solids >= 1) {
      c.problems.add(
          where, fmt::format("liquid.body[{}] lies inside solids and nothing of it is left: move the liquid "
                             "or the solid",
                             i));
    } else if (body.left() < 1e-6 * body.cells) {
      c.problems.add(where,
                     fmt::format("liquid.body[{}] lies inside {}bodies of air and nothing of it is left: "
                                 "move the liquid or the air",
                                 i, body.in_solids > 0 ? "solids and " : ""));
    }
  }
}

}  // namespace glug
