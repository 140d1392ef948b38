// numbered_system.h: a stencil as the rows of a sparse matrix, for libraries that know nothing of grids.
#pragma once

#include <cstdint>
#include <vector>

#include "solvers/stencil.h"

namespace glug {

// Unknowns are the cells with a diagonal, numbered along axis 0 first. Rows hold columns in ascending order.
struct NumberedSystem {
  std::vector<std::int32_t> row_start{0};
  std::vector<std::int32_t> column;
  std::vector<double> value;
  std::vector<std::ptrdiff_t> cell;  // offset of each unknown in a Vector's cells
  std::vector<double> rhs;

  std::int32_t unknowns() const { return static_cast<std::int32_t>(cell.size()); }
};

template <int D, class T>
NumberedSystem number_system(const Stencil<D, T>& stencil, const Vector<D>& rhs);

}  // namespace glug
