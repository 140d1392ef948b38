#include "geometry/redistance.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "core/for_each.h"
#include "geometry/block_neighbours.h"

namespace glug {
namespace {

constexpr float tiny = std::numeric_limits<float>::min();

// Where the surface is in a block: the cells that have a neighbour of the other sign, as a box; empty if
// none.
template <int D>
struct SurfaceBox {
  Range<D> cells{};
  bool empty = true;
};

template <int D>
GLUG_INLINE SurfaceBox<D> find_surface(const BlocksView<D>& blocks, const Grid<D>& grid,
                                       const View<D, float>& phi, std::int32_t slot) {
  const BlockNeighbours<D> around(blocks, slot);
  const Range<D> domain = grid.cell_range();
  const Range<D> own = intersection(around.own, domain);
  SurfaceBox<D> box;
  const auto add = [&](const Index<D>& i) {
    box.cells.lo = box.empty ? i : min(box.cells.lo, i);
    box.cells.hi = box.empty ? i + Index<D>::filled(1) : max(box.cells.hi, i + Index<D>::filled(1));
    box.empty = false;
  };
  // A block of one sign whose neighbours are of that sign along its border has no surface: the usual case,
  // found fast.
  bool negative = false, positive = false;
  visit(own, [&](const Index<D>& i) {
    const bool inside = phi(i) < 0;
    negative |= inside;
    positive |= !inside;
  });
  const bool mixed = negative && positive;
  for (int a = 0; a < D; ++a)
    for (int side = 0; side < 2; ++side) {
      Range<D> layer = own;
      if (side == 0) layer.hi[a] = layer.lo[a] + 1;
      if (side == 1) layer.lo[a] = layer.hi[a] - 1;
      Index<D> step{};
      step[a] = side == 0 ? -1 : 1;
      if (layer.size() == 0 || !domain.contains(layer.lo + step) || !around.listed(layer.lo + step)) continue;
      visit(layer, [&](const Index<D>& i) {
        if ((phi(i) < 0) != (phi(i + step) < 0)) add(i);
      });
    }
  if (!mixed) return box;
  for (int a = 0; a < D; ++a) {
    Range<D> pairs = own;
    --pairs.hi[a];
    visit(pairs, [&](const Index<D>& i) {
      if ((phi(i) < 0) == (phi(i + Index<D>::unit(a)) < 0)) return;
      add(i);
      add(i + Index<D>::unit(a));
    });
  }
  return box;
}

// Unsigned distances of one block; cells beside the surface hold theirs negated, which marks them as final.
template <int D>
struct Tile {
  float d[block_volume<D>];
};

// |phi| / |grad phi| beside the surface, `unreached` elsewhere, -unreached (final) outside the domain.
template <int D>
GLUG_INLINE void start_tile(const BlocksView<D>& blocks, const Grid<D>& grid, const View<D, float>& phi,
                            std::int32_t slot, float unreached, Tile<D>& tile) {
  const BlockNeighbours<D> around(blocks, slot);
  const Range<D> domain = grid.cell_range();
  const float h = static_cast<float>(grid.h);
  visit(around.own, [&](const Index<D>& i) {
    float& out = tile.d[position_in_block(i)];
    if (!domain.contains(i)) {
      out = -unreached;
      return;
    }
    const float c = phi(i);
    const bool inside = c < 0;
    bool surface = false;
    float slope2 = 0;
    for (int a = 0; a < D; ++a) {
      float rise[2] = {0, 0};  // towards the low and the high neighbour
      bool known[2], crosses = false;
      float steepest = 0;
      for (int side = 0; side < 2; ++side) {
        Index<D> n = i;
        n[a] += side == 0 ? -1 : 1;
        known[side] = domain.contains(n) && around.listed(n);
        if (!known[side]) continue;
        rise[side] = phi(n) - c;
        if ((phi(n) < 0) != inside) {
          crosses = true;
          steepest = std::max(steepest, std::abs(rise[side]));
        }
      }
      if (crosses) {
        surface = true;  // the nearer of the two crossings
      } else if (known[0] && known[1]) {
        // Central difference; an extremum along this axis has no slope.
        steepest = rise[0] * rise[1] < 0 ? 0.5f * std::abs(rise[1] - rise[0]) : 0;
      } else if (known[0] || known[1]) {
        steepest = std::abs(known[0] ? rise[0] : rise[1]);
      }
      slope2 += steepest * steepest;
    }
    out = surface ? -std::max(std::abs(c) * h / std::sqrt(slope2), tiny) : unreached;
  });
}

// The upwind solution of |grad d| = 1 from the smaller neighbour along each axis.
GLUG_INLINE float eikonal(float a, float b, float h) {
  const float lo = std::min(a, b), hi = std::max(a, b), gap = hi - lo;
  const float two = 0.5f * (lo + hi + std::sqrt(std::max(2 * h * h - gap * gap, 0.0f)));
  return gap < h ? two : lo + h;
}
GLUG_INLINE float eikonal(float x, float y, float z, float h) {
  const float a = std::min(std::min(x, y), z), c = std::max(std::max(x, y), z);
  const float b = std::max(std::min(x, y), std::min(std::max(x, y), z));
  const float two = eikonal(a, b, h);
  // Measured from a, where the numbers are small: 3 t^2 - 2 (p + q) t + p^2 + q^2 - h^2 = 0.
  const float p = b - a, q = c - a, s = p + q;
  const float discriminant = s * s - 3 * (p * p + q * q - h * h);
  const float three = a + (s + std::sqrt(std::max(discriminant, 0.0f))) * (1.0f / 3);
  return two > c ? three : two;
}

// One Jacobi pass over a tile; whether anything changed. beside[2 a + side]: the tiles around, null where
// absent.
template <int D>
GLUG_INLINE bool sweep_tile(const Tile<D>& from, const Tile<D>* const (&beside)[2 * D], float h,
                            float unreached, Tile<D>& to) {
  constexpr int edge = block_edge<D>, rows = block_volume<D> / edge;
  float absent[edge];
  for (int i = 0; i < edge; ++i) absent[i] = unreached;
  bool changed = false;
  for (int row = 0; row < rows; ++row) {
    const float* own = from.d + row * edge;
    float line[edge + 2];
    for (int i = 0; i < edge; ++i) line[i + 1] = std::abs(own[i]);
    line[0] = beside[0] ? std::abs(beside[0]->d[row * edge + edge - 1]) : unreached;
    line[edge + 1] = beside[1] ? std::abs(beside[1]->d[row * edge]) : unreached;
    // The rows before and after along each further axis, in this tile or the next.
    const float* before[D];
    const float* after[D];
    int step = 1, rest = row;
    for (int a = 1; a < D; ++a) {
      const int j = rest % edge;
      rest /= edge;
      const int wrap = (edge - 1) * step;
      before[a] =
          j > 0 ? own - step * edge : (beside[2 * a] ? beside[2 * a]->d + (row + wrap) * edge : absent);
      after[a] = j < edge - 1 ? own + step * edge
                              : (beside[2 * a + 1] ? beside[2 * a + 1]->d + (row - wrap) * edge : absent);
      step *= edge;
    }
    float* out = to.d + row * edge;
    int different = 0;
    for (int i = 0; i < edge; ++i) {
      float least[3];
      least[0] = std::min(line[i], line[i + 2]);
      for (int a = 1; a < D; ++a) least[a] = std::min(std::abs(before[a][i]), std::abs(after[a][i]));
      float d;
      if constexpr (D == 2)
        d = eikonal(least[0], least[1], h);
      else
        d = eikonal(least[0], least[1], least[2], h);
      const float old = own[i];
      const float now = old < 0 ? old : std::min(old, d);
      out[i] = now;
      different += now != old ? 1 : 0;
    }
    changed |= different > 0;
  }
  return changed;
}

// The listed blocks within `band` cells of the surface, ascending.
template <int D>
std::vector<std::int32_t> blocks_in_band(const Exec& exec, const BlocksView<D>& blocks, const Grid<D>& grid,
                                         int band, const View<D, float>& phi) {
  std::vector<SurfaceBox<D>> boxes(static_cast<std::size_t>(blocks.count));
  SurfaceBox<D>* found = boxes.data();
  for_each_block(exec, blocks,
                 [=](std::int32_t slot) { found[slot] = find_surface<D>(blocks, grid, phi, slot); });
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
                View<D, float> phi) {
  const float h = static_cast<float>(grid.h);
  const float limit = static_cast<float>(band) * h;
  const float unreached = static_cast<float>(band + 2) * h;

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
  for_each_task(exec, count, [=](std::ptrdiff_t n) {
    start_tile<D>(blocks, grid, phi, slots[n], unreached, from[n]);
    to[n] = from[n];
  });

  // A tile is visited when it or one beside it changed in the pass before; otherwise both its copies agree
  // already. Along a diagonal the distance grows by h / sqrt(D) per cell, so this many passes fill the band.
  const int passes = static_cast<int>(std::ceil(band * std::sqrt(double(D)))) + 3;
  std::vector<std::uint8_t> changed(near.size(), 1), changes(near.size(), 0);
  for (int pass = 0; pass < passes; ++pass) {
    const std::uint8_t* before = changed.data();
    std::uint8_t* now = changes.data();
    for_each_task(exec, count, [=](std::ptrdiff_t n) {
      const Index<D> b = blocks.coordinates(blocks.ids[slots[n]]);
      const Tile<D>* beside[2 * D];
      bool visit_it = before[n] != 0;
      for (int a = 0; a < D; ++a)
        for (int side = 0; side < 2; ++side) {
          Index<D> m = b;
          m[a] += side == 0 ? -1 : 1;
          const std::int32_t slot = blocks.slot_of_block(m);
          const std::int32_t tile = slot < 0 ? -1 : tile_of[slot];
          beside[2 * a + side] = tile < 0 ? nullptr : from + tile;
          visit_it |= tile >= 0 && before[tile] != 0;
        }
      now[n] = visit_it && sweep_tile<D>(from[n], beside, h, unreached, to[n]) ? 1 : 0;
    });
    std::swap(from, to);
    changed.swap(changes);
    if (std::find(changed.begin(), changed.end(), std::uint8_t(1)) == changed.end()) break;
  }

  const Range<D> domain = grid.cell_range();
  for_each_block(exec, blocks, [=](std::int32_t slot) {
    const Range<D> own = intersection(blocks.indices(slot), domain);
    const float* d = tile_of[slot] < 0 ? nullptr : from[tile_of[slot]].d;
    visit(own, [&](const Index<D>& i) {
      const float v = d ? std::min(std::abs(d[position_in_block(i)]), limit) : limit;
      float& p = phi(i);
      p = p < 0 ? -v : v;
    });
  });
}

template void redistance<2>(const Exec&, const BlocksView<2>&, const Grid<2>&, int, View<2, float>);
template void redistance<3>(const Exec&, const BlocksView<3>&, const Grid<3>&, int, View<3, float>);

}  // namespace glug
