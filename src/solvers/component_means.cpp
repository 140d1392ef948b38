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
                               View<D, const std::int32_t> of_cell, const std::vector<std::int32_t>& set_of,
                               std::vector<UnseenLevel> levels) {
  std::vector<std::vector<Stretch>> of_chunk(
      static_cast<std::size_t>(levels.empty() ? 0 : chunks_of(blocks)));
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
  take(of_chunk, std::move(levels));
}

template <int D>
void ComponentMeans<D>::take(const std::vector<std::vector<Stretch>>& of_piece,
                             std::vector<UnseenLevel> levels) {
  stretches_.host = joined(of_piece);
  levels_ = std::move(levels);
  std::int32_t sets = 0;
  for (const UnseenLevel& l : levels_)
    for (std::int32_t set : l.sets) sets = std::max(sets, set + 1);
  std::vector<double> cells(static_cast<std::size_t>(sets), 0);
  for (const Stretch& s : stretches_.host) cells[s.set] += static_cast<double>(s.end - s.begin);
  norms_.assign(levels_.size(), 0);
  for (std::size_t n = 0; n < levels_.size(); ++n)
    for (std::size_t k = 0; k < levels_[n].sets.size(); ++k)
      norms_[n] += levels_[n].constants[k] * levels_[n].constants[k] * cells[levels_[n].sets[k]];
  sums_.host.assign(stretches_.size(), 0);
  constants_.host.assign(cells.size(), 0);
}

template <int D>
std::vector<double> ComponentMeans<D>::sums(const Exec& exec, const double* numbers) const {
  const Stretch* stretch = stretches_.data();
  double* sum = sums_.data();
  for_each(exec, static_cast<std::ptrdiff_t>(stretches_.size()), [=] GLUG_FN(std::ptrdiff_t k) {
    sum[k] = sum_of(numbers + stretch[k].begin, static_cast<int>(stretch[k].end - stretch[k].begin));
  });
  sums_.fetch();
  std::vector<double> of_set(constants_.size(), 0);
  for (std::size_t k = 0; k < stretches_.size(); ++k) of_set[stretches_.host[k].set] += sums_.host[k];
  return of_set;
}

template <int D>
void ComponentMeans<D>::add(const Exec& exec, const std::vector<double>& constants, double* numbers) const {
  constants_.host = constants;
  constants_.publish(exec);
  const Stretch* stretch = stretches_.data();
  const double* constant = constants_.data();
  for_each(exec, static_cast<std::ptrdiff_t>(stretches_.size()), [=] GLUG_FN(std::ptrdiff_t k) {
    for (std::ptrdiff_t i = stretch[k].begin; i < stretch[k].end; ++i) numbers[i] += constant[stretch[k].set];
  });
}

template <int D>
void ComponentMeans<D>::project(const Exec& exec, double* numbers) const {
  if (empty()) return;
  const std::vector<double> of_set = sums(exec, numbers);
  std::vector<double> constants(of_set.size(), 0);
  for (std::size_t n = 0; n < levels_.size(); ++n) {
    const UnseenLevel& l = levels_[n];
    double height = 0;
    for (std::size_t k = 0; k < l.sets.size(); ++k) height += l.constants[k] * of_set[l.sets[k]];
    if (norms_[n] > 0) height /= norms_[n];
    for (std::size_t k = 0; k < l.sets.size(); ++k) constants[l.sets[k]] -= l.constants[k] * height;
  }
  add(exec, constants, numbers);
}

template class ComponentMeans<2>;
template class ComponentMeans<3>;

}  // namespace glug
