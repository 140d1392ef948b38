// viscosity_system.h: the linear system of one implicit step of viscosity, for all components of the velocity
// at once. Each component by itself is a stencil on the faces of its axis; shear couples components across
// edges (nodes in 2D):
//
//   (A x)_a = stencil_a x_a + sum over edges of +-cross (difference of x_b)          (V5)
//
// and, in 3D, cells that walls cut.
// Invariant: symmetric, positive definite; vectors are 0 at faces that are no unknowns, so a face that a wall
// holds needs no case of its own. Theory: docs/theory.md, Viscosity.
#pragma once

#include <array>

#include "core/list.h"
#include "projection/mac_vector.h"
#include "projection/viscosity_input.h"
#include "solvers/stencil.h"

namespace glug {

template <int D, class T>
struct ViscositySamples;

template <int D, class T>
class ViscositySystem {
 public:
  static constexpr int edge_kinds = D * (D - 1) / 2;

  ViscositySystem() = default;
  explicit ViscositySystem(const Grid<D>& grid);

  // Matrix and right-hand side (V5), (V6); the input's blocks are not needed afterwards.
  void build(const Exec& exec, const ViscosityInput<D, T>& input);

  // y = A x.
  void apply(const Exec& exec, const MacVector<D>& x, MacVector<D>& y) const;
  // The same; returns x . A x.
  double apply_dot(const Exec& exec, const MacVector<D>& x, MacVector<D>& y) const;

  MacSpace<D> space(const Exec& exec) const;
  const Stencil<D, T>& stencil(int axis) const { return stencil_[axis]; }
  const BlocksView<D> blocks(int axis) const { return blocks_[axis].view(); }
  // The same blocks, of the grid itself.
  const BlocksView<D> cells() const { return common_.view(); }
  // (V3) Of a stress sample within the liquid.
  double stiffness() const { return stiffness_; }
  // Of the edges of a kind (edge_kind); index i: the edge on the low side of cell i along both axes.
  View<D, const T> cross(int kind) const { return cross_[kind].read(); }
  const MacVector<D>& rhs() const { return rhs_; }
  // Numbers that are no faces, behind those of the first axis.
  void extend_rhs(const double* values, std::size_t count);
  // |right-hand side| if walls were at rest, but all liquid at least as fast as they are: what errors should
  // be small against.
  double momentum() const { return momentum_; }
  std::int64_t unknowns() const { return unknowns_; }

 private:
  void list_blocks(const Exec& exec, const ViscosityInput<D, T>& input);
  void couple_components(const Exec& exec, const ViscositySamples<D, T>& samples);
  void write_component(const Exec& exec, const ViscositySamples<D, T>& samples, int axis);
  void list_cut_cells(const Exec& exec, const ViscositySamples<D, T>& samples, int axis);
  void add_walls(const Exec& exec, const ViscositySamples<D, T>& samples, int axis);

  // What the cells below and above a face couple it to: C_c of its axis and each other.
  struct CutRow {
    Index<D> face;
    T below[D], above[D];
  };

  std::array<Blocks<D>, D> blocks_;  // of each axis' own grid
  Blocks<D> common_;                 // the same blocks, of the grid itself
  std::array<Stencil<D, T>, D> stencil_;
  std::array<Field<D, T>, edge_kinds> cross_;
  std::array<RememberedBlocks<D>, edge_kinds> crossed_;
  std::array<List<CutRow>, D> cut_;  // by axis of the face
  MacVector<D> rhs_;
  double momentum_ = 0, stiffness_ = 0;
  std::int64_t unknowns_ = 0;
};

// Which of the kinds of edges crosses both axes.
template <int D>
GLUG_INLINE constexpr int edge_kind(int a, int b) {
  return D == 2 ? 0 : a + b - 1;
}

// Work that moving walls do through viscous stress, J, while the liquid moves as x says.
template <int D, class T>
double viscous_wall_work(const Exec& exec, const ViscosityInput<D, T>& input, const MacVector<D>& x);

}  // namespace glug
