#include "regions/thin_liquid.h"

#include <algorithm>
#include <utility>

#include "core/reduce.h"
#include "core/rows.h"
#include "geometry/phi_tile.h"
#include "geometry/solid_extension.h"
#include "particles/wall_gaps.h"
#include "regions/parting_liquid.h"

namespace glug {
namespace {

inline constexpr float deep = 1;     // cells below the surface; twice that is deep enough for all
inline constexpr int near_bulk = 2;  // cells from one that is deep
// So many cells must be deep enough: three layers of five. Below a flat surface cells have that from two
// cells deep on; those that it cuts have a third to two thirds of it. Where liquid is torn, and in the
// corners of solids, they have less, and there the surface shows too much: gaps between lumps, and bubbles
// too small.
template <int D>
inline constexpr float enough_deep = 3 * power(2 * near_bulk + 1, D - 1);
// Cells so deep, and one more, are measured whatever solids there are around.
inline constexpr float deep_in_corners = 2;

// How deep the cells of a block and of two layers around it are, 0 at `deep` and 1 from twice that on; then
// the sum over those within two cells.
template <int D>
struct DeepTile {
  static constexpr int edge = block_edge<D> + 2 * near_bulk;
  static constexpr int size = power(edge, D);
  float value[size], next[size];
  const float* sums = nullptr;

  static GLUG_INLINE int number(const Index<D>& i, const Index<D>& lo) {
    int n = 0;
    for (int a = D - 1; a >= 0; --a) n = n * edge + (i[a] - lo[a]);
    return n;
  }
  // Right for the cells of the block; those around it serve as terms alone.
  GLUG_INLINE void add_up() {
    float *from = value, *to = next;
    for (int a = 0; a < D; ++a, std::swap(from, to)) {
      const int step = power(edge, a), margin = near_bulk * step;
      for (int t = 0; t < margin; ++t) to[t] = to[size - 1 - t] = 0;
      for (int t = margin; t < size - margin; ++t) {
        float sum = from[t];
        for (int k = 1; k <= near_bulk; ++k) sum = sum + from[t - k * step] + from[t + k * step];
        to[t] = sum;
      }
    }
    sums = from;
  }
};

template <int D>
GLUG_INLINE bool touches_liquid(const View<D, const Cell>& label, const Index<D>& i) {
  if (label(i) == Cell::liquid) return true;
  for (int a = 0; a < D; ++a)
    if (label(i - Index<D>::unit(a)) == Cell::liquid || label(i + Index<D>::unit(a)) == Cell::liquid)
      return true;
  return false;
}

}  // namespace

template <int D>
double find_thin_liquid(const Exec& exec, const ThinLiquidInput<D>& in, const PartingLiquid<D>& parting,
                        const Particles<D>& particles, const ThinLiquid<D>& found) {
  const BlocksView<D> blocks = in.blocks, occupied = particles.occupied.view();
  const std::uint32_t* cell_begin = particles.cell_begin.data();
  const Range<D> cells = in.grid.cell_range();
  const float h = static_cast<float>(in.grid.h);
  const WallGapInput<D> walls{in.grid, in.solid, occupied, cell_begin, particles.arrays.view(), in.deep};
  const View<D, std::uint8_t> kind = found.kind, share = found.measured;
  return reduce_blocks(exec, blocks, 0.0, Plus{}, [=](std::int32_t slot) {
    const Range<D> own = blocks.indices(slot), inside = intersection(own, cells);
    if (inside.size() == 0) return 0.0;
    const std::int32_t from = occupied.slots[blocks.ids[slot]];
    const std::uint32_t* begin =
        from < 0 ? nullptr : cell_begin + static_cast<std::size_t>(from) * block_volume<D>;
    float lowest = in.phi(inside.lo), highest = lowest;
    extremes<D>(in.phi, inside, lowest, highest);
    bool parts = false;
    if (parting.pressure.data) visit(inside, [&](const Index<D>& i) { parts = parts || parting(i); });
    if (!parts && (highest < -(deep_in_corners + 1) * h || (!begin && lowest > 2 * h))) {
      visit(inside, [&](const Index<D>& i) { kind(i) = bulk_liquid; });
      if (share.data) visit(inside, [&](const Index<D>& i) { share(i) = all_measured; });
      return 0.0;
    }
    DeepTile<D> tile;
    const Index<D> lo = own.lo - Index<D>::filled(near_bulk);
    const BlockNeighbours<D> around(blocks, slot);
    visit_rows(Range<D>{lo, lo + Index<D>::filled(DeepTile<D>::edge)}, [&](const Index<D>& first, int n) {
      float* value = tile.value + DeepTile<D>::number(first, lo);
      for (int k = 0; k < n; ++k) value[k] = 0;
      // Of a row the cells below the block, its own and those above are in a block each.
      for (int part = 0; part < 3; ++part) {
        Range<D> of_part{first, first + Index<D>::filled(1)};
        of_part.lo[0] = part == 0 ? lo[0] : part == 1 ? own.lo[0] : own.hi[0];
        of_part.hi[0] = part == 0 ? own.lo[0] : part == 1 ? own.hi[0] : first[0] + n;
        of_part = intersection(of_part, cells);
        if (of_part.size() == 0 || !around.listed(of_part.lo)) continue;
        const float *depth = &in.phi(of_part.lo), *solid = &in.solid(of_part.lo);
        float* to = value + (of_part.lo[0] - first[0]);
        const int width = of_part.extent(0);
        int near_solid = 0;  // distance has slope 1: farther than that no corner of a cell is in a solid
        for (int k = 0; k < width; ++k) {
          to[k] = clamp(-depth[k] / (deep * h) - 1, 0.f, 1.f);
          near_solid += !(solid[k] > 2 * h);
        }
        if (near_solid == 0) continue;
        Index<D> i = of_part.lo;
        for (int k = 0; k < width; ++k, ++i[0])
          if (solid_centred<D, float>(in.solid, i)) to[k] = 0;
      }
    });
    tile.add_up();
    double hidden = 0;
    const bool by_tile = known_around(blocks, slot);
    PhiTile<D> phi;
    if (by_tile) phi.load(in.phi, cells, own.lo);
    visit(inside, [&](const Index<D>& i) {
      const float around_it = tile.sums[DeepTile<D>::number(i, lo)] / enough_deep<D>;
      const float itself = -in.phi(i) / h - deep_in_corners;
      float measured = clamp(itself > around_it ? itself : around_it, 0.f, 1.f);
      kind(i) = measured > 0 ? bulk_liquid : touches_liquid<D>(in.label, i) ? thin_liquid : spray_liquid;
      if (parts && parting(i)) {
        measured = 0;
        kind(i) = thin_liquid;
      }
      if (in.deep(i)) measured = 1;
      if (measured > 0) measured = std::min(measured, 1 - wall_gap_share(walls, i));
      const int of_all = static_cast<int>(all_measured * measured + 0.5f);
      if (share.data) share(i) = static_cast<std::uint8_t>(of_all);
      if (of_all == all_measured) return;
      const int c = cell_in_block<D>(i, own.lo);
      const std::uint32_t n = begin ? begin[c + 1] - begin[c] : 0;
      const double shown = by_tile ? phi.liquid_fraction(in.solid, in.grid.h, i)
                                   : cell_liquid_fraction<D>(blocks, in.grid, in.phi, in.solid, i);
      hidden += (all_measured - of_all) * (static_cast<double>(n) * in.particle - shown);
    });
    return hidden / all_measured;
  });
}

template <int D>
double find_thin_liquid(const Exec& exec, const ThinLiquidInput<D>& in, const Particles<D>& particles,
                        const ThinLiquid<D>& found) {
  return find_thin_liquid(exec, in, PartingLiquid<D>{}, particles, found);
}

#define GLUG_INSTANTIATE(D)                                                                            \
  template double find_thin_liquid<D>(const Exec&, const ThinLiquidInput<D>&, const PartingLiquid<D>&, \
                                      const Particles<D>&, const ThinLiquid<D>&);                      \
  template double find_thin_liquid<D>(const Exec&, const ThinLiquidInput<D>&, const Particles<D>&,     \
                                      const ThinLiquid<D>&);
GLUG_INSTANTIATE(2)
GLUG_INSTANTIATE(3)
#undef GLUG_INSTANTIATE

}  // namespace glug
