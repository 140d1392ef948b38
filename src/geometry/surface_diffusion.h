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

// A cell with a neighbour on one side alone, along some axes.
template <int D>
struct CellBesideWall {
  std::ptrdiff_t offset;
  std::ptrdiff_t beside[D];  // how far that neighbour is; 0 = along this axis there are two, or none
  bool moves[D];             // does it move?
};

// What is held stays as far from the cell beside it as phi says, or as far as it is itself.
enum class Held : std::uint8_t { as_phi, level };

template <int D>
class SurfaceDiffusion {
 public:
  // phi lies in cells grown by one and must live as long; so do all fields below lie. solid: at nodes.
  SurfaceDiffusion(const Exec& exec, const BlocksView<D>& blocks, const Grid<D>& grid,
                   const View<D, const float>& phi, const View<D, const float>& solid);

  // Of `field`, with `other` as room: both hold the same to begin with.
  void operator()(const DiffusionSteps& steps, Field<D, float>& field, Field<D, float>& other,
                  Held held) const;
  // By how much `field` bends along the surface, per cell of length: the second differences along all axes
  // but the steepest, both into `bend` and `copy`.
  void find_bends(const View<D, const float>& field, const View<D, float>& bend,
                  const View<D, float>& copy) const;
  // The blocks with cells that move.
  BlocksView<D> near() const { return near_.view(); }
  // Those and their neighbours, as far as `blocks` lists them.
  Blocks<D> around(const BlocksView<D>& blocks) const;

 private:
  struct Row {
    std::ptrdiff_t offset;
    int width;
  };
  void list_rows_and_walls(const View<D, const std::uint8_t>& standing);
  void join_rows();
  template <Held held>
  void exchange(const View<D, const float>& from, float step, float weight, const View<D, float>& to) const;
  void yield_to_walls(const View<D, const float>& from, Held held, float change,
                      const View<D, float>& to) const;

  Exec exec_;
  Grid<D> grid_;
  View<D, const float> phi_;
  Blocks<D> near_;
  Field<D, float> moves_;      // 1 = this cell moves, 0 = it does not: two that do exchange
  Field<D, float> held_pull_;  // of held neighbours, as phi has them
  std::vector<Row> rows_;      // with cells that move, as long as blocks lie side by side
  std::vector<CellBesideWall<D>> at_walls_;
};

}  // namespace glug
