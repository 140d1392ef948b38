// equal_tasks.h: a loop of the CPU over tasks of about equal weight. A thread has the same tasks in every
// loop over as many, so that what they work on stays in its caches from one loop to the next.
#pragma once

#include <cstddef>
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
  double total = 0;
  for (double sum : sums) total += sum;
  return total;
}

}  // namespace glug
