#include "regions/crowding.h"

#include "core/for_each.h"
#include "geometry/block_neighbours.h"

namespace glug {
namespace {

// Particles and their room in a block and the layer around it, then their sums over 3^D.
template <int D>
struct CountTile {
  static constexpr int edge = block_edge<D> + 2;
  static constexpr int size = power(edge, D);
  std::int32_t particles[size], room[size], next[size];

  static GLUG_INLINE int number(const Index<D>& i, const Index<D>& lo) {
    int n = 0;
    for (int a = D - 1; a >= 0; --a) n = n * edge + (i[a] - lo[a]);
    return n;
  }
  GLUG_INLINE void add_up(std::int32_t* values) {
    for (int a = 0; a < D; ++a) {
      const int step = power(edge, a);
      for (int t = step; t < size - step; ++t) next[t] = values[t - step] + values[t] + values[t + step];
      for (int t = step; t < size - step; ++t) values[t] = next[t];
    }
  }
};

// Cells that the surface may cut do not tell how densely they are filled.
inline constexpr double wholly_below = 0.7;

}  // namespace

template <int D>
void find_crowding(const Exec& exec, const CrowdingInput<D>& in, const Particles<D>& particles,
                   View<D, float> crowding) {
  const BlocksView<D> blocks = in.blocks, occupied = particles.occupied.view();
  const std::uint32_t* cell_begin = particles.cell_begin.data();
  const Range<D> cells = in.grid.cell_range();
  const float full = static_cast<float>(in.particles_per_cell), per_cell = 1.f / whole_cell;
  for_each_block(exec, blocks, [=](std::int32_t slot) {
    CountTile<D> tile;
    const Range<D> own = blocks.indices(slot);
    const Index<D> lo = own.lo - Index<D>::filled(1);
    const BlockNeighbours<D> around(blocks, slot);
    visit(Range<D>{lo, lo + Index<D>::filled(CountTile<D>::edge)}, [&](const Index<D>& i) {
      const int t = CountTile<D>::number(i, lo);
      tile.particles[t] = tile.room[t] = 0;
      const std::int32_t room = cells.contains(i) && around.listed(i) ? room_of_cell(in, i, wholly_below) : 0;
      if (room == 0) return;
      tile.room[t] = room;
      if (in.deep(i)) {
        tile.particles[t] = in.particles_per_cell;
        return;
      }
      const Index<D> b = occupied.block_of(i);
      const std::int32_t from = occupied.slot_of_block(b);
      if (from < 0) return;
      const std::uint32_t* n = cell_begin + static_cast<std::size_t>(from) * block_volume<D> +
                               cell_in_block<D>(i, b * block_edge<D>);
      tile.particles[t] = static_cast<std::int32_t>(n[1] - n[0]);
    });
    tile.add_up(tile.particles);
    tile.add_up(tile.room);
    visit(intersection(own, cells), [&](const Index<D>& i) {
      const int t = CountTile<D>::number(i, lo);
      const float room = per_cell * static_cast<float>(tile.room[t]);  // cells
      // The fewer cells tell it, the more of it is noise.
      crowding(i) = room > 0 ? 1 + (static_cast<float>(tile.particles[t]) / (full * room) - 1) *
                                       std::sqrt(room / static_cast<float>(power(3, D)))
                             : 1.f;
    });
  });
}

template void find_crowding<2>(const Exec&, const CrowdingInput<2>&, const Particles<2>&, View<2, float>);
template void find_crowding<3>(const Exec&, const CrowdingInput<3>&, const Particles<3>&, View<3, float>);

}  // namespace glug
