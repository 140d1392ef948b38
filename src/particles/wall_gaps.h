// wall_gaps.h: liquid that has not quite come to a wall. The surface is made dense up to walls (S1), which
// would show a gap narrower than half a cell, in places a whole cell, as liquid. Where no particle is near
// the wall there is one: the surface is then that of particles alone, and what it still hides they measure.
// Theory: docs/theory.md (S8).
#pragma once

#include "particles/cell_mark.h"
#include "particles/collide.h"
#include "particles/particles.h"

namespace glug {

template <int D>
struct WallGapInput {
  Grid<D> grid{};
  View<D, const float> solid{};  // m, at nodes
  BlocksView<D> occupied{};
  const std::uint32_t* cell_begin = nullptr;
  ParticleViewOf<D, const float> particles{};
  CellMark<D> deep{};  // cells that are full without particles
};

namespace wall_gaps {
inline constexpr float beside = 1;                 // cells: centres farther from solids are not beside one
inline constexpr float none = 0.25f, all = 0.45f;  // cells of gap that are no gap, and one for certain
inline constexpr float far = 8;                    // cells: farther than any
}  // namespace wall_gaps

// The smaller one of `gap` and what is left, in cells, between solids and the particles of a cell near them.
template <int D>
GLUG_FN inline float nearer_gap(const WallGapInput<D>& in, const Index<D>& cell, float per_cell, float gap) {
  if (!in.grid.cell_range().contains(cell)) return gap;
  const Vec<D, float> middle = Vec<D, float>::filled(0.5f);
  if (!(solid_distance_in<D>(in.solid, per_cell, cell, middle) < 1.5f * wall_gaps::beside)) return gap;
  if (in.deep(cell)) return 0;
  const std::int32_t slot = in.occupied.slot_of_cell(cell);
  if (slot < 0) return gap;
  const std::uint32_t* begin = in.cell_begin + static_cast<std::size_t>(slot) * block_volume<D> +
                               cell_in_block<D>(cell, in.occupied.indices(slot).lo);
  for (std::uint32_t p = begin[0]; p < begin[1] && gap > wall_gaps::none; ++p) {
    Vec<D, float> offset{};
    for (int a = 0; a < D; ++a) offset[a] = in.particles.offset[a][p];
    const float d = solid_distance_in<D>(in.solid, per_cell, cell, offset);
    gap = d < gap ? d : gap;
  }
  return gap;
}

// Of a cell: 0 where liquid fills the space beside a wall, or neither wall nor particle is near; 1 where
// liquid ends before the wall. Most cells are told by a single number or by their first particles.
template <int D>
GLUG_FN inline float wall_gap_share(const WallGapInput<D>& in, const Index<D>& i) {
  const float per_cell = static_cast<float>(1 / in.grid.h);
  // Distance has slope 1, and a cell's corner is within sqrt(3) / 2 of its centre.
  if (in.solid(i) * per_cell > wall_gaps::beside + 0.8661f) return 0;
  const Vec<D, float> middle = Vec<D, float>::filled(0.5f);
  if (!(solid_distance_in<D>(in.solid, per_cell, i, middle) < wall_gaps::beside)) return 0;
  float gap = nearer_gap(in, i, per_cell, wall_gaps::far);
  visit(Range<D>{i, i + Index<D>::filled(1)}.grown(1), [&](const Index<D>& j) {
    if (gap > wall_gaps::none) gap = nearer_gap(in, j, per_cell, gap);
  });
  if (!(gap < wall_gaps::far)) return 0;
  return clamp((gap - wall_gaps::none) / (wall_gaps::all - wall_gaps::none), 0.f, 1.f);
}

}  // namespace glug
