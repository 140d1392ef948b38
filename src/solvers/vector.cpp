#include "solvers/vector_ops.h"

namespace glug {

template <int D>
void Vector<D>::restrict_to(const Exec& exec, const BlocksView<D>& blocks, std::size_t extras) {
  const View<D, double> v = cells.view();
  listed.change(exec, blocks, blocks.grid.cell_range(), [=] GLUG_FN(const Index<D>& i) { v(i) = 0; });
  if (extra.size() != extras) extra = Buffer<double>(extras, cells.values().memory());
}

template struct Vector<2>;
template struct Vector<3>;
template struct VectorOps<CellSpace<2>, Vector<2>>;
template struct VectorOps<CellSpace<3>, Vector<3>>;

}  // namespace glug
