#include "solvers/diagonal.h"

#include "core/for_each.h"

namespace glug {

template <int D, class T>
void DiagonalPreconditioner<D, T>::apply(const Exec& exec, const Vector<D>& r, Vector<D>& z) const {
  const StencilView<D, const T> A = stencil_->read();
  const View<D, const double> in = r.cells.read();
  const View<D, double> out = z.cells.view();
  for_each_cell(exec, stencil_->blocks(), stencil_->blocks().grid.cell_range(),
                [=] GLUG_FN(const Index<D>& i) {
                  const double d = A.diagonal(i);
                  out(i) = d > 0 ? in(i) / d : 0;
                });
}

template class DiagonalPreconditioner<2, float>;
template class DiagonalPreconditioner<2, double>;
template class DiagonalPreconditioner<3, float>;
template class DiagonalPreconditioner<3, double>;

}  // namespace glug
