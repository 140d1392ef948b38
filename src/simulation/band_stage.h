// band_stage.h: liquid.narrow_band: which liquid has particles, and what passes between it and the deep.
// particles/narrow_band.h says what the deep is. Nothing here does anything without it.
#pragma once

#include "particles/advect.h"
#include "particles/seed.h"
#include "simulation/state.h"

namespace glug {

// (N1) At the start: cells of these blocks that lie deep inside a body of liquid are deep, and full. Reads
// solid; writes deep, and velocity there.
template <int D>
void begin_deep(const Exec& exec, const BlocksView<D>& blocks, const SeedShapes& shapes, State<D>& state);

// (N1)-(N3) While particles are moved by dt, before they are sorted: cells turn deep or end to be it, and
// what leaves the deep joins the particles. Reads phi, velocity, displacement, solid, open; writes deep,
// particles.
template <int D>
void exchange_with_deep(const Exec& exec, const Reseed<D>& placing, const MovingSolids<D>& moving, double dt,
                        State<D>& state);

// After sorting. Lists the blocks that hold liquid.
template <int D>
Blocks<D> blocks_with_liquid(const State<D>& state);

}  // namespace glug
