#include "regions/even_rows.h"

#include <algorithm>

#include "core/for_each.h"
#include "geometry/block_neighbours.h"

namespace glug {
namespace {

// Particles are counted in bins of so many cells along each axis. In a cell they are too few: rows that each
// followed the noise of their own counts sheared the liquid until it moved by itself.
inline constexpr int bin_edge = 4;
// .. and over so many bins above and below, by weights that fall off.
inline constexpr int bins_around = 2;
// Cells below the surface from where on particles are counted: nearer to it they tell where the surface is.
inline constexpr double counted_depth = 1.5;
inline constexpr float largest_move = 0.1f;  // cells

static_assert(block_edge<2> % bin_edge == 0 && block_edge<3> % bin_edge == 0);

template <int D>
GLUG_INLINE Index<D> bin_of_cell(const Index<D>& i) {
  Index<D> bin{};
  for (int a = 0; a < D; ++a) bin[a] = i[a] / bin_edge;
  return bin;
}

template <int D>
GLUG_INLINE Range<D> cells_of_bin(const Index<D>& bin) {
  return {bin * bin_edge, (bin + Index<D>::filled(1)) * bin_edge};
}

// All bins of the listed blocks, and those between them.
template <int D>
Range<D> bins_of_blocks(const BlocksView<D>& blocks) {
  if (blocks.count == 0) return {};
  Range<D> all{blocks.coordinates(blocks.ids[0]), blocks.coordinates(blocks.ids[0])};
  for (std::int32_t slot = 0; slot < blocks.count; ++slot) {
    const Index<D> b = blocks.coordinates(blocks.ids[slot]);
    for (int a = 0; a < D; ++a) {
      all.lo[a] = std::min(all.lo[a], b[a]);
      all.hi[a] = std::max(all.hi[a], b[a] + 1);
    }
  }
  constexpr int bins = block_edge<D> / bin_edge;
  return {all.lo * bins, all.hi * bins};
}

// Of each bin, in cells: the room that is counted, and what its particles hold beyond it.
template <int D>
struct Bins {
  Field<D, float> room, excess;
};

template <int D>
Bins<D> count_bins(const Exec& exec, const CrowdingInput<D>& in, const Particles<D>& particles) {
  Bins<D> bins;
  bins.room = bins.excess = Field<D, float>(bins_of_blocks(in.blocks));
  const View<D, float> room = bins.room.view(), excess = bins.excess.view();
  const BlocksView<D> blocks = in.blocks, occupied = particles.occupied.view();
  const std::uint32_t* cell_begin = particles.cell_begin.data();
  const Range<D> cells = in.grid.cell_range();
  for_each_block(exec, blocks, [=](std::int32_t slot) {
    const Range<D> own = blocks.indices(slot);
    const std::int32_t from = occupied.slots[blocks.ids[slot]];
    if (from < 0) return;
    const std::uint32_t* begin = cell_begin + static_cast<std::size_t>(from) * block_volume<D>;
    const Index<D> first = bin_of_cell<D>(own.lo);
    visit(Range<D>{first, first + Index<D>::filled(block_edge<D> / bin_edge)}, [&](const Index<D>& bin) {
      std::int32_t open = 0, held = 0;
      visit(intersection(cells_of_bin(bin), cells), [&](const Index<D>& i) {
        const std::int32_t r = in.deep(i) ? 0 : room_of_cell(in, i, counted_depth);
        if (r == 0) return;
        const int c = cell_in_block<D>(i, own.lo);
        open += r;
        held += static_cast<std::int32_t>(begin[c + 1] - begin[c]);
      });
      room(bin) = static_cast<float>(open) / whole_cell;
      excess(bin) = static_cast<float>(held) / static_cast<float>(in.particles_per_cell) - room(bin);
    });
  });
  return bins;
}

// Most of the bin is liquid whose particles are counted.
template <int D>
GLUG_INLINE bool is_full(const View<D, const float>& room, const Index<D>& bin) {
  return room.range.contains(bin) && room(bin) >= 0.5f * power(bin_edge, D);
}

// What particles hold beyond the room, over the room, in a bin and those above and below it, up to the next
// solid or surface.
template <int D>
Field<D, float> crowding_of_bins(const Exec& exec, const Bins<D>& bins, int vertical) {
  Field<D, float> found(bins.room.range());
  const View<D, float> crowding = found.view();
  const View<D, const float> room = bins.room.read(), excess = bins.excess.read();
  for_each(exec, found.range(), [=](const Index<D>& bin) {
    if (!is_full(room, bin)) return;
    float rooms = (bins_around + 1) * room(bin), sum = (bins_around + 1) * excess(bin);
    for (int side = -1; side <= 1; side += 2) {
      Index<D> at = bin;
      for (int k = 1; k <= bins_around; ++k) {
        at[vertical] += side;
        if (!is_full(room, at)) break;
        const float weight = static_cast<float>(bins_around + 1 - k);
        rooms += weight * room(at);
        sum += weight * excess(at);
      }
    }
    crowding(bin) = sum / rooms;
  });
  return found;
}

// Cells of a row lie side by side where nothing closes the face between them and both are counted.
template <int D>
struct Joined {
  EvenRowsInput<D> in;

  GLUG_INLINE bool counted(const Index<D>& i) const {
    const CrowdingInput<D>& l = in.liquid;
    return l.grid.cell_range().contains(i) && l.blocks.slot_of_cell(i) >= 0 &&
           l.phi(i) < static_cast<float>(-counted_depth * l.grid.h) && !l.deep(i);
  }
  GLUG_INLINE bool faces(const Index<D>& f, int axis) const {
    return counted(f) && counted(f - Index<D>::unit(axis)) && in.open[axis](f) == 1;
  }
  // Bins: as most of the faces between this one and the one below it are.
  GLUG_INLINE bool bins(const Index<D>& bin, int axis) const {
    Range<D> between = cells_of_bin(bin);
    between.hi[axis] = between.lo[axis] + 1;
    int joined = 0;
    visit(between, [&](const Index<D>& f) { joined += faces(f, axis); });
    return 2 * joined >= between.size();
  }
};

// How far, in cells, liquid at the low face of each bin is to move along an axis, so that rows of bins become
// evenly filled; 0 at the ends of a row.
template <int D>
Field<D, float> moves_of_bins(const Exec& exec, const EvenRowsInput<D>& in, const Bins<D>& bins,
                              const View<D, const float>& crowding, int axis) {
  Range<D> faces = bins.room.range();
  ++faces.hi[axis];
  Field<D, float> found(faces);
  const View<D, float> move = found.view();
  const View<D, const float> room = bins.room.read();
  const Range<D> all = bins.room.range();
  Range<D> starts = all;
  starts.hi[axis] = starts.lo[axis] + 1;
  const Joined<D> joined{in};
  const float bin_area = power(bin_edge, D - 1);
  for_each_task(exec, starts.size(), [=](std::ptrdiff_t row) {
    Index<D> bin = starts.at(row);
    int begin = all.lo[axis];
    double rooms = 0, sum = 0;
    for (int k = all.lo[axis]; k <= all.hi[axis]; ++k) {
      bin[axis] = k;
      const bool full = k < all.hi[axis] && is_full(room, bin);
      if (full && k > begin && joined.bins(bin, axis)) {
        rooms += room(bin);
        sum += room(bin) * crowding(bin);
        continue;
      }
      const float mean = rooms > 0 ? static_cast<float>(sum / rooms) : 0.f;
      float beyond = 0;
      for (int j = begin; j + 1 < k; ++j) {
        bin[axis] = j;
        beyond += room(bin) * (crowding(bin) - mean);
        bin[axis] = j + 1;
        move(bin) = beyond / bin_area;
      }
      bin[axis] = k;
      begin = full ? k : k + 1;
      rooms = full ? room(bin) : 0;
      sum = full ? room(bin) * crowding(bin) : 0;
    }
  });
  return found;
}

// At a face of the grid: linear between the faces of bins along the axis, and between the middles of those
// bins across it that are full.
template <int D>
GLUG_INLINE float move_at(const View<D, const float>& move, const View<D, const float>& room,
                          const Index<D>& f, int axis) {
  const Index<D> bin = bin_of_cell<D>(f);
  float sum = 0;
  for (int corner = 0; corner < (1 << (D - 1)); ++corner) {
    Index<D> at = bin;
    float weight = 1;
    int bit = 0;
    for (int a = 0; a < D; ++a) {
      if (a == axis) continue;
      const float from_middle =
          (static_cast<float>(f[a] - bin[a] * bin_edge) + 0.5f) / static_cast<float>(bin_edge) - 0.5f;
      const float away = from_middle < 0 ? -from_middle : from_middle;
      const bool other = corner >> bit++ & 1;
      if (other) at[a] += from_middle < 0 ? -1 : 1;
      weight *= other ? away : 1 - away;
    }
    if (!is_full(room, at)) at = bin;
    const float along = static_cast<float>(f[axis] - bin[axis] * bin_edge) / static_cast<float>(bin_edge);
    sum += weight * ((1 - along) * move(at) + along * move(at + Index<D>::unit(axis)));
  }
  return sum;
}

}  // namespace

template <int D>
void even_rows(const Exec& exec, const EvenRowsInput<D>& in, const Particles<D>& particles,
               MacView<D, float> displacement) {
  const CrowdingInput<D>& liquid = in.liquid;
  const Bins<D> bins = count_bins(exec, liquid, particles);
  const Field<D, float> crowding = crowding_of_bins(exec, bins, in.vertical);
  const View<D, const float> room = bins.room.read();
  const Joined<D> joined{in};
  const float h = static_cast<float>(liquid.grid.h), share = static_cast<float>(in.share);
  for (int axis = 0; axis < D; ++axis) {
    if (axis == in.vertical) continue;
    const Field<D, float> moves = moves_of_bins(exec, in, bins, crowding.read(), axis);
    const View<D, const float> move = moves.read();
    const View<D, float> d = displacement[axis];
    for_each_cell(exec, liquid.blocks, liquid.grid.cell_range(), [=](const Index<D>& f) {
      if (joined.faces(f, axis))
        d(f) += h * clamp(share * move_at(move, room, f, axis), -largest_move, largest_move);
    });
  }
}

#define GLUG_INSTANTIATE(D) \
  template void even_rows<D>(const Exec&, const EvenRowsInput<D>&, const Particles<D>&, MacView<D, float>);
GLUG_INSTANTIATE(2)
GLUG_INSTANTIATE(3)
#undef GLUG_INSTANTIATE

}  // namespace glug
