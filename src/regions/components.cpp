#include "regions/components.h"

#include "core/for_each.h"
#include "core/real.h"
#include "core/reduce.h"

namespace glug {
namespace {

// Which labels make components: cells of the same class (1 or 2) belong together, 0 to nothing.
struct Classes {
  std::uint8_t of_label[4] = {};
  GLUG_INLINE std::uint8_t operator()(Cell cell) const { return of_label[static_cast<std::size_t>(cell)]; }
};

// What a block holds before numbers are final.
struct BlockParts {
  enum class Extent : std::uint8_t { cells, whole, empty };
  Extent extent = Extent::empty;
  std::int16_t first_class = 0;  // components of class 1: local numbers below this
  std::int16_t count = 0;
};

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

// Whether all cells of a block are of one class and every face inside it is open. Deep inside liquid or air
// all blocks are like that.
template <int D, class T>
GLUG_INLINE bool is_one_component(const Range<D>& block, View<D, const Cell> label, const Classes& classes,
                                  const MacView<D, const T>& open) {
  Range<D> starts = block;
  starts.hi[0] = starts.lo[0] + 1;
  const int width = block.extent(0);
  const std::uint8_t mine = classes(label(block.lo));
  bool all = mine != 0;
  visit(starts, [&](const Index<D>& first) {
    if (!all) return;
    const Cell* cells = &label(first);
    int good = 0;
    for (int k = 0; k < width; ++k) good += classes(cells[k]) == mine;
    for (int a = 0; a < D; ++a) {
      if (a > 0 && first[a] == block.lo[a]) {  // these faces are the block's border
        good += width;
        continue;
      }
      const T* faces = &open[a](first);
      if (a == 0) ++good;
      for (int k = a == 0 ? 1 : 0; k < width; ++k) good += faces[k] > 0;
    }
    all = good == (D + 1) * width;
  });
  return all;
}

GLUG_INLINE BlockParts whole_block(std::uint8_t of_class) {
  return {BlockParts::Extent::whole, static_cast<std::int16_t>(of_class == 1 ? 1 : 0), 1};
}

// Numbers the components inside one block, those of class 1 first, and writes them to of_cell unless the
// block is one component or none. Cells of a row that hang together are one run, and runs are united.
template <int D, class T>
GLUG_INLINE BlockParts number_block(const Range<D>& block, View<D, const Cell> label, const Classes& classes,
                                    const MacView<D, const T>& open, View<D, std::int32_t> of_cell) {
  if (block.size() == 0) return {};
  if (is_one_component(block, label, classes, open)) return whole_block(classes(label(block.lo)));
  std::int16_t run_of[block_volume<D>];        // of each local cell, in the order of the block
  std::uint8_t class_of_run[block_volume<D>];  // 0: these cells are in no component
  std::int16_t parent[block_volume<D>];        // of each run, an earlier one or itself
  Index<D> step{};
  for (int a = 0, s = 1; a < D; ++a) {
    step[a] = s;
    s *= block.extent(a);
  }
  const int width = block.extent(0);
  Range<D> starts = block;
  starts.hi[0] = starts.lo[0] + 1;
  std::int16_t runs = 0;
  int row = 0;
  visit(starts, [&](const Index<D>& first) {
    const Cell* cells = &label(first);
    const T* along = &open[0](first);
    for (int k = 0; k < width; ++k) {
      const std::uint8_t mine = classes(cells[k]);
      if (k == 0 || mine != class_of_run[runs - 1] || (mine != 0 && !(along[k] > 0))) {
        class_of_run[runs] = mine;
        parent[runs] = runs;
        ++runs;
      }
      run_of[row + k] = static_cast<std::int16_t>(runs - 1);
    }
    for (int a = 1; a < D; ++a) {
      if (first[a] == block.lo[a]) continue;
      const T* across = &open[a](first);
      std::int16_t last_x = -1, last_y = -1;
      for (int k = 0; k < width; ++k) {
        const std::int16_t x = run_of[row + k - step[a]], y = run_of[row + k];
        if ((x == last_x && y == last_y) || class_of_run[y] == 0 || class_of_run[x] != class_of_run[y] ||
            !(across[k] > 0))
          continue;
        unite(parent, x, y);
        last_x = x;
        last_y = y;
      }
    }
    row += width;
  });
  // Roots are the smallest members, so they are met, and numbered, before the others.
  BlockParts parts;
  std::int16_t number[block_volume<D>];
  for (std::uint8_t c = 1; c <= 2; ++c) {
    for (std::int16_t n = 0; n < runs; ++n)
      if (class_of_run[n] == c) number[n] = parent[n] == n ? parts.count++ : number[parent[n]];
    if (c == 1) parts.first_class = parts.count;
  }
  if (parts.count == 0) return parts;
  for (std::int16_t n = 0; n < runs; ++n)
    if (class_of_run[n] == 0) number[n] = -1;
  parts.extent = BlockParts::Extent::cells;
  row = 0;
  visit(starts, [&](const Index<D>& first) {
    std::int32_t* out = &of_cell(first);
    for (int k = 0; k < width; ++k) out[k] = number[run_of[row + k]];
    row += width;
  });
  return parts;
}

template <int D, class T>
struct Flood {
  BlocksView<D> blocks;
  Range<D> cells;
  MacView<D, const T> open;
  View<D, const std::int32_t> of_cell;
  const BlockParts* parts;
  const std::int32_t* base;

  GLUG_INLINE std::int32_t local(std::int32_t slot, const Index<D>& i) const {
    switch (parts[slot].extent) {
      case BlockParts::Extent::whole:
        return 0;
      case BlockParts::Extent::empty:
        return -1;
      case BlockParts::Extent::cells:
        break;
    }
    return of_cell(i);
  }

  // Calls f(x, y) for every pair of provisional components that touch across the low sides of a block. The
  // same pair comes up cell after cell: only changes are passed on.
  template <class F>
  GLUG_INLINE void visit_borders(std::int32_t slot, F&& f) const {
    if (parts[slot].count == 0) return;
    const Index<D> b = blocks.coordinates(blocks.ids[slot]);
    const Range<D> block = intersection(blocks.indices(slot), cells);
    for (int a = 0; a < D; ++a) {
      const std::int32_t other = blocks.slot_of_block(b - Index<D>::unit(a));
      if (other < 0 || parts[other].count == 0) continue;
      const bool once =
          parts[slot].extent == BlockParts::Extent::whole && parts[other].extent == BlockParts::Extent::whole;
      if (once && parts[slot].first_class != parts[other].first_class) continue;
      Range<D> border = block;
      border.hi[a] = border.lo[a] + 1;
      std::int32_t last_x = -1, last_y = -1;
      visit(border, [&](const Index<D>& i) {
        if (once && last_x >= 0) return;
        const std::int32_t y = local(slot, i);
        const std::int32_t x = local(other, i - Index<D>::unit(a));
        if (x < 0 || y < 0 || !(open[a](i) > 0) || (x == last_x && y == last_y)) return;
        if ((x < parts[other].first_class) != (y < parts[slot].first_class)) return;
        last_x = x;
        last_y = y;
        f(base[other] + x, base[slot] + y);
      });
    }
  }
};

// Fills of_cell and of_block; returns how many components are of class 1.
template <int D, class T>
std::int32_t flood(const Exec& exec, const BlocksView<D>& blocks, View<D, const Cell> label,
                   const Classes& classes, MacView<D, const T> open, const BlockKind* kinds,
                   Components<D>& components) {
  const Range<D> cells = blocks.grid.cell_range();
  const View<D, std::int32_t> of_cell = components.of_cell.view();
  const std::size_t slots = static_cast<std::size_t>(blocks.count);

  std::vector<BlockParts> all_parts(slots);
  BlockParts* parts = all_parts.data();
  std::vector<std::int32_t> bases(slots);
  std::int32_t* base = bases.data();
  for_each_block(exec, blocks, [=](std::int32_t slot) {
    const BlockKind kind = kinds ? kinds[blocks.ids[slot]] : BlockKind::mixed;
    if (kind == BlockKind::mixed)
      parts[slot] = number_block(intersection(blocks.indices(slot), cells), label, classes, open, of_cell);
    else if (kind != BlockKind::solid)
      parts[slot] = whole_block(classes(kind == BlockKind::air ? Cell::air : Cell::liquid));
    base[slot] = parts[slot].count;
  });
  const std::int32_t provisional = exclusive_scan(exec, base, blocks.count);

  // Edges between provisional components: counted, placed, written, each block its own.
  const Flood<D, T> borders{blocks, cells, open, of_cell, parts, base};
  std::vector<std::int32_t> starts(slots + 1);
  std::int32_t* start = starts.data();
  for_each_block(exec, blocks, [=](std::int32_t slot) {
    std::int32_t n = 0;
    borders.visit_borders(slot, [&](std::int32_t, std::int32_t) { ++n; });
    start[slot] = n;
  });
  const std::int32_t edges = exclusive_scan(exec, start, blocks.count);
  std::vector<std::int32_t> ends(2 * static_cast<std::size_t>(edges));
  std::int32_t* end = ends.data();
  for_each_block(exec, blocks, [=](std::int32_t slot) {
    std::int32_t* out = end + 2 * static_cast<std::ptrdiff_t>(start[slot]);
    borders.visit_borders(slot, [&](std::int32_t x, std::int32_t y) {
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
  std::int32_t of_first_class = 0;
  for (int second = 0; second < 2; ++second) {
    for (std::int32_t slot = 0; slot < blocks.count; ++slot) {
      const std::int32_t from = base[slot] + (second ? parts[slot].first_class : 0);
      const std::int32_t to = base[slot] + (second ? parts[slot].count : parts[slot].first_class);
      for (std::int32_t n = from; n < to; ++n)
        final_number[n] = parent[n] == n ? components.count++ : final_number[parent[n]];
    }
    if (!second) of_first_class = components.count;
  }

  std::int32_t* of_block = components.of_block.data();
  for_each_block(exec, blocks, [=](std::int32_t slot) {
    std::int32_t& known = of_block[blocks.ids[slot]];
    const Range<D> block = intersection(blocks.indices(slot), cells);
    if (parts[slot].extent == BlockParts::Extent::cells) {
      known = Components<D>::mixed;
      visit(block, [&](const Index<D>& i) {
        std::int32_t& c = of_cell(i);
        if (c >= 0) c = final_number[base[slot] + c];
      });
      return;
    }
    const std::int32_t number =
        parts[slot].extent == BlockParts::Extent::whole ? final_number[base[slot]] : Components<D>::none;
    if (known == number) return;  // its cells say so already
    known = number;
    visit(block, [&](const Index<D>& i) { of_cell(i) = number; });
  });
  return of_first_class;
}

}  // namespace

template <int D, class T>
void find_components(const Exec& exec, const BlocksView<D>& blocks, View<D, const Cell> label,
                     CellSet accepted, MacView<D, const T> open, Components<D>& components) {
  Classes classes;
  for (Cell cell : {Cell::air, Cell::liquid, Cell::solid, Cell::affine})
    classes.of_label[static_cast<std::size_t>(cell)] = accepted.contains(cell) ? 1 : 0;
  flood<D, T>(exec, blocks, label, classes, open, nullptr, components);
}

template <int D, class T>
std::int32_t find_regions(const Exec& exec, const BlocksView<D>& blocks, View<D, const Cell> label,
                          MacView<D, const T> open, const BlockKind* kinds, Components<D>& components) {
  Classes classes;
  classes.of_label[static_cast<std::size_t>(Cell::air)] = 1;
  classes.of_label[static_cast<std::size_t>(Cell::liquid)] = 2;
  return flood<D, T>(exec, blocks, label, classes, open, kinds, components);
}

#define GLUG_INSTANTIATE(D, T)                                                                         \
  template void find_components<D, T>(const Exec&, const BlocksView<D>&, View<D, const Cell>, CellSet, \
                                      MacView<D, const T>, Components<D>&);                            \
  template std::int32_t find_regions<D, T>(const Exec&, const BlocksView<D>&, View<D, const Cell>,     \
                                           MacView<D, const T>, const BlockKind*, Components<D>&);
GLUG_INSTANTIATE(2, Real)
GLUG_INSTANTIATE(3, Real)
#undef GLUG_INSTANTIATE

}  // namespace glug
