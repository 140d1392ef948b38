// What of packed means has no template: the system's own file is compiled for two precisions.
#include <algorithm>

#include "solvers/pack.h"
#include "solvers/packed_system.h"

namespace glug {

void PackedMeans::project(const Exec& exec, PackedVector& v) const {
  if (stretches_.empty()) return;
  double* cells = v.cells.data();
  const std::ptrdiff_t n = static_cast<std::ptrdiff_t>(stretches_.size());
  for_each(exec, n, [=, this](std::ptrdiff_t k) {
    const Stretch s = stretches_[static_cast<std::size_t>(k)];
    PackSum<double> sum;
    for_packs<double>(s.end - s.begin,
                      [&](auto kind, int j) { sum.add(load<decltype(kind)>(cells + s.begin + j)); });
    sums_[static_cast<std::size_t>(k)] = sum.total();
  });
  std::fill(means_.begin(), means_.end(), 0.0);
  for (std::size_t k = 0; k < stretches_.size(); ++k)
    means_[static_cast<std::size_t>(stretches_[k].set)] += sums_[k];
  for (std::size_t set = 0; set < means_.size(); ++set)
    if (count_[set] > 0) means_[set] /= count_[set];
  for_each(exec, n, [=, this](std::ptrdiff_t k) {
    const Stretch s = stretches_[static_cast<std::size_t>(k)];
    const double mean = means_[static_cast<std::size_t>(s.set)];
    for (std::int32_t i = s.begin; i < s.end; ++i) cells[i] -= mean;
  });
}

}  // namespace glug
