// component_means_project.cpp: what a device does too; lists are made by the CPU (component_means.cpp).
#include <algorithm>

#include "core/pack.h"
#include "solvers/component_means.h"

namespace glug {
namespace {

GLUG_INLINE double sum_of(const double* numbers, int n) {
  PackSum<double> sum;
  for_packs<double>(n, [&](auto kind, int k) { sum.add(load<decltype(kind)>(numbers + k)); });
  return sum.total();
}

}  // namespace

template <int D>
void ComponentMeans<D>::project(const Exec& exec, double* numbers) const {
  if (empty()) return;
  const Stretch* stretch = stretches_.data();
  double* sum = sums_.data();
  const std::ptrdiff_t n = static_cast<std::ptrdiff_t>(stretches_.size());
  for_each(exec, n, [=] GLUG_FN(std::ptrdiff_t k) {
    sum[k] = sum_of(numbers + stretch[k].begin, static_cast<int>(stretch[k].end - stretch[k].begin));
  });
  sums_.fetch();
  std::vector<double>& means = means_.host;
  std::fill(means.begin(), means.end(), 0.0);
  for (std::size_t k = 0; k < stretches_.size(); ++k) means[stretches_.host[k].set] += sums_.host[k];
  for (std::size_t set = 0; set < means.size(); ++set)
    if (count_[set] > 0) means[set] /= count_[set];
  means_.publish(exec);
  const double* mean = means_.data();
  for_each(exec, n, [=] GLUG_FN(std::ptrdiff_t k) {
    for (std::ptrdiff_t i = stretch[k].begin; i < stretch[k].end; ++i) numbers[i] -= mean[stretch[k].set];
  });
}

template void ComponentMeans<2>::project(const Exec&, double*) const;
template void ComponentMeans<3>::project(const Exec&, double*) const;

}  // namespace glug
