// advect.h: moves particles through the velocity field with third-order Runge-Kutta steps.
#pragma once

#include <vector>

#include "core/domain.h"
#include "core/exec.h"
#include "core/mac_field.h"
#include "particles/cell_mark.h"
#include "particles/nearest_solid.h"
#include "particles/particles.h"

namespace glug {

// A particle that met a free body, which yields to it.
template <int D>
struct Touch {
  std::int64_t particle = 0;
  std::int32_t solid = 0;
  Vec<D, float> normal{};  // out of the body
  Vec<D, double> place{};  // m
  float keep = 1;          // share of its velocity along the body's surface that is left
};

// Particles that nothing presses on: they fly on their own and gather on solids as a film.
template <int D>
struct Spray {
  CellMark<D> cells;           // that hold it
  float film_keep = 1;         // share of its velocity that a film on a solid keeps over the step
  int particles_per_cell = 1;  // as many fill a cell
};

template <int D>
struct AdvectReport {
  double solid_work = 0;          // of moving solids on particles they hit, per mass of a particle: m^2/s^2
  std::vector<Touch<D>> touches;  // one of a particle at most, in their order
};

// Third order (Ralston 1962): k1 = u(x), k2 = u(x + dt/2 k1), k3 = u(x + 3dt/4 k2), x += dt (2 k1 + 3 k2 + 4
// k3) / 9, plus the displacement field (data null: none); spray moves with its own velocity. Then collision
// with solids, which take the part of a particle's velocity that leads into them; if free ones yield, what
// these take is left to the caller. Leaves offsets of the
// new position and its key; the particles are to be sorted next. Fields must be meaningful in the occupied
// blocks and their neighbours.
template <int D>
AdvectReport<D> advect(const Exec& exec, const Grid<D>& grid, const Sides<D>& sides, double dt,
                       MacView<D, const float> velocity, MacView<D, const float> displacement,
                       View<D, const float> solid, Particles<D>& particles,
                       const MovingSolids<D>& moving = {}, const Spray<D>& spray = {});

}  // namespace glug
