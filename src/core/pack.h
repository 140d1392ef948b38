// pack.h: a few numbers of a row that are computed on together, and a loop over a row by packs. Written out
// because the compiler does not vectorise sums, nor loops that may do their last numbers twice. nvcc compiles
// the same kernels for rows of one cell: there a pack is one number.
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
