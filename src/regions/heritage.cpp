#include "regions/heritage.h"

namespace glug {

template <int D>
std::vector<RegionPair> heritage(const Exec& exec, const HeritageInput<D>& in) {
  const View<D, const std::int32_t> now = in.now->of_cell.read(), before = in.before->of_cell.read();
  const std::int32_t *whole_now = in.now->of_block.data(), *whole_before = in.before->of_block.data();
  const BlocksView<D> blocks = in.blocks;
  const Range<D> cells = blocks.grid.cell_range();
  const std::int32_t air_before = in.air_before, air_now = in.air_now;
  const MacView<D, const float> open = in.open;
  const auto are_alike = [=](std::int32_t old, std::int32_t mine) {
    return old >= 0 && (old < air_before) == (mine < air_now);
  };
  return merged(
      join_lists<D, RegionPair>(exec, blocks, [=](std::int32_t slot, std::vector<RegionPair>& list) {
        const std::int32_t id = blocks.ids[slot];
        if (whole_now[id] == Components<D>::none) return;
        const Range<D> block = intersection(blocks.indices(slot), cells);
        if (whole_now[id] >= 0 && are_alike(whole_before[id], whole_now[id])) {
          list.push_back({whole_before[id], whole_now[id], block.size()});
          return;
        }
        RegionPair shared{-2, -2, 0};  // the pair met last comes again and again
        const auto note = [&] {
          if (shared.count > 0) add_pair(list, shared.first, shared.second, shared.count);
        };
        const auto visit_cell = [&](const Index<D>& i, std::int32_t was, std::int32_t mine) {
          if (mine < 0) return;
          if (are_alike(was, mine)) {
            note();
            shared = {was, mine, 1};
            return;
          }
          for (int a = 0; a < D; ++a) {
            const Index<D> low = i - Index<D>::unit(a), high = i + Index<D>::unit(a);
            if (cells.contains(low) && open[a](i) > 0 && are_alike(before(low), mine))
              add_pair(list, before(low), mine, 0);
            if (cells.contains(high) && open[a](high) > 0 && are_alike(before(high), mine))
              add_pair(list, before(high), mine, 0);
          }
        };
        const int width = block.extent(0);
        Range<D> starts = block;
        starts.hi[0] = starts.lo[0] + 1;
        visit(starts, [&](const Index<D>& first) {
          const std::int32_t *mine = &now(first), *was = &before(first);
          Index<D> i = first;
          for (int k = 0; k < width; ++k, ++i[0]) {
            if (was[k] == shared.first && mine[k] == shared.second)
              ++shared.count;
            else
              visit_cell(i, was[k], mine[k]);
          }
        });
        note();
      }));
}

template std::vector<RegionPair> heritage<2>(const Exec&, const HeritageInput<2>&);
template std::vector<RegionPair> heritage<3>(const Exec&, const HeritageInput<3>&);

}  // namespace glug
