// stream_system.h: the linear system of a stream function: the one whose curl, as a flux, is nearest to the
// liquid's velocity in kinetic energy.
//
//   A = Cᵀ m C,   b = Cᵀ m g                                                       docs/theory.md (Q2), (Q3)
//
// C: curl from edges to faces, m: mass of a face over its squared opening. In 3D it is applied as it is
// written (curl_curl.h); columns are the part of psi that solids have. A stencil on the edges, those of each
// kind by themselves (stacked_edges.h), is what preconditioners see (Q7), (Q9): the Laplacian inside the
// liquid. In 2D it is all of A. What solids ask for and no curl has is beside it (stream_sources.h).
// Invariant: symmetric, positive semidefinite; b is in its range. Owner: allocated once for a grid and
// rebuilt in place every step.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "projection/build_pressure_system.h"
#include "projection/curl_curl.h"
#include "projection/stacked_edges.h"
#include "projection/stream_column.h"
#include "projection/stream_columns.h"
#include "projection/stream_sources.h"
#include "solvers/packed_system.h"

namespace glug {

// A stream function on all edges, m/s (over h): what is kept from step to step.
template <int D>
struct StreamFunction {
  Grid<D> grid{};
  StackedEdges<D> stack;
  Vector<D> edges;  // of all kinds
  std::vector<StreamColumn> columns;

  StreamFunction() = default;
  explicit StreamFunction(const Grid<D>& cells) : grid(cells), stack(cells), edges(stack.grid) {}

  // Of a kind, by its own indices.
  View<D, double> kind(int k) { return of_kind(edges.cells.view(), k); }
  StreamView<D> read() const {
    StreamView<D> v;
    for (int k = 0; k < stream_kinds<D>; ++k) v[static_cast<std::size_t>(k)] = of_kind(edges.cells.read(), k);
    return v;
  }

 private:
  template <class T>
  View<D, T> of_kind(View<D, T> v, int k) const {
    const Range<D> own = edge_range(grid, k);
    v.data = &v(own.lo + stack.offset(k));
    v.range = own;
    return v;
  }
};

template <int D, class T>
class StreamSystem {
 public:
  static constexpr int kinds = stream_kinds<D>;

  StreamSystem() = default;
  explicit StreamSystem(const Grid<D>& grid);

  // Reads of the input all but the velocities. Solids and bodies (null = none) must outlive its use.
  void build(const Exec& exec, const ProjectionInput<D, T>& input, const StreamSolids<D>& solids,
             const StreamBodies<D>* bodies = nullptr);
  // (Q3) of input.velocity and input.solid_velocity.
  void find_rhs(const Exec& exec, const ProjectionInput<D, T>& input, StreamVector& b);

  void apply(const Exec& exec, const StreamVector& x, StreamVector& y) const { (void)apply_dot(exec, x, y); }
  // The same; returns x . A x.
  double apply_dot(const Exec& exec, const StreamVector& x, StreamVector& y) const;

  PackedSpace space(const Exec& exec) const { return packed_.space(exec); }
  // Makes it as long as this system's vectors are.
  void fit(StreamVector& x) const;
  // Between unknowns and the stream function on all edges. Columns of solids are found again by their keys;
  // those of bodies are changes, which start from 0.
  void gather(const Exec& exec, const StreamFunction<D>& psi, StreamVector& x) const;
  void scatter(const Exec& exec, const StreamVector& x, StreamFunction<D>& psi) const;

  const Grid<D>& grid() const { return grid_; }
  const StreamSolids<D>& solids() const { return *solids_; }
  const StackedEdges<D>& stack() const { return stack_; }
  const Stencil<D, T>& stencil() const { return stencil_; }
  const PackedSystem<D, T>& packed() const { return packed_; }
  const StreamColumns<D, T>& columns() const { return columns_; }
  // What passes faces besides the curl.
  const StreamSources<D>& sources() const { return sources_; }
  // m_f: 0 where a face carries no liquid.
  MacView<D, const T> mass() const { return mass_.read(); }
  std::int64_t unknowns() const {
    return packed_.stencil().unknowns() + static_cast<std::int64_t>(columns_.count());
  }

 private:
  void find_masses(const Exec& exec, const ProjectionInput<D, T>& input);
  void list_blocks(const Exec& exec, const BlocksView<D>& blocks);
  void write_stencil(const Exec& exec);
  void write_kind(const Exec& exec, int kind);
  // y = Cᵀ momentum_ at the edges.
  void add_up(const Exec& exec, StreamVector& y) const;

  Grid<D> grid_{};
  const StreamSolids<D>* solids_ = nullptr;
  const StreamBodies<D>* bodies_ = nullptr;
  StackedEdges<D> stack_;
  Blocks<D> blocks_;              // of the stack, near the liquid
  MacField<D, T> mass_;           // m_f
  MacField<D, double> momentum_;  // m_f times a flux, of what is projected
  std::array<RememberedBlocks<D>, D> weighed_;
  Stencil<D, T> stencil_;
  PackedSystem<D, T> packed_;
  struct Nothing {};
  std::conditional_t<D == 3, CurlCurl<T>, Nothing> curl_curl_;
  StreamColumns<D, T> columns_;
  StreamSources<D> sources_;
};

// (Q8) u = (curl psi + F_0 - (1 - w) u_s) / w on faces that are open and touch liquid: layer = 1; all others
// keep their value, which means nothing: layer = 0. Returns the work that solids did on the liquid and on
// gaps between them, J, where psi is exact: what kinetic energy gained beyond the projection's loss.
template <int D, class T>
double write_stream_velocity(const Exec& exec, const ProjectionInput<D, T>& input,
                             const StreamSystem<D, T>& system, const StreamView<D>& psi,
                             MacView<D, T> velocity, MacView<D, std::uint8_t> layer);

}  // namespace glug
