// random_stencil.h: a random symmetric stencil with holes, for tests of the solvers.
#pragma once

#include <random>

#include "solvers/stencil.h"
#include "solvers/vector_ops.h"

namespace glug {

// z = r / diagonal.
template <int D, class T>
struct StencilDiagonal {
  const Stencil<D, T>* stencil = nullptr;
  void apply(const Exec&, const Vector<D>& r, Vector<D>& z) const {
    const StencilView<D, const T> A = stencil->read();
    visit(stencil->blocks().grid.cell_range(), [&](const Index<D>& i) {
      const double diagonal = A.diagonal(i);
      z.cells(i) = diagonal > 0 ? r.cells(i) / diagonal : 0;
    });
  }
};

enum class Anchors { some, none };

template <int D, class T>
struct RandomStencil {
  Grid<D> grid;
  Blocks<D> blocks;
  Stencil<D, T> stencil;
  Field<D, std::uint8_t> unknown;
  std::mt19937 random;

  RandomStencil(const Index<D>& cells, Anchors anchors, unsigned seed = 1, double holes = 0.1)
      : grid{cells, 1.0},
        blocks(Blocks<D>::all(grid)),
        stencil(grid),
        unknown(grid.cell_range().grown(1)),
        random(seed) {
    std::uniform_real_distribution<double> u(0, 1);
    stencil.relist(Exec{}, blocks.view());
    const StencilView<D, T> A = stencil.view();
    visit(grid.cell_range(), [&](const Index<D>& i) { unknown(i) = u(random) >= holes; });
    visit(grid.cell_range(), [&](const Index<D>& i) {
      if (anchors == Anchors::some && unknown(i) && u(random) < 0.05) A.anchor(i) = static_cast<T>(u(random));
      for (int a = 0; a < D; ++a)
        if (unknown(i) && unknown(i - Index<D>::unit(a))) A.coupling[a](i) = static_cast<T>(0.2 + u(random));
    });
  }
  Vector<D> random_vector() {
    std::normal_distribution<double> normal;
    Vector<D> v(grid);
    visit(grid.cell_range(), [&](const Index<D>& i) { v.cells(i) = unknown(i) ? normal(random) : 0; });
    return v;
  }
  CellSpace<D> space(int threads = 1) const { return {Exec{threads}, blocks.view()}; }
};

}  // namespace glug
