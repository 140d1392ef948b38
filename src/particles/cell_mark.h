// cell_mark.h: cells that carry a mark, such as those that hold spray.
#pragma once

#include <cstdint>

#include "core/field.h"
#include "core/range.h"

namespace glug {

template <int D>
struct CellMark {
  View<D, const std::uint8_t> flag{};  // data null = no cell is marked
  std::uint8_t value = 0;              // of the marked ones

  GLUG_INLINE bool operator()(const Index<D>& i) const { return flag.data && flag(i) == value; }
  GLUG_INLINE bool any(const Range<D>& cells) const {
    bool found = false;
    if (flag.data) visit(cells, [&](const Index<D>& i) { found = found || flag(i) == value; });
    return found;
  }
};

}  // namespace glug
