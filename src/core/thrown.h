// thrown.h: what a task of a parallel loop throws (memory may run out in one) must not leave the loop by
// itself: that ends the program. It is kept here and thrown when all tasks are done; of several, one.
#pragma once

#include <atomic>
#include <exception>

namespace glug {

class Thrown {
 public:
  // Runs a task; of any number of threads.
  template <class F>
  void guard(F&& task) noexcept {
    try {
      task();
    } catch (...) {
      if (!taken_.test_and_set()) kept_ = std::current_exception();
    }
  }
  void throw_if_any() const {
    if (kept_) std::rethrow_exception(kept_);
  }

 private:
  std::atomic_flag taken_{};
  std::exception_ptr kept_;
};

}  // namespace glug
