#include "particles/narrow_band.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/reduce.h"
#include "core/runs.h"
#include "geometry/volume.h"

namespace glug {
namespace {

// Whether a cell keeps its particles however deep it lies.
template <int D>
GLUG_INLINE bool is_kept(const BandInput<D>& in, const Index<D>& i) {
  for (int a = 0; a < D; ++a)
    if ((in.sides.open[a][0] && i[a] < in.side_layers) ||
        (in.sides.open[a][1] && i[a] >= in.grid.cells[a] - in.side_layers))
      return true;
  for (int k = 0; k < in.kept_count; ++k)
    if (in.kept[k].contains(i)) return true;
  return in.parting(i);
}

// Whether a solid covers all of a cell.
template <int D>
GLUG_INLINE bool is_covered(const BandInput<D>& in, const Index<D>& i) {
  bool open = false;
  visit(Range<D>{i, i + Index<D>::filled(2)}, [&](const Index<D>& n) { open = open || in.solid(n) > 0; });
  return !open;
}

// Whether a cell that was deep has lost so much that it is not full any more: a slit that runs dry lies as
// deep as the liquid around it.
template <int D>
GLUG_INLINE bool runs_dry(const BandInput<D>& in, const Index<D>& i, float held) {
  if (held >= in.least_stock) return false;
  return held < in.least_stock * static_cast<float>(cell_open_fraction<D>(in.solid, in.grid.h, i));
}

// f(first, n, value) gives what the cells of a row count for. Added up where cells are deep now: by places in
// rows, so that a row's cells need not wait for each other, and by fixed chunks of rows.
template <int D, class F>
double sum_deep(const Exec& exec, const DeepLiquid<D>& deep, F f) {
  const BlocksView<D> blocks = deep.blocks.view();
  const View<D, const std::uint8_t> mark = deep.mark.read();
  const Range<D> cells = blocks.grid.cell_range();
  const std::int32_t chunks = chunks_of(blocks);
  std::vector<double> partial(static_cast<std::size_t>(chunks), 0.0);
  double* part = partial.data();
  for_each_task(exec, chunks, [=](std::ptrdiff_t chunk) {
    constexpr int lanes = 8;
    double sums[lanes] = {}, value[run_length<D>];
    visit_rows_of_chunk(blocks, cells, static_cast<std::int32_t>(chunk),
                        [&](std::int32_t, const Index<D>& first, int n) {
                          f(first, n, value);
                          const std::uint8_t* marks = &mark(first);
                          for (int k = 0; k < n; ++k) value[k] = was_deep(marks[k]) ? value[k] : 0.0;
                          int k = 0;
                          for (; k + lanes <= n; k += lanes)
                            for (int lane = 0; lane < lanes; ++lane) sums[lane] += value[k + lane];
                          for (; k < n; ++k) sums[0] += value[k];
                        });
    double sum = 0;
    for (double one : sums) sum += one;
    part[chunk] = sum;
  });
  double sum = 0;
  for (double one : partial) sum += one;
  return sum;
}

// Where the marks of a block are.
template <int D>
struct MarkedPart {
  Range<D> box{};
  bool whole = false;  // all of it is deep and stays so
};
template <int D>
GLUG_INLINE MarkedPart<D> marked_part(const View<D, const std::uint8_t>& mark, const Range<D>& own) {
  MarkedPart<D> part{{own.hi, own.lo}, own.size() > 0};
  visit_rows(own, [&](const Index<D>& first, int n) {
    const std::uint8_t* marks = &mark(first);
    int deep = 0, begin = n, end = 0;
    for (int k = 0; k < n; ++k) deep += marks[k] == is_deep;
    if (deep == n) {
      begin = 0;
      end = n;
    } else {
      part.whole = false;
      while (end < n && marks[end] == not_deep) ++end;
      if (end == n) return;
      begin = end;
      end = n;
      while (marks[end - 1] == not_deep) --end;
    }
    Index<D> low = first, high = first + Index<D>::filled(1);
    low[0] = first[0] + begin;
    high[0] = first[0] + end;
    part.box.lo = min(part.box.lo, low);
    part.box.hi = max(part.box.hi, high);
  });
  return part;
}

// Lists those of these blocks that have a marked part.
template <int D>
void list_parts(const BlocksView<D>& known, const std::vector<MarkedPart<D>>& parts, DeepLiquid<D>& deep) {
  std::vector<std::uint8_t> flags(static_cast<std::size_t>(deep.blocks.total()), 0);
  deep.boxes.clear();
  deep.whole.clear();
  for (std::int32_t slot = 0; slot < known.count; ++slot) {
    const MarkedPart<D>& part = parts[static_cast<std::size_t>(slot)];
    if (part.box.size() == 0) continue;
    flags[static_cast<std::size_t>(known.ids[slot])] = 1;
    deep.boxes.push_back(part.box);
    deep.whole.push_back(part.whole);
  }
  deep.blocks.assign(flags);
}

}  // namespace

template <int D>
void mark_deep(const Exec& exec, const BandInput<D>& input, DeepLiquid<D>& deep) {
  const BandInput<D> in = input;
  const Range<D> cells = in.grid.cell_range();
  const View<D, std::uint8_t> mark = deep.mark.view();
  const View<D, float> stock = deep.stock.view();
  bool keeps = in.kept_count > 0 || in.parting.flag.data;
  for (int a = 0; a < D; ++a) keeps = keeps || in.sides.open[a][0] || in.sides.open[a][1];
  for_each_long_row(exec, in.known, cells, [=](const Index<D>& first, int n) {
    std::uint8_t* marks = &mark(first);
    const float *phi = &in.phi(first), *solid = &in.solid(first);
    std::uint8_t will[run_length<D>], next[run_length<D>];
    float* held = &stock(first);
    int beside_solid = 0, turns = 0, few = 0;
    for (int k = 0; k < n; ++k) {
      will[k] = phi[k] < (marks[k] == is_deep ? -in.stays : -in.begins);
      beside_solid += solid[k] <= 0;
      few += marks[k] == is_deep && held[k] < in.least_stock;
    }
    if (few > 0)
      for (int k = 0; k < n; ++k)
        if (marks[k] == is_deep && will[k] && runs_dry(in, first + Index<D>::unit(0) * k, held[k]))
          will[k] = 0;
    if (keeps || beside_solid > 0)
      for (int k = 0; k < n; ++k) {
        if (!will[k] || (!keeps && solid[k] > 0)) continue;
        Index<D> i = first;
        i[0] += k;
        if (is_kept(in, i) || is_covered(in, i)) will[k] = 0;
      }
    for (int k = 0; k < n; ++k) {
      const bool was = marks[k] == is_deep;
      next[k] = was ? (will[k] ? is_deep : ends_deep) : (will[k] ? turns_deep : not_deep);
      turns += next[k] == turns_deep;
    }
    for (int k = 0; k < n; ++k) marks[k] = next[k];
    if (turns == 0) return;
    for (int k = 0; k < n; ++k)
      if (next[k] == turns_deep) held[k] = 0;
  });
  list_deep(exec, in.known, deep);
}

template <int D>
void list_deep(const Exec& exec, const BlocksView<D>& known, DeepLiquid<D>& deep) {
  const View<D, const std::uint8_t> mark = deep.mark.read();
  const Range<D> cells = known.grid.cell_range();
  std::vector<MarkedPart<D>> parts(static_cast<std::size_t>(known.count));
  MarkedPart<D>* part = parts.data();
  for_each_block(exec, known, [=](std::int32_t slot) {
    part[slot] = marked_part<D>(mark, intersection(known.indices(slot), cells));
  });
  list_parts(known, parts, deep);
}

template <int D>
void fill_stock(const Exec& exec, const Grid<D>& grid, View<D, const float> solid, int particles_per_cell,
                DeepLiquid<D>& deep) {
  const View<D, float> stock = deep.stock.view();
  const View<D, const std::uint8_t> mark = deep.mark.read();
  const double h = grid.h;
  for_each_cell(exec, deep.blocks.view(), grid.cell_range(), [=](const Index<D>& i) {
    if (mark(i) == is_deep)
      stock(i) = static_cast<float>(particles_per_cell * cell_open_fraction<D>(solid, h, i));
  });
}

template <int D>
void settle_deep(const Exec& exec, DeepLiquid<D>& deep) {
  const Blocks<D> marked = deep.blocks;
  const BlocksView<D> blocks = marked.view();
  const Range<D>* boxes = deep.boxes.data();
  const std::uint8_t* whole = deep.whole.data();
  const View<D, std::uint8_t> mark = deep.mark.view();
  std::vector<MarkedPart<D>> parts(static_cast<std::size_t>(blocks.count));
  MarkedPart<D>* part = parts.data();
  for_each_block(exec, blocks, [=](std::int32_t slot) {
    if (whole[slot]) {
      part[slot] = {boxes[slot], true};
      return;
    }
    visit_rows(boxes[slot], [&](const Index<D>& first, int n) {
      std::uint8_t* marks = &mark(first);
      for (int k = 0; k < n; ++k) marks[k] = will_be_deep(marks[k]) ? is_deep : not_deep;
    });
    part[slot] = marked_part<D>(mark, boxes[slot]);
    // Of a block only what was marked has been looked at.
    const Range<D> own = intersection(blocks.indices(slot), blocks.grid.cell_range());
    part[slot].whole = part[slot].whole && boxes[slot].lo == own.lo && boxes[slot].hi == own.hi;
  });
  list_parts(blocks, parts, deep);
  const double count = deep.spare != 0 ? deep_count(exec, deep) : 0;
  if (count == 0) return;
  const View<D, float> stock = deep.stock.view();
  const float share = static_cast<float>(deep.spare / count);
  const BlocksView<D> left = deep.blocks.view();
  const Range<D>* left_boxes = deep.boxes.data();
  deep.beside -= reduce_blocks(exec, left, Vec<D, double>{}, Plus{}, [=](std::int32_t slot) {
    Vec<D, double> place{};
    visit(left_boxes[slot], [&](const Index<D>& i) {
      if (mark(i) != is_deep) return;
      stock(i) += share;
      place += (i.template as<double>() + Vec<D, double>::filled(0.5)) * static_cast<double>(share);
    });
    return place;
  });
  deep.spare = 0;
}

template <int D>
double deep_count(const Exec& exec, const DeepLiquid<D>& deep) {
  return sum_deep(exec, deep, [=](const Index<D>&, int n, double* value) {
    for (int k = 0; k < n; ++k) value[k] = 1;
  });
}

template <int D>
double deep_stock(const Exec& exec, const DeepLiquid<D>& deep) {
  const View<D, const float> stock = deep.stock.read();
  return deep.spare + sum_deep(exec, deep, [=](const Index<D>& first, int n, double* value) {
           const float* held = &stock(first);
           for (int k = 0; k < n; ++k) value[k] = held[k];
         });
}

template <int D>
double deep_kinetic(const Exec& exec, const DeepLiquid<D>& deep, MacView<D, const float> u_before,
                    MacView<D, const float> u_after, double fresh) {
  const View<D, const float> stock = deep.stock.read();
  const float now = static_cast<float>(fresh), old = static_cast<float>(1 - fresh);
  return sum_deep(exec, deep, [=](const Index<D>& first, int n, double* value) {
    float squares[run_length<D>];  // means over the cell of what is interpolated between its faces
    for (int a = 0; a < D; ++a) {
      const Index<D> above = first + Index<D>::unit(a);
      const float *before = &u_before[a](first), *after = &u_after[a](first);
      const float *before_above = &u_before[a](above), *after_above = &u_after[a](above);
      for (int k = 0; k < n; ++k) {
        const float u = old * before[k] + now * after[k];
        const float v = old * before_above[k] + now * after_above[k];
        const float both = u * u + u * v + v * v;
        squares[k] = a == 0 ? both : squares[k] + both;
      }
    }
    const float* held = &stock(first);
    for (int k = 0; k < n; ++k) value[k] = squares[k] * (1.f / 6) * held[k];
  });
}

template <int D>
double deep_potential(const Exec& exec, const DeepLiquid<D>& deep, const Grid<D>& grid,
                      const Vec<D, double>& gravity) {
  const View<D, const float> stock = deep.stock.read();
  const Vec<D, double> lowest = grid.lowest_corner(gravity);
  const double middles = sum_deep(exec, deep, [=](const Index<D>& first, int n, double* value) {
    const double of_first = -dot(gravity, grid.cell_center(first) - lowest), of_next = -gravity[0] * grid.h;
    const float* held = &stock(first);
    for (int k = 0; k < n; ++k) value[k] = (of_first + k * of_next) * static_cast<double>(held[k]);
  });
  return middles - grid.h * dot(gravity, deep.beside);
}

template <int D>
double deep_speed(const Exec& exec, const DeepLiquid<D>& deep, MacView<D, const float> velocity) {
  const BlocksView<D> blocks = deep.blocks.view();
  const View<D, const std::uint8_t> mark = deep.mark.read();
  const View<D, const float> stock = deep.stock.read();
  const Range<D> cells = blocks.grid.cell_range();
  const std::uint32_t squared = reduce_runs(exec, blocks, cells, 0u, Maximum{}, [=](const Range<D>& run) {
    std::uint32_t most = 0;  // of squares that are not negative; what is not a number is more
    visit_rows(run, [&](const Index<D>& first, int n) {
      const std::uint8_t* marks = &mark(first);
      const float* held = &stock(first);
      float sum[run_length<D>];
      for (int a = 0; a < D; ++a) {
        const float *low = &velocity[a](first), *high = &velocity[a](first + Index<D>::unit(a));
        for (int k = 0; k < n; ++k) {
          const float u = 0.5f * (low[k] + high[k]);
          sum[k] = a == 0 ? u * u : sum[k] + u * u;
        }
      }
      // In solids, and where they leave next to nothing of a cell, velocity is what was made up for it.
      for (int k = 0; k < n; ++k) {
        const bool counts = marks[k] == is_deep && !(held[k] < 0.5f);
        const std::uint32_t bits = counts ? std::bit_cast<std::uint32_t>(sum[k]) & 0x7fffffffu : 0u;
        most = bits > most ? bits : most;
      }
    });
    return most;
  });
  return std::sqrt(static_cast<double>(std::bit_cast<float>(squared)));
}

#define GLUG_INSTANTIATE(D)                                                                            \
  template void mark_deep<D>(const Exec&, const BandInput<D>&, DeepLiquid<D>&);                        \
  template void list_deep<D>(const Exec&, const BlocksView<D>&, DeepLiquid<D>&);                       \
  template void fill_stock<D>(const Exec&, const Grid<D>&, View<D, const float>, int, DeepLiquid<D>&); \
  template void settle_deep<D>(const Exec&, DeepLiquid<D>&);                                           \
  template double deep_count<D>(const Exec&, const DeepLiquid<D>&);                                    \
  template double deep_stock<D>(const Exec&, const DeepLiquid<D>&);                                    \
  template double deep_kinetic<D>(const Exec&, const DeepLiquid<D>&, MacView<D, const float>,          \
                                  MacView<D, const float>, double);                                    \
  template double deep_potential<D>(const Exec&, const DeepLiquid<D>&, const Grid<D>&,                 \
                                    const Vec<D, double>&);                                            \
  template double deep_speed<D>(const Exec&, const DeepLiquid<D>&, MacView<D, const float>);
GLUG_INSTANTIATE(2)
GLUG_INSTANTIATE(3)
#undef GLUG_INSTANTIATE

}  // namespace glug
