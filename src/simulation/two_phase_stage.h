// two_phase_stage.h: liquid and gas as two fluids, with air.model = two_phase. Each has its own particles and
// its own velocity, continued into the other phase; the pressure acts on one velocity made of both. Faces
// that the surface crosses belong to both phases afterwards, so they agree on the velocity through it; all
// others keep to their own phase, so the two may slip along each other. Theory: docs/theory.md (M1)-(M4).
#pragma once

#include "projection/phase_volumes.h"
#include "simulation/state.h"

namespace glug {

// After the surface is known: sorts the gas particles that were moved, fills what gas must be in and takes
// them out of the liquid.
template <int D>
void sort_gas(const Exec& exec, State<D>& state);

// (M2) Reads both velocities; writes the mixed one over the gas's.
template <int D>
void mix_phases(const Exec& exec, const ProjectionInput<D, float>& input, State<D>& state);

// (M3) Reads the projected velocity of both phases and the faces it is valid on (state.layer); each phase
// takes those it has a share in, and marks them in its layer. Elsewhere the liquid, which may be there as
// drops too small for the grid, has the mean of its own and the gas's by density: in light gas they fly on,
// heavy gas carries them. The gas, which has no drops, takes the liquid's.
template <int D>
void separate_phases(const Exec& exec, const ProjectionInput<D, float>& input, State<D>& state);

// What liquid and pockets should grow by, m^D; `bubbles` as wanted_growth gives it.
template <int D>
PhaseGrowth<D> phase_growth(const State<D>& state, double liquid, const std::vector<double>& bubbles);

// Sets each bubble's pressure to the mean over its cells.
template <int D>
void mean_pressures(const Exec& exec, State<D>& state);

}  // namespace glug
