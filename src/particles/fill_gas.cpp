#include "particles/fill_gas.h"

#include "core/for_each.h"
#include "particles/collide.h"

namespace glug {
namespace {

// Cells from the surface. Nearer cells are left to the particles that come by themselves: the surface cuts
// them, and what is put there may be liquid's place in the next step.
inline constexpr float gas_height = 0.5f;
// Gas is a cell deep in the liquid when it lagged behind a surface that passed: its velocity is extrapolated
// there.
inline constexpr float drown_depth = 1;

template <int D>
GLUG_INLINE bool must_hold_gas(const Reseed<D>& r, const Grid<D>& grid, const Index<D>& cell) {
  const float h = static_cast<float>(grid.h);
  return r.phi(cell) > gas_height * h &&
         solid_distance_at<D>(r.solid, 1 / h, cell, Vec<D, float>::filled(0.5f)) > 0.25f;
}

}  // namespace

ReseedLimits filling_limits(int particles_per_cell) {
  const int n = particles_per_cell;
  return {(3 * n + 3) / 4, n, (5 * n + 3) / 4};
}

template <int D>
void mark_gas_blocks(const Exec& exec, const Grid<D>& grid, const Reseed<D>& r,
                     std::vector<std::uint8_t>& flags) {
  std::uint8_t* flag = flags.data();
  const BlocksView<D> known = r.known;
  const Range<D> cells = grid.cell_range();
  for_each_block(exec, known, [=](std::int32_t slot) {
    bool any = flag[known.ids[slot]] != 0;
    visit(intersection(known.indices(slot), cells),
          [&](const Index<D>& i) { any = any || must_hold_gas(r, grid, i); });
    flag[known.ids[slot]] = any;
  });
}

template <int D>
void plan_filling(const Exec& exec, const Grid<D>& grid, const Reseed<D>& r, const BlocksView<D>& blocks,
                  const std::uint32_t* count, std::int16_t* plan) {
  const Range<D> cells = grid.cell_range();
  const float drowned = static_cast<float>(-drown_depth * grid.h);
  const int most = 2 * r.limits.full;
  for_each_block(exec, blocks, [=](std::int32_t slot) {
    const Index<D> lo = blocks.indices(slot).lo;
    const std::size_t first = static_cast<std::size_t>(slot) * block_volume<D>;
    for (int c = 0; c < block_volume<D>; ++c) {
      const Index<D> cell = cell_of_number<D>(c, lo);
      const int own = static_cast<int>(count[first + c]);
      int change = 0;
      if (!cells.contains(cell) || r.known.slot_of_cell(cell) < 0)
        change = 0;
      else if (r.phi(cell) < drowned)
        change = -own;
      else if (own > most)
        change = most - own;
      else if (own < r.limits.minimum && must_hold_gas(r, grid, cell))
        change = r.limits.fill - own;
      plan[first + c] = static_cast<std::int16_t>(clamp(change, -32000, 32000));
    }
  });
}

#define GLUG_INSTANTIATE(D)                                                                          \
  template void mark_gas_blocks<D>(const Exec&, const Grid<D>&, const Reseed<D>&,                    \
                                   std::vector<std::uint8_t>&);                                      \
  template void plan_filling<D>(const Exec&, const Grid<D>&, const Reseed<D>&, const BlocksView<D>&, \
                                const std::uint32_t*, std::int16_t*);
GLUG_INSTANTIATE(2)
GLUG_INSTANTIATE(3)
#undef GLUG_INSTANTIATE

}  // namespace glug
