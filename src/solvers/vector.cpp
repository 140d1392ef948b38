#include "solvers/vector.h"

namespace glug {

template <int D>
void Vector<D>::restrict_to(const Exec& exec, const BlocksView<D>& blocks, std::size_t extras) {
  BlocksView<D> before = blocks;
  before.ids = listed.data();
  before.count = static_cast<std::int32_t>(listed.size());
  const View<D, double> v = cells.view();
  const Range<D> clip = blocks.grid.cell_range();
  for_each_block(exec, before, [=](std::int32_t slot) {
    if (blocks.slots[before.ids[slot]] >= 0) return;
    visit(intersection(before.indices(slot), clip), [&](const Index<D>& i) { v(i) = 0; });
  });
  listed.assign(blocks.ids, blocks.ids + blocks.count);
  if (extra.size() != extras) extra = Buffer<double>(extras);
}

template struct Vector<2>;
template struct Vector<3>;

}  // namespace glug
