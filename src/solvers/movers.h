// movers.h: terms of low rank, kept factored. A mover stands between many cells, as a face stands between
// two: it takes up moments of what presses on it and answers with a motion that is affine in space.
//
//   A x += J^T S J x      (J x)_a0 = sum +- w x_c,   (J x)_ab = sum +- w x_c X_b    over the faces along
//   axis a
//
// X is the place of a face, in cells, from the mover's origin; + where the cell lies below the face; w the
// share of the face that is the mover's. S, symmetric positive semidefinite, D (D + 1) numbers wide, says how
// it yields: a rigid body and a region of fluid that moves affinely differ in S alone. Unknowns that are no
// cells have a row of moments each. Movers of one shape share faces and S; movers that hold each other are
// linked. This says what they are; solvers apply their lists (listed_movers.h).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/for_each.h"
#include "solvers/vector.h"

namespace glug {

template <int D>
inline constexpr int mover_moments = D*(D + 1);
template <int D>
using MoverMoments = std::array<double, mover_moments<D>>;  // [axis * (D + 1) + 0 or 1 + b]
template <int D>
using MoverMatrix = std::array<double, mover_moments<D> * mover_moments<D>>;
template <int D>
using AxisMoments = Vec<D + 1, double>;  // those along one axis

// A face of a mover, and the cell that presses on it.
template <int D>
struct MoverFace {
  std::int32_t cell = 0;  // offset from the mover's base
  AxisMoments<D> j{};     // +- w (1, X)
};
template <int D>
using MoverFaces = std::array<std::vector<MoverFace<D>>, D>;  // by axis

enum class CellLies { below = 0, above = 1 };
template <std::size_t D>
AxisMoments<D> moments_of_face(CellLies cell, const std::array<double, D>& x, double w = 1) {
  AxisMoments<D> j{{cell == CellLies::below ? w : -w}};
  for (int b = 0; b < static_cast<int>(D); ++b) j[1 + b] = j[0] * x[b];
  return j;
}

template <int D>
struct Mover {
  std::int32_t shape = 0;
  std::ptrdiff_t base = 0;  // offset of a cell
};

// What a mover has of an unknown that is no cell.
template <int D>
struct ExtraMoments {
  std::int32_t mover = 0, unknown = 0;
  MoverMoments<D> j{};
};

// What moments on another mover do to one: S has blocks beside its diagonal where movers hold each other.
template <int D>
struct MoverLink {
  std::int32_t mover = 0, other = 0;
  MoverMatrix<D> yield{};  // row-major: the mover's motion by the other's moments
};

// motion += S moments.
template <int D>
GLUG_INLINE void add_product(const MoverMatrix<D>& S, const MoverMoments<D>& moments,
                             MoverMoments<D>& motion) {
  constexpr int n = mover_moments<D>;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) motion[i] += S[i * n + j] * moments[j];
}

template <int D>
class Movers {
 public:
  void clear() { *this = {}; }
  std::int32_t add_shape(const MoverFaces<D>& faces, const MoverMatrix<D>& yield);
  void add(const Mover<D>& mover) { movers_.push_back(mover); }
  // Each pair of mover and unknown once.
  void add_extra(const ExtraMoments<D>& moments) { extra_.push_back(moments); }
  // Each with its transpose, so that S stays symmetric; preconditioners see the diagonal blocks.
  void add_link(const MoverLink<D>& link) { links_.push_back(link); }

  bool empty() const { return movers_.empty(); }
  std::int32_t count() const { return static_cast<std::int32_t>(movers_.size()); }
  std::int32_t shapes() const { return static_cast<std::int32_t>(yields_.size()); }
  std::int32_t shape_of(std::int32_t mover) const { return movers_[mover].shape; }
  const std::vector<MoverMatrix<D>>& yields() const { return yields_; }  // of the shapes
  const std::vector<MoverFace<D>>& faces() const { return faces_; }
  const std::vector<ExtraMoments<D>>& extras() const { return extra_; }
  const std::vector<MoverLink<D>>& links() const { return links_; }

  // f(number among faces(), offset of the cell, j) for the faces of a mover along an axis.
  template <class F>
  void visit_faces(std::int32_t mover, int axis, F&& f) const {
    const Mover<D>& m = movers_[mover];
    for (std::int32_t k = start_[m.shape * D + axis]; k < start_[m.shape * D + axis + 1]; ++k)
      f(k, m.base + faces_[k].cell, faces_[k].j);
  }

  // Face by face, on vectors of the grid. motion = S J x of each; x_extra may be null: those unknowns are 0.
  std::vector<MoverMoments<D>> motions(const Exec& exec, const double* x,
                                       const double* x_extra = nullptr) const;
  // y += J^T S J x; returns how much that changes x . A x.
  double apply(const Exec& exec, const Vector<D>& x, Vector<D>& y) const;

 private:
  std::vector<MoverMatrix<D>> yields_;  // S of each shape
  std::vector<std::int32_t> start_{0};  // of the faces of each shape and axis
  std::vector<MoverFace<D>> faces_;
  std::vector<Mover<D>> movers_;
  std::vector<ExtraMoments<D>> extra_;
  std::vector<MoverLink<D>> links_;
};

}  // namespace glug
