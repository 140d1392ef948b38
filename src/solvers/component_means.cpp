#include "solvers/component_means.h"

#include <algorithm>

#include "core/runs.h"

namespace glug {

template <int D>
void ComponentMeans<D>::assign(const Exec& exec, const BlocksView<D>& blocks,
                               View<D, const std::int32_t> of_cell, const std::vector<std::int32_t>& set_of) {
  std::int32_t sets = 0;
  for (std::int32_t set : set_of) sets = std::max(sets, set + 1);
  std::vector<std::vector<Stretch>> of_chunk(static_cast<std::size_t>(sets > 0 ? chunks_of(blocks) : 0));
  const View<D, const double> layout = view_over<D, const double>(nullptr, solver_cells<D>(blocks.grid));
  for_each_task(exec, static_cast<std::ptrdiff_t>(of_chunk.size()), [&](std::ptrdiff_t chunk) {
    visit_rows_of_chunk(blocks, blocks.grid.cell_range(), static_cast<std::int32_t>(chunk),
                        [&](std::int32_t, const Index<D>& first, int n) {
                          const std::int32_t* component = &of_cell(first);
                          const auto set_at = [&](std::ptrdiff_t k) {
                            return component[k] < 0 ? -1 : set_of[component[k]];
                          };
                          cut(layout.offset(first), n, set_at, of_chunk[chunk]);
                        });
  });
  take(of_chunk, static_cast<std::size_t>(sets));
}

template <int D>
void ComponentMeans<D>::take(const std::vector<std::vector<Stretch>>& of_piece, std::size_t sets) {
  stretches_.host.clear();
  count_.assign(sets, 0);
  for (const std::vector<Stretch>& list : of_piece)
    for (const Stretch& s : list) {
      stretches_.host.push_back(s);
      count_[s.set] += static_cast<double>(s.end - s.begin);
    }
  sums_.host.assign(stretches_.size(), 0);
  means_.host.assign(sets, 0);
}

template class ComponentMeans<2>;
template class ComponentMeans<3>;

}  // namespace glug
