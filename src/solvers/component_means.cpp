#include "solvers/component_means.h"

#include <algorithm>

#include "core/reduce.h"

namespace glug {

template <int D>
void ComponentMeans<D>::assign(const Exec& exec, const BlocksView<D>& blocks,
                               View<D, const std::int32_t> of_cell,
                               const std::vector<std::int32_t>& numbers) {
  where_.host.clear();
  pieces_.host.clear();
  count_.clear();
  std::int32_t sets_here = 0;
  for (std::int32_t set : numbers) sets_here = std::max(sets_here, set + 1);
  count_.assign(static_cast<std::size_t>(sets_here), 0);
  if (count_.empty()) return;

  // Cells in (block slot, cell) order, then a stable counting sort by set.
  const std::int32_t* set_of = numbers.data();
  const Range<D> clip = blocks.grid.cell_range();
  const View<D, const double> layout = view_over<D, const double>(nullptr, solver_cells<D>(blocks.grid));
  std::vector<std::int64_t> starts(static_cast<std::size_t>(blocks.count));
  std::int64_t* start = starts.data();
  for_each_block(exec, blocks, [=] GLUG_FN(std::int32_t slot) {
    std::int64_t n = 0;
    visit(intersection(blocks.indices(slot), clip), [&](const Index<D>& i) {
      const std::int32_t c = of_cell(i);
      n += c >= 0 && set_of[c] >= 0;
    });
    start[slot] = n;
  });
  const std::int64_t total = exclusive_scan(exec, start, blocks.count);
  std::vector<std::ptrdiff_t> offsets(static_cast<std::size_t>(total));
  std::vector<std::int32_t> sets(static_cast<std::size_t>(total));
  std::ptrdiff_t* offset = offsets.data();
  std::int32_t* set = sets.data();
  for_each_block(exec, blocks, [=] GLUG_FN(std::int32_t slot) {
    std::int64_t n = start[slot];
    visit(intersection(blocks.indices(slot), clip), [&](const Index<D>& i) {
      const std::int32_t c = of_cell(i);
      if (c < 0 || set_of[c] < 0) return;
      offset[n] = layout.offset(i);
      set[n++] = set_of[c];
    });
  });
  std::vector<std::ptrdiff_t> next(count_.size() + 1, 0);
  for (std::int32_t s : sets) ++next[static_cast<std::size_t>(s) + 1];
  for (std::size_t s = 0; s < count_.size(); ++s) {
    count_[s] = static_cast<double>(next[s + 1]);
    for (std::ptrdiff_t begin = 0; begin < next[s + 1]; begin += loop_chunk)
      pieces_.host.push_back({next[s] + begin, next[s] + std::min(begin + loop_chunk, next[s + 1]),
                              static_cast<std::int32_t>(s)});
    next[s + 1] += next[s];
  }
  where_.host.resize(static_cast<std::size_t>(total));
  for (std::size_t n = 0; n < sets.size(); ++n)
    where_.host[static_cast<std::size_t>(next[sets[n]]++)] = offsets[n];
}

template <int D>
void ComponentMeans<D>::publish(const Exec& exec) {
  where_.publish(exec);
  pieces_.publish(exec);
}

template <int D>
void ComponentMeans<D>::project(const Exec& exec, Vector<D>& v) const {
  if (pieces_.empty()) return;
  double* cells = v.cells.view().data;
  const std::ptrdiff_t* where = where_.data();
  const Piece* piece = pieces_.data();
  sums_.host.resize(pieces_.size());
  sums_.publish(exec);
  double* sum = sums_.data();
  const std::ptrdiff_t pieces = static_cast<std::ptrdiff_t>(pieces_.size());
  for_each_task(exec, pieces, [=] GLUG_FN(std::ptrdiff_t n) {
    double s = 0;
    for (std::ptrdiff_t k = piece[n].begin; k < piece[n].end; ++k) s += cells[where[k]];
    sum[n] = s;
  });
  sums_.fetch();
  std::vector<double>& means = means_.host;
  means.assign(count_.size(), 0);
  for (std::size_t n = 0; n < sums_.size(); ++n)
    means[static_cast<std::size_t>(pieces_.host[n].set)] += sums_.host[n];
  for (std::size_t s = 0; s < means.size(); ++s) means[s] /= count_[s];
  means_.publish(exec);
  const double* mean = means_.data();
  for_each_task(exec, pieces, [=] GLUG_FN(std::ptrdiff_t n) {
    for (std::ptrdiff_t k = piece[n].begin; k < piece[n].end; ++k) cells[where[k]] -= mean[piece[n].set];
  });
}

template class ComponentMeans<2>;
template class ComponentMeans<3>;

}  // namespace glug
