// unit_box.h: a box of cells with unit couplings, for tests of geometric multigrid: p = 0 beyond some sides,
// walls on the others.
#pragma once

#include "core/random.h"
#include "papers/cell_kinds.h"
#include "solvers/component_means.h"
#include "solvers/stencil.h"
#include "solvers/vector_ops.h"

namespace glug {

template <int D, class T>
struct UnitBox {
  Grid<D> grid;
  Blocks<D> blocks;
  Stencil<D, T> stencil;
  CellKinds<D> kinds;
  ComponentMeans<D> constants;  // only where all sides are walls

  // fixed: p = 0 half a cell beyond the high side along the last axes, so many of them.
  UnitBox(const Index<D>& cells, int fixed)
      : grid{cells, 1.0}, blocks(Blocks<D>::all(grid)), stencil(grid), kinds(grid) {
    stencil.relist(Exec{}, blocks.view());
    kinds.relist(Exec{}, std::vector<std::uint8_t>(static_cast<std::size_t>(blocks.total()), 1));
    const StencilView<D, T> A = stencil.view();
    const View<D, CellKind> kind = kinds.view();
    Field<D, std::int32_t> component(grid.cell_range().grown(1));
    visit(grid.cell_range(), [&](const Index<D>& i) {
      kind(i) = CellKind::interior;
      for (int a = 0; a < D; ++a) {
        A.coupling[a](i) = i[a] > 0 ? T(1) : T(0);
        if (a >= D - fixed && i[a] == cells[a] - 1) A.anchor(i) += T(2);
      }
    });
    for (int a = D - fixed; a < D; ++a) kinds.set_outside(a, 1, CellKind::dirichlet);
    if (fixed == 0) constants.assign(Exec{}, blocks.view(), component.read(), {0}, {{{0}, {1}}});
  }
  CellSpace<D> space() const { return {Exec{2}, blocks.view()}; }
  Vector<D> random_vector() const {
    Vector<D> v(grid);
    visit(grid.cell_range(), [&](const Index<D>& i) {
      Rng rng(3, static_cast<std::uint64_t>(v.cells.read().offset(i)));
      v.cells(i) = 2 * rng.uniform() - 1;
    });
    constants.project(Exec{}, v);
    return v;
  }
};

}  // namespace glug
