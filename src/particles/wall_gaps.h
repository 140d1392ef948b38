// wall_gaps.h: liquid that has not quite come to a wall. The surface is made dense up to walls (S1), which
// would show a gap narrower than half a cell, in places a whole cell, as liquid. Where no particle is near
// the wall there is one: the surface is then that of particles alone, and what it still hides they measure.
// Theory: docs/theory.md (S8).
#pragma once

#include "particles/cell_mark.h"
#include "particles/collide.h"
#include "particles/particles.h"

namespace glug {

// Of a block and the cells around it: how far the nearest particle of each cell is from solids.
template <int D>
class WallGapTile {
 public:
  static constexpr float beside = 1;                 // cells: centres farther from solids are not beside one
  static constexpr float none = 0.25f, all = 0.45f;  // cells of gap that are no gap, and one for certain

  struct Input {
    Grid<D> grid{};
    View<D, const float> solid{};  // m, at nodes
    BlocksView<D> occupied{};
    const std::uint32_t* cell_begin = nullptr;
    ParticleViewOf<D, const float> particles{};
    CellMark<D> deep{};  // cells that are full without particles
  };

  // Whether a wall is near any cell of the block; looks at its particles if so.
  GLUG_INLINE bool find(const Input& in, const Range<D>& block) {
    lo_ = block.lo - Index<D>::filled(1);
    const Range<D> cells = in.grid.cell_range();
    const float per_cell = static_cast<float>(1 / in.grid.h);
    bool near = false;
    visit(Range<D>{lo_, lo_ + Index<D>::filled(edge)}, [&](const Index<D>& i) {
      const bool inside = cells.contains(i);
      const float centre =
          inside ? solid_distance_at<D>(in.solid, per_cell, i, Vec<D, float>::filled(0.5f)) : far;
      const int n = number(i);
      beside_[n] = centre < beside;
      near = near || (beside_[n] && block.contains(i));
      nearest_[n] = far;
      if (centre < 1.5f * beside) nearest_[n] = in.deep(i) ? 0 : nearest_particle(in, i, per_cell);
    });
    return near;
  }

  // Of a cell of the block: 0 where liquid fills the space beside a wall, or neither wall nor particle is
  // near; 1 where liquid ends before the wall.
  GLUG_INLINE float share(const Index<D>& i) const {
    if (!beside_[number(i)]) return 0;
    float gap = far;
    visit(Range<D>{i, i + Index<D>::filled(1)}.grown(1), [&](const Index<D>& j) {
      const float d = nearest_[number(j)];
      gap = d < gap ? d : gap;
    });
    return gap < far ? clamp((gap - none) / (all - none), 0.f, 1.f) : 0.f;
  }

 private:
  static constexpr int edge = block_edge<D> + 2;
  static constexpr float far = 8;  // cells

  GLUG_INLINE int number(const Index<D>& i) const {
    int n = 0;
    for (int a = D - 1; a >= 0; --a) n = n * edge + (i[a] - lo_[a]);
    return n;
  }
  static GLUG_INLINE float nearest_particle(const Input& in, const Index<D>& cell, float per_cell) {
    const std::int32_t slot = in.occupied.slot_of_cell(cell);
    if (slot < 0) return far;
    const std::uint32_t* begin = in.cell_begin + static_cast<std::size_t>(slot) * block_volume<D> +
                                 cell_in_block<D>(cell, in.occupied.indices(slot).lo);
    float nearest = far;
    for (std::uint32_t p = begin[0]; p < begin[1]; ++p) {
      Vec<D, float> offset{};
      for (int a = 0; a < D; ++a) offset[a] = in.particles.offset[a][p];
      const float d = solid_distance_at<D>(in.solid, per_cell, cell, offset);
      nearest = d < nearest ? d : nearest;
    }
    return nearest;
  }

  Index<D> lo_{};
  float nearest_[power(edge, D)];
  bool beside_[power(edge, D)];
};

}  // namespace glug
