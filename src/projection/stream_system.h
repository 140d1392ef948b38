// stream_system.h: the linear system of a stream function: the one whose curl, as a flux, is nearest to the
// liquid's velocity in kinetic energy.
//
//   A = Cᵀ m C,   b = Cᵀ m g                                                       docs/theory.md (Q2), (Q3)
//
// C: curl from edges to faces, m: mass of a face over its squared opening. In 3D it is applied by its two
// halves (stream_fluxes.h); columns are the part of psi that solids have. A stencil for each kind of edges is
// what preconditioners see (Q7), (Q9): the Laplacian inside the liquid. In 2D it is all of A. What solids ask
// for and no curl has is beside it (stream_sources.h).
// Invariant: symmetric, positive semidefinite; b is in its range. Owner: allocated once for a grid and
// rebuilt in place every step.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "projection/build_pressure_system.h"
#include "projection/stream_column.h"
#include "projection/stream_columns.h"
#include "projection/stream_sources.h"
#include "solvers/stencil.h"

namespace glug {

// A stream function on all edges, m/s (over h): what is kept from step to step.
template <int D>
struct StreamFunction {
  std::array<Vector<D>, stream_kinds<D>> kind;
  std::vector<StreamColumn> columns;

  StreamFunction() = default;
  explicit StreamFunction(const Grid<D>& grid) {
    for (int k = 0; k < stream_kinds<D>; ++k)
      kind[static_cast<std::size_t>(k)] = Vector<D>(grid_of_edges(grid, k));
  }
  StreamView<D> read() const {
    StreamView<D> v;
    for (std::size_t k = 0; k < kind.size(); ++k) v[k] = kind[k].cells.read();
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
  void find_rhs(const Exec& exec, const ProjectionInput<D, T>& input, StreamVector<D>& b);

  void apply(const Exec& exec, const StreamVector<D>& x, StreamVector<D>& y) const {
    (void)apply_dot(exec, x, y);
  }
  // The same; returns x . A x.
  double apply_dot(const Exec& exec, const StreamVector<D>& x, StreamVector<D>& y) const;

  StreamSpace<D> space(const Exec& exec) const;
  // Makes it as long as this system's vectors are.
  void fit(StreamVector<D>& x) const;
  // Between unknowns and the stream function on all edges. Columns of solids are found again by their keys;
  // those of bodies are changes, which start from 0.
  void gather(const Exec& exec, const StreamFunction<D>& psi, StreamVector<D>& x) const;
  void scatter(const Exec& exec, const StreamVector<D>& x, StreamFunction<D>& psi) const;

  const Grid<D>& grid() const { return grid_; }
  const StreamSolids<D>& solids() const { return *solids_; }
  const Stencil<D, T>& stencil(int kind) const { return stencil_[static_cast<std::size_t>(kind)]; }
  const PackedSystem<D, T>& packed(int kind) const { return packed_[static_cast<std::size_t>(kind)]; }
  const std::array<PackedSystem<D, T>, kinds>& packed() const { return packed_; }
  const StreamColumns<D, T>& columns() const { return columns_; }
  // What passes faces besides the curl.
  const StreamSources<D>& sources() const { return sources_; }
  // m_f: 0 where a face carries no liquid.
  MacView<D, const T> mass() const { return mass_.read(); }
  std::int64_t unknowns() const;

 private:
  void find_masses(const Exec& exec, const ProjectionInput<D, T>& input);
  void list_blocks(const Exec& exec, const BlocksView<D>& blocks);
  void write_stencil(const Exec& exec, int kind);
  // y = Cᵀ momentum_ at the edges.
  void add_up(const Exec& exec, StreamVector<D>& y) const;

  Grid<D> grid_{};
  const StreamSolids<D>* solids_ = nullptr;
  const StreamBodies<D>* bodies_ = nullptr;
  Blocks<D> common_;                      // near the liquid
  std::array<Blocks<D>, kinds> blocks_;   // the same, of each kind's own grid
  MacField<D, T> mass_;                   // m_f
  mutable MacField<D, double> momentum_;  // m_f times a flux: of what is projected, or of what is iterated
  std::array<RememberedBlocks<D>, D> weighed_;
  std::array<Stencil<D, T>, kinds> stencil_;
  std::array<PackedSystem<D, T>, kinds> packed_;
  mutable std::array<Field<D, double>, kinds> spread_;  // 3D: psi on its edges, 0 but at unknowns
  std::array<RememberedBlocks<D>, kinds> spread_known_;
  StreamColumns<D, T> columns_;
  StreamSources<D> sources_;
};

// (Q8) u = (curl psi + F_0 - (1 - w) u_s) / w on faces that are open and touch liquid: layer = 1; all others
// keep their value, which means nothing: layer = 0. Returns the work that solids did on the liquid, J, where
// psi is exact: what kinetic energy gained beyond the projection's loss.
template <int D, class T>
double write_stream_velocity(const Exec& exec, const ProjectionInput<D, T>& input,
                             const StreamSystem<D, T>& system, const StreamView<D>& psi,
                             MacView<D, T> velocity, MacView<D, std::uint8_t> layer);

}  // namespace glug
