#include "projection/stream_islands.h"

#include <algorithm>
#include <cmath>

namespace glug {

BoundStream<2> join_islands(const Grid<2>& grid, const std::vector<BoundFace<2>>& faces) {
  BoundStream<2> out;
  const Range<2> nodes = grid.node_range();
  const std::size_t count = static_cast<std::size_t>(nodes.size());
  // A closed face ties the psi of two nodes: the closed faces from each node to the next one along an axis.
  std::vector<std::uint8_t> tied[2] = {std::vector<std::uint8_t>(count), std::vector<std::uint8_t>(count)};
  std::vector<double> rise[2];  // psi there less psi here, where anything moves
  const bool moves = std::any_of(faces.begin(), faces.end(), [](const auto& f) { return f.flux != 0; });
  if (moves)
    for (auto& list : rise) list.assign(count, 0);
  for (const BoundFace<2>& f : faces) {
    const CurlTerm t = curl_term<2>(f.axis, 0);
    const std::size_t n = static_cast<std::size_t>(nodes.number_of(f.face));
    tied[t.along][n] = 1;
    if (moves) rise[t.along][n] = t.sign * f.flux;
  }

  std::vector<std::int32_t> island(count, -1);
  std::vector<double> psi(moves ? count : 0);
  std::vector<std::size_t> first, size, queue;
  for (const BoundFace<2>& f : faces) {
    const std::size_t start = static_cast<std::size_t>(nodes.number_of(f.face));
    if (island[start] >= 0) continue;
    const std::int32_t number = static_cast<std::int32_t>(first.size());
    first.push_back(start);
    queue.assign(1, start);
    island[start] = number;
    for (std::size_t head = 0; head < queue.size(); ++head) {
      const std::size_t here = queue[head];
      const Index<2> i = nodes.at(static_cast<std::ptrdiff_t>(here));
      for (int axis = 0; axis < 2; ++axis)
        for (int up = 0; up < 2; ++up) {
          const Index<2> j = up ? i + Index<2>::unit(axis) : i - Index<2>::unit(axis);
          if (!nodes.contains(j)) continue;
          const std::size_t there = static_cast<std::size_t>(nodes.number_of(j)), low = up ? here : there;
          if (!tied[axis][low]) continue;
          const double value = moves ? psi[here] + (up ? 1 : -1) * rise[axis][low] : 0;
          if (island[there] < 0) {
            island[there] = number;
            if (moves) psi[there] = value;
            queue.push_back(there);
          } else if (moves) {
            out.contradiction = std::max(out.contradiction, std::abs(psi[there] - value));
          }
        }
    }
    size.push_back(queue.size());
  }

  const std::size_t largest =
      static_cast<std::size_t>(std::max_element(size.begin(), size.end()) - size.begin());
  std::vector<std::int32_t> column(size.size(), -1);
  for (std::size_t k = 0; k < size.size(); ++k) {
    if (k == largest) continue;
    column[k] = static_cast<std::int32_t>(out.columns.size());
    out.columns.emplace_back();
    out.keys.push_back(static_cast<std::int64_t>(first[k]));
  }
  for (std::size_t n = 0; n < count; ++n) {
    if (island[n] < 0) continue;
    const Index<2> i = nodes.at(static_cast<std::ptrdiff_t>(n));
    if (moves && psi[n] != 0) out.known.push_back({0, i, psi[n]});
    const std::int32_t k = column[static_cast<std::size_t>(island[n])];
    if (k >= 0) out.columns[static_cast<std::size_t>(k)].push_back({0, i, 1.0});
  }
  return out;
}

}  // namespace glug
