#include "projection/stream_solids.h"

#include <algorithm>
#include <cmath>

#include "core/for_each.h"
#include "core/real.h"
#include "projection/stream_handles.h"
#include "projection/stream_islands.h"

namespace glug {
namespace {

// So many islands at most have constants of their own in preconditioners.
constexpr std::size_t most_shifted = 8;

template <int D, class T>
GLUG_INLINE bool is_closed(const StreamSolidsInput<D, T>& in, int axis, const Index<D>& face) {
  return !(in.open[axis](face) > 0) && !(in.owner[axis].data && in.owner[axis](face) < 0);
}

// In 2D a body is one island, and takes its number along wherever it goes.
template <int D, class T>
std::int64_t key_of(const StreamSolidsInput<D, T>& in, const SolidEdge<D>& of_column, std::int64_t key) {
  if (D == 3 || !in.owner[0].data) return key;
  visit_faces_of_edge<D>(static_cast<int>(of_column.kind), of_column.edge,
                         [&](int axis, const Index<D>& face, int) {
                           if (!in.grid.face_range(axis).contains(face) || !is_closed(in, axis, face)) return;
                           if (in.owner[axis](face) > 0) key = -in.owner[axis](face);
                         });
  return key;
}

}  // namespace

template <int D>
StreamSolids<D>::StreamSolids(const Grid<D>& grid) {
  for (auto& kind : bound_) kind = Field<D, std::uint8_t>(grid.node_range().grown(1));
}

template <int D>
template <class T>
void StreamSolids<D>::find(const Exec& exec, const StreamSolidsInput<D, T>& in) {
  for (int kind = 0; kind < stream_kinds<D>; ++kind) {
    const View<D, std::uint8_t> bound = bound_[static_cast<std::size_t>(kind)].view();
    for_each_cell(exec, in.everywhere, edge_range(in.grid, kind), [=](const Index<D>& i) {
      bool closed = false;
      visit_faces_of_edge<D>(kind, i, [&](int axis, const Index<D>& face, int) {
        closed |= in.grid.face_range(axis).contains(face) && is_closed(in, axis, face);
      });
      bound(i) = closed;
    });
  }
  if constexpr (D == 3) shores_ = find_shores(in.grid, {bound(0), bound(1), bound(2)}, most_shifted);
  const auto is_open_somewhere = [&](const Index<D>& cell) {
    bool any = false;
    for (int a = 0; a < D && !any; ++a)
      any = !is_closed(in, a, cell) || !is_closed(in, a, cell + Index<D>::unit(a));
    return any;
  };
  const Range<D> cells = in.grid.cell_range();
  const auto sees = [&](const Index<D>& cell) { return cells.contains(cell) && is_open_somewhere(cell); };
  // Closed faces in order, and what passes each of them.
  std::vector<BoundFace<D>> faces;
  for (int axis = 0; axis < D; ++axis)
    visit(in.grid.face_range(axis), [&](const Index<D>& i) {
      if (!is_closed(in, axis, i)) return;
      const bool carries = in.solid_velocity[axis].data && !(in.owner[axis].data && in.owner[axis](i) > 0);
      const double flux = carries ? static_cast<double>(in.solid_velocity[axis](i)) : 0;
      faces.push_back({axis, i, flux, sees(i) || sees(i - Index<D>::unit(axis))});
    });
  BoundStream<D> stream;
  if constexpr (D == 2)
    stream = join_islands(in.grid, faces);
  else
    stream = find_handles(in.grid, faces);
  missing_ = std::move(stream.missing);

  // What no open face sees matters to nobody.
  const auto is_seen = [&](const SolidEdge<D>& e) {
    bool seen = false;
    visit_faces_of_edge<D>(e.kind, e.edge, [&](int axis, const Index<D>& face, int) {
      seen |= in.grid.face_range(axis).contains(face) && !is_closed(in, axis, face);
    });
    return seen;
  };
  const auto keep_seen = [&](std::vector<SolidEdge<D>>& list) {
    list.erase(std::remove_if(list.begin(), list.end(), [&](const SolidEdge<D>& e) { return !is_seen(e); }),
               list.end());
  };
  known_ = std::move(stream.known);
  keep_seen(known_);
  columns_.clear();
  keys_.clear();
  if (D == 3 && in.handles == Handles::tied) return;
  for (std::size_t k = 0; k < stream.columns.size(); ++k) {
    keep_seen(stream.columns[k]);
    if (stream.columns[k].empty()) continue;
    keys_.push_back(key_of(in, stream.columns[k].front(), stream.keys[k]));
    columns_.push_back(std::move(stream.columns[k]));
  }
}

template <int D>
double StreamSolids<D>::contradiction() const {
  double most = 0;
  for (const FaceFlux<D>& f : missing_) most = std::max(most, std::abs(f.flux));
  return most;
}

#define GLUG_INSTANTIATE(D)       \
  template class StreamSolids<D>; \
  template void StreamSolids<D>::find<Real>(const Exec&, const StreamSolidsInput<D, Real>&);
GLUG_INSTANTIATE(2)
GLUG_INSTANTIATE(3)
#undef GLUG_INSTANTIATE

}  // namespace glug
