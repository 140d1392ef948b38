#include "particles/held_films.h"

#include <utility>

#include "core/reduce.h"
#include "particles/batch.h"

namespace glug {

template <int D>
HoldReport<D> hold_films(const Exec& exec, const Grid<D>& grid, const Sides<D>& sides,
                         const MovingSolids<D>& solids, View<D, const float> solid, const FilmHold<D>& hold,
                         Particles<D>& particles) {
  const ParticleIndex<D> index = particle_index(particles);
  const ParticleViewOf<D, float> p = particles.arrays.view();
  const ParticleViewOf<D, const float> at = std::as_const(particles.arrays).view();
  const BlocksView<D> occupied = index.occupied;
  const std::uint32_t* id = particles.arrays.id.data();
  const float per_cell = static_cast<float>(1 / grid.h);
  // Each block lists its own, and lists are joined in the order of blocks.
  std::vector<std::vector<Touch<D>>> lists(
      static_cast<std::size_t>(solids.free_ones_yield ? occupied.count : 0));
  std::vector<Touch<D>>* touches = lists.data();
  using Sums = Vec<2, double>;  // work, kinetic energy
  const Sums gained = reduce_blocks(exec, occupied, Sums{}, Plus{}, [=](std::int32_t slot) {
    Sums sums{};
    const Range<D> block = occupied.indices(slot);
    if (!hold.spray.any(intersection(block, grid.cell_range()))) return sums;
    const std::uint32_t* begin = index.cell_begin + static_cast<std::size_t>(slot) * block_volume<D>;
    for_each_batch<D>(index, at, slot, [&](const Batch<D>& batch) {
      for (int n = 0; n < batch.count; ++n) {
        const Index<D> cell = cell_of_number<D>(batch.cell[n], block.lo);
        if (!hold.spray(cell)) continue;
        const std::int64_t i = batch.first + n;
        const std::uint32_t* own = begin + batch.cell[n];
        const float place = place_in_film(id[i], own[1] - own[0], hold.particles_per_cell);
        Vec<D, float> offset{}, v{};
        for (int a = 0; a < D; ++a) {
          offset[a] = p.offset[a][i];
          v[a] = p.velocity[a][i];
        }
        if (!(solid_distance_at<D>(solid, per_cell, cell, offset) < place + film_reach)) continue;
        const MetSolid<D> met = NearestSolid<D>{grid, sides, solids, cell}(offset);
        if (!met.holds) continue;
        const float d = film_thickness(own[1] - own[0], hold.particles_per_cell);
        const float keep = d * d / (d * d + hold.thick);
        if (met.body >= 0) {
          touches[slot].push_back({i, met.body, {}, place_of(grid, cell, offset), keep});
          continue;
        }
        const Vec<D, float> change = (met.velocity - v) * (1 - keep);
        for (int a = 0; a < D; ++a) p.velocity[a][i] = v[a] + change[a];
        sums[0] += static_cast<double>(dot(change, met.velocity));
        sums[1] += static_cast<double>(kinetic_gain(hold, v, change));
      }
    });
    return sums;
  });
  HoldReport<D> report;
  report.solid_work = gained[0];
  report.kinetic_energy = gained[1];
  for (const std::vector<Touch<D>>& list : lists)
    report.touches.insert(report.touches.end(), list.begin(), list.end());
  return report;
}

#define GLUG_INSTANTIATE(D)                                                                                  \
  template HoldReport<D> hold_films<D>(const Exec&, const Grid<D>&, const Sides<D>&, const MovingSolids<D>&, \
                                       View<D, const float>, const FilmHold<D>&, Particles<D>&);
GLUG_INSTANTIATE(2)
GLUG_INSTANTIATE(3)
#undef GLUG_INSTANTIATE

}  // namespace glug
