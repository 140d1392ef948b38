// rows.h: a range row by row, along the first axis, in which memory is contiguous.
#pragma once

#include "core/range.h"

namespace glug {

// f(first, n) for each row.
template <int D, class F>
GLUG_INLINE void visit_rows(const Range<D>& range, F&& f) {
  const int n = range.extent(0);
  if (n == 0) return;
  Range<D> starts = range;
  starts.hi[0] = starts.lo[0] + 1;
  visit(starts, [&](const Index<D>& first) { f(first, n); });
}

}  // namespace glug
