// surface_diffusion.h: a distance evened out near the surface, beside walls too.
// (S5) Cells within `reach` of the surface move, those farther off are held and follow the cell beside them,
// so that nothing holds the field back. Cells that move exchange through the faces between them; a step is
// the same sum everywhere, row by row, and what walls make of it is put right afterwards in the few cells
// beside them.
#pragma once

#include <vector>

#include "core/blocks.h"
#include "core/exec.h"
#include "core/field.h"
#include "geometry/views.h"

namespace glug {

// Which steps are taken: u'' = w (u' - u + step (L u' + b)) + u, L u' + b being how much a cell is pulled by
// its neighbours, with a weight w for each step.
struct DiffusionSteps {
  float step = 0;
  std::vector<float> weights;

  // `count` steps of the mean of a cell and its 2 D neighbours, those with 3/4 of the weight.
  static DiffusionSteps plain(int dimension, int count);
  // Chebyshev's polynomial of this degree: as smooth as a Gaussian, in few steps (S7).
  static DiffusionSteps chebyshev(int dimension, int degree);
};

// A cell with a neighbour on one side alone along an axis; both move.
struct BesideWall {
  std::ptrdiff_t cell, neighbour;  // offsets
};

// Cells that move, side by side.
struct DiffusionRow {
  std::ptrdiff_t offset;
  int width;
  int walls;  // the first of its cells beside walls; those of the next row follow
};

// Where a field is evened out: elsewhere it stays as it is, and pulls at the cells beside it.
struct DiffusionCells {
  std::vector<DiffusionRow> rows;  // as long as blocks lie side by side, and one without cells
  std::vector<BesideWall> at_walls;
};

// What is held stays as far from the cell beside it as phi says, or as far as it is itself.
enum class Held : std::uint8_t { as_phi, level };

template <int D>
class SurfaceDiffusion {
 public:
  // phi lies in cells grown by one and must live as long; so do all fields below lie. solid: at nodes. reach:
  // cells.
  SurfaceDiffusion(const Exec& exec, const BlocksView<D>& blocks, const Grid<D>& grid,
                   const View<D, const float>& phi, const View<D, const float>& solid, float reach);

  // All cells that move, or those in some of the blocks near the surface.
  DiffusionCells cells() const { return cells_in(near_.view()); }
  DiffusionCells cells_in(const BlocksView<D>& blocks) const;
  // Of `field`, with `other` as room: both hold the same to begin with.
  void operator()(const DiffusionSteps& steps, const DiffusionCells& cells, Field<D, float>& field,
                  Field<D, float>& other, Held held) const;
  // By how much `field` bends along the surface, per cell of length: the second differences along all axes
  // but the steepest, both into `bend` and `copy`.
  void find_bends(const View<D, const float>& field, const View<D, float>& bend,
                  const View<D, float>& copy) const;
  // The blocks with cells that move.
  BlocksView<D> near() const { return near_.view(); }
  // Those of them in which some cell that moves has a positive value.
  Blocks<D> moving_where(const View<D, const float>& positive) const;
  // Those of them that are listed.
  Blocks<D> near_among(const BlocksView<D>& blocks) const { return among(near_, blocks); }
  // Those and their neighbours, as far as `blocks` lists them.
  Blocks<D> around(const BlocksView<D>& blocks) const;

 private:
  Blocks<D> among(const Blocks<D>& some, const BlocksView<D>& blocks) const;
  void list_rows_and_walls(const View<D, const std::uint8_t>& standing);
  template <Held held>
  void exchange(const DiffusionCells& cells, const View<D, const float>& from, float step, float weight,
                const View<D, float>& to) const;

  Exec exec_;
  Grid<D> grid_;
  View<D, const float> phi_;
  Blocks<D> near_;
  Field<D, float> moves_;      // 1 = this cell moves, 0 = it does not: two that do exchange
  Field<D, float> held_pull_;  // of held neighbours, as phi has them
  // With cells that move, of block after block; and where those of each block begin.
  std::vector<DiffusionRow> rows_;
  std::vector<BesideWall> at_walls_;
  std::vector<int> row_starts_, wall_starts_;
};

}  // namespace glug
