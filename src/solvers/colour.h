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

}  // namespace glug
