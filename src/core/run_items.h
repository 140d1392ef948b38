// run_items.h: the one copy of a kernel, for one thread and for many. Of two copies the compiler may fuse
// other multiplications with additions, and results would differ in their last bits with the number of
// threads.
#pragma once

#include <cstddef>
#include <type_traits>

namespace glug {

// kernel(i) for i in [begin, end), one after the other.
template <class F>
[[gnu::noinline, gnu::noclone]] void run_items(F& kernel, std::ptrdiff_t begin, std::ptrdiff_t end) {
  if constexpr (std::is_trivially_copyable_v<F>) {
    F own = kernel;  // what it captured may stay in registers
    for (std::ptrdiff_t i = begin; i < end; ++i) own(i);
  } else {
    for (std::ptrdiff_t i = begin; i < end; ++i) kernel(i);
  }
}

}  // namespace glug
