// cell_pairs.h: sums over regions of cells, and which regions meet. Each block makes a short list of its own,
// the lists are joined in block order, so the bits do not depend on the number of threads.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "core/for_each.h"
#include "core/reduce.h"

namespace glug {

// Per block: what `fill(slot, list)` appended, one after the other.
template <int D, class Item, class F>
std::vector<Item> join_lists(const Exec& exec, const BlocksView<D>& blocks, F fill) {
  std::vector<std::vector<Item>> lists(static_cast<std::size_t>(blocks.count));
  std::vector<Item>* list = lists.data();
  for_each_block(exec, blocks, [=](std::int32_t slot) { fill(slot, list[slot]); });
  std::vector<Item> all;
  std::size_t size = 0;
  for (const auto& l : lists) size += l.size();
  all.reserve(size);
  for (const auto& l : lists) all.insert(all.end(), l.begin(), l.end());
  return all;
}

// A block that is all alike: whole(slot, region, sum) may answer for it at once, and returns true then.
struct NoShortcut {
  template <class Sum>
  bool operator()(std::int32_t, std::int32_t&, Sum&) const {
    return false;
  }
};

// sums[r] = sum of value(i) over the cells with region(i) == r >= 0.
template <int D, std::size_t N, class Region, class Value, class Whole = NoShortcut>
std::vector<std::array<double, N>> region_sums(const Exec& exec, const BlocksView<D>& blocks,
                                               std::int32_t count, Region region, Value value,
                                               Whole whole = {}) {
  struct Run {
    std::int32_t region;
    std::array<double, N> sum;
  };
  const Range<D> cells = blocks.grid.cell_range();
  const std::vector<Run> runs =
      join_lists<D, Run>(exec, blocks, [=](std::int32_t slot, std::vector<Run>& list) {
        Run all{-1, {}};
        if (whole(slot, all.region, all.sum)) {
          if (all.region >= 0) list.push_back(all);
          return;
        }
        visit(intersection(blocks.indices(slot), cells), [&](const Index<D>& i) {
          const std::int32_t r = region(i);
          if (r < 0) return;
          std::size_t k = 0;
          while (k < list.size() && list[k].region != r) ++k;
          if (k == list.size()) list.push_back({r, {}});
          const std::array<double, N> v = value(i);
          for (std::size_t n = 0; n < N; ++n) list[k].sum[n] += v[n];
        });
      });
  std::vector<std::array<double, N>> sums(static_cast<std::size_t>(count), std::array<double, N>{});
  for (const Run& run : runs)
    for (std::size_t n = 0; n < N; ++n) sums[static_cast<std::size_t>(run.region)][n] += run.sum[n];
  return sums;
}

struct RegionPair {
  std::int32_t first = 0, second = 0;
  std::int64_t count = 0;
};
// Every pair that `visit_pairs(i, emit)` names with emit(first, second, count), once, sorted, counts added
// up.
template <int D, class F>
std::vector<RegionPair> region_pairs(const Exec& exec, const BlocksView<D>& blocks, F visit_pairs) {
  const Range<D> cells = blocks.grid.cell_range();
  std::vector<RegionPair> pairs =
      join_lists<D, RegionPair>(exec, blocks, [=](std::int32_t slot, std::vector<RegionPair>& list) {
        const auto emit = [&](std::int32_t first, std::int32_t second, std::int64_t count) {
          for (RegionPair& p : list)
            if (p.first == first && p.second == second) {
              p.count += count;
              return;
            }
          list.push_back({first, second, count});
        };
        visit(intersection(blocks.indices(slot), cells), [&](const Index<D>& i) { visit_pairs(i, emit); });
      });
  std::sort(pairs.begin(), pairs.end(), [](const RegionPair& x, const RegionPair& y) {
    return x.first != y.first ? x.first < y.first : x.second < y.second;
  });
  std::vector<RegionPair> once;
  for (const RegionPair& p : pairs) {
    if (once.empty() || once.back().first != p.first || once.back().second != p.second)
      once.push_back(p);
    else
      once.back().count += p.count;
  }
  return once;
}

}  // namespace glug
