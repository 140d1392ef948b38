// advect.h: moves particles through the velocity field with third-order Runge-Kutta steps.
#pragma once

#include "core/domain.h"
#include "core/exec.h"
#include "core/mac_field.h"
#include "geometry/solid_distance.h"
#include "particles/cell_mark.h"
#include "particles/particles.h"

namespace glug {

// Solids that move, as a particle that meets one sees them: the nearest counts. Walls of the domain rest.
template <int D>
struct MovingSolids {
  const SolidInstance* solids = nullptr;
  int count = 0;
};

// Particles that nothing presses on: they fly on their own and gather on solids as a film.
template <int D>
struct Spray {
  CellMark<D> cells;           // that hold it
  float film_keep = 1;         // share of its velocity that a film on a solid keeps over the step
  int particles_per_cell = 1;  // as many fill a cell
};

struct AdvectReport {
  double solid_work = 0;  // of moving solids on particles they hit, per mass of a particle: m^2/s^2
};

// Third order (Ralston 1962): k1 = u(x), k2 = u(x + dt/2 k1), k3 = u(x + 3dt/4 k2), x += dt (2 k1 + 3 k2 + 4
// k3) / 9, plus the displacement field (data null: none); spray moves with its own velocity. Then collision
// with solids, which take the part of a particle's velocity that leads into them. Leaves offsets of the
// new position and its key; the particles are to be sorted next. Fields must be meaningful in the occupied
// blocks and their neighbours.
template <int D>
AdvectReport advect(const Exec& exec, const Grid<D>& grid, const Sides<D>& sides, double dt,
                    MacView<D, const float> velocity, MacView<D, const float> displacement,
                    View<D, const float> solid, Particles<D>& particles, const MovingSolids<D>& moving = {},
                    const Spray<D>& spray = {});

}  // namespace glug
