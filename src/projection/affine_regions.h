// affine_regions.h: fluid that moves as one, as movers of the pressure system (regions/tiles.h says where).
//
// On every face that has a cell of the region the velocity is u_a = s_a0 + sum_b s_ab X_b, without divergence
// (the s_aa add up to 0), X from the region's origin in cells. Putting that into the kinetic energy of the
// ordinary grid, with the full mass of every such face, eliminates the pressures of its cells:
//
//   s = s* + dt/(rho h) P J p,   s* = P sum (1, X) u*,   P = E (E^T G E)^-1 E^T,   G = sum (1, X)(1, X)^T
//
// with E the motions without divergence (docs/theory.md, F2 to F4). P is the same for all whole tiles.
#pragma once

#include <vector>

#include "projection/build_pressure_system.h"

namespace glug {

// The motions s of all regions, one per tile.
template <int D>
using Motions = std::vector<MoverMoments<D>>;

// (F3) Makes the movers of the system from input.tiles; to be called when the matrix is built.
template <int D, class T>
void add_affine_regions(const Exec& exec, const ProjectionInput<D, T>& input, PressureSystem<D, T>& system);

// (F2) The motions nearest to a velocity in kinetic energy.
template <int D, class T>
void fit_motions(const Exec& exec, const ProjectionInput<D, T>& input, const PressureSystem<D, T>& system,
                 MacView<D, const T> velocity, Motions<D>& motions);

// (F4) What a pressure adds to the motions.
template <int D, class T>
void push_motions(const Exec& exec, const PressureSystem<D, T>& system, View<D, const double> pressure,
                  Motions<D>& motions);

// Writes the motions to all faces of the regions: layer = 1 there (may be null).
template <int D, class T>
void write_motions(const Exec& exec, const ProjectionInput<D, T>& input, const Motions<D>& motions,
                   MacView<D, T> velocity, MacView<D, std::uint8_t> layer);

}  // namespace glug
