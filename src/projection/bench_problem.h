// bench_problem.h: one liquid that has everything a pressure solve meets, at any resolution: a half-full tank
// with a wavy surface, a ball of liquid falling towards it, a ball as obstacle cut through the cells, and the
// ghost-fluid free surface. Tests count iterations on it and `glug bench pressure` times it; both therefore
// speak of the same system.
#pragma once

#include <cmath>

#include "core/random.h"
#include "projection/build_pressure_system.h"
#include "regions/labels.h"

namespace glug {

template <int D, class T>
struct BenchProblem {
  Grid<D> grid{};
  Sides<D> sides{};  // all closed
  Blocks<D> blocks;  // near liquid
  Field<D, T> phi;
  MacField<D, T> open, velocity;
  CellLabels<D> labels;

  BenchProblem() = default;
  // A tank of n^D cells, one metre wide.
  BenchProblem(const Exec& exec, int n);
  ProjectionInput<D, T> input() const;
};

// A serpentine duct: channels of 4 cells between walls of 1 cell, each wall open at alternating ends, filled
// with liquid whose surface closes the last channel. Coarse grids see through such walls unless they take
// care.
template <int D, class T>
BenchProblem<D, T> serpentine_duct(const Exec& exec, int n);

// The same tank with its air as a second, lighter fluid: every cell that is not solid is an unknown, a face
// has the density of its two sides in the shares the surface cuts it into. All sides are closed: the system
// is singular.
template <int D, class T>
void build_two_phase_system(const Exec& exec, const BenchProblem<D, T>& problem, double density_ratio,
                            PressureSystem<D, T>& system);

// Below 0 in liquid, about a distance: per_side^D balls of air, of different sizes, in water that fills nine
// tenths of a tank one metre wide. `glug bench bubbles` solves it.
template <int D>
GLUG_INLINE double bubble_tank_distance(const Vec<D, double>& x, int per_side) {
  const double room = 0.85 / per_side;
  Vec<D, double> middle{};
  int number = 0;
  for (int a = 0; a < D; ++a) {
    const int k = clamp(static_cast<int>(std::floor((x[a] - 0.02) / room)), 0, per_side - 1);
    middle[a] = 0.02 + (k + 0.5) * room;
    number = number * per_side + k;
  }
  const double liquid = x[1] - 0.9;
  const double air = room * (0.22 + 0.04 * (number % 5)) - norm(x - middle);
  return liquid > air ? liquid : air;
}

// Uniform in [-1, 1) at unknowns: every wavelength alike, harder than what a velocity leads to.
template <int D, class T>
void random_rhs(const Exec& exec, const PressureSystem<D, T>& system, Vector<D>& rhs);

}  // namespace glug
