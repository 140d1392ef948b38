// held_films.h: films of viscous liquid on solids that hold them. Theory: docs/theory.md (V12).
//
// Spray that lies on a solid is a film too thin for the grid, whose viscosity it does not feel. It moves as
// the mean of a parabola that is at rest at the solid and free of stress at its surface, implicitly in time:
//
//   (V12)  w' = w / (1 + 3 nu dt / d^2),     w its velocity as seen from the solid, d how thick it is
//
// after the kick of gravity: so it comes to creep at g d^2 / (3 nu), whatever dt.
#pragma once

#include <vector>

#include "core/exec.h"
#include "particles/advect.h"

namespace glug {

template <int D>
struct FilmHold {
  CellMark<D> spray;           // cells that hold it
  int particles_per_cell = 1;  // as many fill a cell
  float thick = 0;             // 3 nu dt / h^2: what (V12) divides a film by that is a cell thick, less 1
  // Kinetic energy is that of (1 - fresh) v_before + fresh v_after, v_before without what the kick gave.
  Vec<D, float> kick{};  // m/s
  float fresh = 1;
};

template <int D>
struct HoldReport {
  double solid_work = 0, kinetic_energy = 0;  // gained, per mass of a particle: m^2/s^2
  std::vector<Touch<D>> touches;              // with free bodies that yield: left to the caller
};

// What a change of a particle's velocity v adds to its kinetic energy per mass.
template <int D>
GLUG_INLINE float kinetic_gain(const FilmHold<D>& hold, const Vec<D, float>& v, const Vec<D, float>& change) {
  const Vec<D, float> now = v - hold.kick * (1 - hold.fresh);
  return hold.fresh * dot(change, now + change * (0.5f * hold.fresh));
}

// solids: all, with the velocities of the coming step. Particles must be sorted, and `solid` known around
// them.
template <int D>
HoldReport<D> hold_films(const Exec& exec, const Grid<D>& grid, const Sides<D>& sides,
                         const MovingSolids<D>& solids, View<D, const float> solid, const FilmHold<D>& hold,
                         Particles<D>& particles);

}  // namespace glug
