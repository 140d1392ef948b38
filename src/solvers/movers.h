// movers.h: terms of low rank, kept factored. A mover stands between many cells, as a face stands between
// two: it takes up moments of what presses on it and answers with a motion that is affine in space.
//
//   A x += J^T S J x      (J x)_a0 = sum +- w x_c,   (J x)_ab = sum +- w x_c X_b    over the faces along
//   axis a
//
// X is the place of a face, in cells, from the mover's origin; + where the cell lies below the face; w the
// share of the face that is the mover's. S, symmetric positive semidefinite, D (D + 1) numbers wide, says how
// it yields: a rigid body and a region of fluid that moves affinely differ in S alone. Unknowns that are no
// cells have a row of moments each. Faces are listed by rows, so a mover costs what its surface costs; movers
// of one shape share rows and S; movers that hold each other are linked. Pieces of rows that share a cell are
// added one after the other, all others in parallel: the same bits for any number of threads.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/for_each.h"
#include "core/group_by.h"
#include "solvers/vector.h"

namespace glug {

template <int D>
inline constexpr int mover_moments = D*(D + 1);
template <int D>
using MoverMoments = std::array<double, mover_moments<D>>;  // [axis * (D + 1) + 0 or 1 + b]
template <int D>
using MoverMatrix = std::array<double, mover_moments<D> * mover_moments<D>>;

// The side of a face its cell lies on, for each axis: 2 axis + (0: below, 1: above).
template <int D>
inline constexpr int mover_sides = 2 * D;

// What a face adds to the moments along its axis: +- w (1, X).
template <class S, std::size_t D>
std::array<S, D + 1> moments_of_face(int side, const std::array<double, D>& x, double w) {
  std::array<S, D + 1> m{static_cast<S>(side % 2 == 0 ? w : -w)};
  for (std::size_t b = 0; b < D; ++b) m[1 + b] = m[0] * static_cast<S>(x[b]);
  return m;
}

// Faces side by side, all along one axis and with their cells on one side.
template <int D>
struct FaceRun {
  std::int32_t cell = 0;     // offset of the first cell from the mover's base
  std::int16_t count = 0;    // faces
  std::int16_t along = 0;    // the axis they follow each other on
  std::array<float, D> x{};  // place of the first
  double weight = 1;         // w of each
  std::int32_t listed = 0;   // of renumbered movers: faces of the shape before it
  bool side_by_side = true;  // the same: the cells of each colour follow each other
};

template <int D>
struct MoverShape {
  std::array<std::int32_t, mover_sides<D> + 1> start{};  // of the runs of each side
  MoverMatrix<D> yield{};                                // S
};

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

template <int D>
class Movers {
 public:
  void clear();
  // runs: by side.
  std::int32_t add_shape(const std::array<std::vector<FaceRun<D>>, mover_sides<D>>& runs,
                         const MoverMatrix<D>& yield);
  void add(const Mover<D>& mover) { movers_.push_back(mover); }
  // Each pair of mover and unknown once.
  void add_extra(const ExtraMoments<D>& moments) { extra_.push_back(moments); }
  // By mover. Each with its transpose, so that S stays symmetric; preconditioners see the diagonal blocks.
  void add_link(const MoverLink<D>& link) { links_.push_back(link); }
  // Once all are added. layout: of the vectors.
  void finish(const std::array<std::ptrdiff_t, D>& strides);

  // The same for vectors whose cells lie elsewhere: place_of(offset), 0 where there is none; those get places
  // from `beyond` on, which is moved up: what is written there means nothing, and what is read must be 0.
  template <class F>
  Movers renumbered(const Exec& exec, F place_of, std::int32_t& beyond) const;

  bool empty() const { return movers_.empty(); }
  // Whether some press on unknowns that are no cells.
  bool has_extras() const { return !extra_.empty(); }
  std::int32_t count() const { return static_cast<std::int32_t>(movers_.size()); }
  std::int32_t shapes() const { return static_cast<std::int32_t>(shapes_.size()); }
  const MoverMatrix<D>& yield(std::int32_t mover) const { return shapes_[movers_[mover].shape].yield; }

  // motion = S J x, one per mover; returns x . J^T motion. change, if not null: how much that is more than
  // motion was before. x_extra may be null: those unknowns are 0.
  template <class T>
  double gather(const Exec& exec, const T* x, MoverMoments<D>* motion, MoverMoments<D>* change = nullptr,
                const double* x_extra = nullptr) const;
  // y += factor J^T motion, at cells.
  template <class T>
  void scatter(const Exec& exec, const MoverMoments<D>* motion, double factor, T* y) const;
  // The same at unknowns that are no cells.
  void scatter_extra(const MoverMoments<D>* motion, double factor, double* y_extra) const {
    for (const ExtraMoments<D>& e : extra_)
      for (int k = 0; k < mover_moments<D>; ++k) y_extra[e.unknown] += factor * e.j[k] * motion[e.mover][k];
  }
  // y += J^T S J x; returns how much that changes x . A x.
  double apply(const Exec& exec, const double* x, const double* x_extra, double* y, double* y_extra) const;
  double apply(const Exec& exec, const Vector<D>& x, Vector<D>& y) const {
    return apply(exec, x.cells.read().data, x.extra.data(), y.cells.view().data, y.extra.data());
  }
  // diagonal += that of J^T S J. Of renumbered movers.
  void add_diagonal(const Exec& exec, double* diagonal) const;
  std::int32_t shape_of(std::int32_t mover) const { return movers_[mover].shape; }

  // f(side, offset of the cell, X, w) for every face of a mover.
  template <class F>
  void visit_faces(std::int32_t mover, F&& f) const {
    const Mover<D>& m = movers_[mover];
    visit_faces_of_shape(m.shape, [&](int side, std::ptrdiff_t cell, const std::array<double, D>& x,
                                      double w) { f(side, m.base + cell, x, w); });
  }

 private:
  // The same of a shape, offsets from its base.
  template <class F>
  void visit_faces_of_shape(std::int32_t number, F&& f) const {
    const MoverShape<D>& shape = shapes_[number];
    for (int side = 0; side < mover_sides<D>; ++side)
      for (std::int32_t r = shape.start[side]; r < shape.start[side + 1]; ++r) {
        const FaceRun<D>& run = runs_[r];
        std::array<double, D> x{};
        for (int b = 0; b < D; ++b) x[b] = run.x[b];
        for (int k = 0; k < run.count; ++k, x[run.along] += 1)
          f(side, run.cell + k * strides_[run.along], x, run.weight);
      }
  }
  using DiagonalEntry = std::pair<std::int32_t, double>;  // number of a face of its cell, value
  std::vector<DiagonalEntry> diagonal_of_shape(std::int32_t shape) const;

  // Runs of one side of a mover that are visited together.
  struct Piece {
    std::int32_t mover;
    std::int32_t begin, end;
    std::int32_t side;
  };
  std::array<std::ptrdiff_t, D> strides_{};
  std::vector<MoverShape<D>> shapes_;
  std::vector<FaceRun<D>> runs_;
  std::vector<Mover<D>> movers_;
  std::vector<ExtraMoments<D>> extra_;
  std::vector<MoverLink<D>> links_;
  std::vector<Piece> pieces_;  // by side
  Groups of_mover_;            // pieces of each mover, by side
  // Pieces whose cells may be written one after the other: groups of a stage touch no cell of each other.
  // Known of renumbered movers; those of a grid, which only yardsticks iterate on, are written by one thread.
  std::vector<std::int32_t> order_, group_start_, stage_start_;
  mutable std::vector<std::array<double, D + 1>> partial_;
  mutable std::vector<MoverMoments<D>> motion_, moments_;
  mutable std::vector<double> dots_;
  // Of renumbered movers: the places of all faces of each, and where they start.
  std::vector<std::int32_t> places_, places_start_;

  // Null where they are not renumbered.
  const std::int32_t* places_of(std::int32_t mover) const {
    return places_.empty() ? nullptr : places_.data() + places_start_[mover];
  }
  // places: how many there are at most.
  void stage(std::int32_t places);
  template <class T>
  void gather_pieces(const Exec& exec, const T* x) const;
  MoverMoments<D> moments_of(std::int32_t mover) const;
};

template <int D>
template <class F>
Movers<D> Movers<D>::renumbered(const Exec& exec, F place_of, std::int32_t& beyond) const {
  Movers<D> out = *this;
  std::vector<std::int32_t> faces_of(shapes_.size(), 0);
  for (std::size_t shape = 0; shape < shapes_.size(); ++shape)
    for (std::int32_t r = shapes_[shape].start[0]; r < shapes_[shape].start[mover_sides<D>]; ++r) {
      out.runs_[r].listed = faces_of[shape];
      faces_of[shape] += runs_[r].count;
    }
  out.places_start_.assign(1, 0);
  for (const Mover<D>& m : movers_) out.places_start_.push_back(out.places_start_.back() + faces_of[m.shape]);
  out.places_.assign(static_cast<std::size_t>(out.places_start_.back()), 0);
  for_each_task(exec, count(), [&](std::ptrdiff_t m) {
    std::int32_t* place = out.places_.data() + out.places_start_[m];
    visit_faces(static_cast<std::int32_t>(m), [&](int, std::ptrdiff_t cell, const std::array<double, D>&,
                                                  double) { *place++ = place_of(cell); });
  });
  for (std::int32_t& place : out.places_)
    if (place == 0) place = beyond++;
  // Runs are shared by movers: a run is side by side if it is for all of them.
  for (std::int32_t m = 0; m < count(); ++m) {
    const MoverShape<D>& shape = shapes_[movers_[m].shape];
    for (std::int32_t r = shape.start[0]; r < shape.start[mover_sides<D>]; ++r) {
      FaceRun<D>& run = out.runs_[r];
      const std::int32_t* place = out.places_.data() + out.places_start_[m] + run.listed;
      for (int k = 2; k < run.count && run.side_by_side; ++k) run.side_by_side = place[k] == place[k - 2] + 1;
    }
  }
  out.stage(beyond);
  return out;
}

}  // namespace glug
