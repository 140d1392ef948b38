// stream_solids.h: what the stream function may be inside solids. A face that is closed throughout lets
// through what its solid carries, so on its edges psi is bound:
//
//   curl psi = u_s on every closed face                                             docs/theory.md (Q4)-(Q6)
//
// as far as the liquid sees them: those between cells that are closed all round may carry anything. Up to
// gradients, which no flux sees, the solutions are one known field (0 where nothing moves) and a few
// that carry no flux through any closed face: one constant per island of the solids in 2D, all but one, and
// in 3D one field per handle: around it the liquid may flow, and how much is for the liquid to decide. Edges
// between open faces are free.
// Invariant: the same for any number of threads; a column is told by a place, whatever the others are.
#pragma once

#include <cstdint>
#include <vector>

#include "core/blocks.h"
#include "core/mac_field.h"
#include "projection/stream_curl.h"
#include "projection/stream_shores.h"

namespace glug {

// psi on an edge inside solids.
template <int D>
struct SolidEdge {
  std::int32_t kind = 0;
  Index<D> edge{};
  double value = 0;
};

// A velocity on a face, m/s; or a part of one.
template <int D>
struct FaceFlux {
  int axis = 0;
  Index<D> face{};
  double flux = 0;
};

enum class Handles { free, tied };  // tied: no net flow around them, as in document 001

template <int D, class T>
struct StreamSolidsInput {
  Grid<D> grid{};
  BlocksView<D> everywhere{};            // all blocks
  MacView<D, const T> open{};            // w_f, in all of them
  MacView<D, const T> solid_velocity{};  // u_s, m/s; data null = at rest
  // Of closed faces: whose they are, if free bodies have any (stream_bodies.h). A body's own stream function
  // is known by itself, so only its part that carries nothing is looked for; gaps count as open.
  MacView<D, const std::int32_t> owner{};
  Handles handles = Handles::free;
};

template <int D>
class StreamSolids {
 public:
  StreamSolids() = default;
  explicit StreamSolids(const Grid<D>& grid);

  template <class T>
  void find(const Exec& exec, const StreamSolidsInput<D, T>& input);

  // 1 at edges of closed faces; one ghost layer of 0.
  View<D, const std::uint8_t> bound(int kind) const { return bound_[static_cast<std::size_t>(kind)].read(); }
  // The known field, where it is not 0 and an open face sees it.
  const std::vector<SolidEdge<D>>& known() const { return known_; }
  // The fields that are free, each times one unknown; likewise.
  const std::vector<std::vector<SolidEdge<D>>>& columns() const { return columns_; }
  const std::vector<std::int64_t>& keys() const { return keys_; }
  // 3D: where preconditioners may shift psi.
  const std::vector<StreamShore>& shores() const { return shores_; }
  // What no curl gives the closed faces of cells that are open elsewhere, because solids change the volume
  // between them (stream_sources.h).
  const std::vector<FaceFlux<D>>& missing() const { return missing_; }
  // The most of it through one face, m/s.
  double contradiction() const;

 private:
  std::array<Field<D, std::uint8_t>, stream_kinds<D>> bound_;
  std::vector<SolidEdge<D>> known_;
  std::vector<std::vector<SolidEdge<D>>> columns_;
  std::vector<std::int64_t> keys_;
  std::vector<FaceFlux<D>> missing_;
  std::vector<StreamShore> shores_;
};

}  // namespace glug
