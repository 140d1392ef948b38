// colour.h: the two colours of Gauss-Seidel: a cell has neighbours of the other one alone.
#pragma once

#include "core/range.h"

namespace glug {

enum class Colour { red = 0, black = 1 };

// Red: the indices add up to an even number.
template <int D>
GLUG_INLINE Colour colour_of(const Index<D>& i) {
  int sum = 0;
  for (int a = 0; a < D; ++a) sum += i[a];
  return (sum & 1) == 0 ? Colour::red : Colour::black;
}

// The half sweep that ends a cycle, where one is left to do.
enum class LastSweep { none, of_red };

// Where cells' numbers are on a device: on their grid's layout (layout.h), but of each row red cells come
// first, then black ones. So what is done to one colour reads and writes whole lines of memory. Places fit
// into 32 bits, as they do side by side: fewer instructions.
template <int D>
struct ColourRows {
  Range<D> layout{};
  int half = 0;  // places of one colour in a row

  ColourRows() = default;
  explicit ColourRows(const Range<D>& cells) : layout(cells), half(cells.extent(0) / 2) {}
  GLUG_INLINE int stride(int axis) const {
    int n = 2 * half;
    for (int a = 1; a < axis; ++a) n *= layout.hi[a] - layout.lo[a];
    return n;
  }
  GLUG_INLINE int place(const Index<D>& i) const {
    int n = (i[0] - layout.lo[0]) / 2 + static_cast<int>(colour_of<D>(i)) * half;
    for (int a = 1; a < D; ++a) n += (i[a] - layout.lo[a]) * stride(a);
    return n;
  }
};

}  // namespace glug
