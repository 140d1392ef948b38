// lumps.h: heaps of particles in tips between solids, deep in the liquid, and where they go to.
// Where two solids meet they make a wedge whose tip is thinner than a cell. As it moves it scoops up the
// particles that it meets, and as it opens they follow it: 25 cells of liquid came to lie in one cell, within
// a tenth of its width, where no velocity of the grid parts them again. So of more than three times what
// fills a cell half is put, in every step, into cells that have room, by ways through the liquid. Theory:
// docs/theory.md (T9).
#pragma once

#include <cstdlib>

#include "particles/joined_cells.h"

namespace glug {

// The cells deep in the liquid that can be come to from one of them within its block (find_joined). The tip
// itself may be a sliver.
template <int D>
class WaysFrom {
 public:
  // count: of the particles of the first.
  GLUG_INLINE WaysFrom(const Grid<D>& grid, const Reseed<D>& r, const Range<D>& block, int first, int count) {
    std::int16_t seen[block_volume<D>];
    for (std::int16_t& s : seen) s = -1;
    const float per_cell = static_cast<float>(1 / grid.h);
    const Index<D> tip = cell_of_number<D>(first, block.lo);
    count_ = find_joined(grid, block, first, 0, seen, cells_,
                         [&](const Index<D>& from, const Index<D>& to, int axis, int side) {
                           return r.phi(to) < -lump_depth * static_cast<float>(grid.h) &&
                                  lets_out(r, per_cell, from, from == tip ? count : 0, axis, side);
                         });
  }
  GLUG_INLINE int count() const { return count_; }
  GLUG_INLINE int operator[](int k) const { return cells_[k]; }

 private:
  std::int16_t cells_[block_volume<D>];
  int count_ = 0;
};

template <int D>
GLUG_INLINE bool holds_lump(const Grid<D>& grid, const Reseed<D>& r, const Range<D>& block,
                            const std::uint32_t* begin) {
  for (int c = 0; c < block_volume<D>; ++c)
    if (is_lump(grid, r, cell_of_number<D>(c, block.lo), static_cast<int>(begin[c + 1] - begin[c])))
      return true;
  return false;
}

// What the lumps of a block give: move(giver, taker), cell numbers, for each particle. most_rows: that they
// are carried up by, net. may_take(number): cells that nothing else fills.
template <int D, class Part, class F>
GLUG_INLINE void plan_lumps(const Grid<D>& grid, const Reseed<D>& r, const Range<D>& block,
                            const std::uint32_t* begin, int most_rows, Part may_take, F move) {
  const auto count = [=](int c) { return static_cast<int>(begin[c + 1] - begin[c]); };
  const float per_cell = static_cast<float>(1 / grid.h);
  std::int16_t taken[block_volume<D>];
  bool any = false;
  int rows = 0;  // that particles were carried up by, net
  for (int c = 0; c < block_volume<D>; ++c) {
    const Index<D> cell = cell_of_number<D>(c, block.lo);
    if (!is_lump(grid, r, cell, count(c))) continue;
    if (!any)
      for (std::int16_t& t : taken) t = 0;
    any = true;
    int surplus = (count(c) - 2 * r.limits.seeded) / 2;
    const WaysFrom<D> ways(grid, r, block, c, count(c));
    // On its own level first, which neither lifts nor lowers anything.
    for (int pass = 0; pass < 2; ++pass)
      for (int k = 1; k < ways.count() && surplus > 0; ++k) {
        const Index<D> to = cell_of_number<D>(ways[k], block.lo);
        const int up = to[r.vertical] - cell[r.vertical];
        if ((up == 0) != (pass == 0) || !may_take(ways[k])) continue;
        const int space = particles_that_fit(r, per_cell, to) - count(ways[k]) - taken[ways[k]];
        for (int n = 0; n < space && surplus > 0; ++n, --surplus) {
          if (std::abs(rows + up) > most_rows && std::abs(rows + up) > std::abs(rows)) break;
          rows += up;
          move(c, ways[k]);
          ++taken[ways[k]];
        }
      }
  }
}

}  // namespace glug
