#include "projection/stream_islands.h"

#include <algorithm>
#include <cmath>

namespace glug {
namespace {

// A closed face ties the psi of two nodes: from each node to the next one along an axis.
struct Ties {
  enum Kind : std::uint8_t { none, hidden, seen };
  Range<2> nodes;
  std::vector<std::uint8_t> kind[2];
  std::vector<double> rise[2];  // psi there less psi here, where anything moves

  Ties(const Range<2>& range, const std::vector<BoundFace<2>>& faces, bool moves) : nodes(range) {
    const std::size_t count = static_cast<std::size_t>(nodes.size());
    for (auto& list : kind) list.assign(count, none);
    for (auto& list : rise) list.assign(moves ? count : 0, 0);
    for (const BoundFace<2>& f : faces) {
      const CurlTerm t = curl_term<2>(f.axis, 0);
      const std::size_t n = static_cast<std::size_t>(nodes.number_of(f.face));
      kind[t.along][n] = f.seen ? seen : hidden;
      if (moves) rise[t.along][n] = t.sign * f.flux;
    }
  }

  // f(node, what psi rises by on the way there) for the nodes that such a face ties to this one.
  template <class F>
  void visit(std::size_t here, Kind wanted, F&& f) const {
    const Index<2> i = nodes.at(static_cast<std::ptrdiff_t>(here));
    for (int axis = 0; axis < 2; ++axis)
      for (int up = 0; up < 2; ++up) {
        const Index<2> j = up ? i + Index<2>::unit(axis) : i - Index<2>::unit(axis);
        if (!nodes.contains(j)) continue;
        const std::size_t there = static_cast<std::size_t>(nodes.number_of(j)), low = up ? here : there;
        if (kind[axis][low] != wanted) continue;
        f(there, rise[axis].empty() ? 0.0 : (up ? 1 : -1) * rise[axis][low]);
      }
  }
};

}  // namespace

BoundStream<2> join_islands(const Grid<2>& grid, const std::vector<BoundFace<2>>& faces) {
  BoundStream<2> out;
  const Range<2> nodes = grid.node_range();
  const std::size_t count = static_cast<std::size_t>(nodes.size());
  const double fastest = fastest_of(faces);
  const bool moves = fastest > 0;
  const Ties ties(nodes, faces, moves);

  // What is seen is followed by itself: inside solids that leave the domain, or meet, fluxes need not agree.
  std::vector<std::int32_t> shore(count, -1);
  std::vector<std::vector<std::size_t>> shores;
  std::vector<double> psi(count, 0);
  for (const BoundFace<2>& f : faces) {
    const std::size_t start = static_cast<std::size_t>(nodes.number_of(f.face));
    if (!f.seen || shore[start] >= 0) continue;
    const std::int32_t number = static_cast<std::int32_t>(shores.size());
    std::vector<std::size_t>& queue = shores.emplace_back(1, start);
    shore[start] = number;
    for (std::size_t head = 0; head < queue.size(); ++head) {
      const std::size_t here = queue[head];
      ties.visit(here, Ties::seen, [&](std::size_t there, double rise) {
        if (shore[there] >= 0) return;
        shore[there] = number;
        psi[there] = psi[here] + rise;
        queue.push_back(there);
      });
    }
  }

  // Shores of one solid are one island.
  std::vector<std::int32_t> island(count, -1);
  std::vector<std::size_t> first, size, queue;
  for (const BoundFace<2>& f : faces) {
    const std::size_t start = static_cast<std::size_t>(nodes.number_of(f.face));
    if (island[start] >= 0) continue;
    const std::int32_t number = static_cast<std::int32_t>(first.size());
    first.push_back(start);
    queue.clear();
    const auto land = [&](std::size_t node, double value) {
      if (island[node] >= 0) return;
      const double shift = value - psi[node];
      const auto enter = [&](std::size_t n) {
        island[n] = number;
        psi[n] += shift;
        queue.push_back(n);
      };
      if (shore[node] < 0) return enter(node);
      for (std::size_t n : shores[static_cast<std::size_t>(shore[node])]) enter(n);
    };
    land(start, 0);
    for (std::size_t head = 0; head < queue.size(); ++head) {
      const std::size_t here = queue[head];
      ties.visit(here, Ties::hidden, [&](std::size_t there, double rise) { land(there, psi[here] + rise); });
    }
    size.push_back(queue.size());
  }
  for (const BoundFace<2>& f : faces) {
    if (!f.seen || !moves) continue;
    const CurlTerm t = curl_term<2>(f.axis, 0);
    const auto at = [&](const Index<2>& i) { return psi[static_cast<std::size_t>(nodes.number_of(i))]; };
    const double missing = f.flux - t.sign * (at(f.face + Index<2>::unit(t.along)) - at(f.face));
    if (std::abs(missing) > missing_by_rounding * fastest) out.missing.push_back({f.axis, f.face, missing});
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
    if (psi[n] != 0) out.known.push_back({0, i, psi[n]});
    const std::int32_t k = column[static_cast<std::size_t>(island[n])];
    if (k >= 0) out.columns[static_cast<std::size_t>(k)].push_back({0, i, 1.0});
  }
  return out;
}

}  // namespace glug
