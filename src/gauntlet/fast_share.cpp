#include "gauntlet/fast_share.h"

#include "core/reduce.h"
#include "particles/batch.h"

namespace glug {

template <int D>
double fast_share(const Exec& exec, const State<D>& state, double speed) {
  if (state.particles.count == 0) return 0;
  const ParticleIndex<D> index = particle_index(state.particles);
  const ParticleViewOf<D, const float> p = state.particles.arrays.view();
  const double limit = speed * speed;
  const std::int64_t fast =
      reduce_blocks(exec, index.occupied, std::int64_t{0}, Plus{}, [=](std::int32_t slot) {
        const std::uint32_t* cells = index.cell_begin + static_cast<std::size_t>(slot) * block_volume<D>;
        std::int64_t found = 0;
        for (std::uint32_t i = cells[0]; i < cells[block_volume<D>]; ++i) {
          double square = 0;
          for (int a = 0; a < D; ++a)
            square += static_cast<double>(p.velocity[a][i]) * static_cast<double>(p.velocity[a][i]);
          found += square > limit;
        }
        return found;
      });
  return static_cast<double>(fast) / static_cast<double>(state.particles.count);
}

template double fast_share<2>(const Exec&, const State<2>&, double);
template double fast_share<3>(const Exec&, const State<3>&, double);

}  // namespace glug
