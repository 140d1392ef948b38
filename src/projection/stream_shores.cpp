#include "projection/stream_shores.h"

#include <algorithm>

#include "core/union_find.h"

namespace glug {

std::vector<StreamShore> find_shores(const Grid<3>& grid,
                                     const std::array<View<3, const std::uint8_t>, 3>& bound,
                                     std::size_t most) {
  const Range<3> nodes = grid.node_range();
  const auto number = [&](const Index<3>& i) { return static_cast<std::int32_t>(nodes.number_of(i)); };
  constexpr std::int32_t none = -1;
  // The bound edges and their islands.
  UnionFind sets(static_cast<std::size_t>(nodes.size()));
  std::array<std::vector<Index<3>>, 3> edges;
  for (int kind = 0; kind < 3; ++kind)
    visit(edge_range(grid, kind), [&](const Index<3>& i) {
      if (!bound[kind](i)) return;
      edges[kind].push_back(i);
      sets.join(number(i), number(i + Index<3>::unit(kind)));
    });
  // Ties, by the least node of each island.
  std::vector<std::int32_t> island_of(static_cast<std::size_t>(nodes.size()), none);
  std::vector<StreamShore> islands;
  for (int kind = 0; kind < 3; ++kind)
    for (const Index<3>& i : edges[kind]) {
      std::int32_t& island = island_of[sets.root(number(i))];
      if (island == none) {
        island = static_cast<std::int32_t>(islands.size());
        islands.emplace_back();
      }
      island_of[number(i)] = island_of[number(i + Index<3>::unit(kind))] = island;
      for (int side = 0; side < 2; ++side) {
        const EdgeTerm t = edge_term<3>(kind, side);
        for (const int step : {-1, 1}) {
          const Index<3> beside = i + step * Index<3>::unit(t.along);
          if (edge_range(grid, kind).contains(beside) && !bound[kind](beside))
            islands[island].ties.push_back({kind, t.axis, beside, step < 0 ? beside : i});
        }
      }
    }
  // The largest ones but one.
  std::vector<std::int32_t> order(islands.size());
  for (std::size_t n = 0; n < order.size(); ++n) order[n] = static_cast<std::int32_t>(n);
  std::stable_sort(order.begin(), order.end(), [&](std::int32_t x, std::int32_t y) {
    return islands[x].ties.size() > islands[y].ties.size();
  });
  if (!order.empty()) order.erase(order.begin());
  if (order.size() > most) order.resize(most);
  std::vector<std::int32_t> rank(islands.size(), none);
  std::vector<StreamShore> found;
  for (std::int32_t n : order) {
    if (islands[n].ties.empty()) continue;
    rank[n] = static_cast<std::int32_t>(found.size());
    found.push_back(std::move(islands[n]));
  }
  if (found.empty()) return found;

  // chi is x at the nodes, less that of the middle: what is far from 0 would only round off.
  std::vector<std::vector<Index<3>>> own(found.size());
  std::vector<Vec<3, double>> middle(found.size(), Vec<3, double>{});
  visit(nodes, [&](const Index<3>& i) {
    std::int32_t& island = island_of[number(i)];
    if (island != none) island = rank[island];
    if (island != none) own[island].push_back(i);
  });
  for (std::size_t n = 0; n < found.size(); ++n) {
    Vec<3, double> sum{};
    for (const Index<3>& i : own[n])
      for (int a = 0; a < 3; ++a) sum[a] += i[a];
    middle[n] = sum * (1.0 / static_cast<double>(own[n].size()));
  }
  const auto chi = [&](std::size_t n, const Index<3>& i) {
    Vec<3, double> value{};
    if (island_of[number(i)] == static_cast<std::int32_t>(n))
      for (int a = 0; a < 3; ++a) value[a] = i[a] - middle[n][a];
    return value;
  };
  for (std::size_t n = 0; n < found.size(); ++n)
    for (const Index<3>& i : own[n])
      for (int kind = 0; kind < 3; ++kind)
        for (const int step : {0, 1}) {
          const Index<3> edge = i - step * Index<3>::unit(kind), end = edge + Index<3>::unit(kind);
          if (!edge_range(grid, kind).contains(edge) || bound[kind](edge)) continue;
          // One between two nodes of the island is found from the lower.
          if (step == 1 && island_of[number(edge)] == static_cast<std::int32_t>(n)) continue;
          found[n].exits.push_back({kind, edge, chi(n, end) - chi(n, edge)});
        }
  return found;
}

}  // namespace glug
