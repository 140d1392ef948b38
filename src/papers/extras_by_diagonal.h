// extras_by_diagonal.h: a preconditioner that knows cells alone, and divides each extra unknown by its
// diagonal.
#pragma once

#include "solvers/extra_unknowns.h"

namespace glug {

template <class T, class Cells>
struct ExtrasByDiagonal {
  Cells cells;
  const ExtraUnknowns<T>& extras;
  template <class V>
  void apply(const Exec& exec, const V& r, V& z) const {
    cells.apply(exec, r, z);
    for (std::int32_t k = 0; k < extras.count(); ++k)
      z.extra[k] = extras.diagonal(k) > 0 ? r.extra[k] / extras.diagonal(k) : 0;
  }
};

}  // namespace glug
