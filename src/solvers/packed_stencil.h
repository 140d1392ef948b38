// packed_stencil.h: a stencil whose unknowns are numbered side by side. Where most cells of a grid are no
// unknowns (calm fluid by the tile) fields laid out as the grid is leave one number in every line of memory;
// here vectors hold the unknowns and nothing else, row after row.
//
// Rows are cut into segments: unknowns that follow each other, whose neighbours on every other side follow
// each other too. Along the row a neighbour is the number before or after; where the two are no neighbours
// the coupling between them is 0, as it is on the grid. So a kernel runs along a segment as it would along a
// row, with a pointer for each side. Numbers from 0 on stand for what is absent: a vector is 0 there.
// The rows that become one row of the next coarser grid follow each other, and tasks never part them.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/buffer.h"
#include "solvers/stencil.h"

namespace glug {

enum class SegmentKind : std::uint8_t {
  general,
  even,  // every coupling is one number, and there are those to both neighbours along the row; no anchors
  apart  // the same without any along the row: unknowns with holes between them, all of one colour
};

template <int D, class T>
struct PackedSegment {
  static constexpr int sides = 2 * (D - 1);  // 2 (axis - 1) + (0: below, 1: above)
  std::int32_t first = 0;                    // place of its first unknown
  std::int16_t count = 0;
  std::int16_t x = 0;     // index of the first along axis 0
  std::int16_t step = 1;  // from one to the next along axis 0
  SegmentKind kind = SegmentKind::general;
  std::uint8_t odd = 0;                      // whether the indices of the first add up to an odd number
  std::uint8_t neighbours = 0;               // of each unknown
  T coupling = 0;                            // where it is one number; then
  T share = 0;                               // 1 / neighbours
  T inverse = 0;                             // 1 / diagonal
  std::array<std::int32_t, sides> beside{};  // places beside the first, 0 = none
};

// A vector of at least `room` numbers, 0 before the first place and from `end` on; in between it may keep
// what it held. Memory is kept from system to system: what is new would be zeroed page by page while it is
// used.
template <class T>
void make_room(std::size_t room, std::int32_t end, Buffer<T>& buffer) {
  if (buffer.size() < room)
    buffer = Buffer<T>(room + room / 8);
  else
    for (std::size_t i = static_cast<std::size_t>(end); i < room; ++i) buffer[i] = 0;
}

// Unknowns that follow each other along axis 0.
struct PackedRun {
  std::int32_t place = 0;
  std::int16_t x = 0, count = 0;
};

template <int D, class T>
class PackedStencil {
 public:
  static constexpr int longest = 256;  // unknowns in a segment
  // The first place; there is room to load beyond both ends.
  static constexpr std::int32_t begin = longest + 16;
  static constexpr int rows = 1 << (D - 1);  // that become one

  // What one task works on: places, segments and coarse rows that belong together.
  struct Task {
    std::int32_t place, segment, coarse_row;  // up to those of the next one
  };
  // A row of the next coarser grid, and where its segments start.
  struct CoarseRow {
    Index<D> first{};
    std::int32_t segment = 0;
  };

  // Takes over the unknowns, those with a diagonal > 0, of a stencil whose row kinds are known.
  void assign(const Exec& exec, const Stencil<D, T>& stencil);

  std::int32_t end() const { return end_; }  // behind the last place
  std::int32_t unknowns() const { return end_ - begin; }
  // How long a vector must be, with `beyond` places behind the last unknown.
  std::size_t room(std::size_t beyond = 0) const { return static_cast<std::size_t>(end_) + beyond + 16; }
  // 0 where there is no unknown.
  std::int32_t place(const Index<D>& i) const;
  // The segment of a place.
  std::int32_t segment_of(std::int32_t place) const;

  std::ptrdiff_t tasks() const { return static_cast<std::ptrdiff_t>(tasks_.size()) - 1; }
  const Task* task_list() const { return tasks_.data(); }
  const PackedSegment<D, T>* segments() const { return segments_.data(); }
  std::size_t segment_count() const { return segments_.size(); }
  const CoarseRow* coarse_rows() const { return coarse_rows_.data(); }
  const T* anchor() const { return anchor_.data(); }
  const T* coupling(int axis) const { return coupling_[static_cast<std::size_t>(axis)].data(); }
  const T* inverse_diagonal() const { return inverse_.data(); }

  // The runs of a row, that of the cell with this index: [first, second).
  std::pair<const PackedRun*, const PackedRun*> row(const Index<D>& i) const {
    const std::int32_t* start = row_start_.data() + row_number(i);
    return {runs_.data() + start[0], runs_.data() + start[1]};
  }

  // f(first, n, place) for all runs of unknowns, in parallel.
  template <class F>
  void visit_runs(const Exec& exec, F f) const {
    for_each_task(exec, tasks(), [=, this](std::ptrdiff_t task) {
      for (std::int32_t c = tasks_[task].coarse_row; c < tasks_[task + 1].coarse_row; ++c)
        for (int inside = 0; inside < rows; ++inside) {
          Index<D> i = row_of_coarse(coarse_rows_[c].first, inside);
          if (!grid_.cell_range().contains(i)) continue;
          const auto [from, to] = row(i);
          for (const PackedRun* run = from; run < to; ++run) {
            i[0] = run->x;
            f(Index<D>(i), run->count, run->place);
          }
        }
    });
  }

  // Between fields of the grid and numbers side by side.
  template <class S>
  void pack(const Exec& exec, View<D, const S> from, double* to) const {
    visit_runs(exec, [=](const Index<D>& first, int n, std::int32_t place) {
      const S* in = &from(first);
      for (int k = 0; k < n; ++k) to[place + k] = in[k];
    });
  }
  template <class S>
  void unpack(const Exec& exec, const double* from, View<D, S> to) const {
    visit_runs(exec, [=](const Index<D>& first, int n, std::int32_t place) {
      S* out = &to(first);
      for (int k = 0; k < n; ++k) out[k] = static_cast<S>(from[place + k]);
    });
  }

  // y = A x; returns x . A x.
  double apply_dot(const Exec& exec, const double* x, double* y) const;

 private:
  // Rows are numbered in the order their unknowns lie in.
  std::int32_t row_number(const Index<D>& i) const {
    std::int32_t coarse = 0, inside = 0;
    for (int a = D - 1; a > 0; --a) {
      coarse = coarse * ((grid_.cells[a] + 1) / 2) + i[a] / 2;
      inside = 2 * inside + i[a] % 2;
    }
    return coarse * rows + inside;
  }
  Index<D> row_of_coarse(const Index<D>& coarse, int inside) const {
    Index<D> i{};
    for (int a = 1; a < D; ++a) i[a] = 2 * coarse[a] + ((inside >> (a - 1)) & 1);
    return i;
  }
  void list_runs(const Exec& exec, const Stencil<D, T>& stencil);
  void make_tasks();
  void take_coefficients(const Exec& exec, const Stencil<D, T>& stencil);
  void cut_segments(const Exec& exec);
  void cut_row(const Index<D>& row, std::vector<PackedSegment<D, T>>& out) const;
  void cut_stretch(PackedSegment<D, T> stretch, bool alone, std::vector<PackedSegment<D, T>>& out) const;

  Grid<D> grid_{};
  std::int32_t end_ = begin;
  std::vector<std::int32_t> row_start_;  // of the runs of each row
  std::vector<PackedRun> runs_;
  std::vector<CoarseRow> coarse_rows_;  // those with unknowns, and one behind the last
  std::vector<Task> tasks_;             // and one behind the last
  std::vector<PackedSegment<D, T>> segments_;
  Buffer<T> anchor_, inverse_;
  std::array<Buffer<T>, D> coupling_;  // to the unknown below along each axis
};

}  // namespace glug
