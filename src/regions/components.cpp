#include "regions/components.h"

#include <vector>

#include "core/for_each.h"
#include "core/reduce.h"

namespace glug {
namespace {

// Union-find with the smallest member as root; the path is halved on the way.
template <class I>
GLUG_INLINE I root_of(I* parent, I n) {
  while (parent[n] != n) {
    parent[n] = parent[parent[n]];
    n = parent[n];
  }
  return n;
}
template <class I>
GLUG_INLINE void unite(I* parent, I x, I y) {
  x = root_of(parent, x);
  y = root_of(parent, y);
  if (x < y) {
    parent[y] = x;
  } else {
    parent[x] = y;
  }
}

// Whether every cell of a block is accepted and every face inside it open: then it is one component. Deep
// inside liquid or air all blocks are like that.
template <int D, class T>
GLUG_INLINE bool is_one_component(const Range<D>& block, View<D, const Cell> label, CellSet accepted,
                                  const MacView<D, const T>& open) {
  Range<D> starts = block;
  starts.hi[0] = starts.lo[0] + 1;
  const int width = block.extent(0);
  bool all = true;
  visit(starts, [&](const Index<D>& first) {
    const Cell* cells = &label(first);
    int good = 0;
    for (int k = 0; k < width; ++k) good += accepted.contains(cells[k]);
    for (int a = 0; a < D; ++a) {
      if (a > 0 && first[a] == block.lo[a]) {  // these faces are the block's border
        good += width;
        continue;
      }
      const T* faces = &open[a](first);
      if (a == 0) ++good;
      for (int k = a == 0 ? 1 : 0; k < width; ++k) good += faces[k] > 0;
    }
    all = all && good == (D + 1) * width;
  });
  return all;
}

// Numbers the components inside one block, writes them to of_cell and returns how many there are.
template <int D, class T>
GLUG_INLINE std::int32_t number_block(const Range<D>& block, View<D, const Cell> label, CellSet accepted,
                                      const MacView<D, const T>& open, View<D, std::int32_t> of_cell) {
  if (block.size() == 0) return 0;
  if (is_one_component(block, label, accepted, open)) {
    visit(block, [&](const Index<D>& i) { of_cell(i) = 0; });
    return 1;
  }
  // parent[n]: an earlier (or the same) local cell of the same component, in the order of the block; -1: not
  // accepted.
  std::int16_t parent[block_volume<D>];
  Index<D> step{};
  for (int a = 0, s = 1; a < D; ++a) {
    step[a] = s;
    s *= block.extent(a);
  }
  std::int16_t n = 0;
  visit(block, [&](const Index<D>& i) {
    std::int16_t mine = -1;
    if (accepted.contains(label(i))) {
      for (int a = 0; a < D; ++a) {
        if (i[a] == block.lo[a] || !(open[a](i) > 0)) continue;
        const std::int16_t other = parent[n - step[a]];
        if (other < 0 || other == mine) continue;
        if (mine < 0) {
          mine = other;
        } else {
          unite(parent, mine, other);
        }
      }
      if (mine < 0) mine = n;
    }
    parent[n++] = mine;
  });
  // Roots are the smallest members, so they are met, and numbered, before the others.
  std::int16_t number[block_volume<D>];
  std::int32_t count = 0;
  n = 0;
  visit(block, [&](const Index<D>& i) {
    const std::int16_t up = parent[n];
    if (up < 0) {
      of_cell(i) = -1;
    } else {
      number[n] = up == n ? static_cast<std::int16_t>(count++) : number[up];
      of_cell(i) = number[n];
    }
    ++n;
  });
  return count;
}

// Calls f(x, y) for every pair of provisional components that touch across the low sides of a block. The same
// pair comes up cell after cell: only changes are passed on.
template <int D, class T, class F>
GLUG_INLINE void visit_borders(const BlocksView<D>& blocks, std::int32_t slot, const Range<D>& cells,
                               const MacView<D, const T>& open, View<D, const std::int32_t> of_cell,
                               const std::int32_t* base, F&& f) {
  const Index<D> b = blocks.coordinates(blocks.ids[slot]);
  const Range<D> block = intersection(blocks.indices(slot), cells);
  for (int a = 0; a < D; ++a) {
    const std::int32_t other = blocks.slot_of_block(b - Index<D>::unit(a));
    if (other < 0) continue;
    Range<D> border = block;
    if (border.size() == 0) continue;
    border.hi[a] = border.lo[a] + 1;
    std::int32_t last_x = -1, last_y = -1;
    visit(border, [&](const Index<D>& i) {
      const std::int32_t y = of_cell(i);
      const std::int32_t x = of_cell(i - Index<D>::unit(a));
      if (x < 0 || y < 0 || !(open[a](i) > 0) || (x == last_x && y == last_y)) return;
      last_x = x;
      last_y = y;
      f(base[other] + x, base[slot] + y);
    });
  }
}

}  // namespace

template <int D, class T>
void find_components(const Exec& exec, const BlocksView<D>& blocks, View<D, const Cell> label,
                     CellSet accepted, MacView<D, const T> open, Components<D>& components) {
  const Range<D> cells = blocks.grid.cell_range();
  const View<D, std::int32_t> of_cell = components.of_cell.view();
  const View<D, const std::int32_t> local = of_cell;
  const std::size_t slots = static_cast<std::size_t>(blocks.count);

  std::vector<std::int32_t> bases(slots);
  std::int32_t* base = bases.data();
  for_each_block(exec, blocks, [=](std::int32_t slot) {
    base[slot] = number_block(intersection(blocks.indices(slot), cells), label, accepted, open, of_cell);
  });
  const std::int32_t provisional = exclusive_scan(exec, base, blocks.count);

  // Edges between provisional components: counted, placed, written, each block its own.
  std::vector<std::int32_t> starts(slots + 1);
  std::int32_t* start = starts.data();
  for_each_block(exec, blocks, [=](std::int32_t slot) {
    std::int32_t n = 0;
    visit_borders(blocks, slot, cells, open, local, base, [&](std::int32_t, std::int32_t) { ++n; });
    start[slot] = n;
  });
  const std::int32_t edges = exclusive_scan(exec, start, blocks.count);
  std::vector<std::int32_t> ends(2 * static_cast<std::size_t>(edges));
  std::int32_t* end = ends.data();
  for_each_block(exec, blocks, [=](std::int32_t slot) {
    std::int32_t* out = end + 2 * static_cast<std::ptrdiff_t>(start[slot]);
    visit_borders(blocks, slot, cells, open, local, base, [&](std::int32_t x, std::int32_t y) {
      *out++ = x;
      *out++ = y;
    });
  });

  // A few entries per block: serial. Roots are smallest, so final numbers ascend with the first cell.
  std::vector<std::int32_t> parents(static_cast<std::size_t>(provisional));
  std::int32_t* parent = parents.data();
  for (std::int32_t n = 0; n < provisional; ++n) parent[n] = n;
  for (std::ptrdiff_t e = 0; e < edges; ++e) unite(parent, end[2 * e], end[2 * e + 1]);
  std::vector<std::int32_t> finals(static_cast<std::size_t>(provisional));
  std::int32_t* final_number = finals.data();
  components.count = 0;
  for (std::int32_t n = 0; n < provisional; ++n)
    final_number[n] = parent[n] == n ? components.count++ : final_number[parent[n]];

  for_each_block(exec, blocks, [=](std::int32_t slot) {
    visit(intersection(blocks.indices(slot), cells), [&](const Index<D>& i) {
      std::int32_t& c = of_cell(i);
      if (c >= 0) c = final_number[base[slot] + c];
    });
  });
}

#define GLUG_INSTANTIATE(D, T)                                                                         \
  template void find_components<D, T>(const Exec&, const BlocksView<D>&, View<D, const Cell>, CellSet, \
                                      MacView<D, const T>, Components<D>&);
GLUG_INSTANTIATE(2, float)
GLUG_INSTANTIATE(2, double)
GLUG_INSTANTIATE(3, float)
GLUG_INSTANTIATE(3, double)
#undef GLUG_INSTANTIATE

}  // namespace glug
