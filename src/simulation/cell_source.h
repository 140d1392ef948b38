// cell_source.h: a wanted net flux out of one cell: what an emitter pushes into liquid, or into a bubble that
// keeps its volume. Plain, for a checkpoint: the work of the next kick needs what sources were (A3).
#pragma once

#include <vector>

#include "simulation/state.h"

namespace glug {

template <int D>
struct CellSource {
  Index<D> cell{};
  float rate = 0;  // m/s: flux / face area
};

// Those of the last update_sources (tap_stage.h).
template <int D>
std::vector<CellSource<D>> sources_of(const State<D>& state) {
  std::vector<CellSource<D>> sources;
  for (const Index<D>& cell : state.source_cells) sources.push_back({cell, state.source(cell)});
  return sources;
}

}  // namespace glug
