// equal_tasks.h: loops of the CPU over tasks of about equal weight, or that are shared out by it. A thread
// has the same tasks in every loop over as many, so that what they work on stays in its caches from one loop
// to the next.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "core/team.h"

namespace glug {

// f(task), in any order. What one throws is thrown at the end.
template <class F>
void for_each_equal_task(const Exec& exec, std::ptrdiff_t n, F f) {
  run_pieces(exec, {n, 1, Deal::same}, f);
}
// The sum of f(task), in the order of the tasks: the same bits for any number of threads.
template <class F>
double sum_equal_tasks(const Exec& exec, std::ptrdiff_t n, F f) {
  std::vector<double> sums(static_cast<std::size_t>(n));
  double* out = sums.data();
  for_each_equal_task(exec, n, [=](std::ptrdiff_t task) { out[task] = f(task); });
  return std::accumulate(sums.begin(), sums.end(), 0.0);
}

// Tasks of unequal weight, shared out so that every thread has about as much to do. A thread has the same
// ones in every loop. Sums are in the order of the tasks.
class SharedTasks {
 public:
  // before(n): the weight of all tasks before the n-th one, n = count included.
  template <class Weight>
  void share(int threads, std::int32_t count, Weight before) {
    const std::int64_t none = before(0), all = before(count) - none;
    first_.assign(1, 0);
    for (std::int32_t n = 1; n < count; ++n)
      if ((before(n) - none) * threads >= all * static_cast<std::int64_t>(first_.size())) first_.push_back(n);
    first_.push_back(count);
  }
  std::ptrdiff_t shares() const { return static_cast<std::ptrdiff_t>(first_.size()) - 1; }
  template <class F>
  void visit(const Exec& exec, F f) const {
    const std::int32_t* first = first_.data();
    for_each_equal_task(exec, shares(), [=](std::ptrdiff_t share) {
      for (std::int32_t n = first[share]; n < first[share + 1]; ++n) f(n);
    });
  }
  template <class F>
  double sum(const Exec& exec, F f) const {
    std::vector<double> sums(static_cast<std::size_t>(first_.back()));
    visit(exec, [=, out = sums.data()](std::int32_t n) { out[n] = f(n); });
    return std::accumulate(sums.begin(), sums.end(), 0.0);
  }

 private:
  std::vector<std::int32_t> first_;  // task of each share, and one behind the last
};

}  // namespace glug
