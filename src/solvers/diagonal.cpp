#include "solvers/diagonal.h"

#include "core/real.h"
#include "solvers/row_kinds.h"

namespace glug {
namespace {

// f(i) over the unknown cells.
template <int D, class T, class F>
void cells(const Exec& exec, const Stencil<D, T>& stencil, F f) {
  for_each_stretch(exec, stencil.blocks(), stencil.blocks().grid.cell_range(), stencil.row_kinds(),
                   [=] GLUG_FN(const Index<D>& first, int n) {
                     Index<D> i = first;
                     for (int k = 0; k < n; ++k, ++i[0]) f(i);
                   });
}

}  // namespace

template <int D, class T>
void DiagonalPreconditioner<D, T>::prepare(const Exec& exec, const Stencil<D, T>& stencil,
                                           const Movers<D>* movers) {
  stencil_ = &stencil;
  const BlocksView<D> blocks = stencil.blocks();
  const Range<D> range = solver_cells<D>(blocks.grid);
  if (inverse_.range().size() != range.size()) inverse_ = Field<D, double>(range, memory_of(exec));
  const StencilView<D, const T> A = stencil.read();
  const View<D, double> inverse = inverse_.view();
  cells(exec, stencil, [=] GLUG_FN(const Index<D>& i) { inverse(i) = A.diagonal(i); });
  if (movers) movers->add_diagonal(exec, inverse.data);
  cells(exec, stencil, [=] GLUG_FN(const Index<D>& i) { inverse(i) = inverse(i) > 0 ? 1 / inverse(i) : 0; });
}

template <int D, class T>
void DiagonalPreconditioner<D, T>::apply(const Exec& exec, const Vector<D>& r, Vector<D>& z) const {
  const View<D, const double> in = r.cells.read(), inverse = inverse_.read();
  const View<D, double> out = z.cells.view();
  for_each_stretch(exec, stencil_->blocks(), stencil_->blocks().grid.cell_range(), stencil_->row_kinds(),
                   [=] GLUG_FN(const Index<D>& first, int n) {
                     const std::ptrdiff_t at = in.offset(first);
                     const double* factor = inverse.data + at;
                     const double* from = in.data + at;
                     double* __restrict to = out.data + at;
                     for (int k = 0; k < n; ++k) to[k] = factor[k] * from[k];
                   });
}

template class DiagonalPreconditioner<2, Real>;
template class DiagonalPreconditioner<3, Real>;

}  // namespace glug
