#include "geometry/solid_extension.h"

#include <cmath>
#include <limits>
#include <vector>

#include "core/for_each.h"
#include "core/real.h"
#include "geometry/halo_tile.h"
#include "geometry/known_tile.h"

namespace glug {
namespace {

// Which cells have a trusted value. layer: 1 = not solid-centred, k + 1 = set in pass k, 0 = none yet; kept
// only for the blocks that hold solid-centred cells, elsewhere in listed blocks every cell is known.
template <int D>
struct KnownCells {
  BlocksView<D> blocks;
  Range<D> domain;
  const std::uint8_t* has_solid;  // per slot
  std::uint8_t* layers;           // per slot and cell

  GLUG_INLINE std::uint8_t& layer(std::int32_t slot, const Index<D>& i) const {
    return layers[static_cast<std::ptrdiff_t>(slot) * block_volume<D> + position_in_block(i)];
  }
  // Known before this pass began? Only numbers <= pass are believed, so a pass may write while others read.
  GLUG_INLINE bool known(const BlockNeighbours<D>& around, const Index<D>& i, int pass) const {
    if (!domain.contains(i)) return false;
    const std::int32_t slot = around.slot_of(i);
    if (slot < 0) return false;
    if (!has_solid[slot]) return true;
    const int k = layer(slot, i);
    return k > 0 && k <= pass;
  }
};

template <int D>
struct SolidCells {
  std::vector<std::uint8_t> has_solid;
  std::vector<std::int32_t> slots;  // of the blocks that hold solid-centred cells
  Buffer<std::uint8_t> layers;
  KnownCells<D> known;
};

// Whether any corner of these cells lies in a solid.
template <int D, class T>
GLUG_INLINE bool reaches_into_solids(const View<D, const T>& nodal, const Range<D>& cells) {
  if (cells.size() == 0) return false;
  T least = T(1);
  visit(Range<D>{cells.lo, cells.hi + Index<D>::filled(1)},
        [&](const Index<D>& i) { least = nodal(i) < least ? nodal(i) : least; });
  return least < 0;
}

template <int D, class T>
SolidCells<D> find_solid_cells(const Exec& exec, const BlocksView<D>& blocks, const Grid<D>& grid,
                               View<D, const T> nodal, const std::uint8_t* measured) {
  SolidCells<D> cells;
  cells.has_solid.assign(static_cast<std::size_t>(blocks.count), 0);
  std::uint8_t* has_solid = cells.has_solid.data();
  const Range<D> domain = grid.cell_range();
  for_each_block(exec, blocks, [=](std::int32_t slot) {
    const Range<D> own = intersection(blocks.indices(slot), domain);
    if (!reaches_into_solids<D, T>(nodal, own)) return;
    bool any = false;
    visit(own, [&](const Index<D>& i) { any |= solid_centred<D, T>(nodal, i); });
    has_solid[slot] = any ? 1 : 0;
  });
  for (std::int32_t slot = 0; slot < blocks.count; ++slot)
    if (has_solid[slot]) cells.slots.push_back(slot);
  if (!cells.slots.empty()) cells.layers = Buffer<std::uint8_t>(cells.has_solid.size() * block_volume<D>);
  cells.known = {blocks, domain, has_solid, cells.layers.data()};
  const KnownCells<D> known = cells.known;
  const std::int32_t* slots = cells.slots.data();
  for_each_task(exec, static_cast<std::ptrdiff_t>(cells.slots.size()), [=](std::ptrdiff_t n) {
    const std::ptrdiff_t first = static_cast<std::ptrdiff_t>(slots[n]) * block_volume<D>;
    visit(intersection(blocks.indices(slots[n]), domain), [&](const Index<D>& i) {
      const bool told = measured && measured[first + position_in_block(i)];
      known.layer(slots[n], i) = told || !solid_centred<D, T>(nodal, i) ? 1 : 0;
    });
  });
  return cells;
}

// Whether two cells that touch have a corner outside solids in common. A solid never has a cell on both its
// sides (thin_solids.h), so such cells lie on the same one.
template <int D, class T>
GLUG_INLINE bool share_open_node(const View<D, const T>& nodal, const Index<D>& i, const Index<D>& n) {
  Range<D> nodes;
  for (int a = 0; a < D; ++a) {
    nodes.lo[a] = i[a] > n[a] ? i[a] : n[a];
    nodes.hi[a] = (i[a] < n[a] ? i[a] : n[a]) + 2;
  }
  bool open = false;
  visit(nodes, [&](const Index<D>& m) { open = open || nodal(m) >= 0; });
  return open;
}

// How the distance to solids rises across a cell, by its corners, times 2^(D-1).
template <int D, class T>
GLUG_INLINE Vec<D, T> rise_across(const View<D, const T>& nodal, const Index<D>& i) {
  Vec<D, T> rise{};
  const std::ptrdiff_t n = nodal.offset(i);
  for (int corner = 0; corner < (1 << D); ++corner) {
    std::ptrdiff_t m = n;
    for (int a = 0; a < D; ++a)
      if (corner >> a & 1) m += nodal.stride[a];
    for (int a = 0; a < D; ++a) rise[a] += corner >> a & 1 ? nodal.at(m) : -nodal.at(m);
  }
  return rise;
}

// Whether two cells that touch lie on the same side of a solid. Inside it those do whose ways out lead the
// same way; in the middle of a wall there is none.
template <int D, class T>
struct SameSide {
  View<D, const T> nodal;
  T least;  // of the product of two rises

  SameSide(const View<D, const T>& nodal_distance, double h)
      : nodal(nodal_distance), least(static_cast<T>(0.25 * h * h * power(4, D - 1))) {}

  GLUG_INLINE bool operator()(const Index<D>& i, const Index<D>& n) const {
    if (share_open_node<D, T>(nodal, i, n)) return true;
    if (share_open_node<D, T>(nodal, i, i) && share_open_node<D, T>(nodal, n, n)) return false;
    return dot(rise_across<D, T>(nodal, i), rise_across<D, T>(nodal, n)) > least;
  }
};

// Whether the centre of a cell lies at most this deep (m) in a solid, and that solid is thick.
template <int D, class T>
GLUG_INLINE bool is_shallow(const View<D, const T>& nodal, const Index<D>& i, T h, T deepest) {
  const T centre = centre_distance<D, T>(nodal, i);
  if (!(centre < 0) || centre < -deepest) return false;
  // Particles on the far side of a thin solid would tell of theirs: depth must go on growing inwards.
  const Vec<D, T> rise = rise_across<D, T>(nodal, i) * (1 / T(1 << (D - 1)));
  int along = 0;
  for (int a = 1; a < D; ++a)
    if (std::abs(rise[a]) > std::abs(rise[along])) along = a;
  Index<D> inwards = i;
  inwards[along] -= rise[along] > 0 ? 1 : -1;
  const T slope = std::abs(rise[along]);
  return slope > T(0.5) * h && centre_distance<D, T>(nodal, inwards) < centre - T(0.8) * slope;
}

// f(around, i, layer) for every cell of the blocks that hold solid-centred ones.
template <int D, class F>
void visit_blocks_with_solids(const Exec& exec, const SolidCells<D>& cells, F f) {
  const KnownCells<D> known = cells.known;
  const std::int32_t* slots = cells.slots.data();
  for_each_task(exec, static_cast<std::ptrdiff_t>(cells.slots.size()), [=](std::ptrdiff_t n) {
    const BlockNeighbours<D> around(known.blocks, slots[n]);
    visit(intersection(around.own, known.domain),
          [&](const Index<D>& i) { f(around, i, known.layer(slots[n], i)); });
  });
}

// The neighbours of a cell that were known before a pass began.
template <int D, class F>
GLUG_INLINE void visit_known_beside(const KnownCells<D>& known, const BlockNeighbours<D>& around,
                                    const Index<D>& i, int pass, F f) {
  for (int a = 0; a < D; ++a)
    for (int side = -1; side <= 1; side += 2) {
      Index<D> n = i;
      n[a] += side;
      if (known.known(around, n, pass)) f(n);
    }
}

// The plane through the known cells of the 3^D around i: their mean value at their mean place, and per axis
// the mean difference of known pairs that touch them. Exact for planes, since every mean of a linear
// function is. Missing is an axis without a pair (beside a lone cell): such cells wait for their
// neighbours, at last they count as flat.
template <int D, class T>
struct PlaneFit {
  T h;
  int last_to_wait;  // pass

  // corners: of the cell, that are open; others that touch it at closed ones alone do not count.
  GLUG_INLINE bool operator()(const KnownTile<D, T>& tile, const RiseTile<D, T>& rises, int corners,
                              const Index<D>& i, int pass, T& result) const {
    static constexpr CellsAround<D> around(KnownTile<D, T>::width);
    T sum = T(0);
    int count = 0;
    Vec<D, T> place{}, rise{};
    Index<D> pairs{};
    const int here = tile.at(i);
    for (int n = 0; n < around.count; ++n) {
      const int at = here + around.offset[n];
      if (!tile.known[at] || !(corners & around.corners[n])) continue;
      sum += tile.value[at];
      ++count;
      for (int a = 0; a < D; ++a) {
        const int below = at - tile.stride(a);
        place[a] += static_cast<T>(around.step[n][a]);
        rise[a] += rises.rise[a][below];
        rise[a] += rises.rise[a][at];
        pairs[a] += rises.pair[a][below] + rises.pair[a][at];
      }
    }
    if (count == 0) return false;
    for (int a = 0; a < D; ++a) {
      if (pairs[a] == 0 && pass <= last_to_wait) return false;
      if (pairs[a] > 0) rise[a] /= static_cast<T>(pairs[a]);
    }
    const T slope = norm(rise);
    if (slope > h) rise *= h / slope;
    result = sum / static_cast<T>(count);
    for (int a = 0; a < D; ++a) result -= rise[a] * place[a] / static_cast<T>(count);
    return true;
  }
};

// NaN for the solid-centred cells of a tile and across its sides.
template <int D, class T>
GLUG_INLINE void forget_solid_cells(const KnownCells<D>& known, const BlockNeighbours<D>& around,
                                    HaloTile<D, T>& tile) {
  bool any = false;
  for (std::int32_t slot : around.slots) any |= slot >= 0 && known.has_solid[slot];
  if (!any) return;
  visit(around.own.grown(1), [&](const Index<D>& i) {
    int at = 0, outside = 0;
    for (int a = 0; a < D; ++a) {
      at += (i[a] - around.own.lo[a] + 1) * tile.stride(a);
      outside += i[a] < around.own.lo[a] || i[a] >= around.own.hi[a] ? 1 : 0;
    }
    if (outside <= 1 && !known.known(around, i, 1)) tile.v[at] = std::numeric_limits<T>::quiet_NaN();
  });
}

// Which neighbours lie beyond a wall, of those that are known after `last` passes.
template <int D, class T>
PartedCells part_cells(const Exec& exec, const SolidCells<D>& cells, int last,
                       const SameSide<D, T>& same_side) {
  PartedCells parted;
  if (cells.slots.empty()) return parted;
  const KnownCells<D> known = cells.known;
  parted.has_any.assign(cells.has_solid.size(), 0);
  parted.sides = Buffer<std::uint8_t>(cells.has_solid.size() * block_volume<D>);
  std::uint8_t* has_any = parted.has_any.data();
  std::uint8_t* sides = parted.sides.data();
  for_each_block(exec, known.blocks, [=](std::int32_t slot) {
    const BlockNeighbours<D> around(known.blocks, slot);
    bool near = false;
    for (const std::int32_t s : around.slots) near = near || (s >= 0 && known.has_solid[s]);
    if (!near) return;
    std::uint8_t* own = sides + static_cast<std::ptrdiff_t>(slot) * block_volume<D>;
    std::uint8_t any = 0;
    visit(around.own, [&](const Index<D>& i) {
      std::uint8_t beyond = 0;
      const bool open = known.known(around, i, 1);
      for (int a = 0; a < D; ++a)
        for (int side = 0; side < 2; ++side) {
          Index<D> n = i;
          n[a] += 2 * side - 1;
          // Between cells whose centres are open there is no wall: it has a solid-centred one.
          if (!known.known(around, n, last) || (open && known.known(around, n, 1))) continue;
          if (known.domain.contains(i) && !same_side(i, n))
            beyond = static_cast<std::uint8_t>(beyond | 1 << (2 * a + side));
        }
      own[position_in_block(i)] = beyond;
      any |= beyond;
    });
    has_any[slot] = any ? 1 : 0;
  });
  return parted;
}

}  // namespace

template <int D, class T>
MeasuredInSolids find_measured(const Exec& exec, const BlocksView<D>& blocks, const Grid<D>& grid,
                               double depth, ReadView<D, T> nodal, ReadView<D, T> phi) {
  const Range<D> domain = grid.cell_range();
  const T h = static_cast<T>(grid.h), deepest = static_cast<T>(depth * grid.h);
  MeasuredInSolids measured;
  measured.flag = Buffer<std::uint8_t>(static_cast<std::size_t>(blocks.count) * block_volume<D>);
  std::uint8_t* flag = measured.flag.data();
  for_each_block(exec, blocks, [=](std::int32_t slot) {
    std::uint8_t* mine = flag + static_cast<std::ptrdiff_t>(slot) * block_volume<D>;
    for (int k = 0; k < block_volume<D>; ++k) mine[k] = 0;
    const Range<D> own = intersection(blocks.indices(slot), domain);
    if (!reaches_into_solids<D, T>(nodal, own)) return;
    const BlockNeighbours<D> around(blocks, slot);
    visit(own, [&](const Index<D>& i) {
      const bool shallow = is_shallow<D, T>(nodal, i, h, deepest);
      // In a slit nobody else tells.
      const bool held = phi(i) < 0 && solid_centred<D, T>(nodal, i) && share_open_node<D, T>(nodal, i, i);
      if (!shallow && !held) return;
      bool wet = false, dry = false;
      visit(intersection(Range<D>{i - Index<D>::filled(1), i + Index<D>::filled(2)}, domain),
            [&](const Index<D>& n) {
              if (around.slot_of(n) < 0 || solid_centred<D, T>(nodal, n)) return;
              if (!share_open_node<D, T>(nodal, i, n)) return;
              wet = wet || phi(n) < 0;
              dry = dry || phi(n) > 0;
            });
      mine[position_in_block(i)] = (shallow && wet && dry) || (held && !wet && !dry) ? 1 : 0;
    });
  });
  return measured;
}

template <int D, class T>
PartedCells copy_into_solids(const Exec& exec, const BlocksView<D>& blocks, const Grid<D>& grid, int layers,
                             ReadView<D, T> nodal, View<D, T> phi, const std::uint8_t* measured) {
  const SolidCells<D> cells = find_solid_cells<D, T>(exec, blocks, grid, nodal, measured);
  const KnownCells<D> known = cells.known;
  const SameSide<D, T> same_side(nodal, grid.h);
  for (int pass = 1; pass <= layers; ++pass)
    visit_blocks_with_solids(exec, cells,
                             [=](const BlockNeighbours<D>& around, const Index<D>& i, std::uint8_t& layer) {
                               if (layer != 0) return;
                               T sum = T(0);
                               int count = 0;
                               visit_known_beside<D>(known, around, i, pass, [&](const Index<D>& n) {
                                 if (!same_side(i, n)) return;
                                 sum += phi(n);
                                 ++count;
                               });
                               if (count == 0) return;
                               phi(i) = sum / static_cast<T>(count);
                               layer = static_cast<std::uint8_t>(pass + 1);
                             });
  visit_blocks_with_solids(exec, cells,
                           [=](const BlockNeighbours<D>&, const Index<D>& i, std::uint8_t& layer) {
                             if (layer == 0) phi(i) = std::numeric_limits<T>::quiet_NaN();
                           });
  return part_cells<D, T>(exec, cells, layers + 1, same_side);
}

template <int D, class T>
void extend_into_solids(const Exec& exec, const BlocksView<D>& blocks, const Grid<D>& grid, int layers,
                        ReadView<D, T> nodal, View<D, T> phi, const std::uint8_t* measured) {
  const SolidCells<D> cells = find_solid_cells<D, T>(exec, blocks, grid, nodal, measured);
  const KnownCells<D> known = cells.known;
  constexpr int patience = 2;  // passes that wait
  const PlaneFit<D, T> fit{static_cast<T>(grid.h), layers + patience};
  const std::int32_t* slots = cells.slots.data();
  // What a cell is given depends on what is known within two cells of it: where nothing was set around a
  // block in the pass before, nothing will be, until cells wait no longer.
  std::vector<std::uint8_t> before(cells.has_solid.size(), 0), now = before;
  for (int pass = 1; pass <= layers + patience + 1; ++pass) {
    const std::uint8_t* was_set = before.data();
    std::uint8_t* is_set = now.data();
    for_each_task(exec, static_cast<std::ptrdiff_t>(cells.slots.size()), [=](std::ptrdiff_t n) {
      const std::int32_t slot = slots[n];
      is_set[slot] = 0;
      const std::uint8_t* layer = known.layers + static_cast<std::ptrdiff_t>(slot) * block_volume<D>;
      bool all = true;
      for (int k = 0; k < block_volume<D>; ++k) all &= layer[k] != 0;
      if (all) return;
      const BlockNeighbours<D> around(blocks, slot);
      bool changed = pass == 1 || pass == layers + patience + 1;
      for (const std::int32_t s : around.slots) changed = changed || (s >= 0 && was_set[s]);
      if (!changed) return;
      KnownTile<D, T> tile;
      // Only numbers <= pass are believed: others may write meanwhile.
      tile.load(phi, around, known.domain, pass,
                [&](std::int32_t s, const Index<D>& i) -> const std::uint8_t* {
                  return known.has_solid[s] ? &known.layer(s, i) : nullptr;
                });
      RiseTile<D, T> whole, open;
      whole.load(tile);
      OpenNodes<D> nodes;
      bool nodes_known = false;
      visit(intersection(around.own, known.domain), [&](const Index<D>& i) {
        std::uint8_t& mine = known.layer(slot, i);
        if (mine != 0) return;
        // Of a cell that is cut, only those on its own side of the wall.
        const bool cut = share_open_node<D, T>(nodal, i, i);
        if (cut && !nodes_known) {
          nodes.load(nodal, around.own);
          open.load_open(tile, nodes);
          nodes_known = true;
        }
        const Index<D> p = i - around.own.lo;
        T v = T(0);
        if (!fit(tile, cut ? open : whole, cut ? nodes.corners(p) : ~0, p, pass, v)) return;
        phi(i) = v;
        mine = static_cast<std::uint8_t>(pass + 1);
        is_set[slot] = 1;
      });
    });
    before.swap(now);
  }
}

namespace {
// Cells: so much a distance bends where it folds, in the middle of a sheet two cells thick.
inline constexpr double ridge_bend = 1;
}  // namespace

template <int D, class T>
void smooth_preserving_sign(const Exec& exec, const BlocksView<D>& blocks, const Grid<D>& grid,
                            ReadView<D, T> nodal, View<D, T> phi, const std::uint8_t* measured) {
  const SolidCells<D> cells = find_solid_cells<D, T>(exec, blocks, grid, nodal, measured);
  const KnownCells<D> known = cells.known;
  Buffer<T> smoothed(static_cast<std::size_t>(blocks.count) * block_volume<D>);
  T* out = smoothed.data();
  const T least = static_cast<T>(0.02 * grid.h);
  const T ridge = static_cast<T>(ridge_bend * grid.h), fade = static_cast<T>(1 / (0.5 * ridge_bend * grid.h));
  using Halo = HaloTile<D, T>;
  for_each_block(exec, blocks, [=](std::int32_t slot) {
    const BlockNeighbours<D> around(blocks, slot);
    Halo tile;
    tile.load(phi, around, known.domain, std::numeric_limits<T>::quiet_NaN());
    forget_solid_cells<D, T>(known, around, tile);
    for (int n = 0; n < Halo::rows; ++n) {
      const T* row = tile.v + Halo::row(n);
      T* result = out + static_cast<std::ptrdiff_t>(slot) * block_volume<D> + n * Halo::edge;
      for (int i = 0; i < Halo::edge; ++i) {
        const T c = row[i];
        T change = T(0);
        for (int a = 0; a < D; ++a) {
          const T low = row[i - Halo::stride(a)], high = row[i + Halo::stride(a)];
          const T bend = low - 2 * c + high;
          const bool crosses = (low < 0) != (high < 0);  // the surface does, on one side of c
          const T share = crosses ? (ridge - (bend < 0 ? -bend : bend)) * fade : T(1);
          if (bend == bend && share > 0) change += bend * (share < 1 ? share : T(1));
        }
        const T v = c + change * T(0.25 / D);
        const T inside = v < -least ? v : -least, outside = v > least ? v : least;
        result[i] = c < 0 ? inside : outside;
      }
    }
  });
  for_each_row(exec, blocks, known.domain, [=](const Index<D>& first, int width) {
    const std::ptrdiff_t slot = blocks.slot_of_cell(first);
    const T* from = out + slot * block_volume<D> + position_in_block(first);
    T* to = &phi(first);
    if (!known.has_solid[slot]) {
      for (int i = 0; i < width; ++i) to[i] = from[i];
      return;
    }
    const std::uint8_t* layer = &known.layer(static_cast<std::int32_t>(slot), first);
    for (int i = 0; i < width; ++i) to[i] = layer[i] ? from[i] : to[i];
  });
}

#define GLUG_INSTANTIATE(D, T)                                                                             \
  template MeasuredInSolids find_measured<D, T>(const Exec&, const BlocksView<D>&, const Grid<D>&, double, \
                                                View<D, const T>, View<D, const T>);                       \
  template PartedCells copy_into_solids<D, T>(const Exec&, const BlocksView<D>&, const Grid<D>&, int,      \
                                              View<D, const T>, View<D, T>, const std::uint8_t*);          \
  template void extend_into_solids<D, T>(const Exec&, const BlocksView<D>&, const Grid<D>&, int,           \
                                         View<D, const T>, View<D, T>, const std::uint8_t*);               \
  template void smooth_preserving_sign<D, T>(const Exec&, const BlocksView<D>&, const Grid<D>&,            \
                                             View<D, const T>, View<D, T>, const std::uint8_t*);
GLUG_INSTANTIATE(2, Real)
GLUG_INSTANTIATE(3, Real)
#undef GLUG_INSTANTIATE

}  // namespace glug
