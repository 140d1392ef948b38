// cell_pairs.h: sums over regions of cells, and which regions meet. Each block makes a short list of its own,
// the lists are joined in block order, so the bits do not depend on the number of threads.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "core/for_each.h"
#include "core/group_by.h"
#include "core/reduce.h"

namespace glug {

// Per block: what `fill(slot, list)` appended, one after the other.
template <int D, class Item, class F>
std::vector<Item> join_lists(const Exec& exec, const BlocksView<D>& blocks, F fill) {
  std::vector<std::vector<Item>> lists(static_cast<std::size_t>(blocks.count));
  std::vector<Item>* list = lists.data();
  for_each_block(exec, blocks, [=](std::int32_t slot) { fill(slot, list[slot]); });
  return joined(lists);
}

// The same of n items, by chunks of a fixed size: what `fill(i, list)` appended.
template <class Item, class F>
std::vector<Item> join_items(const Exec& exec, std::ptrdiff_t n, F fill) {
  constexpr std::ptrdiff_t chunk = 1024;
  const std::ptrdiff_t chunks = (n + chunk - 1) / chunk;
  std::vector<std::vector<Item>> lists(static_cast<std::size_t>(chunks));
  std::vector<Item>* list = lists.data();
  for_each_task(exec, chunks, [=](std::ptrdiff_t c) {
    const std::ptrdiff_t end = std::min(n, (c + 1) * chunk);
    for (std::ptrdiff_t i = c * chunk; i < end; ++i) fill(i, list[c]);
  });
  return joined(lists);
}

// sums[r] = sum of value(i) over the cells with region(i) == r >= 0.
template <int D, std::size_t N, class Region, class Value>
std::vector<std::array<double, N>> region_sums(const Exec& exec, const BlocksView<D>& blocks,
                                               std::int32_t count, Region region, Value value) {
  struct Run {
    std::int32_t region;
    std::array<double, N> sum;
  };
  const Range<D> cells = blocks.grid.cell_range();
  const std::vector<Run> runs =
      join_lists<D, Run>(exec, blocks, [=](std::int32_t slot, std::vector<Run>& list) {
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

// Adds to a short list; the same pair often comes again at once.
inline void add_pair(std::vector<RegionPair>& list, std::int32_t first, std::int32_t second,
                     std::int64_t count) {
  for (std::size_t k = list.size(); k-- > 0;)
    if (list[k].first == first && list[k].second == second) {
      list[k].count += count;
      return;
    }
  list.push_back({first, second, count});
}

// Each pair once, sorted, counts added up.
inline std::vector<RegionPair> merged(std::vector<RegionPair> pairs) {
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
