#include "solvers/stencil.h"

#include "solvers/runs.h"

namespace glug {
namespace {

template <int D, class T>
GLUG_INLINE void apply_row(const StencilView<D, const T>& A, const View<D, const double>& x,
                           const View<D, double>& y, const Index<D>& first, int n) {
  const T* anchor = &A.anchor(first);
  const double* xs = &x(first);
  double* __restrict ys = &y(first);
  const T* low[D];
  const T* high[D];
  for (int a = 0; a < D; ++a) {
    low[a] = &A.coupling[a](first);
    high[a] = low[a] + A.coupling[a].stride[a];
  }
  for (int k = 0; k < n; ++k) {
    const double center = xs[k];
    double sum = anchor[k] * center;
    for (int a = 0; a < D; ++a)
      sum += low[a][k] * (center - xs[k - x.stride[a]]) + high[a][k] * (center - xs[k + x.stride[a]]);
    ys[k] = sum;
  }
}

}  // namespace

template <int D, class T>
Stencil<D, T>::Stencil(const Grid<D>& grid) : anchor_(grid.cell_range().grown(1)), coupling_(grid, 1) {}

template <int D, class T>
void Stencil<D, T>::relist(const Exec& exec, const BlocksView<D>& blocks) {
  BlocksView<D> before = blocks;
  before.ids = listed_.data();
  before.count = static_cast<std::int32_t>(listed_.size());
  const StencilView<D, T> A = view();
  const Range<D> clip = blocks.grid.cell_range();
  for_each_block(exec, before, [=](std::int32_t slot) {
    if (blocks.slots[before.ids[slot]] >= 0) return;
    visit(intersection(before.indices(slot), clip), [&](const Index<D>& i) {
      A.anchor(i) = 0;
      for (int a = 0; a < D; ++a) A.coupling[a](i) = 0;
    });
  });
  listed_.assign(blocks.ids, blocks.ids + blocks.count);
  blocks_ = blocks;
}

template <int D, class T>
void Stencil<D, T>::apply(const Exec& exec, const Vector<D>& x, Vector<D>& y) const {
  const StencilView<D, const T> A = read();
  const View<D, const double> u = x.cells.read();
  const View<D, double> v = y.cells.view();
  for_each_long_row(exec, blocks_, blocks_.grid.cell_range(),
                    [=](const Index<D>& first, int n) { apply_row(A, u, v, first, n); });
}

template class Stencil<2, float>;
template class Stencil<2, double>;
template class Stencil<3, float>;
template class Stencil<3, double>;

}  // namespace glug
