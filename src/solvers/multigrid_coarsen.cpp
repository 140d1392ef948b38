#include "solvers/multigrid_coarsen.h"

#include <algorithm>

#include "core/real.h"
#include "solvers/coarsen_rows.h"

namespace glug {
namespace {

template <int D, class T>
void list_blocks(const Exec& exec, const MultigridLevel<D, T>& fine, MultigridLevel<D, T>& coarse) {
  const BlocksView<D> above = fine.A->blocks();
  const BlocksView<D> below = coarse.blocks.view();
  const std::size_t total = static_cast<std::size_t>(coarse.blocks.total());
  List<std::uint8_t> flags;
  flags.host.assign(total, 0);
  flags.publish(exec);
  std::uint8_t* flag = flags.data();
  if (exec.device == Device::cuda)
    for_each(exec, above.count, [=] GLUG_FN(std::ptrdiff_t slot) {
      flag[below.linear(coarse_of<D>(above.coordinates(above.ids[slot])))] = 1;
    });
  else  // serial: several blocks share a flag
    for (std::int32_t slot = 0; slot < above.count; ++slot)
      flag[below.linear(coarse_of<D>(above.coordinates(above.ids[slot])))] = 1;
  flags.fetch();
  coarse.blocks.assign(flags.host);
  coarse.blocks.publish(exec);
}

// The split blocks, a thread per cell: counted, then listed in any order and sorted.
template <int D, class T>
std::vector<Index<D>> find_split_blocks_on_device(const Exec& exec, const StencilView<D, const T>& A,
                                                  const BlocksView<D>& blocks) {
  const Range<D> cells = blocks.grid.cell_range();
  const std::int64_t total =
      reduce_cells(exec, blocks, cells, std::int64_t{0}, Plus{},
                   [=] GLUG_FN(const Index<D>& i) { return std::int64_t{is_split_at(A, i)}; });
  List<Index<D>> found;
  if (total == 0) return found.host;
  List<int> counter;
  counter.host.assign(1, 0);
  counter.publish(exec);
  found.host.resize(static_cast<std::size_t>(total));
  found.publish(exec);
  Index<D>* out = found.data();
  int* count = counter.data();
  for_each_cell(exec, blocks, cells, [=] GLUG_FN(const Index<D>& i) {
    if (is_split_at(A, i)) out[cuda::next_place(count)] = i;
  });
  found.fetch();
  std::sort(found.host.begin(), found.host.end(), [](const Index<D>& x, const Index<D>& y) {
    for (int a = D - 1; a >= 0; --a)
      if (x[a] != y[a]) return x[a] < y[a];
    return false;
  });
  return found.host;
}

// Fills the coarse stencil; returns the blocks that are split.
template <int D, class T>
std::vector<Index<D>> coarsen_stencil(const Exec& exec, const Stencil<D, T>& fine, T anchor_share,
                                      Stencil<D, T>& coarse) {
  const BlocksView<D> blocks = coarse.blocks();
  const StencilView<D, const T> A = fine.read();
  const StencilView<D, T> C = coarse.view();
  if (exec.device == Device::cuda) {
    for_each_long_row(exec, blocks, blocks.grid.cell_range(), [=] GLUG_FN(const Index<D>& first, int n) {
      coarsen_row(A, C, anchor_share, first, n);
    });
    return find_split_blocks_on_device(exec, A, blocks);
  }
  return coarsen_on_cpu(exec, fine, anchor_share, coarse);
}

}  // namespace

template <int D, class T>
void coarsen(const Exec& exec, MultigridLevel<D, T>& fine, MultigridLevel<D, T>& coarse) {
  list_blocks(exec, fine, coarse);
  coarse.own.relist(exec, coarse.blocks.view(exec));
  const T share = static_cast<T>(fine.anchor_share);
  split_blocks(exec, coarsen_stencil(exec, *fine.A, share, coarse.own), fine, coarse);
  coarsen_links(exec, fine, coarse);
}

template <int D, class T>
void finish_level(const Exec& exec, std::int32_t placeless, MultigridLevel<D, T>& level) {
  LooseParts<D, T>& loose = level.loose;
  if (loose.count() > 0) {
    const RowsView<T> to_cells = RowsView<T>::on_host(loose.to_cells),
                      to_parts = RowsView<T>::on_host(loose.to_parts);
    for (std::int32_t n = 0; n < loose.count(); ++n) {
      const double d = loose.anchor[n] + to_cells.sum(n) + to_parts.sum(n);
      loose.diagonal.host.push_back(static_cast<T>(d));
      loose.inverse_diagonal.host.push_back(static_cast<T>(d > 0 ? 1 / d : 0));
    }
    publish(exec, loose.touched, loose.to_touched);
    const StencilView<D, T> own = level.own.view();
    const RowsView<T> to_touched(loose.to_touched);
    const Index<D>* touched = loose.touched.data();
    for_each(exec, loose.touched_count(), [=] GLUG_FN(std::ptrdiff_t n) {
      T& anchor = own.anchor(touched[n]);
      anchor = static_cast<T>(anchor + to_touched.sum(static_cast<std::int32_t>(n)));
    });
  }
  append_links(exec, placeless, level);
  if (level.A == &level.own) level.own.find_row_kinds(exec);
}

template <int D, class T>
std::int64_t coupled_unknowns(const Exec& exec, const MultigridLevel<D, T>& level) {
  const StencilView<D, const T> A = level.A->read();
  return level.loose.count() + level.loose.touched_count() +
         reduce_cells(exec, level.A->blocks(), level.grid.cell_range(), std::int64_t{0}, Plus{},
                      [=] GLUG_FN(const Index<D>& i) { return std::int64_t{is_coupled(A, i)}; });
}

#define GLUG_INSTANTIATE(D, T)                                                            \
  template void coarsen<D, T>(const Exec&, MultigridLevel<D, T>&, MultigridLevel<D, T>&); \
  template void finish_level<D, T>(const Exec&, std::int32_t, MultigridLevel<D, T>&);     \
  template std::int64_t coupled_unknowns<D, T>(const Exec&, const MultigridLevel<D, T>&);
GLUG_INSTANTIATE(2, Real)
GLUG_INSTANTIATE(3, Real)
#undef GLUG_INSTANTIATE

}  // namespace glug
