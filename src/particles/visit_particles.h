// visit_particles.h: every particle and where it is, one after another: for what is measured now and then.
#pragma once

#include "particles/particles.h"

namespace glug {

// f(position in metres, particle number), in the order of the arrays; h in metres.
template <int D, class F>
void visit_particles(const Particles<D>& particles, double h, F f) {
  const BlocksView<D> b = particles.occupied.view();
  const ParticleViewOf<D, const float> p = particles.arrays.view();
  for (std::int32_t slot = 0; slot < b.count; ++slot)
    for (int c = 0; c < block_volume<D>; ++c) {
      const Index<D> cell = cell_of_number<D>(c, b.indices(slot).lo);
      const std::uint32_t* begin =
          particles.cell_begin.data() + static_cast<std::size_t>(slot) * block_volume<D> + c;
      for (std::uint32_t i = begin[0]; i < begin[1]; ++i) {
        Vec<D, double> x{};
        for (int a = 0; a < D; ++a) x[a] = (cell[a] + static_cast<double>(p.offset[a][i])) * h;
        f(x, i);
      }
    }
}

}  // namespace glug
