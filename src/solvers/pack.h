// pack.h: a few numbers of a row that are computed on together, and a loop over a row by packs. Written out
// because the compiler does not vectorise a loop that keeps only every second result. nvcc compiles the same
// kernels for rows of one cell: there a pack is one number.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "core/platform.h"

namespace glug {

#ifdef __CUDACC__
template <class T>
using Pack = T;
template <class T>
inline constexpr int pack_lanes = 1;
#else
#ifdef __AVX__
inline constexpr int pack_bytes = 32;
#else
inline constexpr int pack_bytes = 16;
#endif

template <class T>
struct PackTypes {
  using Bits = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
  typedef T Pack __attribute__((vector_size(pack_bytes)));
  typedef Bits Mask __attribute__((vector_size(pack_bytes)));
};
template <class T>
using Pack = typename PackTypes<T>::Pack;
template <class T>
inline constexpr int pack_lanes = pack_bytes / static_cast<int>(sizeof(T));  // even
#endif

// P is Pack<T>, or T itself for what is left of a row.
template <class P, class T>
GLUG_INLINE P load(const T* p) {
  P v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
template <class P, class T>
GLUG_INLINE void store(T* p, const P& v) {
  std::memcpy(p, &v, sizeof v);
}

#ifndef __CUDACC__
// The numbers one place before, or after, those of `middle`, which follows `low`, or precedes `high`.
template <class T>
GLUG_INLINE Pack<T> shifted_up(const Pack<T>& low, const Pack<T>& middle) {
  typename PackTypes<T>::Mask from;
  for (int lane = 0; lane < pack_lanes<T>; ++lane) from[lane] = pack_lanes<T> - 1 + lane;
  return __builtin_shuffle(low, middle, from);
}
template <class T>
GLUG_INLINE Pack<T> shifted_down(const Pack<T>& middle, const Pack<T>& high) {
  typename PackTypes<T>::Mask from;
  for (int lane = 0; lane < pack_lanes<T>; ++lane) from[lane] = 1 + lane;
  return __builtin_shuffle(middle, high, from);
}
#endif

// Picks every second number of a row: those with k % 2 == first.
template <class T>
struct EverySecond {
  int first;
#ifndef __CUDACC__
  typename PackTypes<T>::Mask mask;
  GLUG_INLINE explicit EverySecond(int first_) : first(first_) {
    for (int lane = 0; lane < pack_lanes<T>; ++lane) mask[lane] = (lane & 1) == first_ ? -1 : 0;
  }
  // k: where the pack starts; packs start at even numbers.
  GLUG_INLINE Pack<T> pick(int, const Pack<T>& yes, const Pack<T>& no) const { return mask ? yes : no; }
#else
  GLUG_INLINE explicit EverySecond(int first_) : first(first_) {}
#endif
  GLUG_INLINE bool has(int k) const { return (k & 1) == first; }
  GLUG_INLINE T pick(int k, const T& yes, const T& no) const { return has(k) ? yes : no; }
};

template <class P, class T>
GLUG_INLINE P where_positive(const P& test, const P& yes) {
  if constexpr (std::is_same_v<P, T>)
    return test > 0 ? yes : T(0);
  else
    return test > P{} ? yes : P{};
}

// f(P{}, k) over a row of n: packs first, the rest one by one.
template <class T, class F>
GLUG_INLINE void for_packs(int n, F&& f) {
  int k = 0;
  if constexpr (pack_lanes < T >> 1)
    for (; k + pack_lanes<T> <= n; k += pack_lanes<T>) f(Pack<T>{}, k);
  for (; k < n; ++k) f(T{}, k);
}

// A sum that takes packs and single numbers, in a fixed order.
template <class T>
class PackSum {
 public:
  template <class P>
  GLUG_INLINE void add(const P& value) {
    if constexpr (std::is_same_v<P, T>)
      single_ += value;
    else
      packs_ += value;
  }
  GLUG_INLINE T total() const {
    T sum = single_;
    if constexpr (pack_lanes < T >> 1)
      for (int lane = 0; lane < pack_lanes<T>; ++lane) sum += packs_[lane];
    return sum;
  }

 private:
  Pack<T> packs_{};
  T single_ = 0;
};

}  // namespace glug
