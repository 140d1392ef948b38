// multigrid_cycle.h: the steps of a cycle on one level, and between two: those on cells by the kernels of a
// device or of the CPU (multigrid_device.h, multigrid_packed.h), those on lists, of loose parts
// (multigrid_level.h) and of split blocks, by one of either. What finds no list does nothing.
#pragma once

#include "solvers/multigrid_device.h"
#include "solvers/multigrid_packed.h"

namespace glug {

// f(place, number, colour) over the cells of a level; number: where vectors hold it, of the finest level.
template <int D, class T, class F>
void each_cell(const Exec& exec, const MultigridLevel<D, T>& level, F f) {
  if (exec.device == Device::cuda) {
    const ColourRows<D> rows(level.cells());
    return for_each_cell(exec, level.A->blocks(), level.grid.cell_range(), [=] GLUG_FN(const Index<D>& i) {
      f(rows.place(i), rows.layout.number_of(i), colour_of<D>(i));
    });
  }
  level.packed->visit_tasks(exec, [=](const auto& task, const auto& next) {
#pragma GCC ivdep
    for (std::ptrdiff_t i = task.place; i < task.black_place; ++i) f(i, i, Colour::red);
#pragma GCC ivdep
    for (std::ptrdiff_t i = task.black_place; i < next.place; ++i) f(i, i, Colour::black);
  });
}

// One colour of Gauss-Seidel.
template <int D, class T>
void relax(const Exec& exec, MultigridLevel<D, T>& level, Colour colour) {
  if (exec.device == Device::cuda) return relax_on_device(level, colour);
  PackedCycle<D, T>::relax(exec, level, colour);
}

// The first half sweep, of red cells from x = 0. r: null, or becomes b.
template <int D, class T>
void start(const Exec& exec, MultigridLevel<D, T>& level, const double* r) {
  T *x = level.x.data(), *b = level.b.data();
  const T* inverse = level.inverse_diagonal();
  const bool has_gaps = exec.device == Device::cuda;  // cells that are no unknowns
  const bool black = colours_to_pass(level) == 2;
  each_cell(exec, level, [=] GLUG_FN(std::ptrdiff_t i, std::ptrdiff_t number, Colour colour) {
    if (r) b[i] = has_gaps && !(inverse[i] > 0) ? T(0) : static_cast<T>(r[number]);
    if (colour == Colour::red)
      x[i] = inverse[i] * b[i];
    else if (black)
      x[i] = 0;
  });
}

// x = b / diagonal: right for unknowns without couplings.
template <int D, class T>
void solve_alone(const Exec& exec, MultigridLevel<D, T>& level) {
  T *x = level.x.data(), *parts = level.part_x();
  const T *b = level.b.data(), *of_parts = level.part_b();
  const T *inverse = level.inverse_diagonal(), *of_part = level.loose.inverse_diagonal.data();
  each_cell(exec, level, [=] GLUG_FN(std::ptrdiff_t i, std::ptrdiff_t, Colour) { x[i] = inverse[i] * b[i]; });
  for_each(exec, level.loose.count(), [=] GLUG_FN(std::ptrdiff_t p) { parts[p] = of_part[p] * of_parts[p]; });
}

// Of the finest level: z = x, after the last half sweep; returns r . z, on the CPU.
template <int D, class T>
double store(const Exec& exec, MultigridLevel<D, T>& level, LastSweep last, const double* r, double* z) {
  if (exec.device == Device::cpu) return PackedCycle<D, T>::store(exec, level, last, r, z);
  store_on_device(level, last, z);
  return 0;
}

// A level's loose parts as kernels see them.
template <class T>
struct LooseView {
  RowsView<T> to_cells, to_parts, to_touched;
  PieceSums<T> of_cells;
  T *x, *part_x, *b, *part_b, *touched_b;
  const T *diagonal, *inverse;
  const std::ptrdiff_t* touched_at;

  template <int D>
  explicit LooseView(MultigridLevel<D, T>& level)
      : to_cells(level.loose.to_cells.rows),
        to_parts(level.loose.to_parts),
        to_touched(level.loose.to_cells.of_places),
        of_cells(level.loose.to_cells.pieces),
        x(level.x.data()),
        part_x(level.part_x()),
        b(level.b.data()),
        part_b(level.part_b()),
        touched_b(level.loose.touched_b.data()),
        diagonal(level.loose.diagonal.data()),
        inverse(level.loose.inverse_diagonal.data()),
        touched_at(level.loose.to_cells.places.data()) {}
};

// The right-hand side of touched cells, with what the loose parts add to it.
template <class T>
struct CoupleTouched {
  LooseView<T> v;
  GLUG_INLINE void operator()(std::ptrdiff_t n) const {
    v.b[v.touched_at[n]] = v.touched_b[n] + v.to_touched.dot(static_cast<std::int32_t>(n), v.part_x);
  }
};
// What cells contribute to the rows of loose parts: a long row is the work of many threads.
template <class T>
struct SumPiece {
  LooseView<T> v;
  GLUG_INLINE void operator()(std::ptrdiff_t n) const {
    v.of_cells.sums[n] = v.to_cells.dot(v.of_cells.piece[n].begin, v.of_cells.piece[n].end, v.x);
  }
};
// Gauss-Seidel on those of one colour.
template <class T>
struct RelaxPart {
  LooseView<T> v;
  const std::int32_t* part;
  GLUG_INLINE void operator()(std::ptrdiff_t n) const {
    const std::int32_t p = part[n];
    v.part_x[p] = v.inverse[p] * v.of_cells.added(v.part_b[p] + v.to_parts.dot(p, v.part_x), p);
  }
};
// Gauss-Seidel on the loose parts, colour by colour. before: loops that come first.
enum class Order { forwards, backwards };
template <int D, class T, class... Loops>
void relax_loose(const Exec& exec, MultigridLevel<D, T>& level, Order order, const Loops&... before) {
  const LooseParts<D, T>& loose = level.loose;
  if (loose.count() == 0) return;
  const LooseView<T> v(level);
  const int colours = static_cast<int>(loose.colour_start.size()) - 1;
  const auto parts_of = [&](int k) {
    const int c = order == Order::forwards ? k : colours - 1 - k;
    const std::int32_t first = loose.colour_start[c];
    return Loop<RelaxPart<T>>{loose.colour_start[c + 1] - first, {v, loose.by_colour.data() + first}};
  };
  const Tasks<SumPiece<T>> sums{loose.to_cells.pieces.count(), {v}};
  const Loop<CoupleTouched<T>> couple{loose.touched_count(), {v}};
  if (colours == 1) return in_turn(exec, before..., sums, parts_of(0), couple);
  in_turn(exec, before..., sums, parts_of(0));
  for (int k = 1; k + 1 < colours; ++k) in_turn(exec, parts_of(k));
  in_turn(exec, parts_of(colours - 1), couple);
}

// The first sweep, from x = 0.
template <int D, class T>
void start_loose(const Exec& exec, MultigridLevel<D, T>& level) {
  const LooseView<T> v(level);
  const Loop touched{level.loose.touched_count(), [=] GLUG_FN(std::ptrdiff_t n) {
                       v.touched_b[n] = v.b[v.touched_at[n]];
                       v.x[v.touched_at[n]] = 0;
                     }};
  const Loop all_parts{level.loose.count(), [=] GLUG_FN(std::ptrdiff_t n) { v.part_x[n] = 0; }};
  relax_loose(exec, level, Order::forwards, touched, all_parts);
}

// The first half sweep again where loose parts changed the right-hand side; black cells, relaxed next, may
// have any x.
template <int D, class T>
void restart_touched(const Exec& exec, MultigridLevel<D, T>& level) {
  const LooseView<T> v(level);
  const T* inverse = level.inverse_diagonal();
  for_each(exec, level.loose.touched_count(), [=] GLUG_FN(std::ptrdiff_t n) {
    const std::ptrdiff_t at = v.touched_at[n];
    v.x[at] = inverse[at] * v.b[at];
  });
}

// b of the coarse level = sum of residuals; those of members go to the aggregate they belong to.
template <int D, class T>
void descend(const Exec& exec, MultigridLevel<D, T>& fine, MultigridLevel<D, T>& coarse) {
  if (exec.device == Device::cuda)
    restrict_on_device(fine, coarse);
  else
    PackedCycle<D, T>::descend(exec, fine, coarse);
  if (fine.members.list.empty()) return;
  T* residual = fine.members.residual.data();
  const std::int32_t* start = fine.members.start.data();
  const std::ptrdiff_t* at = fine.members.aggregate.data();
  const std::ptrdiff_t first_part = coarse.first_part;
  const T *of_cells = coarse.inverse_diagonal(), *of_parts = coarse.loose.inverse_diagonal.data();
  T* b = coarse.b.data();
  const Loop aggregates{
      static_cast<std::ptrdiff_t>(fine.members.aggregate.size()), [=] GLUG_FN(std::ptrdiff_t n) {
        T sum = 0;
        for (std::int32_t k = start[n]; k < start[n + 1]; ++k) sum += residual[k];
        const T inverse = at[n] < first_part ? of_cells[at[n]] : of_parts[at[n] - first_part];
        b[at[n]] = inverse > 0 ? sum : T(0);
      }};
  const LooseView<T> v(fine);
  const bool loose = fine.loose.count() > 0;
  const Tasks<SumPiece<T>> sums{loose ? fine.loose.to_cells.pieces.count() : 0, {v}};
  const Member* member = fine.members.list.data();
  const std::ptrdiff_t count = static_cast<std::ptrdiff_t>(fine.members.list.size());
  const LevelView<D, T> of_device = view_of(fine);
  const Loop cells{exec.device == Device::cuda ? count : 0, [=] GLUG_FN(std::ptrdiff_t n) {
                     if (member[n].is_part) return;
                     const Index<D> i = of_device.rows.layout.at(member[n].number);
                     residual[n] = glug::residual(of_device, i, around(of_device, i, false));
                   }};
  const Loop parts{loose ? count : 0, [=] GLUG_FN(std::ptrdiff_t n) {
                     const std::int32_t p = member[n].number;
                     if (member[n].is_part)
                       residual[n] = v.of_cells.added(v.part_b[p] - v.diagonal[p] * v.part_x[p], p) +
                                     v.to_parts.dot(p, v.part_x);
                   }};
  if (exec.device == Device::cpu) PackedCycle<D, T>::member_residuals(exec, fine);
  in_turn(exec, cells, sums, parts, aggregates);
}

// x += x of the coarse level.
template <int D, class T>
void ascend(const Exec& exec, MultigridLevel<D, T>& fine, MultigridLevel<D, T>& coarse) {
  if (exec.device == Device::cuda)
    prolong_on_device(fine, coarse);
  else
    PackedCycle<D, T>::ascend(exec, fine, coarse);
  const Member* member = fine.members.list.data();
  T* x = fine.x.data();
  const T* from = coarse.x.data();
  const Loop members{static_cast<std::ptrdiff_t>(fine.members.list.size()), [=] GLUG_FN(std::ptrdiff_t n) {
                       x[member[n].at] += from[member[n].to] - from[member[n].above];
                     }};
  in_turn(exec, members, Loop<CoupleTouched<T>>{fine.loose.touched_count(), {LooseView<T>(fine)}});
}

}  // namespace glug
