#include "papers/geometric_hierarchy.h"

#include <algorithm>
#include <numeric>

#include "core/real.h"
#include "core/reduce.h"
#include "papers/geometric_band.h"
#include "papers/geometric_kernels.h"

namespace glug {
namespace {

// Zeroes the fields on blocks that left the list.
template <int D, class T>
void relist_fields(const Exec& exec, GeometricLevel<D, T>& level) {
  const BlocksView<D> blocks = level.A->blocks();
  BlocksView<D> before = blocks;
  before.ids = level.listed.data();
  before.count = static_cast<std::int32_t>(level.listed.size());
  const View<D, T> x = level.x.view(), b = level.b.view(), r = level.r.view(),
                   inverse = level.inverse_diagonal.view();
  const Range<D> cells = level.grid.cell_range();
  for_each_block(exec, before, [=](std::int32_t slot) {
    if (blocks.slots[before.ids[slot]] >= 0) return;
    visit(intersection(before.indices(slot), cells),
          [&](const Index<D>& i) { x(i) = b(i) = r(i) = inverse(i) = 0; });
  });
  level.listed.assign(blocks.ids, blocks.ids + blocks.count);
}

template <int D, class T>
void find_unknowns(const Exec& exec, GeometricLevel<D, T>& level) {
  const StencilView<D, const T> A = level.A->read();
  const View<D, T> inverse = level.inverse_diagonal.view();
  level.unknowns = reduce_cells(exec, level.A->blocks(), level.grid.cell_range(), std::int64_t{0}, Plus{},
                                [=](const Index<D>& i) {
                                  const double d = A.diagonal(i);
                                  inverse(i) = d > 0 ? static_cast<T>(1 / d) : T(0);
                                  return std::int64_t{d > 0};
                                });
}

template <int D, class T>
double largest_coupling(const Exec& exec, const Stencil<D, T>& stencil) {
  const StencilView<D, const T> A = stencil.read();
  return reduce_cells(exec, stencil.blocks(), stencil.blocks().grid.cell_range(), 0.0, Maximum{},
                      [=](const Index<D>& i) {
                        T most = 0;
                        for (int a = 0; a < D; ++a) most = Maximum{}(most, A.coupling[a](i));
                        return static_cast<double>(most);
                      });
}

// (G4) Unknowns within `width` cells of one whose row is not the unit row: every coupling k, no anchor.
template <int D, class T>
void find_band(const Exec& exec, T k, int width, GeometricLevel<D, T>& level) {
  const StencilView<D, const T> A = level.A->read();
  const View<D, const T> inverse = level.inverse_diagonal.read();
  const View<D, T> near = level.r.view();
  for_each_cell(exec, level.A->blocks(), level.grid.cell_range(), [=](const Index<D>& i) {
    bool unit = A.anchor(i) == 0;
    for (int a = 0; a < D; ++a) unit &= A.coupling[a](i) == k && A.coupling[a](i + Index<D>::unit(a)) == k;
    near(i) = inverse(i) > 0 && !unit ? T(1) : T(0);
  });
  gather_band(exec, width, level, level.band);
}

// The blocks of a coarse level that hold an interior cell, and its unit stencil. (G5)
template <int D, class T>
void build_unit_stencil(const Exec& exec, T k, GeometricLevel<D, T>& level) {
  const CellKindsView<D> kinds = level.kinds.read();
  const BlocksView<D> listed = level.kinds.listed().view();
  const Range<D> cells = level.grid.cell_range();
  std::vector<std::uint8_t> flags(static_cast<std::size_t>(level.blocks.total()), 0);
  std::uint8_t* flag = flags.data();
  for_each_block(exec, listed, [=](std::int32_t slot) {
    bool any = false;
    visit(intersection(listed.indices(slot), cells),
          [&](const Index<D>& i) { any |= kinds.of_cell(i) == CellKind::interior; });
    flag[listed.ids[slot]] = any;
  });
  level.blocks.assign(flags);
  level.own.relist(exec, level.blocks.view());
  const StencilView<D, T> A = level.own.view();
  for_each_cell(exec, level.blocks.view(), cells, [=](const Index<D>& i) {
    const bool interior = kinds.at(i) == CellKind::interior;
    T anchor = 0;
    for (int a = 0; a < D; ++a) {
      for (int side = -1; side <= 1; side += 2) {
        const Index<D> n = i + Index<D>::unit(a) * side;
        // Beyond the grid the zero is on its side, half a cell away, on every level.
        if (kinds.at(n) == CellKind::dirichlet) anchor += cells.contains(n) ? k : 2 * k;
      }
      A.coupling[a](i) = interior && kinds.at(i - Index<D>::unit(a)) == CellKind::interior ? k : T(0);
    }
    A.anchor(i) = interior ? anchor : T(0);
  });
}

}  // namespace

template <int D, class T>
GeometricHierarchy<D, T>::GeometricHierarchy(const Grid<D>& grid) {
  for (Grid<D> g = grid;; g = half_grid(g)) {
    auto level = std::make_unique<Level>();
    level->grid = g;
    const Range<D> cells = g.cell_range().grown(2);
    for (Field<D, T>* f : {&level->inverse_diagonal, &level->x, &level->b, &level->r})
      *f = Field<D, T>(cells);
    if (!levels_.empty()) {
      level->kinds = CellKinds<D>(g);
      level->blocks = Blocks<D>(g);
      level->own = Stencil<D, T>(g);
    }
    levels_.push_back(std::move(level));
    if (g.cell_range().size() <= direct_unknowns) break;
  }
}

template <int D, class T>
void GeometricHierarchy<D, T>::prepare(const Exec& exec, const Stencil<D, T>& stencil,
                                       const CellKinds<D>& kinds) {
  const double largest = largest_coupling(exec, stencil);
  const T k = largest > 0 ? static_cast<T>(largest) : T(1);  // without couplings there is nothing to correct
  used_ = 0;
  for (;;) {
    Level& level = *levels_[static_cast<std::size_t>(used_++)];
    if (used_ == 1) {
      level.A = &stencil;
    } else {
      const CellKinds<D>& fine = used_ == 2 ? kinds : this->level(used_ - 2).kinds;
      fine.coarsen(exec, level.kinds);
      build_unit_stencil(exec, k, level);
      level.A = &level.own;
    }
    relist_fields(exec, level);
    find_unknowns(exec, level);
    if (level.unknowns <= direct_unknowns) break;
    find_band(exec, k, band_width, level);
  }
  clear(exec, this->level(used_ - 1));  // the direct solve writes at unknowns alone
  prepare_direct();
}

template <int D, class T>
void GeometricHierarchy<D, T>::prepare_direct() {
  const Level& level = this->level(used_ - 1);
  const StencilView<D, const T> A = level.A->read();
  direct_cells_.clear();
  // Serial: a few hundred unknowns.
  Field<D, std::int32_t> number(level.grid.cell_range());
  const BlocksView<D> blocks = level.A->blocks();
  for (std::int32_t slot = 0; slot < blocks.count; ++slot)
    visit(intersection(blocks.indices(slot), level.grid.cell_range()), [&](const Index<D>& i) {
      if (!(level.inverse_diagonal(i) > 0)) return;
      number(i) = static_cast<std::int32_t>(direct_cells_.size());
      direct_cells_.push_back(i);
    });
  const std::int32_t n = static_cast<std::int32_t>(direct_cells_.size());
  // f(j, k) for the couplings of unknown i to unknowns j before it.
  const auto visit_couplings = [&](std::int32_t i, auto&& f) {
    const Index<D> cell = direct_cells_[static_cast<std::size_t>(i)];
    for (int a = 0; a < D; ++a)
      if (const double k = A.coupling[a](cell); k > 0) f(number(cell - Index<D>::unit(a)), k);
  };
  std::vector<std::int32_t> first(static_cast<std::size_t>(n));
  std::vector<std::int32_t> root(static_cast<std::size_t>(n));  // of components, by union-find
  std::iota(root.begin(), root.end(), 0);
  const auto find = [&](std::int32_t i) {
    while (root[static_cast<std::size_t>(i)] != i) i = root[static_cast<std::size_t>(i)];
    return i;
  };
  for (std::int32_t i = 0; i < n; ++i) {
    first[static_cast<std::size_t>(i)] = i;
    visit_couplings(i, [&](std::int32_t j, double) {
      first[static_cast<std::size_t>(i)] = std::min(first[static_cast<std::size_t>(i)], j);
      const std::int32_t x = find(i), y = find(j);
      root[static_cast<std::size_t>(std::max(x, y))] = std::min(x, y);
    });
  }
  direct_.resize(first);
  std::vector<std::uint8_t> tied(static_cast<std::size_t>(n), 0);
  for (std::int32_t i = 0; i < n; ++i) {
    const Index<D> cell = direct_cells_[static_cast<std::size_t>(i)];
    direct_.at(i, i) += A.diagonal(cell);
    visit_couplings(i, [&](std::int32_t j, double k) { direct_.at(i, j) -= k; });
    if (A.anchor(cell) > 0) tied[static_cast<std::size_t>(find(i))] = 1;
  }
  direct_.factorise();
  direct_x_.assign(static_cast<std::size_t>(n), 0);
  free_component_.assign(static_cast<std::size_t>(n), -1);
  free_size_.clear();
  for (std::int32_t i = 0; i < n; ++i) {  // a root comes before the rest of its component
    const std::size_t at = static_cast<std::size_t>(i), top = static_cast<std::size_t>(find(i));
    if (tied[top]) continue;
    if (top == at) {
      free_component_[at] = static_cast<std::int32_t>(free_size_.size());
      free_size_.push_back(0);
    }
    free_component_[at] = free_component_[top];
    ++free_size_[static_cast<std::size_t>(free_component_[at])];
  }
}

template <int D, class T>
void GeometricHierarchy<D, T>::solve_coarsest() const {
  Level& level = this->level(used_ - 1);
  const auto remove_means = [&] {
    if (free_size_.empty()) return;
    free_mean_.assign(free_size_.size(), 0);
    for (std::size_t i = 0; i < direct_x_.size(); ++i)
      if (free_component_[i] >= 0) free_mean_[static_cast<std::size_t>(free_component_[i])] += direct_x_[i];
    for (std::size_t c = 0; c < free_size_.size(); ++c) free_mean_[c] /= free_size_[c];
    for (std::size_t i = 0; i < direct_x_.size(); ++i)
      if (free_component_[i] >= 0) direct_x_[i] -= free_mean_[static_cast<std::size_t>(free_component_[i])];
  };
  for (std::size_t i = 0; i < direct_cells_.size(); ++i) direct_x_[i] = level.b(direct_cells_[i]);
  remove_means();  // a restricted residual need not be one that the free components can have
  direct_.solve(direct_x_.data());
  remove_means();  // on both sides: symmetric
  for (std::size_t i = 0; i < direct_cells_.size(); ++i)
    level.x(direct_cells_[i]) = static_cast<T>(direct_x_[i]);
}

template class GeometricHierarchy<2, Real>;
template class GeometricHierarchy<3, Real>;

}  // namespace glug
