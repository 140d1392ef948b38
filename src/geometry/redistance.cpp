#include "geometry/redistance.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "core/for_each.h"
#include "core/simd.h"
#include "geometry/halo_tile.h"

namespace glug {
namespace {

constexpr float tiny = std::numeric_limits<float>::min();
// A cell that would come nearer by less than this part of h stays: away from the surface, where the scheme is
// of first order, the last passes would polish digits nobody reads.
constexpr float settled_gain = 1e-3f;

// Where the surface is in a block: the cells that have a neighbour of the other sign, as a box; empty if
// none.
template <int D>
struct SurfaceBox {
  Range<D> cells{};
  bool empty = true;
};

// Signs found in a block: bit 0 = some cell inside, bit 1 = some outside.
template <int D>
GLUG_INLINE std::uint8_t signs_in(const Range<D>& cells, const View<D, float>& phi) {
  const int width = cells.extent(0);
  if (width == 0) return 0;
  Range<D> rows = cells;
  rows.hi[0] = rows.lo[0] + 1;
  int inside = 0, total = 0;
  visit(rows, [&](const Index<D>& first) {
    const float* row = &phi(first);
    for (int i = 0; i < width; ++i) inside += row[i] < 0 ? 1 : 0;
    total += width;
  });
  return static_cast<std::uint8_t>((inside > 0 ? 1 : 0) | (inside < total ? 2 : 0));
}

template <int D>
GLUG_INLINE SurfaceBox<D> find_surface(const BlocksView<D>& blocks, const Grid<D>& grid,
                                       const View<D, float>& phi, const std::uint8_t* signs,
                                       std::int32_t slot) {
  const BlockNeighbours<D> around(blocks, slot);
  // One sign here and across every side: no surface. The usual case.
  std::uint8_t all = signs[slot];
  for (int a = 0; a < D; ++a)
    for (int side = 0; side < 2; ++side) {
      Index<D> i = around.own.lo;
      i[a] += side == 0 ? -1 : block_edge<D>;
      const std::int32_t s = around.slot_of(i);
      if (s >= 0) all |= signs[s];
    }
  SurfaceBox<D> box;
  if (all != 3) return box;

  HaloTile<D, float> tile;
  tile.load(phi, around, grid.cell_range(), std::numeric_limits<float>::quiet_NaN());
  visit(intersection(around.own, grid.cell_range()), [&](const Index<D>& i) {
    int at = 0;
    for (int a = 0; a < D; ++a) at += (i[a] - around.own.lo[a] + 1) * tile.stride(a);
    const float c = tile.v[at];
    bool crosses = false;
    for (int a = 0; a < D; ++a) {
      const float low = tile.v[at - tile.stride(a)], high = tile.v[at + tile.stride(a)];
      crosses |= c < 0 ? low >= 0 || high >= 0 : low < 0 || high < 0;  // never for NaN
    }
    if (!crosses) return;
    box.cells.lo = box.empty ? i : min(box.cells.lo, i);
    box.cells.hi = box.empty ? i + Index<D>::filled(1) : max(box.cells.hi, i + Index<D>::filled(1));
    box.empty = false;
  });
  return box;
}

// Unsigned distances of one block; cells beside the surface hold theirs negated, which marks them as final.
template <int D>
struct Tile {
  float d[block_volume<D>];
};

// The tiles across the sides: low and high along axis 0, then 1, then 2; -1 where there is none.
template <int D>
struct TilesBeside {
  std::int32_t tile[2 * D];
};

// Rows of a tile as bits, numbered as in memory; a block has at most 64.
using Rows = std::uint64_t;
template <int D>
inline constexpr int rows_of_tile = block_volume<D> / block_edge<D>;
template <int D>
inline constexpr Rows all_rows = rows_of_tile<D> == 64 ? ~Rows(0) : (Rows(1) << rows_of_tile<D>)-1;

// |phi| / |grad phi| beside the surface, `unreached` elsewhere, -unreached (final) outside the domain.
// Returns the rows with cells beside the surface.
template <int D>
GLUG_INLINE Rows start_tile(const BlocksView<D>& blocks, const Grid<D>& grid, const View<D, float>& phi,
                            std::int32_t slot, float unreached, const std::uint8_t* parted, Tile<D>& result) {
  const BlockNeighbours<D> around(blocks, slot);
  using Halo = HaloTile<D, float>;
  constexpr float absent = std::numeric_limits<float>::quiet_NaN();
  Halo tile;
  tile.load(phi, around, grid.cell_range(), absent);
  const float h = static_cast<float>(grid.h);
  Rows begun = 0;
  for (int n = 0; n < Halo::rows; ++n) {
    const float* row = tile.v + Halo::row(n);
    float* out = result.d + n * Halo::edge;
    int found = 0;
    for (int i = 0; i < Halo::edge; ++i) {
      const float c = row[i];
      float slope2 = 0;
      int surface = 0;
      for (int a = 0; a < D; ++a) {
        const int beyond = parted ? parted[n * Halo::edge + i] >> 2 * a : 0;
        const float low = beyond & 1 ? absent : row[i - Halo::stride(a)];
        const float high = beyond & 2 ? absent : row[i + Halo::stride(a)];
        const float fall = low == low ? low - c : 0, rise = high == high ? high - c : 0;  // 0 where absent
        const int cross_low = c < 0 ? low >= 0 : low < 0, cross_high = c < 0 ? high >= 0 : high < 0;
        // The nearer of the crossings; else the central difference (an extremum has no slope), one-sided at a
        // border.
        const float crossing =
            std::max(cross_low ? std::abs(fall) : 0.0f, cross_high ? std::abs(rise) : 0.0f);
        const float central = fall * rise < 0 ? 0.5f * std::abs(rise - fall) : 0.0f;
        const float one_sided = low == low ? (high == high ? central : std::abs(fall)) : std::abs(rise);
        const float steepest = (cross_low | cross_high) ? crossing : one_sided;
        slope2 += steepest * steepest;
        surface |= cross_low | cross_high;
      }
      const float d = -std::max(std::abs(c) * h / std::sqrt(slope2), tiny);
      const float value = surface ? d : unreached;
      out[i] = c == c ? value : -unreached;
      found |= surface;
    }
    if (found) begun |= Rows(1) << n;
  }
  return begun;
}

GLUG_INLINE Float4 smaller(const Float4& x, const Float4& y) { return x < y ? x : y; }
GLUG_INLINE Float4 larger(const Float4& x, const Float4& y) { return x < y ? y : x; }
GLUG_INLINE Float4 absolute(const Float4& x) { return x < 0 ? -x : x; }
GLUG_INLINE Float4 square_root(const Float4& x) {
  return Float4{std::sqrt(x[0]), std::sqrt(x[1]), std::sqrt(x[2]), std::sqrt(x[3])};
}

// The upwind solution of |grad d| = 1 from the smallest neighbour along each axis: how many of them take part
// is decided first (a root lies above c where (c-a)^2 + (c-b)^2 < h^2), so it costs one square root. Measured
// from the smallest, where the numbers are small.
GLUG_INLINE Float4 eikonal(const Float4& x, const Float4& y, float h) {
  const Float4 a = smaller(x, y), p = larger(x, y) - a, none{};
  const Int4 two = p < h;
  const Float4 sum = two ? p : none, root = two ? 2 * h * h - p * p : none + h * h;
  return a + (sum + square_root(root)) * (two ? splat(0.5f) : splat(1));
}
GLUG_INLINE Float4 eikonal(const Float4& x, const Float4& y, const Float4& z, float h) {
  const Float4 low = smaller(x, y), high = larger(x, y), none{};
  const Float4 a = smaller(low, z), b = larger(low, smaller(high, z)), c = larger(high, z);
  const Float4 p = b - a, q = c - a, r = c - b;
  const float h2 = h * h;
  const Int4 two = p < h, three = q * q + r * r < h2;
  Float4 sum = two ? p : none, root = two ? 2 * h2 - p * p : none + h2;
  Float4 inverse = two ? splat(0.5f) : splat(1);
  sum = three ? p + q : sum;
  root = three ? (p + q) * (p + q) - 3 * (p * p + q * q - h2) : root;
  inverse = three ? splat(1.0f / 3) : inverse;
  return a + (sum + square_root(root)) * inverse;
}

// The rows that come first along axis a (1 or 2).
template <int D>
constexpr Rows first_rows(int a) {
  Rows rows = 0;
  for (int row = 0; row < rows_of_tile<D>; ++row)
    if (row / power(block_edge<D>, a - 1) % block_edge<D> == 0) rows |= Rows(1) << row;
  return rows;
}

// Rows whose own cells or neighbours changed, given the changed rows of the tile and of those beside it.
template <int D>
GLUG_INLINE Rows affected_rows(Rows own, const Rows (&beside)[2 * D]) {
  Rows rows = own | beside[0] | beside[1];
  for (int a = 1; a < D; ++a) {
    const int step = power(block_edge<D>, a - 1), wrap = (block_edge<D> - 1) * step;
    const Rows first = first_rows<D>(a), last = first << wrap;
    rows |= (own & ~last) << step | (beside[2 * a] & last) >> wrap;
    rows |= (own & ~first) >> step | (beside[2 * a + 1] & first) << wrap;
  }
  return rows & all_rows<D>;
}

// One Jacobi pass over the given rows of a tile; the rows that changed. The others are the same in both
// copies already. beside[2 a + side]: the tiles around, null where absent.
template <int D>
GLUG_INLINE Rows sweep_tile(const Tile<D>& from, const Tile<D>* const (&beside)[2 * D], Rows rows, float h,
                            float unreached, const std::uint8_t* parted, Tile<D>& to) {
  constexpr int edge = block_edge<D>;
  const float settled = settled_gain * h;
  float absent[edge];
  for (int i = 0; i < edge; ++i) absent[i] = unreached;
  Rows changed = 0;
  for (Rows left = rows; left != 0; left &= left - 1) {
    const int row = __builtin_ctzll(left);
    const float* own = from.d + row * edge;
    float* __restrict out = to.d + row * edge;
    // The rows before and after along each further axis, in this tile or the next.
    const float* before[D];
    const float* after[D];
#pragma GCC unroll 2
    for (int a = 1; a < D; ++a) {
      const int step = power(edge, a - 1), wrap = (edge - 1) * step, j = row / step % edge;
      before[a] = j > 0 ? own - step * edge : absent;
      after[a] = j < edge - 1 ? own + step * edge : absent;
      if (j == 0 && beside[2 * a]) before[a] = beside[2 * a]->d + (row + wrap) * edge;
      if (j == edge - 1 && beside[2 * a + 1]) after[a] = beside[2 * a + 1]->d + (row - wrap) * edge;
    }
    const float low = beside[0] ? std::abs(beside[0]->d[row * edge + edge - 1]) : unreached;
    const float high = beside[1] ? std::abs(beside[1]->d[row * edge]) : unreached;
    Float4 previous = splat(low), here = absolute(load4(own));
    Int4 nearer_anywhere{};
    for (int i = 0; i < edge; i += 4) {
      const Float4 next = i + 4 < edge ? absolute(load4(own + i + 4)) : splat(high);
      Float4 least[3];
      for (int a = 0; a < D; ++a) {
        Float4 below =
            a == 0 ? __builtin_shuffle(previous, here, Int4{3, 4, 5, 6}) : absolute(load4(before[a] + i));
        Float4 above =
            a == 0 ? __builtin_shuffle(here, next, Int4{1, 2, 3, 4}) : absolute(load4(after[a] + i));
        if (parted)
          for (int k = 0; k < 4; ++k) {
            const int beyond = parted[row * edge + i + k] >> 2 * a;
            if (beyond & 1) below[k] = unreached;
            if (beyond & 2) above[k] = unreached;
          }
        least[a] = smaller(below, above);
      }
      Float4 d;
      if constexpr (D == 2)
        d = eikonal(least[0], least[1], h);
      else
        d = eikonal(least[0], least[1], least[2], h);
      const Float4 old = load4(own + i);
      const Int4 nearer = d < old - settled;  // never for the negative ones
      store4(out + i, nearer ? d : old);
      nearer_anywhere |= nearer;
      previous = here;
      here = next;
    }
    if (any4(nearer_anywhere)) changed |= Rows(1) << row;
  }
  return changed;
}

// The listed blocks within `band` cells of the surface, ascending.
template <int D>
std::vector<std::int32_t> blocks_in_band(const Exec& exec, const BlocksView<D>& blocks, const Grid<D>& grid,
                                         int band, const View<D, float>& phi) {
  std::vector<std::uint8_t> signs(static_cast<std::size_t>(blocks.count));
  std::vector<SurfaceBox<D>> boxes(static_cast<std::size_t>(blocks.count));
  std::uint8_t* sign = signs.data();
  SurfaceBox<D>* found = boxes.data();
  for_each_block(exec, blocks, [=](std::int32_t slot) {
    sign[slot] = signs_in<D>(intersection(blocks.indices(slot), grid.cell_range()), phi);
  });
  for_each_block(exec, blocks,
                 [=](std::int32_t slot) { found[slot] = find_surface<D>(blocks, grid, phi, sign, slot); });
  std::vector<std::uint8_t> near(static_cast<std::size_t>(blocks.count), 0);
  for (std::int32_t slot = 0; slot < blocks.count; ++slot) {
    if (found[slot].empty) continue;
    const Range<D> reach = found[slot].cells.grown(band);
    Range<D> touched;
    for (int a = 0; a < D; ++a) {
      touched.lo[a] = std::max(reach.lo[a], 0) / block_edge<D>;
      touched.hi[a] = std::min((reach.hi[a] - 1) / block_edge<D> + 1, blocks.blocks[a]);
    }
    visit(touched, [&](const Index<D>& b) {
      const std::int32_t s = blocks.slot_of_block(b);
      if (s >= 0) near[static_cast<std::size_t>(s)] = 1;
    });
  }
  std::vector<std::int32_t> list;
  for (std::int32_t slot = 0; slot < blocks.count; ++slot)
    if (near[static_cast<std::size_t>(slot)]) list.push_back(slot);
  return list;
}

}  // namespace

template <int D>
void redistance(const Exec& exec, const BlocksView<D>& blocks, const Grid<D>& grid, int band,
                View<D, float> phi, PartedView parted) {
  const float h = static_cast<float>(grid.h);
  const float limit = static_cast<float>(band) * h;
  const float unreached = static_cast<float>(band + 1) * h;

  const std::vector<std::int32_t> near = blocks_in_band<D>(exec, blocks, grid, band, phi);
  const std::ptrdiff_t count = static_cast<std::ptrdiff_t>(near.size());
  std::vector<std::int32_t> tile_of_slot(static_cast<std::size_t>(blocks.count), -1);
  for (std::size_t n = 0; n < near.size(); ++n)
    tile_of_slot[static_cast<std::size_t>(near[n])] = static_cast<std::int32_t>(n);
  Buffer<Tile<D>> tiles[2] = {Buffer<Tile<D>>(near.size()), Buffer<Tile<D>>(near.size())};
  const std::int32_t* slots = near.data();
  const std::int32_t* tile_of = tile_of_slot.data();

  Tile<D>* from = tiles[0].data();
  Tile<D>* to = tiles[1].data();

  // Along a diagonal the distance grows by h / sqrt(D) per cell, so this many passes fill the band; a row is
  // visited only when something in or beside it changed in the pass before.
  const int passes = static_cast<int>(std::ceil(band * std::sqrt(double(D)))) + 3;
  std::vector<Rows> changed(near.size(), 0), changes(near.size(), 0);
  Rows* begun = changed.data();
  std::vector<TilesBeside<D>> tiles_beside(near.size());
  TilesBeside<D>* neighbour = tiles_beside.data();
  for_each_task(exec, count, [=](std::ptrdiff_t n) {
    begun[n] = start_tile<D>(blocks, grid, phi, slots[n], unreached, parted.of_block<D>(slots[n]), from[n]);
    to[n] = from[n];
    const Index<D> b = blocks.coordinates(blocks.ids[slots[n]]);
    for (int side = 0; side < 2 * D; ++side) {
      Index<D> m = b;
      m[side / 2] += side % 2 == 0 ? -1 : 1;
      const std::int32_t slot = blocks.slot_of_block(m);
      neighbour[n].tile[side] = slot < 0 ? -1 : tile_of[slot];
    }
  });
  for (int pass = 0; pass < passes; ++pass) {
    const Rows* before = changed.data();
    Rows* now = changes.data();
    for_each_task(exec, count, [=](std::ptrdiff_t n) {
      const Tile<D>* beside[2 * D];
      Rows changed_beside[2 * D];
      for (int side = 0; side < 2 * D; ++side) {
        const std::int32_t tile = neighbour[n].tile[side];
        beside[side] = tile < 0 ? nullptr : from + tile;
        changed_beside[side] = tile < 0 ? 0 : before[tile];
      }
      const Rows rows = affected_rows<D>(before[n], changed_beside);
      now[n] =
          rows ? sweep_tile<D>(from[n], beside, rows, h, unreached, parted.of_block<D>(slots[n]), to[n]) : 0;
    });
    std::swap(from, to);
    changed.swap(changes);
    if (std::all_of(changed.begin(), changed.end(), [](Rows r) { return r == 0; })) break;
  }

  for_each_block(exec, blocks, [=](std::int32_t slot) {
    const Range<D> own = intersection(blocks.indices(slot), grid.cell_range());
    const int width = own.extent(0);
    if (width == 0) return;
    const float* d = tile_of[slot] < 0 ? nullptr : from[tile_of[slot]].d;
    Range<D> rows = own;
    rows.hi[0] = rows.lo[0] + 1;
    visit(rows, [&](const Index<D>& first) {
      float* row = &phi(first);
      if (d) {
        const float* known = d + position_in_block(first);
        for (int i = 0; i < width; ++i) {
          const float v = std::min(std::abs(known[i]), limit);
          row[i] = row[i] < 0 ? -v : v;
        }
      } else {
        for (int i = 0; i < width; ++i) row[i] = row[i] < 0 ? -limit : limit;
      }
    });
  });
}

template void redistance<2>(const Exec&, const BlocksView<2>&, const Grid<2>&, int, View<2, float>,
                            PartedView);
template void redistance<3>(const Exec&, const BlocksView<3>&, const Grid<3>&, int, View<3, float>,
                            PartedView);

}  // namespace glug
