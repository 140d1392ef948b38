// stream_band.h: a smoother for the edges near surfaces and cut cells, where the kinds of edges are coupled
// and a preconditioner that takes them one by one is wrong: Gauss-Seidel on the rows of Cᵀ m C, a sweep
// before it and the same backwards after it. Theory: docs/theory.md (Q9).
//
//   band.start(exec, r, rest);   // a sweep from 0; rest = r - A of what it found
//   ...                          // z = M^-1 rest, kind by kind
//   band.finish(exec, r, z);     // adds the sweep to z, and sweeps back
//
// Edges of a kind whose other indices add up to an even number share no face with each other: edges of one
// kind and one parity are relaxed together. Invariant: symmetric, and the same bits for any number of
// threads.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/mac_field.h"
#include "core/remembered_blocks.h"
#include "projection/stream_vector.h"
#include "solvers/packed_system.h"

namespace glug {

template <int D, class T>
class StreamBand {
 public:
  static constexpr int kinds = stream_kinds<D>;

  StreamBand() = default;
  explicit StreamBand(const Grid<D>& grid);

  // cut: nodes at which some face that is open is not wholly liquid; an edge belongs to the band if one of
  // its ends is. blocks: of each kind's own grid.
  void assign(const Exec& exec, const std::array<BlocksView<D>, kinds>& blocks,
              const std::array<PackedSystem<D, T>, kinds>& packed, MacView<D, const T> mass,
              View<D, const std::uint8_t> cut);

  bool empty() const { return rows_.empty(); }
  void start(const Exec& exec, const StreamVector<D>& r, StreamVector<D>& rest) const;
  void finish(const Exec& exec, const StreamVector<D>& r, StreamVector<D>& z) const;

 private:
  struct Row {
    std::int32_t place = 0, offset = 0;  // of the unknown, and of its edge
    T inverse = 0;                       // of the diagonal
    std::array<T, 4> mass{};             // of the faces around, as visit_faces_of_edge meets them
  };
  // Rows of one kind.
  struct Group {
    int kind = 0;
    std::int32_t begin = 0, end = 0;
  };
  template <class F>
  void each_row(const Exec& exec, const Group& group, F f) const;
  void relax(const Exec& exec, const Group& colour, const StreamVector<D>& r) const;

  mutable std::array<Field<D, T>, kinds> z_;  // 0 between uses
  std::array<Field<D, std::uint8_t>, kinds> near_;
  std::array<RememberedBlocks<D>, kinds> near_known_;
  std::vector<Row> rows_;
  std::vector<Group> colours_;  // of the band
  std::vector<Group> around_;   // edges that share a face with the band
};

}  // namespace glug
