// multigrid_device.h: what a cycle does on a GPU, where cells are laid out as their grid is and a thread has
// one of them. Each has a namesake in multigrid_packed.h, which is what a CPU runs; all else is written once
// for both (multigrid_cycle.h, multigrid_movers.cpp).
#pragma once

#include "core/reduce.h"
#include "solvers/colour.h"
#include "solvers/multigrid_level.h"
#include "solvers/row_kinds.h"

namespace glug {

// A level as the kernels see it. All its fields share one layout.
template <int D, class T>
struct LevelView {
  StencilView<D, const T> A;
  View<D, const T> inverse_diagonal;  // 0 where there is no unknown
  View<D, T> x, b;
};
template <int D, class T>
LevelView<D, T> view_of(MultigridLevel<D, T>& level) {
  const Range<D> cells = level.cells();
  return {level.A->read(), view_over<D, const T>(level.inverse_on_device.data(), cells),
          view_over<D, T>(level.x.data(), cells), view_over<D, T>(level.b.data(), cells)};
}

// x = (b + sum k x_neighbour) / diagonal at one cell.
template <int D, class T>
GLUG_INLINE T relaxed_at(const LevelView<D, T>& v, const Index<D>& i, bool uniform) {
  const std::ptrdiff_t at = v.x.offset(i);
  const T* x = v.x.data + at;
  // All that both cases need is asked for before it is known which one it is.
  const T inverse = v.inverse_diagonal.data[at], b = v.b.data[at];
  T low[D], high[D];
  for (int a = 0; a < D; ++a) {
    low[a] = x[-v.x.stride[a]];
    high[a] = x[v.x.stride[a]];
  }
  T sum = 0;
  if (uniform) {
    for (int a = 0; a < D; ++a) sum += low[a] + high[a];
    return T(1) / (2 * D) * sum + inverse * b;
  }
  for (int a = 0; a < D; ++a) {
    const T* k = v.A.coupling[a].data + at;
    sum += k[0] * low[a] + k[v.x.stride[a]] * high[a];
  }
  return inverse * (b + sum);
}

// r = b - A x at one cell.
template <int D, class T>
GLUG_INLINE T residual_at(const LevelView<D, T>& v, const Index<D>& i, bool uniform = false) {
  const std::ptrdiff_t at = v.x.offset(i);
  const T* x = v.x.data + at;
  const T b = v.b.data[at], centre = x[0];
  T low[D], high[D];
  for (int a = 0; a < D; ++a) {
    low[a] = x[-v.x.stride[a]] - centre;
    high[a] = x[v.x.stride[a]] - centre;
  }
  T sum = 0;
  if (uniform) {
    for (int a = 0; a < D; ++a) sum += low[a] + high[a];
    return b + v.A.coupling[0].data[at] * sum;
  }
  for (int a = 0; a < D; ++a) {
    const T* k = v.A.coupling[a].data + at;
    sum += k[0] * low[a] + k[v.x.stride[a]] * high[a];
  }
  return b - v.A.anchor.data[at] * centre + sum;
}

// f(i) over the cells of a level.
template <int D, class T, class F>
void cells_on_device(const Exec& exec, const MultigridLevel<D, T>& level, F f) {
  for_each_cell(exec, level.A->blocks(), level.grid.cell_range(), f);
}

template <int D, class T>
void relax_on_device(MultigridLevel<D, T>& level, Colour colour) {
  const LevelView<D, T> v = view_of(level);
  const RowKind* marks = level.A->row_kinds();
  cuda::every_second_cell(level.A->blocks(), level.grid.cell_range(), static_cast<int>(colour),
                          [=] GLUG_FN(std::int32_t slot, const Index<D>& i) {
                            v.x(i) = relaxed_at(v, i, is_uniform_at<D>(marks, slot, i));
                          });
}

// The last half sweep of the finest level, of red cells, which goes to z too.
template <int D, class T>
void relax_into_on_device(MultigridLevel<D, T>& level, double* z) {
  const LevelView<D, T> v = view_of(level);
  const RowKind* marks = level.A->row_kinds();
  cuda::cells(level.A->blocks(), level.grid.cell_range(), [=] GLUG_FN(std::int32_t slot, const Index<D>& i) {
    T& x = v.x(i);
    if (colour_of<D>(i) == Colour::red) x = relaxed_at(v, i, is_uniform_at<D>(marks, slot, i));
    z[v.x.offset(i)] = x;
  });
}

template <int D, class T>
void restrict_on_device(MultigridLevel<D, T>& fine, MultigridLevel<D, T>& coarse) {
  const LevelView<D, T> f = view_of(fine), c = view_of(coarse);
  const RowKind* marks = fine.A->row_kinds();
  // Nothing can be done for a cell without a diagonal: what is asked of it must not reach coarser levels.
  cuda::sum_of_blocks(
      fine.A->blocks(), fine.grid.cell_range(), T(0),
      [=] GLUG_FN(std::int32_t slot, const Index<D>& i) {
        return residual_at(f, i, is_uniform_at<D>(marks, slot, i));
      },
      [=] GLUG_FN(const Index<D>& i, T sum) { c.b(i) = c.inverse_diagonal(i) > 0 ? sum : T(0); });
}

template <int D, class T>
void prolong_on_device(const Exec& exec, MultigridLevel<D, T>& fine, MultigridLevel<D, T>& coarse) {
  const LevelView<D, T> f = view_of(fine), c = view_of(coarse);
  cells_on_device(exec, fine, [=] GLUG_FN(const Index<D>& i) { f.x(i) += c.x(coarse_of<D>(i)); });
}

template <int D, class T>
void member_residuals_on_device(const Exec& exec, MultigridLevel<D, T>& level) {
  const LevelView<D, T> v = view_of(level);
  const Member* member = level.members.list.data();
  T* residual = level.members.residual.data();
  for_each(exec, static_cast<std::ptrdiff_t>(level.members.list.size()), [=] GLUG_FN(std::ptrdiff_t n) {
    if (!member[n].is_part) residual[n] = residual_at(v, v.x.range.at(member[n].at));
  });
}

// Makes room, zeroes it in blocks that are not in the list any more, and inverts the diagonals in the others.
template <int D, class T>
void ready_on_device(const Exec& exec, MultigridLevel<D, T>& level) {
  level.first_part = level.cells().size();
  const std::size_t room = static_cast<std::size_t>(level.first_part + level.loose.count());
  for (Buffer<T>* numbers : {&level.x, &level.b, &level.inverse_on_device})
    if (numbers->size() < room)
      *numbers = Buffer<T>(room + static_cast<std::size_t>(level.loose.count()) / 2, Memory::device);
  const StencilView<D, const T> A = level.A->read();
  const LevelView<D, T> v = view_of(level);
  T* inverse = level.inverse_on_device.data();
  level.listed.change(exec, level.A->blocks(), level.grid.cell_range(),
                      [=] GLUG_FN(const Index<D>& i) { inverse[v.x.offset(i)] = v.x(i) = v.b(i) = 0; });
  cells_on_device(exec, level, [=] GLUG_FN(const Index<D>& i) {
    const double diagonal = A.diagonal(i);
    inverse[v.x.offset(i)] = diagonal > 0 ? static_cast<T>(1 / diagonal) : T(0);
    v.b(i) = 0;  // where the grid above lists no block nothing will be written
  });
}

}  // namespace glug
