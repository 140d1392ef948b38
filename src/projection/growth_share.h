// growth_share.h: where volume correction lets liquid grow or shrink. Theory: docs/theory.md (P9).
#pragma once

#include "projection/face.h"

namespace glug {

// Counts of particles in the cells around are noise up to this share: what is beyond shows where volume was
// lost.
inline constexpr double crowding_noise = 0.05;
// Something must grow where nothing is out of place.
inline constexpr double least_crowding = 1e-3;
// Cells below the surface over which the share falls, and what is left of it deeper down.
inline constexpr double growing_depth = 4, deep_share = 0.01;

// What is left of the share of liquid that shrinks where it bears nothing.
inline constexpr double least_borne = 1e-3;

// How much a cell bears of what a cell's depth of liquid weighs. A stream in free fall bears nothing; it is
// stretched, so its particles are sparse, but too much of it is not what a splash shows too much.
template <int D, class T>
GLUG_INLINE double borne_share(const ProjectionInput<D, T>& input, const Index<D>& i) {
  if (!input.pressure.data || !(input.cell_weight > 0)) return 1;
  return clamp(input.pressure(i) / input.cell_weight, least_borne, 1.0);
}

// The share of a cell when liquid is to grow (sign > 0) or shrink: nothing where it is too thin to be
// measured, most near the surface where particles crowd, or are sparse. They lose their room in the layers
// below the surface; deep water stays as it was seeded. Growth dV at pressure p lifts what lies above, by
// p dV: deep water that grew by the noise of its counts gained energy, and thinned out by and by.
template <int D, class T>
GLUG_INLINE double growth_share(const ProjectionInput<D, T>& input, const Index<D>& i, double sign) {
  if (input.thickness.data && input.thickness(i) != bulk_liquid) return 0;
  if (!input.crowding.data) return volume_weight(input, i);
  const double excess = (static_cast<double>(input.crowding(i)) - 1) * (sign < 0 ? -1 : 1) - crowding_noise;
  const double nearness = 1 + static_cast<double>(input.phi(i)) / (growing_depth * input.grid.h);
  return volume_weight(input, i) * clamp(nearness, deep_share, 1.0) * (sign < 0 ? borne_share(input, i) : 1) *
         (excess > least_crowding ? excess : least_crowding);
}

}  // namespace glug
