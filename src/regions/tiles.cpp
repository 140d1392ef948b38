#include "regions/tiles.h"

#include <algorithm>

#include "core/for_each.h"
#include "core/real.h"
#include "core/reduce.h"
#include "core/runs.h"

namespace glug {
namespace {

// How many layers a cell starts: as many as the surface wants where it touches another fluid or an open side,
// as many as walls want where a face is not open throughout.
template <int D, class T>
GLUG_INLINE std::uint8_t first_band(const TileInput<D, T>& in, const TileRules& rules, const Index<D>& i) {
  int layers = 0;
  const Range<D> cells = in.grid.cell_range();
  for (int a = 0; a < D; ++a)
    for (int high = 0; high < 2; ++high) {
      const Index<D> face = high ? i + Index<D>::unit(a) : i;
      const Index<D> other = high ? face : i - Index<D>::unit(a);
      if (in.open[a](face) < 1) layers = layers > rules.wall_band ? layers : rules.wall_band;
      if (!(in.open[a](face) > 0)) continue;
      if (!cells.contains(other) || in.label(other) != in.fluid)
        layers = layers > rules.surface_band ? layers : rules.surface_band;
    }
  return static_cast<std::uint8_t>(layers);
}

// Whether all cells of a row are fluid, with nothing else beside them and all their faces open: none of them
// starts a layer.
template <int D, class T>
GLUG_INLINE bool is_inner_row(const TileInput<D, T>& in, const Index<D>& first, int n) {
  const Range<D> cells = in.grid.cell_range().grown(-1);
  Index<D> last = first;
  last[0] += n - 1;
  if (!cells.contains(first) || !cells.contains(last)) return false;
  const Cell* label = &in.label(first);
  int others = 0;
  for (int k = -1; k <= n; ++k) others += label[k] != in.fluid;
  for (int a = 0; a < D; ++a) {
    const T* open = &in.open[a](first);
    const std::ptrdiff_t up = in.open[a].stride[a], aside = in.label.stride[a];
    for (int k = 0; k < n; ++k) others += (open[k] < 1) + (open[k + up] < 1);
    if (a > 0)
      for (int k = 0; k < n; ++k) others += (label[k - aside] != in.fluid) + (label[k + aside] != in.fluid);
  }
  return others == 0;
}

// (F1) Layers of a cell that touches those of its neighbours: one less than the most of them.
template <int D>
struct NextLayer {
  GLUG_INLINE std::uint8_t operator()(const std::uint8_t* from, const View<D, std::uint8_t>& band) const {
    std::uint8_t most = 1;
    for (int a = 0; a < D; ++a) {
      const std::uint8_t low = from[-band.stride[a]], high = from[band.stride[a]];
      most = most > low ? most : low;
      most = most > high ? most : high;
    }
    return static_cast<std::uint8_t>(most - 1);
  }
};

// (F1) A single layer turns corners, too: 1 between two cells that start one around what is none of it. Else
// a cell at an edge of a solid would have faces to a region alone, and those of a staircase no neighbour of
// their own fluid.
template <int D>
struct AroundCorners {
  GLUG_INLINE std::uint8_t operator()(const std::uint8_t* from, const View<D, std::uint8_t>& band) const {
    for (int a = 1; a < D; ++a)
      for (int b = 0; b < a; ++b)
        for (int corner = 0; corner < 4; ++corner) {
          const std::ptrdiff_t one = corner & 1 ? band.stride[a] : -band.stride[a];
          const std::ptrdiff_t two = corner & 2 ? band.stride[b] : -band.stride[b];
          if (from[one] > 0 && from[two] > 0 && from[one + two] == 0) return 1;
        }
    return 0;
  }
};

// (F1) Bands, layer by layer. Blocks that no band has reached, nor a neighbour's, are left alone: both fields
// are 0 there.
template <int D, class T>
void find_bands(const Exec& exec, const TileInput<D, T>& in, const TileRules& rules, Tiles<D>& tiles) {
  const BlocksView<D> blocks = in.blocks;
  const Range<D> cells = in.grid.cell_range();
  View<D, std::uint8_t> band = tiles.band_.view(), next = tiles.band_next_.view();
  std::vector<std::uint8_t> reached(static_cast<std::size_t>(blocks.count)), reached_next(reached);
  std::uint8_t* flag = reached.data();
  // A block's part of each row by itself, but rows in the order of memory.
  for_each_task(exec, chunks_of(blocks), [=](std::ptrdiff_t chunk) {
    visit_rows_of_chunk(blocks, cells, static_cast<std::int32_t>(chunk),
                        [&](std::int32_t slot, const Index<D>& start, int length) {
                          for (int begin = 0; begin < length; begin += block_edge<D>) {
                            const int n = std::min(block_edge<D>, length - begin);
                            Index<D> i = start;
                            i[0] += begin;
                            std::uint8_t *row = &band(i), *row_next = &next(i);
                            const Cell* label = &in.label(i);
                            const bool inner = is_inner_row(in, i, n);
                            std::uint8_t any = 0;
                            for (int k = 0; k < n; ++k, ++i[0]) {
                              const std::uint8_t b =
                                  !inner && label[k] == in.fluid ? first_band(in, rules, i) : std::uint8_t{0};
                              row[k] = b;
                              row_next[k] = b;
                              any |= b;
                            }
                            if (any) flag[slot + begin / block_edge<D>] = 1;
                          }
                        });
  });
  int passes = 0;
  const auto grow = [&](auto layers) {
    const std::uint8_t* before = reached.data();
    std::uint8_t* after = reached_next.data();
    for_each_block(exec, blocks, [=](std::int32_t slot) {
      const Index<D> b = blocks.coordinates(blocks.ids[slot]);
      bool near = before[slot];
      for (int a = 0; a < D; ++a)
        for (int step = -1; step <= 1; step += 2) {
          const std::int32_t other = blocks.slot_of_block(b + Index<D>::unit(a) * step);
          near = near || (other >= 0 && before[other]);
        }
      after[slot] = near;
      if (!near) return;
      Range<D> rows = intersection(blocks.indices(slot), cells);
      const int n = rows.extent(0);
      rows.hi[0] = n > 0 ? rows.lo[0] + 1 : rows.lo[0];
      visit(rows, [&](const Index<D>& first) {
        const std::uint8_t* from = &band(first);
        std::uint8_t* __restrict to = &next(first);
        for (int k = 0; k < n; ++k) {
          const std::uint8_t of_neighbours = layers(from + k, band);
          to[k] = from[k] > of_neighbours ? from[k] : of_neighbours;
        }
      });
    });
    std::swap(band, next);
    reached.swap(reached_next);
    ++passes;
  };
  if (std::min(rules.surface_band, rules.wall_band) == 1) grow(AroundCorners<D>{});
  for (int layer = 1; layer < std::max(rules.surface_band, rules.wall_band); ++layer) grow(NextLayer<D>{});
  if (passes % 2 != 0) std::swap(tiles.band_, tiles.band_next_);
}

// Tiles of one box of cells, and how its cells divide among them.
template <int D>
struct TilesOfBox {
  std::vector<Tile<D>> list;
  struct Cut {
    Range<D> inside;
    std::vector<std::int32_t> piece;  // per cell of it: which of the list, -1 = none
  };
  std::vector<Cut> cuts;
  std::vector<std::int32_t> whole;  // of the list
};

template <int D>
std::ptrdiff_t place_in(const Range<D>& r, const Index<D>& i) {
  std::ptrdiff_t n = 0;
  for (int a = D - 1; a >= 0; --a) n = n * r.extent(a) + (i[a] - r.lo[a]);
  return n;
}

// A region needs neighbours along every axis for its motion to be determined, and some size: a ragged piece
// of a few cells answers a push on one of its faces almost as that face alone would, and the multigrid, which
// holds regions fixed while it smooths, then stalls.
template <int D>
bool is_worth_it(const Tile<D>& tile) {
  constexpr int width = 4;
  for (int a = 0; a < D; ++a)
    if (tile.box.extent(a) < width) return false;
  return tile.cells >= power(width, D);
}

// Cells of a box that may become part of a tile, and the others.
constexpr std::int32_t calm = -2, ordinary = -1;

// What a region encloses could not change its volume, and its pressure would have no level: a bubble in there
// could not grow back to its size. So where ordinary cells are shut in, a row of them is dug towards low x.
template <int D>
void open_hollows(const Range<D>& inside, std::vector<std::int32_t>& piece) {
  const auto at = [&](const Index<D>& i) -> std::int32_t& {
    return piece[static_cast<std::size_t>(place_in(inside, i))];
  };
  std::vector<std::uint8_t> reached(piece.size(), 0);
  std::vector<Index<D>> cells;
  const auto reach = [&](const Index<D>& i) {
    std::uint8_t& r = reached[static_cast<std::size_t>(place_in(inside, i))];
    if (r || at(i) != ordinary) return;
    r = 1;
    cells.push_back(i);
  };
  const auto spread = [&](const Index<D>& start) {
    cells.clear();
    reach(start);
    for (std::size_t n = 0; n < cells.size(); ++n)
      for (int a = 0; a < D; ++a)
        for (int step = -1; step <= 1; step += 2) {
          const Index<D> other = cells[n] + Index<D>::unit(a) * step;
          if (inside.contains(other)) reach(other);
        }
  };
  const Range<D> core = inside.grown(-1);
  visit(inside, [&](const Index<D>& i) {
    if (!core.contains(i)) spread(i);
  });
  // Rows are walked from low x: what lies before a hollow in its row is calm, up to what is reached.
  visit(inside, [&](const Index<D>& start) {
    if (at(start) != ordinary || reached[static_cast<std::size_t>(place_in(inside, start))]) return;
    for (Index<D> i = start - Index<D>::unit(0); inside.contains(i) && at(i) == calm; --i[0])
      at(i) = ordinary;
    spread(start);
  });
}

template <int D>
void cut_box(const Range<D>& inside, const View<D, const Cell>& label, Cell fluid,
             const View<D, const std::uint8_t>& band, TilesOfBox<D>& out) {
  typename TilesOfBox<D>::Cut cut{
      inside, std::vector<std::int32_t>(static_cast<std::size_t>(inside.size()), ordinary)};
  bool any = false;
  visit(inside, [&](const Index<D>& i) {
    if (label(i) != fluid || band(i) != 0) return;
    cut.piece[static_cast<std::size_t>(place_in(inside, i))] = calm;
    any = true;
  });
  if (!any) return;
  open_hollows(inside, cut.piece);
  std::vector<Index<D>> cells;
  visit(inside, [&](const Index<D>& start) {
    if (cut.piece[static_cast<std::size_t>(place_in(inside, start))] != calm) return;
    Tile<D> tile;
    tile.fluid = fluid;
    tile.box = {start, start + Index<D>::filled(1)};
    const std::int32_t number = static_cast<std::int32_t>(out.list.size());
    cells.assign(1, start);
    cut.piece[static_cast<std::size_t>(place_in(inside, start))] = number;
    for (std::size_t n = 0; n < cells.size(); ++n) {
      const Index<D> i = cells[n];
      tile.box = {min(tile.box.lo, i), max(tile.box.hi, i + Index<D>::filled(1))};
      for (int a = 0; a < D; ++a)
        for (int step = -1; step <= 1; step += 2) {
          const Index<D> other = i + Index<D>::unit(a) * step;
          if (!inside.contains(other)) continue;
          std::int32_t& piece = cut.piece[static_cast<std::size_t>(place_in(inside, other))];
          if (piece != calm) continue;
          piece = number;
          cells.push_back(other);
        }
    }
    tile.cells = static_cast<std::int64_t>(cells.size());
    if (is_worth_it(tile))
      out.list.push_back(tile);
    else
      for (const Index<D>& i : cells) cut.piece[static_cast<std::size_t>(place_in(inside, i))] = ordinary;
  });
  out.cuts.push_back(std::move(cut));
}

// Whether all of a range may be part of a tile. Blocks are asked first: most of a liquid is like that.
template <int D>
bool is_all_calm(const Range<D>& inside, const View<D, const Cell>& label, Cell fluid,
                 const View<D, const std::uint8_t>& band) {
  Range<D> rows = inside;
  const int n = inside.extent(0);
  rows.hi[0] = rows.lo[0] + 1;
  bool all = true;
  visit(rows, [&](const Index<D>& first) {
    if (!all) return;
    const Cell* cell = &label(first);
    const std::uint8_t* layers = &band(first);
    int good = 0;
    for (int k = 0; k < n; ++k) good += cell[k] == fluid && layers[k] == 0;
    all = good == n;
  });
  return all;
}

// A box of `size` cells: one tile if all of it is calm and it fits the domain, else its halves, down to
// `rules.size`, which is cut.
template <int D>
void divide_box(const Index<D>& corner, int size, const TileRules& rules, const Range<D>& cells,
                const View<D, const Cell>& label, Cell fluid, const View<D, const std::uint8_t>& band,
                TilesOfBox<D>& out) {
  const Range<D> all{corner + Index<D>::filled(1), corner + Index<D>::filled(size)};
  const Range<D> inside = intersection(all, cells);
  if (inside.size() == 0) return;
  if (inside.size() == all.size() && is_all_calm(inside, label, fluid, band)) {
    out.whole.push_back(static_cast<std::int32_t>(out.list.size()));
    out.list.push_back({inside, inside.size(), fluid});
  } else if (size > rules.size) {
    for (int child = 0; child < 1 << D; ++child) {
      Index<D> at = corner;
      for (int a = 0; a < D; ++a) at[a] += (child >> a & 1) * (size / 2);
      divide_box(at, size / 2, rules, cells, label, fluid, band, out);
    }
  } else {
    cut_box(inside, label, fluid, band, out);
  }
}

// The corners of the largest boxes that reach into listed blocks.
template <int D>
std::vector<Index<D>> boxes_to_divide(const BlocksView<D>& blocks, int size) {
  Range<D> boxes{};
  for (int a = 0; a < D; ++a) boxes.hi[a] = (blocks.grid.cells[a] + size - 1) / size;
  std::vector<std::uint8_t> wanted(static_cast<std::size_t>(boxes.size()), 0);
  for (std::int32_t slot = 0; slot < blocks.count; ++slot) {
    const Range<D> block = intersection(blocks.indices(slot), blocks.grid.cell_range());
    if (block.size() == 0) continue;
    Range<D> touched{};
    for (int a = 0; a < D; ++a)
      touched.lo[a] = block.lo[a] / size, touched.hi[a] = (block.hi[a] - 1) / size + 1;
    visit(touched, [&](const Index<D>& b) { wanted[static_cast<std::size_t>(place_in(boxes, b))] = 1; });
  }
  std::vector<Index<D>> corners;
  visit(boxes, [&](const Index<D>& b) {
    if (wanted[static_cast<std::size_t>(place_in(boxes, b))]) corners.push_back(b * size);
  });
  return corners;
}

template <int D>
void fill_row(const View<D, std::int32_t>& of_cell, const View<D, Cell>& label, const Index<D>& first, int n,
              std::int32_t number) {
  std::int32_t* out = &of_cell(first);
  Cell* cell = &label(first);
  for (int k = 0; k < n; ++k) {
    out[k] = number;
    cell[k] = Cell::affine;
  }
}

template <int D>
void write_tiles(const TilesOfBox<D>& box, std::int32_t base, const View<D, std::int32_t>& of_cell,
                 const View<D, Cell>& label) {
  for (std::int32_t n : box.whole) {
    Range<D> rows = box.list[static_cast<std::size_t>(n)].box;
    const int width = rows.extent(0);
    rows.hi[0] = rows.lo[0] + 1;
    visit(rows, [&](const Index<D>& first) { fill_row(of_cell, label, first, width, base + n); });
  }
  for (const auto& cut : box.cuts)
    visit(cut.inside, [&](const Index<D>& i) {
      const std::int32_t n = cut.piece[static_cast<std::size_t>(place_in(cut.inside, i))];
      if (n >= 0) fill_row(of_cell, label, i, 1, base + n);
    });
}

}  // namespace

template <int D>
void clear_tiles(const Exec& exec, const BlocksView<D>& blocks, Tiles<D>& tiles) {
  const View<D, std::uint8_t> band = tiles.band_.view(), next = tiles.band_next_.view();
  const View<D, std::int32_t> of_cell = tiles.of_cell.view();
  const Range<D> cells = blocks.grid.cell_range();
  tiles.listed_.change(exec, blocks, cells, [=](const Index<D>& i) {
    band(i) = next(i) = 0;
    of_cell(i) = -1;
  });
  for_each_cell(exec, blocks, cells, [=](const Index<D>& i) { of_cell(i) = -1; });
  tiles.list.clear();
}

template <int D, class T>
void add_tiles(const Exec& exec, const TileInput<D, T>& input, const TileRules& rules, Tiles<D>& tiles,
               CellLabels<D>& labels) {
  find_bands(exec, input, rules, tiles);
  const View<D, std::int32_t> of_cell = tiles.of_cell.view();
  const Range<D> cells = input.grid.cell_range();
  int whole_domain = 1;
  for (int a = 0; a < D; ++a) whole_domain = std::max(whole_domain, input.grid.cells[a] + 2);
  TileRules here = rules;
  if (here.size == 0) here.size = here.largest = whole_domain;
  const std::vector<Index<D>> corners = rules.size == 0 ? std::vector<Index<D>>{Index<D>::filled(-1)}
                                                        : boxes_to_divide(input.blocks, here.largest);
  std::vector<TilesOfBox<D>> boxes(corners.size());
  TilesOfBox<D>* box = boxes.data();
  const Index<D>* corner = corners.data();
  const View<D, const std::uint8_t> band = tiles.band_.read();
  const View<D, const Cell> label = input.label;
  const Cell fluid = input.fluid;
  for_each_task(exec, static_cast<std::ptrdiff_t>(corners.size()), [=](std::ptrdiff_t n) {
    divide_box(corner[n], here.largest, here, cells, label, fluid, band, box[n]);
  });
  std::vector<std::int32_t> bases(corners.size());
  for (std::size_t n = 0; n < boxes.size(); ++n) {
    bases[n] = static_cast<std::int32_t>(tiles.list.size());
    tiles.list.insert(tiles.list.end(), boxes[n].list.begin(), boxes[n].list.end());
  }
  const std::int32_t* base = bases.data();
  const View<D, Cell> out = labels.of_cell.view();
  for_each_task(exec, static_cast<std::ptrdiff_t>(corners.size()),
                [=](std::ptrdiff_t n) { write_tiles(box[n], base[n], of_cell, out); });
}

template void clear_tiles<2>(const Exec&, const BlocksView<2>&, Tiles<2>&);
template void clear_tiles<3>(const Exec&, const BlocksView<3>&, Tiles<3>&);
#define GLUG_INSTANTIATE(D, T)                                                                    \
  template void add_tiles<D, T>(const Exec&, const TileInput<D, T>&, const TileRules&, Tiles<D>&, \
                                CellLabels<D>&);
GLUG_INSTANTIATE(2, Real)
GLUG_INSTANTIATE(3, Real)
#undef GLUG_INSTANTIATE

}  // namespace glug
