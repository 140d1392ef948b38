#include "scene/check_parts.h"

#include <fmt/format.h>

#include <cmath>

#include "scene/estimate.h"

#include "scene/make_setup.h"

namespace glug {

void check_taps(const SceneCheck& c) {
  const auto check = [&](const char* kind, const std::vector<TapEntry>& taps) {
    for (std::size_t n = 0; n < taps.size(); ++n) {
      const TapEntry& tap = taps[n];
      const auto refuse = [&](const std::string& why) {
        c.problems.add(tap.where, fmt::format("{}[{}]{}", kind, n, why));
      };
      if (!(tap.setup.hours.stop > tap.setup.hours.start))
        refuse(fmt::format(".stop = {} s must be later than start = {} s", tap.setup.hours.stop,
                           tap.setup.hours.start));
      const ShapeSdf shape(tap.setup.shape);
      for (int a = 0; a < c.scene.grid.dimension; ++a)
        if (!std::isfinite(shape.low()[a]) || !std::isfinite(shape.high()[a])) {
          refuse(".shape must have an end on every side: cut it with an intersection, or take a box");
          break;
        }
      if (&taps == &c.scene.emitters && c.scene.liquid.particles_per_cell == 1)
        refuse(
            ": with liquid.particles_per_cell = 1 cells are empty by chance, and would be filled again and "
            "again; take more, or 0 for the usual number");
      const AirModel model = c.scene.air.model;
      if (model == AirModel::two_phase || model == AirModel::affine)
        refuse(
            fmt::format(": air that has a mass fills the domain, so liquid cannot come in or go out with "
                        "air.model = \"{}\": set that to \"constraint\" or \"void\"",
                        name_of(model)));
      if (c.scene.adaptivity.tile > 0)
        refuse(": tiles of water that moves as one know no inflow: set adaptivity.tile to 0");
    }
  };
  check("emitter", c.scene.emitters);
  check("drain", c.scene.drains);
}

void check_taps_reach(const SceneCheck& c, const char* kind, const std::vector<TapEntry>& taps,
                      const std::vector<BodyEstimate>& estimates) {
  for (std::size_t n = 0; n < taps.size(); ++n) {
    const BodyEstimate& found = estimates[n];
    if (taps[n].setup.motion.moves() || (found.cells > 0 && found.in_solids < 1)) continue;
    c.problems.add(
        taps[n].where,
        found.outside ? fmt::format("{}[{}] lies outside the domain, which reaches from 0 to {} m", kind, n,
                                    extent_text(c.scene))
        : found.cells > 0
            ? fmt::format("{}[{}] lies inside solids: nothing could pass it; move it, or the solid", kind, n)
            : fmt::format("{}[{}] holds no cell of {:.4g} m: make it larger or raise "
                          "grid.resolution",
                          kind, n, spacing(c.scene.grid)));
  }
}

}  // namespace glug
