// joined_cells.h: which cells of a block hang together through faces whose middle lies outside solids. What
// reseeding carries from cell to cell must not pass a wall that parts the block: a thin one stands between
// cells of the same liquid.
#pragma once

#include "particles/spills.h"

namespace glug {

// The cells of a block that can be come to from one of them so, nearest first, by their numbers; the first is
// the cell itself. part: of each cell, -1 where it is not known yet; they get `own`. may_pass(from, to, axis,
// side): other steps are left out. Returns how many.
template <int D, class F>
GLUG_INLINE int find_joined(const Grid<D>& grid, const Range<D>& block, int first, std::int16_t own,
                            std::int16_t* part, std::int16_t* cells, F may_pass) {
  int count = 0;
  part[first] = own;
  cells[count++] = static_cast<std::int16_t>(first);
  for (int k = 0; k < count; ++k) {
    const Index<D> cell = cell_of_number<D>(cells[k], block.lo);
    if (!grid.cell_range().contains(cell)) continue;
    for (int a = 0; a < D; ++a)
      for (int side = -1; side <= 1; side += 2) {
        Index<D> to = cell;
        to[a] += side;
        if (!block.contains(to) || !grid.cell_range().contains(to)) continue;
        const int t = cell_in_block<D>(to, block.lo);
        if (part[t] >= 0 || !may_pass(cell, to, a, side)) continue;
        part[t] = own;
        cells[count++] = static_cast<std::int16_t>(t);
      }
  }
  return count;
}

template <int D>
class JoinedCells {
 public:
  GLUG_INLINE JoinedCells(const Grid<D>& grid, const Reseed<D>& r, const Range<D>& block) {
    visit(intersection(Range<D>{block.lo, block.hi + Index<D>::filled(1)}, grid.node_range()),
          [&](const Index<D>& i) { parted_ = parted_ || r.solid(i) < 0; });
    if (!parted_) return;
    for (std::int16_t& p : part_) p = -1;
    std::int16_t cells[block_volume<D>];
    std::int16_t parts = 0;
    const float per_cell = static_cast<float>(1 / grid.h);
    const auto may_pass = [&](const Index<D>& from, const Index<D>&, int axis, int side) {
      return is_clear(r, per_cell, from, axis, side);
    };
    for (int first = 0; first < block_volume<D>; ++first)
      if (part_[first] < 0) find_joined(grid, block, first, parts++, part_, cells, may_pass);
  }

  GLUG_INLINE bool joined(int one, int other) const { return !parted_ || part_[one] == part_[other]; }

 private:
  bool parted_ = false;
  std::int16_t part_[block_volume<D>];
};

}  // namespace glug
