// solids.h: keeps the solid distance and the open areas current where liquid may need them.
#pragma once

#include <vector>

#include "core/exec.h"
#include "simulation/state.h"

namespace glug {

// The blocks within `margin` (m) of a solid.
template <int D>
Range<D> blocks_near(const Grid<D>& grid, const SolidBody& body, double margin);

// Moves the solids to where they are at `time`; blocks they leave or enter will be recomputed.
template <int D>
void move_solids(State<D>& state, double time);

// Where the solids are, and how far any point of them has come from there since, m.
template <int D>
std::vector<Pose> poses_of(const State<D>& state);
template <int D>
double farthest_move(const State<D>& state, const std::vector<Pose>& before);

// Brings solid, open and solid_velocity up to date in these blocks, where less than `wanted` is known.
template <int D>
void update_solids(const Exec& exec, const BlocksView<D>& blocks, State<D>& state,
                   SolidKnown wanted = SolidKnown::all);

// After update_solids, once it is known for how long the coming velocity will carry the liquid: solids'
// velocity becomes their mean over that interval (s), also where they only begin to move in it. `swept`
// covers both.
template <int D>
void update_solid_velocity(const Exec& exec, State<D>& state, double interval);

// Where air is followed, or how solids hang together matters, openings are needed in all blocks. Does nothing
// with air.model = void and solver.method = pressure.
template <int D>
void update_openings_everywhere(const Exec& exec, State<D>& state);

}  // namespace glug
