#include "regions/block_kinds.h"

#include "core/for_each.h"

namespace glug {
namespace {

template <int D>
Range<D> first_of_rows(Range<D> range) {
  range.hi[0] = range.lo[0] + 1;
  return range;
}

template <int D>
typename BlockKinds<D>::Solids solids_in(const BlockKindsInput<D>& in, const Range<D>& block) {
  using Solids = typename BlockKinds<D>::Solids;
  const int width = block.extent(0);
  for (int a = 0; a < D; ++a)
    if (block.extent(a) < 2) return Solids::some;  // a sliver at a side of the domain
  bool any_open = false, all_open = true;
  for (int a = 0; a < D; ++a) {
    Range<D> faces = block;
    ++faces.hi[a];
    visit(first_of_rows(faces), [&](const Index<D>& first) {
      const float* row = &in.open[a](first);
      const int n = a == 0 ? width + 1 : width;
      int open = 0;
      for (int k = 0; k < n; ++k) open += row[k] > 0;
      any_open = any_open || open > 0;
      // Border faces may be shut: a wall can run along them.
      if (a == 0)
        open += 2 - (row[0] > 0) - (row[width] > 0);
      else if (first[a] == block.lo[a] || first[a] == block.hi[a])
        open = n;
      all_open = all_open && open == n;
    });
  }
  if (!any_open) return Solids::throughout;
  if (!all_open) return Solids::some;
  visit(first_of_rows<D>({block.lo, block.hi + Index<D>::filled(1)}), [&](const Index<D>& first) {
    const float* row = &in.solid(first);
    int outside = 0;
    for (int k = 0; k <= width; ++k) outside += row[k] >= 0;
    all_open = all_open && outside == width + 1;
  });
  return all_open ? Solids::absent : Solids::some;
}

// Whether phi, a distance, says that no surface is near any cell.
template <int D>
BlockKind liquid_in(const BlockKindsInput<D>& in, const Range<D>& block) {
  const float sure = static_cast<float>(2 * in.grid.h);
  const int width = block.extent(0);
  std::ptrdiff_t dry = 0, wet = 0;
  visit(first_of_rows(block), [&](const Index<D>& first) {
    const float* row = &in.phi(first);
    int above = 0, below = 0;
    for (int k = 0; k < width; ++k) {
      above += row[k] > sure;
      below += row[k] < -sure;
    }
    dry += above;
    wet += below;
  });
  return dry == block.size() ? BlockKind::air : wet == block.size() ? BlockKind::liquid : BlockKind::mixed;
}

}  // namespace

template <int D>
void find_block_kinds(const Exec& exec, const BlockKindsInput<D>& in, BlockKinds<D>& kinds) {
  using Solids = typename BlockKinds<D>::Solids;
  const BlocksView<D> all = in.everywhere;
  const std::size_t total = static_cast<std::size_t>(all.count);
  if (kinds.solids.size() != total) kinds.solids.assign(total, Solids::unknown);
  // What is in a block apart from solids.
  std::vector<BlockKind> contents(total, BlockKind::air);
  kinds.of_block.assign(total, BlockKind::mixed);
  kinds.dry.assign(total, 0);
  BlockKind *content = contents.data(), *kind = kinds.of_block.data();
  std::uint8_t* dry = kinds.dry.data();
  Solids* solids = kinds.solids.data();
  const Range<D> cells = in.grid.cell_range();
  for_each_block(exec, all, [=](std::int32_t slot) {
    const std::int32_t id = all.ids[slot];
    const Range<D> block = intersection(all.indices(slot), cells);
    if (block.size() == 0) return;
    if (!in.changed || in.changed[id] || solids[id] == Solids::unknown) solids[id] = solids_in(in, block);
    if (in.active.slots[id] >= 0) content[id] = liquid_in(in, block);
  });
  for_each_block(exec, all, [=](std::int32_t slot) {
    const std::int32_t id = all.ids[slot];
    dry[id] = content[id] == BlockKind::air;
    if (in.active.slots[id] < 0) {
      // Nothing is known of the distance here: liquid may begin right beyond the border.
      const Index<D> b = all.coordinates(id);
      for (int a = 0; a < D; ++a)
        for (int step : {-1, 1}) {
          Index<D> n = b;
          n[a] += step;
          const std::int32_t other = all.slot_of_block(n);
          if (other >= 0 && content[all.ids[other]] != BlockKind::air) dry[id] = 0;
        }
    }
    if (solids[id] == Solids::throughout)
      kind[id] = BlockKind::solid;
    else if (solids[id] == Solids::absent && (dry[id] || content[id] == BlockKind::liquid))
      kind[id] = content[id];
  });
}

template void find_block_kinds<2>(const Exec&, const BlockKindsInput<2>&, BlockKinds<2>&);
template void find_block_kinds<3>(const Exec&, const BlockKindsInput<3>&, BlockKinds<3>&);

}  // namespace glug
