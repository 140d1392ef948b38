#include "solvers/packed_vector.h"

namespace glug {

template struct VectorOps<PackedSpace, PackedVector>;

}  // namespace glug
