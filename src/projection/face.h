// face.h: what a projection knows of one face: its open area, how much of it is liquid, and its coefficient.
// This is the only place that computes theta: matrix and velocity update cannot disagree.
#pragma once

#include "projection/build_pressure_system.h"

namespace glug {

// Least share of the way between cell centres that counts as liquid. The usual 0.01 lets a film with air on
// two or three sides reach 24 m/s from rest in one step.
inline constexpr double theta_min = 0.1;

template <class T>
struct Face {
  bool low_liquid = false;
  bool high_liquid = false;
  T open = 0;        // w_f
  double theta = 1;  // liquid share of the segment between the two centres
  T coefficient =
      0;  // (P3) k_f = dt w_f / (rho theta h), rounded as the matrix stores it; 0 without liquid or opening

  GLUG_INLINE bool valid() const { return (low_liquid || high_liquid) && open > 0; }
  GLUG_INLINE bool couples() const { return low_liquid && high_liquid; }
};

// (P2) The liquid share between a liquid cell and an air neighbour.
template <int D, class T>
GLUG_INLINE double liquid_share(const ProjectionInput<D, T>& input, const Index<D>& liquid,
                                const Index<D>& air) {
  if (!input.grid.cell_range().contains(air)) return 0.5;  // p = 0 on an open side of the domain itself
  if (input.blocks.slot_of_cell(air) < 0) return 1;        // no distance is known there
  const double inside = input.phi(liquid);
  const double outside = input.phi(air);
  if (inside >= 0 || outside <= inside) return 1;  // labelled against the sign of phi: no crossing to measure
  return clamp(inside / (inside - outside), theta_min, 1e6);
}

// The face between cells i - unit(axis) and i.
template <int D, class T>
GLUG_INLINE Face<T> face_at(const ProjectionInput<D, T>& input, int axis, const Index<D>& i) {
  Face<T> f;
  const Index<D> low = i - Index<D>::unit(axis);
  f.low_liquid = input.label(low) == Cell::liquid;
  f.high_liquid = input.label(i) == Cell::liquid;
  f.open = input.open[axis](i);
  if (!f.valid()) return f;
  if (!f.couples()) f.theta = f.low_liquid ? liquid_share(input, low, i) : liquid_share(input, i, low);
  f.coefficient = static_cast<T>(input.dt * f.open / (input.density * f.theta * input.grid.h));
  return f;
}

// (P1) Flux through a face / face area: the liquid through its open part, the solid through the rest.
template <int D, class T>
GLUG_INLINE double face_flux(const ProjectionInput<D, T>& input, int axis, const Index<D>& i) {
  const double w = input.open[axis](i);
  double flux = w * input.velocity[axis](i);
  if (input.solid_velocity[axis].data) flux += (1 - w) * input.solid_velocity[axis](i);
  return flux;
}

// (P1) Net flux out of a cell / face area, less what is asked for.
template <int D, class T>
GLUG_INLINE double net_flux(const ProjectionInput<D, T>& input, const Index<D>& i) {
  double sum = input.target.data ? -static_cast<double>(input.target(i)) : 0;
  for (int a = 0; a < D; ++a) sum += face_flux(input, a, i + Index<D>::unit(a)) - face_flux(input, a, i);
  return sum;
}

// Open volume of a cell / cell volume, as far as its faces tell. A weight: positive wherever a face is open.
template <int D, class T>
GLUG_INLINE double volume_weight(const ProjectionInput<D, T>& input, const Index<D>& i) {
  double sum = 0;
  for (int a = 0; a < D; ++a)
    sum += static_cast<double>(input.open[a](i)) + input.open[a](i + Index<D>::unit(a));
  return sum / (2 * D);
}

}  // namespace glug
