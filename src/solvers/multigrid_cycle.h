// multigrid_cycle.h: the steps of a cycle on one level, and between two: those on cells by the kernels of a
// device or of the CPU (multigrid_device.h, multigrid_packed.h), those on lists, of loose parts
// (multigrid_level.h) and of split blocks, by one of either. What finds no list does nothing.
#pragma once

#include "solvers/multigrid_device.h"
#include "solvers/multigrid_packed.h"

namespace glug {

// f(place, colour) over the cells of a level.
template <int D, class T, class F>
void each_cell(const Exec& exec, const MultigridLevel<D, T>& level, F f) {
  if (exec.device == Device::cuda) {
    const Range<D> cells = level.cells();
    cells_on_device(exec, level, [=] GLUG_FN(const Index<D>& i) { f(cells.number_of(i), colour_of<D>(i)); });
    return;
  }
  const auto* list = level.packed->task_list();
  for_each_equal_task(exec, level.packed->tasks(), [=](std::ptrdiff_t task) {
#pragma GCC ivdep
    for (std::ptrdiff_t i = list[task].place; i < list[task].black_place; ++i) f(i, Colour::red);
#pragma GCC ivdep
    for (std::ptrdiff_t i = list[task].black_place; i < list[task + 1].place; ++i) f(i, Colour::black);
  });
}

// One colour of Gauss-Seidel.
template <int D, class T>
void relax(const Exec& exec, MultigridLevel<D, T>& level, Colour colour) {
  if (exec.device == Device::cuda) return relax_on_device(level, colour);
  relax_packed(exec, level, colour);
}

// The first half sweep, of red cells from x = 0. r: null, or becomes b.
template <int D, class T>
void start(const Exec& exec, MultigridLevel<D, T>& level, const double* r) {
  T *x = level.x.data(), *b = level.b.data();
  const T* inverse = level.inverse_diagonal();
  const bool has_gaps = exec.device == Device::cuda;  // cells that are no unknowns
  const bool black = colours_to_pass(level) == 2 || has_gaps;
  each_cell(exec, level, [=] GLUG_FN(std::ptrdiff_t i, Colour colour) {
    if (r) b[i] = has_gaps && !(inverse[i] > 0) ? T(0) : static_cast<T>(r[i]);
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
  each_cell(exec, level, [=] GLUG_FN(std::ptrdiff_t i, Colour) { x[i] = inverse[i] * b[i]; });
  for_each(exec, level.loose.count(), [=] GLUG_FN(std::ptrdiff_t p) { parts[p] = of_part[p] * of_parts[p]; });
}

// Of the finest level: z = x, or the last half sweep, of red cells, which goes to z. Both return r . z, on
// the CPU.
template <int D, class T>
double store(const Exec& exec, MultigridLevel<D, T>& level, const double* r, double* z) {
  if (exec.device == Device::cpu) return store_packed(exec, level, r, z);
  const T* x = level.x.data();
  each_cell(exec, level, [=] GLUG_FN(std::ptrdiff_t i, Colour) { z[i] = x[i]; });
  return 0;
}
template <int D, class T>
double relax_into(const Exec& exec, MultigridLevel<D, T>& level, const double* r, double* z) {
  if (exec.device == Device::cpu) return relax_packed_into(exec, level, r, z);
  relax_into_on_device(level, z);
  return 0;
}

// The right-hand side of touched cells, with what the loose parts add to it.
template <int D, class T>
void couple_touched(const Exec& exec, MultigridLevel<D, T>& level) {
  LooseParts<D, T>& loose = level.loose;
  const RowsView<T> links(loose.to_cells.of_places);
  const std::ptrdiff_t* at = loose.to_cells.places.data();
  const T* b = loose.touched_b.data();
  const T* parts = level.part_x();
  T* out = level.b.data();
  for_each(exec, loose.touched_count(), [=] GLUG_FN(std::ptrdiff_t n) {
    out[at[n]] = b[n] + links.dot(static_cast<std::int32_t>(n), parts);
  });
}

// What cells contribute to the rows of loose parts: a long row is the work of many threads.
template <int D, class T>
PieceSums<T> sum_cells(const Exec& exec, MultigridLevel<D, T>& level) {
  const RowPieces<T>& pieces = level.loose.to_cells.pieces;
  const RowsView<T> to_cells(level.loose.to_cells.rows);
  const T* cells = level.x.data();
  const RowPiece* piece = pieces.pieces.data();
  T* sum = pieces.sums.data();
  for_each_task(exec, pieces.count(), [=] GLUG_FN(std::ptrdiff_t n) {
    sum[n] = to_cells.dot(piece[n].begin, piece[n].end, cells);
  });
  return PieceSums<T>(pieces);
}

// Gauss-Seidel on the loose parts, colour by colour.
enum class Order { forwards, backwards };
template <int D, class T>
void relax_loose(const Exec& exec, MultigridLevel<D, T>& level, Order order) {
  LooseParts<D, T>& loose = level.loose;
  if (loose.count() == 0) return;
  const RowsView<T> to_parts(loose.to_parts);
  const T* b = level.part_b();
  const T* inverse = loose.inverse_diagonal.data();
  const PieceSums<T> of_cells = sum_cells(exec, level);  // the same for all colours
  const int colours = static_cast<int>(loose.colour_start.size()) - 1;
  for (int k = 0; k < colours; ++k) {
    const int c = order == Order::forwards ? k : colours - 1 - k;
    const std::int32_t* part = loose.by_colour.data() + loose.colour_start[c];
    T* x = level.part_x();
    for_each(exec, loose.colour_start[c + 1] - loose.colour_start[c], [=] GLUG_FN(std::ptrdiff_t n) {
      const std::int32_t p = part[n];
      x[p] = inverse[p] * of_cells.added(b[p] + to_parts.dot(p, x), p);
    });
  }
  couple_touched(exec, level);
}

// The first sweep, from x = 0.
template <int D, class T>
void start_loose(const Exec& exec, MultigridLevel<D, T>& level) {
  LooseParts<D, T>& loose = level.loose;
  if (loose.count() == 0) return;
  T* x = level.x.data();
  const std::ptrdiff_t* at = loose.to_cells.places.data();
  const T* b = level.b.data();
  T* kept = loose.touched_b.data();
  for_each(exec, loose.touched_count(), [=] GLUG_FN(std::ptrdiff_t n) {
    kept[n] = b[at[n]];
    x[at[n]] = 0;
  });
  T* parts = level.part_x();
  for_each(exec, loose.count(), [=] GLUG_FN(std::ptrdiff_t n) { parts[n] = 0; });
  relax_loose(exec, level, Order::forwards);
}

// The first half sweep again where loose parts changed the right-hand side.
template <int D, class T>
void restart_touched(const Exec& exec, MultigridLevel<D, T>& level) {
  const Index<D>* touched = level.loose.touched.data();
  const std::ptrdiff_t* at = level.loose.to_cells.places.data();
  T* x = level.x.data();
  const T* b = level.b.data();
  const T* inverse = level.inverse_diagonal();
  for_each(exec, level.loose.touched_count(), [=] GLUG_FN(std::ptrdiff_t n) {
    const std::ptrdiff_t i = at[n];
    x[i] = colour_of<D>(touched[n]) == Colour::red ? inverse[i] * b[i] : T(0);
  });
}

// The residuals of members, cells and parts.
template <int D, class T>
void find_member_residuals(const Exec& exec, MultigridLevel<D, T>& level) {
  if (exec.device == Device::cuda)
    member_residuals_on_device(exec, level);
  else
    member_residuals_packed(exec, level);
  if (level.loose.count() == 0) return;
  const PieceSums<T> of_cells = sum_cells(exec, level);
  const RowsView<T> to_parts(level.loose.to_parts);
  const T *x = level.part_x(), *b = level.part_b(), *diagonal = level.loose.diagonal.data();
  const Member* member = level.members.list.data();
  T* residual = level.members.residual.data();
  for_each(exec, static_cast<std::ptrdiff_t>(level.members.list.size()), [=] GLUG_FN(std::ptrdiff_t n) {
    const std::int32_t p = member[n].number;
    if (member[n].is_part) residual[n] = of_cells.added(b[p] - diagonal[p] * x[p], p) + to_parts.dot(p, x);
  });
}

// b of the coarse level = sum of residuals; those of members go to the aggregate they belong to.
template <int D, class T>
void descend(const Exec& exec, MultigridLevel<D, T>& fine, MultigridLevel<D, T>& coarse) {
  if (exec.device == Device::cuda)
    restrict_on_device(fine, coarse);
  else
    restrict_packed(exec, fine, coarse);
  if (fine.members.list.empty()) return;
  find_member_residuals(exec, fine);
  const T* residual = fine.members.residual.data();
  const std::int32_t* start = fine.members.start.data();
  const std::ptrdiff_t* at = fine.members.aggregate.data();
  const std::ptrdiff_t first_part = coarse.first_part;
  const T *of_cells = coarse.inverse_diagonal(), *of_parts = coarse.loose.inverse_diagonal.data();
  T* b = coarse.b.data();
  for_each(exec, static_cast<std::ptrdiff_t>(fine.members.aggregate.size()), [=] GLUG_FN(std::ptrdiff_t n) {
    T sum = 0;
    for (std::int32_t k = start[n]; k < start[n + 1]; ++k) sum += residual[k];
    const T inverse = at[n] < first_part ? of_cells[at[n]] : of_parts[at[n] - first_part];
    b[at[n]] = inverse > 0 ? sum : T(0);
  });
}

// x += x of the coarse level.
template <int D, class T>
void ascend(const Exec& exec, MultigridLevel<D, T>& fine, MultigridLevel<D, T>& coarse) {
  if (exec.device == Device::cuda)
    prolong_on_device(exec, fine, coarse);
  else
    prolong_packed(exec, fine, coarse);
  const Member* member = fine.members.list.data();
  T* x = fine.x.data();
  const T* from = coarse.x.data();
  for_each(exec, static_cast<std::ptrdiff_t>(fine.members.list.size()),
           [=] GLUG_FN(std::ptrdiff_t n) { x[member[n].at] += from[member[n].to] - from[member[n].above]; });
  couple_touched(exec, fine);
}

}  // namespace glug
