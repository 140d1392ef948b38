#include "papers/cell_kinds.h"

namespace glug {

template <int D>
void CellKinds<D>::relist(const Exec& exec, const std::vector<std::uint8_t>& flags) {
  const std::vector<std::int32_t> before = listed_.ids();
  listed_.assign(flags);
  BlocksView<D> old = listed_.view();
  old.ids = before.data();
  old.count = static_cast<std::int32_t>(before.size());
  const std::int32_t* slots = listed_.view().slots;
  const View<D, CellKind> kind = of_cell_.view();
  const Range<D> cells = grid_.cell_range();
  for_each_block(exec, old, [=](std::int32_t slot) {
    if (slots[old.ids[slot]] >= 0) return;
    visit(intersection(old.indices(slot), cells), [&](const Index<D>& i) { kind(i) = CellKind::exterior; });
  });
}

template <int D>
CellKindsView<D> CellKinds<D>::read() const {
  CellKindsView<D> v{of_cell_.read(), grid_.cell_range(), {}};
  for (int a = 0; a < D; ++a)
    for (int high = 0; high < 2; ++high) v.outside[a][high] = outside_[a][high];
  return v;
}

template <int D>
void CellKinds<D>::coarsen(const Exec& exec, CellKinds& coarse) const {
  const BlocksView<D> fine = listed_.view();
  const BlocksView<D> layout = coarse.listed_.view();
  std::vector<std::uint8_t> flags(static_cast<std::size_t>(coarse.listed_.total()), 0);
  for (std::int32_t id : listed_.ids()) {
    Index<D> block = fine.coordinates(id);
    for (int a = 0; a < D; ++a) block[a] >>= 1;
    flags[static_cast<std::size_t>(layout.linear(block))] = 1;
  }
  coarse.relist(exec, flags);
  for (int a = 0; a < D; ++a)
    for (int high = 0; high < 2; ++high) coarse.outside_[a][high] = outside_[a][high];
  const CellKindsView<D> kinds = read();
  const View<D, CellKind> out = coarse.of_cell_.view();
  for_each_cell(exec, coarse.listed_.view(), coarse.grid_.cell_range(), [=](const Index<D>& c) {
    bool interior = false, dirichlet = false;
    visit(Range<D>{c * 2, c * 2 + Index<D>::filled(2)}, [&](const Index<D>& i) {
      const CellKind kind = kinds.at(i);
      interior |= kind == CellKind::interior;
      dirichlet |= kind == CellKind::dirichlet;
    });
    out(c) = dirichlet ? CellKind::dirichlet : interior ? CellKind::interior : CellKind::exterior;
  });
}

template class CellKinds<2>;
template class CellKinds<3>;

}  // namespace glug
