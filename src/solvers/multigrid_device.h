// multigrid_device.h: what a cycle does on a GPU, where levels are laid out as their grid is and a thread has
// one cell. Each has a namesake in multigrid_packed.h, which is what a CPU runs. Loose parts
// (multigrid_loose.h), bubbles among them, and movers (multigrid_hold.cpp) are lists that both work on.
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
  return {level.A->read(), level.inverse_diagonal.read(), level.x.view(), level.b.view()};
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
  const RowMarks* marks = level.A->row_kinds();
  cuda::every_second_cell(level.A->blocks(), level.grid.cell_range(), static_cast<int>(colour),
                          [=] GLUG_FN(std::int32_t slot, const Index<D>& i) {
                            v.x(i) = relaxed_at(v, i, is_uniform_at<D>(marks, slot, i));
                          });
}

// The last half sweep of the finest level, of red cells, into z.
template <int D, class T>
void relax_into_on_device(MultigridLevel<D, T>& level, const View<D, double>& z) {
  const LevelView<D, T> v = view_of(level);
  const RowMarks* marks = level.A->row_kinds();
  cuda::cells(level.A->blocks(), level.grid.cell_range(), [=] GLUG_FN(std::int32_t slot, const Index<D>& i) {
    z(i) = colour_of<D>(i) == Colour::red ? relaxed_at(v, i, is_uniform_at<D>(marks, slot, i)) : v.x(i);
  });
}

// The first half sweep, of red cells from x = 0; with the right-hand side r on the finest level.
template <int D, class T>
void start_on_device(const Exec& exec, MultigridLevel<D, T>& level) {
  const LevelView<D, T> v = view_of(level);
  cells_on_device(exec, level, [=] GLUG_FN(const Index<D>& i) {
    v.x(i) = colour_of<D>(i) == Colour::red ? v.inverse_diagonal(i) * v.b(i) : T(0);
  });
}
template <int D, class T>
void start_on_device(const Exec& exec, MultigridLevel<D, T>& level, const View<D, const double>& r) {
  const LevelView<D, T> v = view_of(level);
  cells_on_device(exec, level, [=] GLUG_FN(const Index<D>& i) {
    const T inverse = v.inverse_diagonal(i), b = inverse > 0 ? static_cast<T>(r(i)) : T(0);
    v.b(i) = b;
    v.x(i) = colour_of<D>(i) == Colour::red ? inverse * b : T(0);
  });
}

template <int D, class T>
void restrict_on_device(MultigridLevel<D, T>& fine, MultigridLevel<D, T>& coarse) {
  const LevelView<D, T> f = view_of(fine), c = view_of(coarse);
  const RowMarks* marks = fine.A->row_kinds();
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
void split_residuals_on_device(const Exec& exec, MultigridLevel<D, T>& level, T* residuals) {
  const LevelView<D, T> v = view_of(level);
  const std::ptrdiff_t* cell = level.split_cells.data();
  for_each(exec, static_cast<std::ptrdiff_t>(level.split_cells.size()), [=] GLUG_FN(std::ptrdiff_t n) {
    residuals[n] = cell[n] > 0 ? residual_at(v, v.x.range.at(cell[n])) : T(0);
  });
}

template <int D, class T>
void solve_alone_on_device(const Exec& exec, MultigridLevel<D, T>& level) {
  const LevelView<D, T> v = view_of(level);
  cells_on_device(exec, level, [=] GLUG_FN(const Index<D>& i) { v.x(i) = v.inverse_diagonal(i) * v.b(i); });
}

template <int D, class T>
void store_on_device(const Exec& exec, MultigridLevel<D, T>& level, const View<D, double>& z) {
  const LevelView<D, T> v = view_of(level);
  cells_on_device(exec, level, [=] GLUG_FN(const Index<D>& i) { z(i) = v.x(i); });
}

// Zeroes the cell fields in blocks that are not in the list any more, and inverts the diagonals in the
// others.
template <int D, class T>
void ready_fields_on_device(const Exec& exec, MultigridLevel<D, T>& level) {
  const StencilView<D, const T> A = level.A->read();
  const View<D, T> inverse = level.inverse_diagonal.view(), x = level.x.view(), b = level.b.view();
  level.listed.change(exec, level.A->blocks(), level.grid.cell_range(),
                      [=] GLUG_FN(const Index<D>& i) { inverse(i) = x(i) = b(i) = 0; });
  cells_on_device(exec, level, [=] GLUG_FN(const Index<D>& i) {
    const double diagonal = A.diagonal(i);
    inverse(i) = diagonal > 0 ? static_cast<T>(1 / diagonal) : T(0);
    b(i) = 0;  // where the grid above lists no block nothing will be written
  });
}

}  // namespace glug
