// Liquid that passes between cells with particles and cells with a stock (narrow_band.h).
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/random.h"
#include "core/reduce.h"
#include "core/rows.h"
#include "particles/append.h"
#include "particles/array_pairs.h"
#include "particles/collide.h"
#include "particles/largest.h"
#include "particles/narrow_band.h"
#include "particles/sort.h"

namespace glug {
namespace {

// Where a sub-cell's particle stands changes from step to step by an irrational number for each axis: its
// places fill the sub-cell more evenly than chance would. So what comes out of a cell through a side in a
// hundred short steps is as many particles as in one long one; drawn by chance it would be that many give or
// take their root.
GLUG_INLINE float walk(std::uint64_t start, std::uint64_t step, int axis) {
  constexpr std::uint64_t pace[4] = {0xc13fa9a902a6328full, 0x91e10da5c79e7b1dull, 0xd1b54a32d192ed03ull,
                                     0x9e3779b97f4a7c15ull};
  return static_cast<float>((start + step * pace[axis]) >> 40) * 0x1p-24f;
}
inline constexpr int walk_of_number = 3;
// Cells from which liquid may rise lie within so many of others.
inline constexpr int most_layers = 4;

// Whether all blocks around one are whole: nothing rises from there.
template <int D>
GLUG_INLINE bool is_inner(const BlocksView<D>& blocks, const std::uint8_t* whole, std::int32_t slot) {
  const Index<D> b = blocks.coordinates(blocks.ids[slot]);
  bool inner = true;
  visit(intersection(Range<D>{b - Index<D>::filled(1), b + Index<D>::filled(2)},
                     Range<D>{Index<D>{}, blocks.blocks}),
        [&](const Index<D>& n) {
          const std::int32_t other = blocks.slot_of_block(n);
          inner = inner && other >= 0 && whole[other];
        });
  return inner;
}

// Whether all cells of a range are deep, and stay so.
template <int D>
GLUG_INLINE bool all_deep_within(const View<D, const std::uint8_t>& mark, const Range<D>& cells,
                                 const Range<D>& range) {
  int others = 0;
  visit_rows(intersection(range, cells), [&](const Index<D>& first, int n) {
    const std::uint8_t* marks = &mark(first);
    for (int k = 0; k < n; ++k) others += marks[k] != is_deep;
  });
  return others == 0;
}

// How far the liquid of a block may move along each axis, cells: by the fastest faces that its paths can
// meet. Solids may push it farther.
template <int D>
Vec<D, float> reach_of_block(const MacView<D, const float>& velocity, const Grid<D>& grid,
                             const DeepStep<D>& step, const Range<D>& box, int most) {
  const Range<D> around = box.grown(most + 1);
  Vec<D, float> reach = Vec<D, float>::filled(static_cast<float>(most));
  for (int a = 0; a < D; ++a) {
    const Range<D> faces =
        intersection(Range<D>{around.lo, around.hi + Index<D>::unit(a)}, grid.face_range(a));
    const float speed = largest_of<D>(velocity[a], faces),
                shift = step.displacement[a].data ? largest_of<D>(step.displacement[a], faces) : 0.f;
    const float moved = speed * static_cast<float>(step.dt / grid.h) + shift / static_cast<float>(grid.h);
    if (moved <= std::numeric_limits<float>::max()) reach[a] = std::min(reach[a], 1.001f * moved + 1e-3f);
  }
  return reach;
}

// Whether liquid at an offset in a deep cell may get to one that is not deep all the time. What turns deep in
// this very step counts: stock does not flow there yet, and liquid turns deep where it rises, so leaving it
// behind would let stock sink, cell by cell.
template <int D>
GLUG_INLINE bool may_rise(const View<D, const std::uint8_t>& mark, const Range<D>& cells, const Index<D>& i,
                          const Vec<D, float>& offset, const Vec<D, float>& reach) {
  if (mark(i) == ends_deep) return true;
  Range<D> box;
  for (int a = 0; a < D; ++a) {
    box.lo[a] = i[a] + static_cast<int>(std::floor(offset[a] - reach[a]));
    box.hi[a] = i[a] + static_cast<int>(std::floor(offset[a] + reach[a])) + 1;
  }
  bool may = false;
  visit(intersection(box, cells), [&](const Index<D>& n) { may = may || mark(n) != is_deep; });
  return may;
}

// Cells of a block that lie within some cells, along each axis, of one that is not deep all the time:
// may_rise of their middles, for the whole block at once.
template <int D>
class NearEdge {
 public:
  GLUG_INLINE NearEdge(const View<D, const std::uint8_t>& mark, const Range<D>& cells, const Range<D>& box,
                       const Index<D>& within)
      : lo_(box.lo - within) {
    const Range<D> around{lo_, box.hi + within};
    visit_rows(around, [&](const Index<D>& first, int n) {
      std::uint8_t* row = near_ + at(first);
      for (int k = 0; k < n; ++k) row[k] = 0;
    });
    visit_rows(intersection(around, cells), [&](const Index<D>& first, int n) {
      const std::uint8_t* marks = &mark(first);
      std::uint8_t* row = near_ + at(first);
      for (int k = 0; k < n; ++k) row[k] = marks[k] != is_deep;
    });
    for (int a = 0; a < D; ++a) spread(around, a, within[a]);
  }
  GLUG_INLINE bool operator()(const Index<D>& i) const { return near_[at(i)] != 0; }

 private:
  static constexpr int width = block_edge<D> + 2 * most_layers;
  GLUG_INLINE int at(const Index<D>& i) const {
    int n = 0;
    for (int a = D - 1; a >= 0; --a) n = n * width + (i[a] - lo_[a]);
    return n;
  }
  GLUG_INLINE void spread(const Range<D>& around, int axis, int within) {
    const int step = power(width, axis), length = around.extent(axis);
    Range<D> lines = around;
    lines.hi[axis] = lines.lo[axis] + 1;
    visit(lines, [&](const Index<D>& first) {
      std::uint8_t line[width];
      std::uint8_t* near = near_ + at(first);
      for (int k = 0; k < length; ++k) line[k] = near[k * step];
      for (int k = within; k < length - within; ++k) {
        std::uint8_t any = 0;
        for (int n = -within; n <= within; ++n) any = static_cast<std::uint8_t>(any | line[k + n]);
        near[k * step] = any;
      }
    });
  }
  Index<D> lo_;
  std::uint8_t near_[power(width, D)];
};

// The cell beside one: 2 a below, 2 a + 1 above along axis a.
template <int D>
GLUG_INLINE Index<D> neighbour(const Index<D>& i, int side) {
  return side % 2 ? i + Index<D>::unit(side / 2) : i - Index<D>::unit(side / 2);
}

// Which deep cell beside one that ends to be deep takes what is left of a whole number of particles there.
// All deep cells together would carry it from one end of a tank to the other: what a wave's cells leave so,
// by chance, is some ten particles after a few periods, and they go up and down with it.
inline constexpr int no_heir = -1;
template <int D>
GLUG_INLINE int side_of_heir(const View<D, const std::uint8_t>& mark, const Index<D>& i) {
  for (int side = 0; side < 2 * D; ++side)
    if (mark(neighbour<D>(i, side)) == is_deep) return side;
  return no_heir;
}

}  // namespace

template <int D>
Particles<D> stock_as_particles(const Exec& exec, const Reseed<D>& placing, const Grid<D>& grid,
                                const DeepStep<D>& step, int per_axis, const DeepLiquid<D>& deep,
                                const Particles<D>& like) {
  const BlocksView<D> blocks = deep.blocks.view();
  const Range<D>* boxes = deep.boxes.data();
  const Range<D> cells = grid.cell_range();
  const View<D, const std::uint8_t> mark = deep.mark.read();
  const View<D, const float> stock = deep.stock.read();
  const int fill = power(per_axis, D), most = 4 * fill;
  const Reseed<D> r = placing;
  const float part = 1.f / static_cast<float>(per_axis);
  const int farthest = static_cast<int>(std::min(std::ceil(step.courant) + 1, double(most_layers)));
  // Nearer to a solid than so many cells, besides its path, liquid may be pushed out of it.
  constexpr float near_solid = 2.5f;
  const float per_cell = static_cast<float>(1 / grid.h);
  const std::uint8_t* whole = deep.whole.data();
  struct Rising {
    Index<D> cell;
    Vec<D, float> offset;
  };
  std::vector<std::vector<Rising>> found(static_cast<std::size_t>(blocks.count));
  for_each_block(exec, blocks, [&](std::int32_t slot) {
    if (is_inner(blocks, whole, slot) || all_deep_within(mark, cells, boxes[slot].grown(farthest))) return;
    const Vec<D, float> in_the_open = reach_of_block(r.velocity, grid, step, boxes[slot], farthest);
    float path = 0;
    Index<D> within{};
    for (int a = 0; a < D; ++a) {
      path += in_the_open[a];
      within[a] = std::min(static_cast<int>(std::ceil(in_the_open[a])), most_layers);
    }
    const NearEdge<D> near_edge(mark, cells, boxes[slot], within);
    visit(boxes[slot], [&](const Index<D>& i) {
      if (!was_deep(mark(i))) return;
      const bool in_open = r.solid(i) * per_cell > near_solid + path;
      const Vec<D, float> reach = in_open ? in_the_open : Vec<D, float>::filled(static_cast<float>(farthest));
      const Vec<D, float> half = Vec<D, float>::filled(0.5f);
      if (in_open ? !near_edge(i) && mark(i) != ends_deep : !may_rise(mark, cells, i, half, reach + half))
        return;
      const auto own = static_cast<std::uint64_t>(cells.number_of(i));
      const int n = clamp(
          static_cast<int>(std::floor(stock(i) + walk(mix_bits(own), r.seed, walk_of_number))), 0, most);
      const std::uint64_t of_cell = mix_bits(own ^ 0xdee9ull);
      for (int k = 0; k < n; ++k) {
        // Sub-cells in turn, from another one in every step; what is left over anywhere in the cell.
        const int number = static_cast<int>((of_cell + r.seed + static_cast<std::uint64_t>(k)) %
                                            static_cast<std::uint64_t>(fill));
        const Index<D> sub = Range<D>{Index<D>{}, Index<D>::filled(per_axis)}.at(number);
        Rng rng(of_cell, static_cast<std::uint64_t>(number));
        Vec<D, float> offset{};
        for (int a = 0; a < D; ++a) {
          const float place = walk(rng.bits(), r.seed, a);
          const float drawn = k < fill ? (static_cast<float>(sub[a]) + place) * part : place;
          offset[a] = clamp(drawn, 0.f, 1 - 0x1p-24f);
        }
        if (may_rise(mark, cells, i, offset, reach))
          found[static_cast<std::size_t>(slot)].push_back({i, offset});
      }
    });
  });
  std::vector<std::int64_t> first(static_cast<std::size_t>(blocks.count) + 1, 0);
  std::int64_t* begin = first.data();
  for (std::size_t slot = 0; slot < found.size(); ++slot)
    begin[slot + 1] = begin[slot] + static_cast<std::int64_t>(found[slot].size());
  Particles<D> made;
  made.count = first.back();
  made.arrays = ParticleArrays<D>(made.count, like.arrays.has_affine());
  made.key = Buffer<std::uint32_t>(static_cast<std::size_t>(made.count));
  made.occupied = Blocks<D>(grid);
  const ParticleViewOf<D, float> p = made.arrays.view();
  std::uint32_t *id = made.arrays.id.data(), *key = made.key.data();
  const std::vector<Rising>* rising = found.data();
  for_each_block(exec, blocks, [=](std::int32_t slot) {
    std::int64_t at = begin[slot];
    const Index<D> lo = blocks.indices(slot).lo;
    for (const Rising& one : rising[slot]) {
      const PlacedParticle<D> placed = settle_particle(grid, r, one.cell, one.offset);
      for (int a = 0; a < D; ++a) {
        p.offset[a][at] = placed.offset[a];
        p.velocity[a][at] = placed.velocity[a];
      }
      id[at] = 0;  // named when it rises
      key[at] = static_cast<std::uint32_t>(blocks.ids[slot]) * block_volume<D> +
                static_cast<std::uint32_t>(cell_in_block<D>(one.cell, lo));
      ++at;
    }
  });
  sort_particles<D>(exec, grid, nullptr, made);
  made.spare = ParticleArrays<D>();
  return made;
}

template <int D>
void note_sinking(const Exec& exec, const Particles<D>& particles, DeepLiquid<D>& deep) {
  const BlocksView<D> blocks = deep.blocks.view();
  const std::uint32_t* key = particles.key.data();
  const ParticleViewOf<D, const float> p = particles.arrays.view();
  const View<D, const std::uint8_t> mark = deep.mark.read();
  // Where the marks of each block begin: most particles are in blocks that have none, and where the others
  // are takes no division.
  std::vector<std::ptrdiff_t> starts(static_cast<std::size_t>(blocks.count));
  for (std::int32_t slot = 0; slot < blocks.count; ++slot)
    starts[static_cast<std::size_t>(slot)] = mark.offset(blocks.indices(slot).lo);
  const std::ptrdiff_t* start = starts.data();
  const std::ptrdiff_t count = particles.count, pieces = (count + loop_chunk - 1) / loop_chunk;
  deep.beside += reduce(exec, pieces, Vec<D, double>{}, Plus{}, [=](std::ptrdiff_t piece) {
    Vec<D, double> beside{};
    const std::ptrdiff_t end = std::min(count, (piece + 1) * loop_chunk);
    for (std::ptrdiff_t i = piece * loop_chunk; i < end; ++i) {
      if (key[i] == particle_gone) continue;
      const std::int32_t slot = blocks.slots[key[i] / block_volume<D>];
      if (slot < 0) continue;
      std::ptrdiff_t at = start[slot];
      std::uint32_t number = key[i] % block_volume<D>;
      for (int a = 0; a < D; ++a, number /= block_edge<D>) at += (number % block_edge<D>)*mark.stride[a];
      if (!will_be_deep(mark.at(at))) continue;
      for (int a = 0; a < D; ++a) beside[a] += static_cast<double>(p.offset[a][i]) - 0.5;
    }
    return beside;
  });
}

template <int D>
void rise_from_deep(const Exec& exec, const Particles<D>& moved, const ParticleArrays<D>& start,
                    DeepLiquid<D>& deep, Particles<D>& particles) {
  const BlocksView<D> occupied = moved.occupied.view();
  const std::uint32_t *cell_begin = moved.cell_begin.data(), *key = moved.key.data();
  const View<D, const std::uint8_t> mark = deep.mark.read();
  const auto rises = [=](std::uint8_t from, std::uint32_t i) {
    return from == ends_deep || key[i] == particle_gone || mark(cell_of_key(occupied, key[i])) != is_deep;
  };
  std::vector<std::int64_t> first(static_cast<std::size_t>(occupied.count) + 1, 0);
  std::int64_t* begin = first.data();
  const View<D, float> stock = deep.stock.view();
  const ParticleViewOf<D, const float> at_start = start.view(), at_end = moved.arrays.view();
  deep.beside -= reduce_blocks(exec, occupied, Vec<D, double>{}, Plus{}, [=](std::int32_t slot) {
    Vec<D, double> beside{};
    const std::uint32_t* own = cell_begin + static_cast<std::size_t>(slot) * block_volume<D>;
    const Index<D> lo = occupied.indices(slot).lo;
    std::int64_t sum = 0;
    for (int c = 0; c < block_volume<D>; ++c) {
      if (own[c] == own[c + 1]) continue;
      const Index<D> cell = cell_of_number<D>(c, lo);
      std::int64_t n = 0;
      for (std::uint32_t i = own[c]; i < own[c + 1]; ++i) {
        if (!rises(mark(cell), i)) continue;
        ++n;
        // Of a cell that stays deep the flow between cells has told the way already.
        const bool told = mark(cell) == is_deep && key[i] != particle_gone;
        const Index<D> way = told ? cell_of_key(occupied, key[i]) - cell : Index<D>{};
        const ParticleViewOf<D, const float>& at = told ? at_end : at_start;
        for (int a = 0; a < D; ++a) beside[a] += way[a] + static_cast<double>(at.offset[a][i]) - 0.5;
      }
      stock(cell) -= static_cast<float>(n);
      sum += n;
    }
    begin[slot] = sum;
    return beside;
  });
  // What is left of cells that are deep no more.
  const BlocksView<D> blocks = deep.blocks.view();
  const Range<D>* boxes = deep.boxes.data();
  struct Left {
    double stock = 0;
    Vec<D, double> place{};  // in cells, times stock
    Left operator+(const Left& o) const { return {stock + o.stock, place + o.place}; }
  };
  const std::uint8_t* whole = deep.whole.data();
  std::vector<std::uint8_t> ending(static_cast<std::size_t>(blocks.count), 0);
  std::uint8_t* ends = ending.data();
  const Left left = reduce_blocks(exec, blocks, Left{}, Plus{}, [=](std::int32_t slot) {
    Left sum;
    if (whole[slot]) return sum;
    visit(boxes[slot], [&](const Index<D>& i) {
      if (mark(i) != ends_deep) return;
      ends[slot] = 1;
      const double own = static_cast<double>(stock(i));
      const int side = side_of_heir<D>(mark, i);
      // On paper it moves to the heir's middle.
      sum = sum + (side == no_heir ? Left{own, (i.template as<double>() + Vec<D, double>::filled(0.5)) * own}
                                   : Left{0, (i - neighbour<D>(i, side)).template as<double>() * own});
    });
    return sum;
  });
  for_each_block(exec, blocks, [=](std::int32_t slot) {
    bool beside_end = ends[slot] != 0;
    for (int side = 0; side < 2 * D; ++side) {
      const std::int32_t other =
          blocks.slot_of_block(neighbour<D>(blocks.coordinates(blocks.ids[slot]), side));
      beside_end = beside_end || (other >= 0 && ends[other]);
    }
    if (!beside_end) return;
    visit(boxes[slot], [&](const Index<D>& i) {
      if (mark(i) != is_deep) return;
      float more = 0;
      for (int side = 0; side < 2 * D; ++side) {
        const Index<D> from = neighbour<D>(i, side);
        if (mark(from) == ends_deep && side_of_heir<D>(mark, from) == (side ^ 1)) more += stock(from);
      }
      stock(i) += more;
    });
  });
  deep.spare += left.stock;
  deep.beside += left.place;
  const std::int64_t count = exclusive_scan(exec, begin, occupied.count);
  if (count == 0) return;
  reserve_more(exec, particles, count);
  const ArrayPairs<D> arrays(moved.arrays, particles.arrays, particles.count);
  std::uint32_t *id = particles.arrays.id.data() + particles.count,
                *to_key = particles.key.data() + particles.count;
  const std::uint32_t next_id = particles.next_id;
  for_each_block(exec, occupied, [=](std::int32_t slot) {
    const std::uint32_t* own = cell_begin + static_cast<std::size_t>(slot) * block_volume<D>;
    const Index<D> lo = occupied.indices(slot).lo;
    std::int64_t at = begin[slot];
    for (int c = 0; c < block_volume<D>; ++c) {
      if (own[c] == own[c + 1]) continue;
      const std::uint8_t from = mark(cell_of_number<D>(c, lo));
      for (std::uint32_t i = own[c]; i < own[c + 1]; ++i) {
        if (!rises(from, i)) continue;
        arrays.copy(i, at);
        id[at] = next_id + static_cast<std::uint32_t>(at);
        to_key[at] = key[i];
        ++at;
      }
    }
  });
  particles.count += count;
  particles.next_id += static_cast<std::uint32_t>(count);
}

#define GLUG_INSTANTIATE(D)                                                                   \
  template Particles<D> stock_as_particles<D>(const Exec&, const Reseed<D>&, const Grid<D>&,  \
                                              const DeepStep<D>&, int, const DeepLiquid<D>&,  \
                                              const Particles<D>&);                           \
  template void note_sinking<D>(const Exec&, const Particles<D>&, DeepLiquid<D>&);            \
  template void rise_from_deep<D>(const Exec&, const Particles<D>&, const ParticleArrays<D>&, \
                                  DeepLiquid<D>&, Particles<D>&);
GLUG_INSTANTIATE(2)
GLUG_INSTANTIATE(3)
#undef GLUG_INSTANTIATE

}  // namespace glug
