#include "solvers/vector_ops.h"

namespace glug {

template struct VectorOps<CellSpace<2>, Vector<2>>;
template struct VectorOps<CellSpace<3>, Vector<3>>;

}  // namespace glug
