#include "bounds/pinned_stencil.h"

#include "core/for_each.h"
#include "core/real.h"

namespace glug {

template <int D, class T>
void PinnedStencil<D, T>::take(const Stencil<D, T>& stencil) {
  const View<D, std::uint8_t> mask = mask_.view();
  for (std::ptrdiff_t cell : cells_) mask.at(cell) = 0;
  cells_.clear();
  from_ = &stencil;
  copied_ = false;
}

template <int D, class T>
void PinnedStencil<D, T>::choose(const std::vector<std::ptrdiff_t>& cells) {
  const View<D, std::uint8_t> mask = mask_.view();
  for (std::ptrdiff_t cell : cells_) mask.at(cell) = 0;
  cells_ = cells;
  for (std::ptrdiff_t cell : cells_) mask.at(cell) = 1;
}

template <int D, class T>
void PinnedStencil<D, T>::pin(const Exec& exec) {
  const View<D, const std::uint8_t> mask = mask_.read();
  const BlocksView<D> blocks = from_->blocks();
  std::size_t total = 1;
  for (int a = 0; a < D; ++a) total *= static_cast<std::size_t>(blocks.blocks[a]);
  std::vector<std::uint8_t> near(total, 0);
  const Range<D> inside = blocks.grid.cell_range();
  for (std::ptrdiff_t cell : cells_) {
    const Index<D> i = mask.range.at(cell);
    for (int a = 0; a < D; ++a)
      for (int side = -1; side <= 1; ++side) {
        Index<D> n = i;
        n[a] += side;
        if (inside.contains(n)) near[blocks.linear(blocks.block_of(n))] = 1;
      }
  }
  const bool all = !copied_;
  if (all) {
    out_.relist(exec, blocks);
    near_.assign(total, 0);
  }
  copied_ = true;
  const StencilView<D, const T> A = from_->read();
  const StencilView<D, T> out = out_.view();
  const View<D, const std::uint8_t> pinned = mask_.read();
  const std::uint8_t *now = near.data(), *before = near_.data();
  for_each_block(exec, blocks, [=](std::int32_t slot) {
    const std::int32_t id = blocks.ids[slot];
    if (!all && !now[id] && !before[id]) return;
    visit(intersection(blocks.indices(slot), inside), [&](const Index<D>& i) {
      const bool own = pinned(i) != 0;
      double anchor = A.anchor(i);
      for (int a = 0; a < D; ++a) {
        const Index<D> low = i - Index<D>::unit(a), high = i + Index<D>::unit(a);
        const bool to_pinned = pinned(low) != 0;
        if (to_pinned) anchor += A.coupling[a](i);
        if (pinned(high)) anchor += A.coupling[a](high);
        out.coupling[a](i) = own || to_pinned ? T(0) : A.coupling[a](i);
      }
      out.anchor(i) = own ? T(0) : static_cast<T>(anchor);
    });
  });
  near_.swap(near);
  out_.find_row_kinds(exec);
}

template class PinnedStencil<2, Real>;
template class PinnedStencil<3, Real>;

}  // namespace glug
