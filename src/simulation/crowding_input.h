// crowding_input.h: what counts of particles are told of a state.
#pragma once

#include "regions/crowding.h"
#include "simulation/state.h"

namespace glug {

template <int D>
CrowdingInput<D> crowding_input(const State<D>& state) {
  CrowdingInput<D> in;
  in.grid = state.setup.grid;
  in.blocks = state.active.view();
  in.phi = state.phi.read();
  in.solid = state.solid.read();
  in.particles_per_cell = particles_per_cell<D>(state.setup.liquid);
  in.deep = state.deep.cells();
  return in;
}

}  // namespace glug
