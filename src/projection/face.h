// face.h: what a projection knows of one face: its open area, where the surface crosses it, and its
// coefficient. This is the only place that computes theta and the mass of a face: matrix and velocity update
// cannot disagree.
#pragma once

#include "projection/build_pressure_system.h"
#include "regions/thin_liquid.h"

namespace glug {

// Least theta. Labels keep liquid cells at least 0.1 h deep, so no theta of a distance function is smaller;
// this holds for whatever else phi may be. The usual 0.01 lets a film with air on two or three sides reach 24
// m/s from rest.
inline constexpr double theta_min = least_depth;

template <class T>
struct Face {
  bool low_fluid = false;  // whether the cell on the low side has an unknown
  bool high_fluid = false;
  T open = 0;       // w_f
  double mass = 1;  // of what moves with it / that of a face within the liquid: theta (P2), or rho_f (M1)
  // (P3) k_f = dt w_f / (rho mass h), rounded as the matrix stores it; 0 without fluid or opening
  T coefficient = 0;

  GLUG_INLINE bool valid() const { return (low_fluid || high_fluid) && open > 0; }
  GLUG_INLINE bool couples() const { return low_fluid && high_fluid; }
};

// Whether the cell i with this label has an unknown. What lies beyond an open side has none: p = 0 there.
template <int D, class T>
GLUG_INLINE bool is_fluid(const ProjectionInput<D, T>& input, Cell label, const Index<D>& i) {
  if (label == Cell::liquid) return true;
  return input.gas_density > 0 && label == Cell::air && input.grid.cell_range().contains(i);
}

// (P2) Where p = 0 on the line from a liquid cell to an air neighbour, in cells from the former. Above 1
// where the neighbour is air only because its centre is too near the surface: then p = 0 lies beyond it.
template <int D, class T>
GLUG_INLINE double surface_distance(const ProjectionInput<D, T>& input, const Index<D>& liquid,
                                    const Index<D>& air) {
  if (!input.grid.cell_range().contains(air)) return 0.5;  // p = 0 on an open side of the domain itself
  if (input.blocks.slot_of_cell(air) < 0) return 1;        // no distance is known there
  const double inside = input.phi(liquid);
  const double outside = input.phi(air);
  if (inside >= 0 || outside <= inside) return 1;  // labelled against phi: there is no crossing to measure
  const double theta = inside / (inside - outside);
  return theta < theta_min ? theta_min : theta;
}

// (M1) The liquid part of the line between the centres of a face's cells, in [0, 1]. On an open side only the
// half inside the domain counts, and it is what the cell's centre is.
template <int D, class T>
GLUG_INLINE double liquid_share(const ProjectionInput<D, T>& input, int axis, const Index<D>& i) {
  const double high = input.phi(i[axis] < input.grid.cells[axis] ? i : i - Index<D>::unit(axis));
  const double low = i[axis] > 0 ? static_cast<double>(input.phi(i - Index<D>::unit(axis))) : high;
  const double least = low < high ? low : high, most = low < high ? high : low;
  return most <= 0 ? 1 : least >= 0 ? 0 : least / (least - most);
}
// (M1) rho_f / rho. Written so that equal densities give 1 exactly.
template <int D, class T>
GLUG_INLINE double two_phase_mass(const ProjectionInput<D, T>& input, int axis, const Index<D>& i) {
  const double ratio = input.gas_density / input.density;
  return ratio + liquid_share(input, axis, i) * (1 - ratio);
}

// (P3) k_f = dt w / (rho mass h), rounded as the matrix stores it; scale = dt / (rho h).
template <class T>
GLUG_INLINE T face_coefficient(double scale, T open, double mass) {
  return static_cast<T>(scale * open / mass);
}
// Of a face between two cells with unknowns.
template <int D, class T>
GLUG_INLINE T inner_coefficient(const ProjectionInput<D, T>& input, double scale, int axis,
                                const Index<D>& i) {
  return face_coefficient(scale, input.open[axis](i),
                          input.gas_density > 0 ? two_phase_mass(input, axis, i) : 1.0);
}
template <int D, class T>
GLUG_INLINE double coefficient_scale(const ProjectionInput<D, T>& input) {
  return input.dt / (input.density * input.grid.h);
}

template <int D, class T>
GLUG_INLINE double density_of(const ProjectionInput<D, T>& input, Cell fluid) {
  return fluid == Cell::air ? input.gas_density : input.density;
}

// The unknown of the bubble an air cell belongs to; -1 = free air.
template <int D, class T>
GLUG_INLINE std::int32_t bubble_at(const ProjectionInput<D, T>& input, const Index<D>& i) {
  if (!input.air.data || !input.grid.cell_range().contains(i)) return -1;
  const std::int32_t c = input.air(i);
  return c < 0 ? -1 : input.air_unknown[c];
}

// The face between cells i - unit(axis) and i.
template <int D, class T>
GLUG_INLINE Face<T> face_at(const ProjectionInput<D, T>& input, double scale, int axis, const Index<D>& i) {
  Face<T> f;
  const Index<D> low = i - Index<D>::unit(axis);
  f.low_fluid = is_fluid(input, input.label(low), low);
  f.high_fluid = is_fluid(input, input.label(i), i);
  if (!f.low_fluid && !f.high_fluid) return f;
  if (input.label(low) == Cell::affine || input.label(i) == Cell::affine) {  // a mover's
    f.low_fluid = f.high_fluid = false;
    return f;
  }
  f.open = input.open[axis](i);
  if (!f.valid()) return f;
  if (input.gas_density > 0)  // then only an open side of the domain, half a cell away, has no unknown
    f.mass = two_phase_mass(input, axis, i) * (f.couples() ? 1 : 0.5);
  else if (!f.couples())
    f.mass = f.low_fluid ? surface_distance(input, low, i) : surface_distance(input, i, low);
  f.coefficient = face_coefficient(scale, f.open, f.mass);
  return f;
}

// (P1) Net fluxes out of the n cells of a row / face area, solids included, less what is asked
// for: the liquid passes through the open part of a face, the solid through the rest.
template <int D, class T>
GLUG_INLINE void net_fluxes(const ProjectionInput<D, T>& input, const Index<D>& first, int n,
                            double* __restrict net) {
  for (int k = 0; k < n; ++k) net[k] = 0;
  for (int a = 0; a < D; ++a) {
    const T* w = &input.open[a](first);
    const T* u = &input.velocity[a](first);
    const std::ptrdiff_t wh = input.open[a].stride[a];
    const std::ptrdiff_t uh = input.velocity[a].stride[a];
    for (int k = 0; k < n; ++k)
      net[k] += static_cast<double>(w[k + wh]) * u[k + uh] - static_cast<double>(w[k]) * u[k];
    if (!input.solid_velocity[a].data) continue;
    const T* s = &input.solid_velocity[a](first);
    const std::ptrdiff_t sh = input.solid_velocity[a].stride[a];
    for (int k = 0; k < n; ++k)
      net[k] += (1 - static_cast<double>(w[k + wh])) * s[k + sh] - (1 - static_cast<double>(w[k])) * s[k];
  }
  if (!input.target.data) return;
  const T* target = &input.target(first);
  for (int k = 0; k < n; ++k) net[k] -= target[k];
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
