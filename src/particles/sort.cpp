#include "particles/sort.h"
#include "particles/array_pairs.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/random.h"
#include "core/reduce.h"
#include "particles/collide.h"
#include "particles/fill_gas.h"
#include "particles/narrow_band.h"

namespace glug {
namespace {

// Any number of pieces gives the same order, since the sort is stable; each costs a histogram.
inline constexpr int most_pieces = 32;
struct Pieces {
  int count;
  std::int64_t particles;
  GLUG_INLINE std::int64_t begin(std::int64_t piece) const { return particles * piece / count; }
};

// Lists the blocks with particles; returns for each piece which of all blocks it has particles in.
template <int D>
std::vector<std::uint8_t> find_occupied(const Exec& exec, const Pieces& pieces, const Grid<D>& grid,
                                        const Reseed<D>* filling, Particles<D>& particles) {
  const std::size_t total = static_cast<std::size_t>(particles.occupied.total());
  std::vector<std::uint8_t> of_pieces(total * static_cast<std::size_t>(pieces.count), 0);
  std::uint8_t* mark = of_pieces.data();
  const std::uint32_t* key = particles.key.data();
  for_each_task(exec, pieces.count, [=](std::ptrdiff_t piece) {
    std::uint8_t* own = mark + static_cast<std::size_t>(piece) * total;
    for (std::int64_t i = pieces.begin(piece); i < pieces.begin(piece + 1); ++i)
      if (key[i] != particle_gone) own[key[i] / block_volume<D>] = 1;
  });
  std::vector<std::uint8_t> flags(total, 0);
  for (int piece = 0; piece < pieces.count; ++piece)
    for (std::size_t b = 0; b < total; ++b) flags[b] |= mark[static_cast<std::size_t>(piece) * total + b];
  if (filling) mark_gas_blocks(exec, grid, *filling, flags);
  particles.occupied.assign(flags);
  return of_pieces;
}

// plan[cell] = minus what comes into a cell that will be deep: it becomes stock.
template <int D>
void plan_sinking(const Exec& exec, const Grid<D>& grid, const BlocksView<D>& blocks,
                  const std::uint32_t* count, DeepLiquid<D>& deep, std::int16_t* plan) {
  const View<D, const std::uint8_t> mark = deep.mark.read();
  const View<D, float> stock = deep.stock.view();
  const Range<D> cells = grid.cell_range();
  for_each_block(exec, blocks, [=](std::int32_t slot) {
    const Range<D> block = blocks.indices(slot);
    visit(intersection(block, cells), [&](const Index<D>& i) {
      const std::size_t k = static_cast<std::size_t>(slot) * block_volume<D> +
                            static_cast<std::size_t>(cell_in_block<D>(i, block.lo));
      if (count[k] == 0 || !will_be_deep(mark(i))) return;
      plan[k] = static_cast<std::int16_t>(-std::min<std::int64_t>(count[k], 32000));
      stock(i) -= plan[k];
    });
  });
}

}  // namespace

template <int D>
SortReport sort_particles(const Exec& exec, const Grid<D>& grid, const Reseed<D>* filling,
                          Particles<D>& particles, DeepLiquid<D>* deep) {
  SortReport report;
  // Two for each thread, so that none is waited for long.
  const Pieces pieces{exec.threads == 1 ? 1 : std::min(2 * exec.threads, most_pieces), particles.count};
  const std::vector<std::uint8_t> of_pieces = find_occupied(exec, pieces, grid, filling, particles);
  const BlocksView<D> occupied = particles.occupied.view();
  const std::size_t cells = static_cast<std::size_t>(occupied.count) * block_volume<D>;

  // Count. histogram[piece][cell], keys rewritten from linear blocks to slots. A piece has particles in few
  // blocks; what it has of others is left alone, for memory that nobody touches costs nothing.
  Buffer<std::uint32_t> histogram(cells * static_cast<std::size_t>(pieces.count));
  std::uint32_t* counts = histogram.data();
  std::uint32_t* key = particles.key.data();
  for_each_task(exec, pieces.count, [=](std::ptrdiff_t piece) {
    std::uint32_t* own = counts + static_cast<std::size_t>(piece) * cells;
    for (std::int64_t i = pieces.begin(piece); i < pieces.begin(piece + 1); ++i) {
      if (key[i] == particle_gone) continue;
      key[i] = static_cast<std::uint32_t>(occupied.slots[key[i] / block_volume<D>]) * block_volume<D> +
               key[i] % block_volume<D>;
      ++own[key[i]];
    }
  });
  if (particles.cell_begin.size() < cells + 1)
    particles.cell_begin = Buffer<std::uint32_t>(cells + cells / 4 + 1);
  std::uint32_t* begin = particles.cell_begin.data();
  const std::uint8_t* is_in = of_pieces.data();
  const std::size_t blocks = static_cast<std::size_t>(particles.occupied.total());
  // f(first of the counts) for the pieces that have particles in a block.
  const auto visit_pieces = [=](std::int32_t slot, auto f) {
    for (int piece = 0; piece < pieces.count; ++piece)
      if (is_in[static_cast<std::size_t>(piece) * blocks + static_cast<std::size_t>(occupied.ids[slot])])
        f(counts + static_cast<std::size_t>(piece) * cells +
          static_cast<std::size_t>(slot) * block_volume<D>);
  };
  for_each_block(exec, occupied, [=](std::int32_t slot) {
    std::uint32_t* sum = begin + static_cast<std::size_t>(slot) * block_volume<D>;
    std::fill(sum, sum + block_volume<D>, 0u);
    visit_pieces(slot, [=](const std::uint32_t* count) {
      for (int c = 0; c < block_volume<D>; ++c) sum[c] += count[c];
    });
  });
  const std::int64_t staying = reduce(exec, static_cast<std::ptrdiff_t>(cells), std::int64_t{0}, Plus{},
                                      [=](std::ptrdiff_t k) { return static_cast<std::int64_t>(begin[k]); });
  report.left = particles.count - staying;

  // Fill: plan[cell] particles more or fewer.
  Buffer<std::int16_t> plan_buffer(filling || deep ? cells : 0);
  std::int16_t* plan = plan_buffer.data();
  if (deep) plan_sinking(exec, grid, occupied, begin, *deep, plan);
  if (filling) {
    plan_filling(exec, grid, *filling, occupied, begin, plan);
    report.added =
        reduce(exec, static_cast<std::ptrdiff_t>(cells), std::int64_t{0}, Plus{},
               [=](std::ptrdiff_t k) { return static_cast<std::int64_t>(plan[k] > 0 ? plan[k] : 0); });
  }
  if (plan)
    for_each(exec, static_cast<std::ptrdiff_t>(cells),
             [=](std::ptrdiff_t k) { begin[k] = begin[k] + plan[k]; });
  begin[cells] = exclusive_scan(exec, begin, static_cast<std::ptrdiff_t>(cells));
  const std::int64_t total = begin[cells];

  // Move. The first of a cell stay, the last are the ones dropped; added ones follow the old.
  reserve_spare(particles, total);
  const ArrayPairs<D> arrays(particles.arrays, particles.spare);
  const std::uint32_t* id_from = particles.arrays.id.data();
  std::uint32_t* id_to = particles.spare.id.data();
  for_each_block(exec, occupied, [=](std::int32_t slot) {
    const std::uint32_t* first = begin + static_cast<std::size_t>(slot) * block_volume<D>;
    std::uint32_t at[block_volume<D>];
    std::copy(first, first + block_volume<D>, at);
    visit_pieces(slot, [&](std::uint32_t* count) {
      for (int c = 0; c < block_volume<D>; ++c) at[c] += std::exchange(count[c], at[c]);
    });
  });
  for_each_task(exec, pieces.count, [=](std::ptrdiff_t piece) {
    std::uint32_t* next = counts + static_cast<std::size_t>(piece) * cells;
    for (std::int64_t i = pieces.begin(piece); i < pieces.begin(piece + 1); ++i) {
      const std::uint32_t k = key[i];
      if (k == particle_gone) continue;
      const std::uint32_t to = next[k]++;
      if (to >= begin[k + 1]) continue;
      arrays.copy(i, to);
      id_to[to] = id_from[i];
    }
  });

  if (report.added > 0) {
    std::vector<std::uint32_t> first(static_cast<std::size_t>(occupied.count) + 1, 0);
    std::uint32_t* first_id = first.data();
    for_each_block(exec, occupied, [=](std::int32_t slot) {
      std::uint32_t n = 0;
      for (int c = 0; c < block_volume<D>; ++c)
        n += static_cast<std::uint32_t>(
            std::max<int>(0, plan[static_cast<std::size_t>(slot) * block_volume<D> + c]));
      first_id[slot] = n;
    });
    exclusive_scan(exec, first_id, occupied.count);
    const std::uint32_t base = particles.next_id;
    const Reseed<D> r = *filling;
    for_each_block(exec, occupied, [=](std::int32_t slot) {
      const Index<D> lo = occupied.indices(slot).lo;
      std::uint32_t id = base + first_id[slot];
      for (int c = 0; c < block_volume<D>; ++c) {
        const std::size_t k = static_cast<std::size_t>(slot) * block_volume<D> + static_cast<std::size_t>(c);
        const Index<D> cell = cell_of_number<D>(c, lo);
        for (int n = 0; n < plan[k]; ++n, ++id) {
          const std::uint32_t to = begin[k + 1] - static_cast<std::uint32_t>(plan[k] - n);
          const PlacedParticle<D> placed = place_particle(grid, r, cell, id, -1, 0);
          for (int a = 0; a < D; ++a) {
            arrays.to[a][to] = placed.offset[a];
            arrays.to[D + a][to] = placed.velocity[a];
          }
          for (int m = 2 * D; m < arrays.count; ++m) arrays.to[m][to] = 0;
          id_to[to] = id;
        }
      }
    });
    particles.next_id += static_cast<std::uint32_t>(report.added);
  }

  std::swap(particles.arrays, particles.spare);
  particles.count = total;
  if (static_cast<std::int64_t>(particles.key.size()) < total)
    particles.key = Buffer<std::uint32_t>(static_cast<std::size_t>(particles.arrays.capacity()));
  return report;
}

template SortReport sort_particles<2>(const Exec&, const Grid<2>&, const Reseed<2>*, Particles<2>&,
                                      DeepLiquid<2>*);
template SortReport sort_particles<3>(const Exec&, const Grid<3>&, const Reseed<3>*, Particles<3>&,
                                      DeepLiquid<3>*);

}  // namespace glug
