// void_stage.h: pockets of air that came from nowhere. Where particles drift apart the surface opens inside
// the liquid; such a void is no bubble (it has no ancestor) and is filled at once: its cells count as liquid
// in this step, and particles are put there when they are sorted next. Reseeding alone would not do it: it
// keeps clear of surfaces, and the void has made one. A pocket with an ancestor is never filled, however
// small.
#pragma once

#include <cstdint>
#include <vector>

#include "core/exec.h"
#include "simulation/state.h"

namespace glug {

// After bubbles were followed: fills the voids that one body of liquid encloses, also where they are the only
// air of a sealed component: that is closed liquid then.
template <int D>
void fill_voids(const Exec& exec, State<D>& state);

// Without bubbles, before the volume is measured: fills holes of one or two cells that liquid encloses, where
// phi says air. Air that weighs nothing and keeps no volume would let such a hole shut in one step, and with
// it goes a cell of volume; deep below the surface that is work that nobody did. Reads phi, open. Before phi
// is continued into solids, and after: a hole beside a wall would else become a crater in it, which is no
// pinhole any more.
enum class PhiInSolids : std::uint8_t { unknown, continued };
template <int D>
void fill_pinholes(const Exec& exec, State<D>& state, PhiInSolids known);

// Where the cells filled in the last step are after `dt`, as numbers of cells, ascending, each once.
template <int D>
std::vector<std::int64_t> carried_voids(const State<D>& state, double dt);

}  // namespace glug
