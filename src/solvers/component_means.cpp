#include "solvers/component_means.h"

#include <algorithm>

#include "core/equal_tasks.h"
#include "core/group_by.h"
#include "core/pack.h"
#include "core/runs.h"

namespace glug {
namespace {

GLUG_INLINE double sum_of(const double* numbers, int n) {
  PackSum<double> sum;
  for_packs<double>(n, [&](auto kind, int k) { sum.add(load<decltype(kind)>(numbers + k)); });
  return sum.total();
}

}  // namespace

template <int D>
void ComponentMeans<D>::assign(const Exec& exec, const BlocksView<D>& blocks,
                               View<D, const std::int32_t> of_cell, const std::vector<std::int32_t>& set_of) {
  std::int32_t sets = 0;
  for (std::int32_t set : set_of) sets = std::max(sets, set + 1);
  std::vector<std::vector<Stretch>> of_chunk(static_cast<std::size_t>(sets > 0 ? chunks_of(blocks) : 0));
  const Range<D> layout = solver_cells<D>(blocks.grid);
  for_each_equal_task(exec, static_cast<std::ptrdiff_t>(of_chunk.size()), [&](std::ptrdiff_t chunk) {
    visit_rows_of_chunk(blocks, blocks.grid.cell_range(), static_cast<std::int32_t>(chunk),
                        [&](std::int32_t, const Index<D>& first, int n) {
                          const std::int32_t* component = &of_cell(first);
                          const auto set_at = [&](std::ptrdiff_t k) {
                            return component[k] < 0 ? -1 : set_of[component[k]];
                          };
                          cut(layout.number_of(first), n, set_at, of_chunk[chunk]);
                        });
  });
  take(of_chunk, static_cast<std::size_t>(sets));
}

template <int D>
void ComponentMeans<D>::take(const std::vector<std::vector<Stretch>>& of_piece, std::size_t sets) {
  stretches_.host = joined(of_piece);
  count_.assign(sets, 0);
  for (const Stretch& s : stretches_.host) count_[s.set] += static_cast<double>(s.end - s.begin);
  sums_.host.assign(stretches_.size(), 0);
  means_.host.assign(sets, 0);
}

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

template class ComponentMeans<2>;
template class ComponentMeans<3>;

}  // namespace glug
