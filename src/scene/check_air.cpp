#include "scene/check_parts.h"

#include <fmt/format.h>

#include <algorithm>

namespace glug {
namespace {

void tile_width(const SceneCheck& c, const char* key, int width) {
  if (width > 0 && width < 4)
    c.say(key,
          fmt::format("{} must be 0 or at least 4 cells, got {}: narrower tiles save nothing", key, width));
}

}  // namespace

void check_air(const SceneCheck& c) {
  const AirOptions &given = c.scene.air, usual;
  const auto check = [&](const char* key, bool changed, bool meant, const char* models) {
    if (changed && !meant)
      c.say(key, fmt::format("{} has no meaning with air.model = \"{}\": set that to {}, or leave this out",
                             key, name_of(given.model), models));
  };
  check("air.volume_correction", given.volume_correction != usual.volume_correction,
        given.model != AirModel::void_air, "\"constraint\", \"two_phase\" or \"affine\"");
  check("air.ambient_free", given.ambient_free != usual.ambient_free, given.model == AirModel::constraint,
        "\"constraint\"");
  const bool affine = given.model == AirModel::affine;
  check("air.band", given.band != usual.band, affine, "\"affine\"");
  check("air.tile", given.tile != usual.tile, affine, "\"affine\"");
  tile_width(c, "air.tile", given.tile);
}

void check_adaptivity(const SceneCheck& c) {
  const AdaptivityOptions &given = c.scene.adaptivity, usual;
  tile_width(c, "adaptivity.tile", given.tile);
  if (given.tile > 0) return;
  const auto unused = [&](const char* key, bool changed) {
    if (changed)
      c.say(key, fmt::format("{} has no meaning with adaptivity.tile = 0: set that to 16, or leave this out",
                             key));
  };
  unused("adaptivity.surface_band", given.surface_band != usual.surface_band);
  unused("adaptivity.graded", given.graded != usual.graded);
  unused("adaptivity.wall_band", given.wall_band != usual.wall_band && c.scene.air.model != AirModel::affine);
}

void check_densities(const SceneCheck& c) {
  constexpr double most = 1e6;
  const double air = c.scene.air.density, liquid = c.scene.liquid.density;
  const bool has_mass = c.scene.air.model == AirModel::two_phase || c.scene.air.model == AirModel::affine;
  if (!has_mass || (air <= most * liquid && liquid <= most * air)) return;
  c.say("air.density",
        fmt::format("air.density = {} and liquid.density = {} differ by a factor of {:.3g}: with air.model = "
                    "\"{}\" at most {:.0e} can be solved for; bring them nearer, or set air.model to "
                    "\"constraint\"",
                    air, liquid, std::max(air / liquid, liquid / air), name_of(c.scene.air.model), most));
}

}  // namespace glug
