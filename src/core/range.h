// range.h: a half-open box of indices [lo, hi).
#pragma once

#include <cstdint>

#include "core/vec.h"

namespace glug {

template <int D>
struct Range {
  Index<D> lo{};
  Index<D> hi{};

  GLUG_INLINE constexpr int extent(int axis) const { return hi[axis] > lo[axis] ? hi[axis] - lo[axis] : 0; }
  GLUG_INLINE constexpr std::ptrdiff_t size() const {
    std::ptrdiff_t n = 1;
    for (int a = 0; a < D; ++a) n *= extent(a);
    return n;
  }
  GLUG_INLINE constexpr bool contains(const Index<D>& i) const {
    for (int a = 0; a < D; ++a)
      if (i[a] < lo[a] || i[a] >= hi[a]) return false;
    return true;
  }
  GLUG_INLINE constexpr Range grown(int layers) const {
    return {lo - Index<D>::filled(layers), hi + Index<D>::filled(layers)};
  }
  GLUG_INLINE constexpr Index<D> clamped(Index<D> i) const {
    for (int a = 0; a < D; ++a) i[a] = clamp(i[a], lo[a], hi[a] - 1);
    return i;
  }
  GLUG_INLINE constexpr std::int64_t number_of(const Index<D>& i) const {
    std::int64_t n = 0;
    for (int a = D - 1; a >= 0; --a) n = n * extent(a) + (i[a] - lo[a]);
    return n;
  }
  // The n-th index of the range, axis 0 running fastest.
  GLUG_INLINE constexpr Index<D> at(std::ptrdiff_t n) const {
    Index<D> i{};
    for (int a = 0; a < D; ++a) {
      i[a] = lo[a] + static_cast<int>(n % extent(a));
      n /= extent(a);
    }
    return i;
  }
};

template <int D>
GLUG_INLINE constexpr Range<D> intersection(const Range<D>& x, const Range<D>& y) {
  Range<D> r{max(x.lo, y.lo), min(x.hi, y.hi)};
  for (int a = 0; a < D; ++a)
    if (r.hi[a] < r.lo[a]) r.hi[a] = r.lo[a];
  return r;
}

// Serial visit of a small range inside a kernel, axis 0 fastest.
template <class F>
GLUG_INLINE void visit(const Range<2>& r, F&& f) {
  for (int j = r.lo[1]; j < r.hi[1]; ++j)
    for (int i = r.lo[0]; i < r.hi[0]; ++i) f(Index<2>{i, j});
}
template <class F>
GLUG_INLINE void visit(const Range<3>& r, F&& f) {
  for (int k = r.lo[2]; k < r.hi[2]; ++k)
    for (int j = r.lo[1]; j < r.hi[1]; ++j)
      for (int i = r.lo[0]; i < r.hi[0]; ++i) f(Index<3>{i, j, k});
}

}  // namespace glug
