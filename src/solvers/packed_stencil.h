// packed_stencil.h: a stencil whose unknowns are numbered side by side, red and black apart (red: the indices
// of a cell add up to an even number). Vectors hold the unknowns and nothing else; a row of one colour has
// all its neighbours, on every side, in rows of the other one.
//
// Rows are cut into segments: unknowns of one colour whose neighbours on every side follow each other too.
// So a kernel runs along a segment with one pointer for each side, computes nothing in vain, and never reads
// what it writes. Places before the first stand for what is absent: a vector is 0 there.
// The rows that become one row of the next coarser grid belong to one task; of a task the red unknowns come
// first, then the black ones.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/buffer.h"
#include "core/equal_tasks.h"
#include "solvers/colour.h"
#include "solvers/stencil.h"

namespace glug {

template <int D, class T>
struct PackedSegment {
  static constexpr int sides = 2 * D;  // 2 axis + (0: below, 1: above)
  std::int32_t first = 0;              // place of its first unknown
  std::int16_t count = 0;
  std::int16_t x = 0;           // index of the first along axis 0
  std::int16_t step = 2;        // from one to the next along axis 0
  std::int16_t neighbours = 0;  // of each unknown, where every coupling is one number; else 0
  // That number, 1 / neighbours and 1 / diagonal; nothing is anchored there.
  T coupling = 0, share = 0, inverse = 0;
  // Elsewhere, where its coefficients are listed: `count` anchors, then the couplings of each side.
  std::int32_t coefficients = 0;
  std::array<std::int32_t, sides> beside{};  // places beside the first, 0 = none

  bool is_even() const { return neighbours > 0; }
};

// Unknowns that follow each other along axis 0.
struct PackedRun {
  std::array<std::int32_t, 2> place{};  // of the first, and of the second, which has the other colour
  std::int16_t x = 0, count = 0;
  std::int16_t colour = 0;  // of the first

  // The place of the unknown that has this index along axis 0.
  std::int32_t at(int index) const { return place[(index - x) & 1] + ((index - x) >> 1); }
};

// From the numbers of a run to those of its two colours, the first one's and the other's, and back.
template <class T>
GLUG_INLINE void split_colours(const T* run, int n, T* __restrict one, T* __restrict other) {
  for (int k = 0; k < n / 2; ++k) {
    one[k] = run[2 * k];
    other[k] = run[2 * k + 1];
  }
  if (n % 2) one[n / 2] = run[n - 1];
}
template <class T>
GLUG_INLINE void join_colours(const T* one, const T* other, int n, T* __restrict run) {
  for (int k = 0; k < n / 2; ++k) {
    run[2 * k] = one[k];
    run[2 * k + 1] = other[k];
  }
  if (n % 2) run[n - 1] = one[n / 2];
}

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

template <int D, class T>
class PackedStencil {
 public:
  static constexpr int longest = 256;  // unknowns in a segment
  // The first place; there is room to load beyond both ends.
  static constexpr std::int32_t begin = longest + 16;
  static constexpr int rows = 1 << (D - 1);  // that become one

  // What one task works on: places, segments and coarse rows that belong together.
  struct Task {
    std::int32_t place, black_place;      // the first, and the first black one
    std::int32_t segment, black_segment;  // the same of its segments
    std::int32_t coarse_row;              // all up to those of the next task
  };
  // A row of the next coarser grid, its first run, and where its segments of each colour start and end.
  struct CoarseRow {
    Index<D> first{};
    std::int32_t run = 0;
    std::array<std::int32_t, 2> segment{}, end{};
  };

  // Takes over the unknowns, those with a diagonal > 0, of a stencil; quickest if its row kinds are known.
  void assign(const Exec& exec, const Stencil<D, T>& stencil);

  const Grid<D>& grid() const { return grid_; }
  std::int32_t end() const { return end_; }  // behind the last place
  std::int32_t unknowns() const { return end_ - begin; }
  // How long a vector must be.
  std::size_t room() const { return static_cast<std::size_t>(end_) + 16; }
  // 0 where there is no unknown.
  std::int32_t place(const Index<D>& i) const;
  // The segment of a place.
  std::int32_t segment_of(std::int32_t place) const;

  std::ptrdiff_t tasks() const { return static_cast<std::ptrdiff_t>(tasks_.size()) - 1; }
  // f(task, the next one) over all tasks, in parallel; and the sum of what it returns.
  template <class F>
  void visit_tasks(const Exec& exec, F f) const {
    const Task* list = tasks_.data();
    for_each_equal_task(exec, tasks(), [=](std::ptrdiff_t n) { f(list[n], list[n + 1]); });
  }
  template <class F>
  double sum_tasks(const Exec& exec, F f) const {
    const Task* list = tasks_.data();
    return sum_equal_tasks(exec, tasks(), [=](std::ptrdiff_t n) { return f(list[n], list[n + 1]); });
  }
  const PackedSegment<D, T>* segments() const { return segments_.data(); }
  std::size_t segment_count() const { return segment_count_; }
  const CoarseRow* coarse_rows() const { return coarse_rows_.data(); }
  const T* coefficients() const { return coefficients_.data(); }
  const T* inverse_diagonal() const { return inverse_.data(); }

  // The runs of a row, that of the cell with this index.
  std::span<const PackedRun> row(const Index<D>& i) const {
    const std::int32_t* start = row_start_.data() + row_number(i);
    return {runs_.data() + start[0], runs_.data() + start[1]};
  }
  // f(first index, run) for all runs of unknowns, in parallel.
  template <class F>
  void visit_runs(const Exec& exec, F f) const {
    visit_tasks(exec, [=, this](const Task& task, const Task& next) {
      for (std::int32_t c = task.coarse_row; c < next.coarse_row; ++c)
        visit_rows(coarse_rows_[c].first, [&](const Index<D>& i) {
          for (const PackedRun& run : row(i)) f(i + Index<D>::unit(0) * run.x, run);
        });
    });
  }

  // Between fields of the grid and numbers side by side.
  void pack(const Exec& exec, View<D, const double> from, double* to) const {
    visit_runs(exec, [=](const Index<D>& first, const PackedRun& run) {
      split_colours(&from(first), run.count, to + run.place[0], to + run.place[1]);
    });
  }
  void unpack(const Exec& exec, const double* from, View<D, double> to) const {
    visit_runs(exec, [=](const Index<D>& first, const PackedRun& run) {
      join_colours(from + run.place[0], from + run.place[1], run.count, &to(first));
    });
  }

  // y = A x; returns x . A x.
  double apply_dot(const Exec& exec, const double* x, double* y) const;

 private:
  struct Cut;  // the segments of a task while they are made
  // Rows are numbered in the order their unknowns lie in.
  std::int32_t row_number(const Index<D>& i) const {
    std::int32_t coarse = 0, inside = 0;
    for (int a = D - 1; a > 0; --a) {
      coarse = coarse * ((grid_.cells[a] + 1) / 2) + i[a] / 2;
      inside = 2 * inside + i[a] % 2;
    }
    return coarse * rows + inside;
  }
  // f(row) over the rows of the grid that become this one.
  template <class F>
  void visit_rows(const Index<D>& coarse, F&& f) const {
    Range<D> fine{coarse * 2, coarse * 2 + Index<D>::filled(2)};
    fine.hi[0] = 1;
    visit(intersection(fine, grid_.cell_range()), f);
  }
  void list_runs(const Exec& exec, const Stencil<D, T>& stencil);
  void make_tasks(const Exec& exec);
  void cut_segments(const Exec& exec, const Stencil<D, T>& stencil);

  Grid<D> grid_{};
  std::int32_t end_ = begin;
  std::vector<std::int32_t> row_start_;  // of the runs of each row
  std::vector<PackedRun> runs_;
  std::vector<CoarseRow> coarse_rows_;  // those with unknowns, and one behind the last
  std::vector<Task> tasks_;             // and one behind the last
  Buffer<PackedSegment<D, T>> segments_;
  std::size_t segment_count_ = 0;
  Buffer<T> coefficients_;  // of segments that are not even
  Buffer<T> inverse_;       // of the diagonal
};

}  // namespace glug
