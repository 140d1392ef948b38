// spills.h: piles of particles beside solids, and where they spill to.
// Single particles that run down a slope ahead of the rest come to a corner one by one. No pressure acts on
// so little liquid, and nothing corrects the volume of thin liquid, so they would lie on top of each other:
// 16 in a cell that four fill. What a cell beside a solid holds beyond twice its room goes to neighbours on
// its level that have room, at its own height and with its own velocity. Theory: docs/theory.md (T6).
#pragma once

#include "particles/collide.h"
#include "particles/reseed.h"

namespace glug {

// How many particles fill what of a cell lies outside solids, by the distance at its centre.
template <int D>
GLUG_INLINE int particles_that_fit(const Reseed<D>& r, float per_cell, const Index<D>& cell) {
  const float d = solid_distance_in<D>(r.solid, per_cell, cell, Vec<D, float>::filled(0.5f));
  return static_cast<int>(static_cast<float>(r.limits.seeded) * clamp(0.5f + d, 0.f, 1.f) + 0.5f);
}

// Whether the middle of the face between a cell and a neighbour lies outside solids.
template <int D>
GLUG_INLINE bool is_clear(const Reseed<D>& r, float per_cell, const Index<D>& cell, int axis, int side) {
  Vec<D, float> face = Vec<D, float>::filled(0.5f);
  face[axis] += 0.5f * static_cast<float>(side);
  return solid_distance_at<D>(r.solid, per_cell, cell, face) > 0;
}

// More than a body of liquid is pressed to: a heap.
template <int D>
GLUG_INLINE bool is_heap(const Reseed<D>& r, int count) {
  return r.limits.seeded > 0 && count > 3 * r.limits.seeded;
}

// Whether so many particles of a cell may leave it by a face: if that is clear; and a heap in a sliver, a
// cell whose middle lies inside a solid, if some corner of the face lies outside. No cell has corners on both
// sides of a wall (thin_solids.h).
template <int D>
GLUG_INLINE bool lets_out(const Reseed<D>& r, float per_cell, const Index<D>& cell, int count, int axis,
                          int side) {
  if (is_clear(r, per_cell, cell, axis, side)) return true;
  if (!is_heap(r, count) || solid_distance_in<D>(r.solid, per_cell, cell, Vec<D, float>::filled(0.5f)) > 0)
    return false;
  Range<D> corners{cell, cell + Index<D>::filled(2)};
  if (side > 0)
    ++corners.lo[axis];
  else
    --corners.hi[axis];
  bool open = false;
  visit(corners, [&](const Index<D>& node) { open = open || r.solid(node) > 0; });
  return open;
}

// Deep in the liquid a heap is a lump (lumps.h), which does not spill.
inline constexpr float lump_depth = 1;  // cells below the surface
template <int D>
GLUG_INLINE bool is_lump(const Grid<D>& grid, const Reseed<D>& r, const Index<D>& cell, int count) {
  return is_heap(r, count) && grid.cell_range().contains(cell) && r.known.slot_of_cell(cell) >= 0 &&
         !r.deep(cell) && r.phi(cell) < -lump_depth * static_cast<float>(grid.h);
}

// The spills of a block: move(giver, taker), cell numbers, for each particle. begin: where the particles of
// its cells begin, velocity: theirs, by axes. takes_part(cell): cells that give and take; reseeding must not
// do so there.
template <int D, class Part, class F>
GLUG_INLINE void plan_spills(const Grid<D>& grid, const Reseed<D>& r, const Range<D>& block,
                             const std::uint32_t* begin, const float* const* velocity, Part takes_part,
                             F move) {
  if (r.limits.seeded == 0) return;
  const auto count = [=](int c) { return static_cast<int>(begin[c + 1] - begin[c]); };
  const auto is_usable = [&](const Index<D>& cell) {
    return grid.cell_range().contains(cell) && r.known.slot_of_cell(cell) >= 0 && !r.deep(cell);
  };
  // What a step threw into a corner, faster than steps can follow, would burst if it were spread out.
  const auto lies_still = [=](int c) {
    bool still = true;
    for (std::uint32_t i = begin[c]; i < begin[c + 1]; ++i)
      for (int a = 0; a < D; ++a) still = still && velocity[a][i] < r.fast && velocity[a][i] > -r.fast;
    return still;
  };
  constexpr int fullest = 6;      // times what fills a cell: a body of liquid, not single particles
  constexpr float beside = 1.5f;  // cells from a node of the cell to the solid
  const float per_cell = static_cast<float>(1 / grid.h);
  std::int16_t taken[block_volume<D>];
  bool any = false;
  for (int c = 0; c < block_volume<D>; ++c) {
    if (count(c) < 2 || count(c) > fullest * r.limits.seeded) continue;
    const Index<D> cell = cell_of_number<D>(c, block.lo);
    if (!is_usable(cell) || !(r.solid(cell) * per_cell < beside) || is_lump(grid, r, cell, count(c)))
      continue;
    int surplus = count(c) - 2 * particles_that_fit(r, per_cell, cell);
    if (surplus <= 0 || !takes_part(cell) || !lies_still(c)) continue;
    if (!any)
      for (std::int16_t& t : taken) t = 0;
    any = true;
    for (int a = 0; a < D; ++a)
      for (int side = -1; a != r.vertical && side <= 1; side += 2) {
        Index<D> to = cell;
        to[a] += side;
        if (!block.contains(to) || !is_usable(to) || !takes_part(to) ||
            !lets_out(r, per_cell, cell, count(c), a, side))
          continue;
        const int t = cell_in_block<D>(to, block.lo);
        const int space = particles_that_fit(r, per_cell, to) - count(t) - taken[t];
        for (int n = 0; n < space && surplus > 0; ++n, --surplus) {
          move(c, t);
          ++taken[t];
        }
      }
  }
}

}  // namespace glug
