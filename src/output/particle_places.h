// particle_places.h: a loop over the liquid's particles that knows where each one is.
#pragma once

#include "core/for_each.h"
#include "simulation/state.h"

namespace glug {

// f(n, cell, x): its place in the arrays, its cell, its position in metres.
template <int D, class F>
void for_each_particle(const Exec& exec, const State<D>& state, F f) {
  const BlocksView<D> occupied = state.particles.occupied.view();
  const std::uint32_t* begin = state.particles.cell_begin.data();
  const ParticleViewOf<D, const float> p = state.particles.arrays.view();
  const double h = state.setup.grid.h;
  for_each_block(exec, occupied, [=](std::int32_t slot) {
    const Index<D> lo = occupied.indices(slot).lo;
    const std::uint32_t* cells = begin + static_cast<std::size_t>(slot) * block_volume<D>;
    for (int c = 0; c < block_volume<D>; ++c) {
      const Index<D> cell = cell_of_number<D>(c, lo);
      for (std::uint32_t i = cells[c]; i < cells[c + 1]; ++i) {
        Vec<D, double> x{};
        for (int a = 0; a < D; ++a) x[a] = (cell[a] + static_cast<double>(p.offset[a][i])) * h;
        f(i, cell, x);
      }
    }
  });
}

}  // namespace glug
