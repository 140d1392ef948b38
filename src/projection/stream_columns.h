// stream_columns.h: the part of the stream function that solids have, in the system: columns of one unknown
// each (islands, handles, motions of bodies), coupled to the edges around them through the faces between.
// With c_k the curl of column k on the faces that carry liquid, and C that of the free edges,
//
//   A of column k: sum_f m_f c_kf (C x + sum_l c_lf x_l)_f                                docs/theory.md (Q5)
//
// They are few and small: sums over them are formed in order, by one thread.
#pragma once

#include <cstdint>
#include <vector>

#include "projection/stacked_edges.h"
#include "projection/stream_bodies.h"
#include "projection/stream_vector.h"
#include "solvers/packed_stencil.h"

namespace glug {

template <int D, class T>
class StreamColumns {
 public:
  // mass: m_f, 0 where there is no liquid; packed: where the edges are.
  // bodies: null = none; their motions (Q11) follow the columns of solids.
  void assign(const Grid<D>& grid, const StreamSolids<D>& solids, const StreamBodies<D>* bodies,
              MacView<D, const T> mass, const PackedStencil<D, T>& packed);

  std::size_t count() const { return couplings_.size(); }
  // 2D: of islands that hang together through liquid, and with nothing else, only differences matter: one of
  // them keeps the value it has.
  bool is_held(std::size_t column) const { return held_[column] != 0; }
  // Adds what columns do to y = A x; returns how much that changes x . A x.
  double apply(const StreamVector& x, StreamVector& y) const;
  // The column by itself: A of its unit vector.
  void write(std::size_t column, StreamVector& y) const;
  // Of the unknown with itself.
  double diagonal(std::size_t column) const { return own_[column * count() + column]; }
  // The right-hand side of columns, and what the known part of solids takes from that of the edges.
  // momentum: m_f g_f (Q3).
  void add_rhs(MacView<D, const double> momentum, StreamVector& b) const;

 private:
  struct Coupling {
    std::int32_t place = 0;
    double value = 0;
  };
  using Faces = std::vector<FaceValue<D>>;
  std::vector<Faces> faces_;                      // of each column
  std::vector<std::vector<Coupling>> couplings_;  // B
  std::vector<double> own_;                       // S, by rows
  std::vector<Coupling> known_couplings_;
  std::vector<double> known_own_;  // of each column
  std::vector<std::uint8_t> held_;
};

}  // namespace glug
