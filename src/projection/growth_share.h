// growth_share.h: where volume correction lets liquid grow. Theory: docs/theory.md (P9).
#pragma once

#include "projection/face.h"

namespace glug {

// Cells below the surface that count as near it.
inline constexpr double near_surface = 3;
// How much a cell near the surface counts when its particles are as they were seeded, and how far counts of
// particles stray deep below it without meaning anything.
inline constexpr double shallow_share = 0.05, deep_noise = 0.2;
// Something must grow, where all that is left lies deep and nothing is out of place.
inline constexpr double least_share = 1e-3;

// The share of a cell when liquid is to grow (sign > 0): nothing where it is too thin to be measured, most
// where particles crowd. They lose their room in the layers below the surface; deep water stays as it was
// seeded, to a thousandth, and the counts of single cells there are noise. Grown by those, it lifts all that
// lies above: a slosh gained 7% of its energy in two periods. To shrink takes energy wherever it is done:
// growth_weight.
template <int D, class T>
GLUG_INLINE double growth_share(const ProjectionInput<D, T>& input, const Index<D>& i, double sign) {
  if (sign < 0 || !input.crowding.data) return growth_weight(input, i, sign);
  if (input.thickness.data && input.thickness(i) != bulk_liquid) return 0;
  const double beyond = static_cast<double>(input.crowding(i)) - 1;
  const bool near = static_cast<double>(input.phi(i)) > -near_surface * input.grid.h;
  const double share = near ? beyond + shallow_share : beyond - deep_noise;
  return volume_weight(input, i) * (share > least_share ? share : least_share);
}

}  // namespace glug
