// multigrid_device.h: what a cycle does on a GPU, where cells are laid out as their grid is, red and black
// ones of a row apart (colour.h), and a thread has one or a few of them. Each has its counterpart in
// multigrid_packed.h, which is what a CPU runs; all else is written once for both (multigrid_cycle.h,
// multigrid_movers.cpp).
#pragma once

#include "core/reduce.h"
#include "solvers/colour.h"
#include "solvers/multigrid_level.h"
#include "solvers/row_kinds.h"

namespace glug {

// A level as the kernels see it.
template <int D, class T>
struct LevelView {
  StencilView<D, const T> A;
  const T* inverse;  // of the diagonal, 0 where there is no unknown
  T *x, *b;
  ColourRows<D> rows;
  GLUG_INLINE int place(const Index<D>& i) const { return rows.place(i); }
};
template <int D, class T>
LevelView<D, T> view_of(MultigridLevel<D, T>& level) {
  return {level.A->read(), level.inverse_on_device.data(), level.x.data(), level.b.data(),
          ColourRows<D>(level.cells())};
}

// The numbers around a cell: all that is needed whatever its row is, asked for at once.
template <int D, class T>
struct Around {
  T centre, b, inverse, low[D], high[D];  // x of the cell and below and above it
  bool uniform;                           // its row
};
template <int D, class T>
GLUG_INLINE Around<D, T> around(const LevelView<D, T>& v, const Index<D>& i, bool uniform) {
  const int place = v.place(i);
  const int half = v.rows.half;
  const int other = place + (colour_of<D>(i) == Colour::red ? half : -half);  // as far along its row
  const int below = other - 1 + ((i[0] - v.rows.layout.lo[0]) & 1);
  Around<D, T> n{v.x[place], v.b[place], v.inverse[place], {v.x[below]}, {v.x[below + 1]}, uniform};
  for (int a = 1; a < D; ++a) {
    n.low[a] = v.x[other - v.rows.stride(a)];
    n.high[a] = v.x[other + v.rows.stride(a)];
  }
  return n;
}

// x = (b + sum k x_neighbour) / diagonal at one cell.
template <int D, class T>
GLUG_INLINE T relaxed(const LevelView<D, T>& v, const Index<D>& i, const Around<D, T>& n) {
  T sum = 0;
  if (n.uniform) {
    for (int a = 0; a < D; ++a) sum += n.low[a] + n.high[a];
    return T(1) / (2 * D) * sum + n.inverse * n.b;
  }
  for (int a = 0; a < D; ++a) {
    const T* k = &v.A.coupling[a](i);
    sum += k[0] * n.low[a] + k[v.A.anchor.stride[a]] * n.high[a];
  }
  return n.inverse * (n.b + sum);
}

// r = b - A x at one cell.
template <int D, class T>
GLUG_INLINE T residual(const LevelView<D, T>& v, const Index<D>& i, const Around<D, T>& n) {
  T sum = 0;
  if (n.uniform) {
    for (int a = 0; a < D; ++a) sum += (n.low[a] - n.centre) + (n.high[a] - n.centre);
    return n.b + sum / (2 * D * n.inverse);
  }
  for (int a = 0; a < D; ++a) {
    const T* k = &v.A.coupling[a](i);
    sum += k[0] * (n.low[a] - n.centre) + k[v.A.anchor.stride[a]] * (n.high[a] - n.centre);
  }
  return n.b - v.A.anchor(i) * n.centre + sum;
}

template <int D, class T>
void relax_on_device(MultigridLevel<D, T>& level, Colour colour) {
  const LevelView<D, T> v = view_of(level);
  const RowKind* marks = level.A->row_kinds();
  cuda::every_second_cell(level.A->blocks(), level.grid.cell_range(), static_cast<int>(colour),
                          [=] GLUG_FN(std::int32_t slot, const Index<D>& i) {
                            v.x[v.place(i)] = relaxed(v, i, around(v, i, is_uniform_at<D>(marks, slot, i)));
                          });
}

// Of the finest level: z = x, after the last half sweep.
template <int D, class T>
void store_on_device(MultigridLevel<D, T>& level, LastSweep last, double* z) {
  const LevelView<D, T> v = view_of(level);
  const RowKind* marks = level.A->row_kinds();
  cuda::cells(level.A->blocks(), level.grid.cell_range(), [=] GLUG_FN(std::int32_t slot, const Index<D>& i) {
    T& x = v.x[v.place(i)];
    if (last == LastSweep::of_red && colour_of<D>(i) == Colour::red)
      x = relaxed(v, i, around(v, i, is_uniform_at<D>(marks, slot, i)));
    z[v.A.anchor.offset(i)] = x;
  });
}

// The cell of a colour in a row of the block of 2^D cells below a coarse one.
template <int D>
GLUG_INLINE Index<D> cell_of_colour(const Index<D>& coarse, int row, int colour) {
  Index<D> i = cell_in_block<D>(coarse, row << 1);
  i[0] += static_cast<int>(colour_of<D>(i)) ^ colour;
  return i;
}

template <int D, class T>
void restrict_on_device(MultigridLevel<D, T>& fine, MultigridLevel<D, T>& coarse) {
  constexpr int rows = 1 << (D - 1);
  const LevelView<D, T> f = view_of(fine), c = view_of(coarse);
  const RowKind* marks = fine.A->row_kinds();
  const int colours = colours_to_pass(fine);
  const Range<D> cells = fine.grid.cell_range();
  cuda::coarse_cells(fine.A->blocks(), cells, [=] GLUG_FN(std::int32_t slot, const Index<D>& i) {
    T sum = 0;
    for (int colour = 0; colour < colours; ++colour) {
      Around<D, T> near[rows];
      Index<D> cell[rows];
      for (int row = 0; row < rows; ++row) {
        cell[row] = cell_of_colour<D>(i, row, colour);
        near[row] =
            around(f, cell[row], cells.contains(cell[row]) && is_uniform_at<D>(marks, slot, cell[row]));
      }
      for (int row = 0; row < rows; ++row) sum += residual(f, cell[row], near[row]);
    }
    // Nothing can be done for a cell without a diagonal: what is asked of it must not
    // reach coarser levels.
    const std::ptrdiff_t place = c.place(i);
    c.b[place] = c.inverse[place] > 0 ? sum : T(0);
  });
}

template <int D, class T>
void prolong_on_device(MultigridLevel<D, T>& fine, MultigridLevel<D, T>& coarse) {
  const LevelView<D, T> f = view_of(fine), c = view_of(coarse);
  const int colours = colours_to_pass(fine);
  const Range<D> cells = fine.grid.cell_range();
  cuda::coarse_cells(fine.A->blocks(), cells, [=] GLUG_FN(std::int32_t, const Index<D>& i) {
    const T above = c.x[c.place(i)];
    for (int colour = 0; colour < colours; ++colour)
      for (int row = 0; row < 1 << (D - 1); ++row) {
        const Index<D> cell = cell_of_colour<D>(i, row, colour);
        if (cells.contains(cell)) f.x[f.place(cell)] += above;
      }
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
  level.listed.change(exec, level.A->blocks(), level.grid.cell_range(), [=] GLUG_FN(const Index<D>& i) {
    const std::ptrdiff_t place = v.place(i);
    inverse[place] = v.x[place] = v.b[place] = 0;
  });
  for_each_cell(exec, level.A->blocks(), level.grid.cell_range(), [=] GLUG_FN(const Index<D>& i) {
    const double diagonal = A.diagonal(i);
    inverse[v.place(i)] = diagonal > 0 ? static_cast<T>(1 / diagonal) : T(0);
    v.b[v.place(i)] = 0;  // where the grid above lists no block nothing will be written
  });
}

}  // namespace glug
