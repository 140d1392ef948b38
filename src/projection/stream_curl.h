// stream_curl.h: where a stream function lives, and its curl. Psi has one number per edge in 3D, three kinds
// of them by the axis they run along, and one number per node in 2D, where a node is an edge across the
// plane. Edge i of kind k starts at node i. With unit differences (psi is a velocity: the stream function
// over h), the curl on the face i of an axis is
//
//   F = sum of +-(psi_k(i + along) - psi_k(i))        one term in 2D, two in 3D           docs/theory.md (Q1)
//
// Invariant: the fluxes F out of any cell add up to 0, whatever psi is, and F of a gradient is 0.
#pragma once

#include <array>

#include "core/field.h"
#include "core/grid.h"

namespace glug {

template <int D>
inline constexpr int stream_kinds = D == 2 ? 1 : 3;

template <int D>
GLUG_INLINE Range<D> edge_range(const Grid<D>& grid, int kind) {
  Range<D> r = grid.node_range();
  if (D == 3) --r.hi[kind];
  return r;
}
// The grid whose cells are the edges of a kind.
template <int D>
Grid<D> grid_of_edges(const Grid<D>& grid, int kind) {
  return {edge_range(grid, kind).hi, grid.h};
}

struct CurlTerm {
  int kind, along, sign;
};
// The n-th term of the curl on faces of an axis.
template <int D>
GLUG_INLINE constexpr CurlTerm curl_term(int axis, int n) {
  if (D == 2) return {0, 1 - axis, axis == 0 ? 1 : -1};
  const int a = (axis + 1) % 3, b = (axis + 2) % 3;
  return n == 0 ? CurlTerm{b, a, 1} : CurlTerm{a, b, -1};
}

template <int D>
using StreamView = std::array<View<D, const double>, stream_kinds<D>>;

// (Q1)
template <int D>
GLUG_INLINE double curl_at(const StreamView<D>& psi, int axis, const Index<D>& i) {
  double flux = 0;
  for (int n = 0; n < D - 1; ++n) {
    const CurlTerm t = curl_term<D>(axis, n);
    flux += t.sign * (psi[t.kind](i + Index<D>::unit(t.along)) - psi[t.kind](i));
  }
  return flux;
}

// The other way round: the two axes of faces that have an edge of this kind, and the axis along which such
// faces lie beside it. Two in 2D as in 3D.
struct EdgeTerm {
  int axis, along, sign;
};
template <int D>
GLUG_INLINE constexpr EdgeTerm edge_term(int kind, int n) {
  if (D == 2) return n == 0 ? EdgeTerm{0, 1, 1} : EdgeTerm{1, 0, -1};
  const int a = (kind + 1) % 3, b = (kind + 2) % 3;
  return n == 0 ? EdgeTerm{a, b, 1} : EdgeTerm{b, a, -1};
}

// f(axis, face, sign) for the four faces around an edge, inside the domain or not; sign: that of the edge in
// the face's curl.
template <int D, class F>
GLUG_INLINE void visit_faces_of_edge(int kind, const Index<D>& edge, F&& f) {
  for (int n = 0; n < 2; ++n) {
    const EdgeTerm t = edge_term<D>(kind, n);
    f(t.axis, edge, -t.sign);
    f(t.axis, edge - Index<D>::unit(t.along), t.sign);
  }
}
// f(kind, edge, sign) for the 2 (D - 1) edges around a face.
template <int D, class F>
GLUG_INLINE void visit_edges_of_face(int axis, const Index<D>& face, F&& f) {
  for (int n = 0; n < D - 1; ++n) {
    const CurlTerm t = curl_term<D>(axis, n);
    f(t.kind, face, -t.sign);
    f(t.kind, face + Index<D>::unit(t.along), t.sign);
  }
}

}  // namespace glug
