#include "solvers/diagonal.h"

#include "solvers/runs.h"

namespace glug {

template <int D, class T>
void DiagonalPreconditioner<D, T>::apply(const Exec& exec, const Vector<D>& r, Vector<D>& z) const {
  const StencilView<D, const T> A = stencil_->read();
  const View<D, const double> in = r.cells.read();
  const View<D, double> out = z.cells.view();
  const View<D, const double> added = added_ ? added_->read() : View<D, const double>{};
  for_each_stretch(exec, stencil_->blocks(), stencil_->blocks().grid.cell_range(), stencil_->row_kinds(),
                   [=] GLUG_FN(const Index<D>& first, int n) {
                     Index<D> i = first;
                     for (int k = 0; k < n; ++k, ++i[0]) {
                       const double d = A.diagonal(i) + (added.data ? added(i) : 0.0);
                       out(i) = d > 0 ? in(i) / d : 0;
                     }
                   });
}

template class DiagonalPreconditioner<2, float>;
template class DiagonalPreconditioner<2, double>;
template class DiagonalPreconditioner<3, float>;
template class DiagonalPreconditioner<3, double>;

}  // namespace glug
