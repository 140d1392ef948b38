// advect.h: moves particles through the velocity field with third-order Runge-Kutta steps.
#pragma once

#include "core/domain.h"
#include "core/exec.h"
#include "core/mac_field.h"
#include "particles/particles.h"

namespace glug {

// Third order (Ralston 1962): k1 = u(x), k2 = u(x + dt/2 k1), k3 = u(x + 3dt/4 k2), x += dt (2 k1 + 3 k2 + 4
// k3) / 9, plus the displacement field (data null: none), then collision with solids. Leaves offsets of the
// new position and its key; the particles are to be sorted next. Fields must be meaningful in the occupied
// blocks and their neighbours.
template <int D>
void advect(const Exec& exec, const Grid<D>& grid, const Sides<D>& sides, double dt,
            MacView<D, const float> velocity, MacView<D, const float> displacement,
            View<D, const float> solid, Particles<D>& particles);

// Largest particle speed, m/s.
template <int D>
double max_speed(const Exec& exec, const Particles<D>& particles);

}  // namespace glug
