// multigrid_kernels.h: what the multigrid does to one row of cells. Every kernel runs along axis 0 without
// branches, so that it fills the vector registers.
//
// Red-black Gauss-Seidel computes every cell of a row and keeps the result at those of one colour (red: the
// sum of the indices is even): twice the arithmetic, but memory, not arithmetic, is the limit, and picking
// every second cell would cost more than it saves. A cell of one colour reads only the other one, so the
// order within a colour does not matter. On a device a row is one cell, and a cell of the other colour is
// left alone.
#pragma once

#include "solvers/multigrid_level.h"
#include "solvers/pack.h"
#include "solvers/runs.h"

namespace glug {

enum class Colour { red = 0, black = 1 };

// A level as the kernels see it. All its fields share one layout.
template <int D, class T>
struct LevelView {
  StencilView<D, const T> A;
  View<D, const T> inverse_diagonal;
  View<D, T> x, b;
};

template <int D, class T>
LevelView<D, T> view_of(MultigridLevel<D, T>& level) {
  return {level.A->read(), level.inverse_diagonal.read(), level.x.view(), level.b.view()};
}

// Which cells of a row have the colour: those with k % 2 == this.
template <int D>
GLUG_INLINE int first_of_colour(const Index<D>& first, Colour colour) {
  int sum = static_cast<int>(colour);
  for (int a = 0; a < D; ++a) sum += first[a];
  return sum & 1;
}

template <int D, class T>
struct RowPointers {
  const T* low[D];
  const T* high[D];
  std::ptrdiff_t stride[D];

  GLUG_INLINE RowPointers(const LevelView<D, T>& v, const Index<D>& first) {
    const std::ptrdiff_t at = v.x.offset(first);
    for (int a = 0; a < D; ++a) {
      stride[a] = v.x.stride[a];
      low[a] = v.A.coupling[a].data + at;
      high[a] = low[a] + stride[a];
    }
  }
  // sum k x_neighbour, those along the row given.
  template <class P>
  GLUG_INLINE P neighbours(const T* x, int k, const P& before, const P& after) const {
    P sum = load<P>(low[0] + k) * before + load<P>(high[0] + k) * after;
    for (int a = 1; a < D; ++a)
      sum += load<P>(low[a] + k) * load<P>(x + k - stride[a]) +
             load<P>(high[a] + k) * load<P>(x + k + stride[a]);
    return sum;
  }
  // The same where all couplings are 1.
  template <class P>
  GLUG_INLINE P sum_of_neighbours(const T* x, int k, const P& before, const P& after) const {
    P sum = before + after;
    for (int a = 1; a < D; ++a) sum += load<P>(x + k - stride[a]) + load<P>(x + k + stride[a]);
    return sum;
  }
  // sum k (x_neighbour - x).
  template <class P>
  GLUG_INLINE P differences(const T* x, int k) const {
    const P c = load<P>(x + k);
    P sum = load<P>(low[0] + k) * (load<P>(x + k - 1) - c) + load<P>(high[0] + k) * (load<P>(x + k + 1) - c);
    for (int a = 1; a < D; ++a)
      sum += load<P>(low[a] + k) * (load<P>(x + k - stride[a]) - c) +
             load<P>(high[a] + k) * (load<P>(x + k + stride[a]) - c);
    return sum;
  }
};

// One colour of Gauss-Seidel: x = (b + sum k x_neighbour) / diagonal, handed to f(k, new value or the old
// one). Neighbours along the row are of the other colour, which keeps its value: they are taken from packs
// loaded before anything near was stored, because loading across a store just made stalls the processor
// (threefold slower). kinds: the kinds of the row's parts.
template <int D, class T, class F>
GLUG_INLINE void relax_packs(const LevelView<D, T>& v, const Index<D>& first, int n, Colour colour,
                             const RowMarks& kinds, F&& f) {
  using P = Pack<T>;
  constexpr int lanes = pack_lanes<T>;
  const RowPointers<D, T> A(v, first);
  const std::ptrdiff_t at = v.x.offset(first);  // inverse_diagonal, x and b share their layout
  const T* inverse = v.inverse_diagonal.data + at;
  const T* b = v.b.data + at;
  const T* x = v.x.data + at;
  const EverySecond<T> mine(first_of_colour<D>(first, colour));
  visit_stretches<D>(n, kinds, [&](int begin, int length, auto stretch) {
    constexpr RowKind row = decltype(stretch)::kind;
    const RowSides<D, T> sides(x, A.stride, stretch.sides);
    const T share = T(1) / static_cast<T>(row == RowKind::even ? 2 + sides.count : 2 * D);
    const T share_of_b = inverse[begin];
    const auto relaxed = [&](auto kind, int k, const auto& before, const auto& after) {
      using Q = decltype(kind);
      if constexpr (row == RowKind::even)
        return share * (before + after + sides.template sum<Q>(k)) + share_of_b * load<Q>(b + k);
      else if constexpr (row == RowKind::uniform)
        return share * A.template sum_of_neighbours<Q>(x, k, before, after) + share_of_b * load<Q>(b + k);
      else
        return load<Q>(inverse + k) * (load<Q>(b + k) + A.template neighbours<Q>(x, k, before, after));
    };
    // Ghost cells around the grid leave room to load beyond both ends of a row.
    const int end = begin + length;
    int k = begin;
    if constexpr (lanes > 1) {
      P low = load<P>(x + k - lanes), middle = load<P>(x + k);
      for (; k + lanes <= end; k += lanes) {
        const P high = load<P>(x + k + lanes);
        f(k,
          mine.pick(k, relaxed(P{}, k, shifted_up<T>(low, middle), shifted_down<T>(middle, high)), middle));
        low = middle;
        middle = high;
      }
    }
    for (; k < end; ++k) f(k, mine.has(k) ? relaxed(T{}, k, x[k - 1], x[k + 1]) : x[k]);
  });
}

template <int D, class T>
GLUG_INLINE void relax_row(const LevelView<D, T>& v, const Index<D>& first, int n, Colour colour,
                           const RowMarks& kinds) {
  T* x = &v.x(first);
  relax_packs(v, first, n, colour, kinds, [&](int k, const auto& value) { store(x + k, value); });
}

// The same for one cell.
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

// The last sweep of the finest level: its result goes straight to the caller.
template <int D, class T>
GLUG_INLINE void relax_row_into(const LevelView<D, T>& v, const Index<D>& first, int n, Colour colour,
                                const RowMarks& kinds, double* __restrict out) {
  T values[row_room<D>];
  relax_packs(v, first, n, colour, kinds, [&](int k, const auto& value) { store(values + k, value); });
  visit_stretches<D>(n, kinds, [&](int begin, int length, auto) {
    for (int k = begin; k < begin + length; ++k) out[k] = values[k];
  });
}

// x = b / diagonal: right for unknowns without couplings.
template <int D, class T>
GLUG_INLINE void solve_alone_row(const LevelView<D, T>& v, const Index<D>& first, int n) {
  const T* inverse = &v.inverse_diagonal(first);
  const T* b = &v.b(first);
  T* __restrict x = &v.x(first);
  for (int k = 0; k < n; ++k) x[k] = inverse[k] * b[k];
}

// Red cells from x = 0: the first half sweep needs no neighbours.
template <int D, class T>
GLUG_INLINE void start_row(const LevelView<D, T>& v, const Index<D>& first, int n) {
  const T* inverse = &v.inverse_diagonal(first);
  const T* b = &v.b(first);
  T* x = &v.x(first);
  const EverySecond<T> mine(first_of_colour<D>(first, Colour::red));
  for_packs<T>(n, [&](auto kind, int k) {
    using P = decltype(kind);
    store(x + k, mine.pick(k, load<P>(inverse + k) * load<P>(b + k), P{}));
  });
}
// The same on the finest level, which takes its right-hand side from the caller.
template <int D, class T>
GLUG_INLINE void load_row(const LevelView<D, T>& v, const Index<D>& first, int n, const double* r) {
  const T* inverse = &v.inverse_diagonal(first);
  T* __restrict b = &v.b(first);
  T* __restrict x = &v.x(first);
  T values[row_room<D>];
  for (int k = 0; k < n; ++k) values[k] = static_cast<T>(r[k]);
  const EverySecond<T> mine(first_of_colour<D>(first, Colour::red));
  for_packs<T>(n, [&](auto kind, int k) {
    using P = decltype(kind);
    const P d = load<P>(inverse + k);
    const P value = where_positive<P, T>(d, load<P>(values + k));
    store(b + k, value);
    store(x + k, mine.pick(k, d * value, P{}));
  });
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

// Adds the residuals b - A x of a row to `sum`.
template <int D, class T>
GLUG_INLINE void add_residuals(const LevelView<D, T>& v, const Index<D>& first, int n, const RowMarks& kinds,
                               T* __restrict sum) {
  const RowPointers<D, T> A(v, first);
  const T* anchor = &v.A.anchor(first);
  const T* b = &v.b(first);
  const T* x = &v.x(first);
  visit_stretches<D>(n, kinds, [&](int begin, int length, auto stretch) {
    constexpr RowKind row = decltype(stretch)::kind;
    const RowSides<D, T> sides(x, A.stride, stretch.sides);
    const T coupling = A.low[0][begin];
    for_packs<T>(length, [&](auto kind, int offset) {
      using P = decltype(kind);
      const int k = begin + offset;
      P r = load<P>(b + k);
      if constexpr (row == RowKind::even)
        r += coupling * (load<P>(x + k - 1) + load<P>(x + k + 1) + sides.template sum<P>(k) -
                         static_cast<T>(2 + sides.count) * load<P>(x + k));
      else if constexpr (row == RowKind::uniform)
        r += coupling * (A.template sum_of_neighbours<P>(x, k, load<P>(x + k - 1), load<P>(x + k + 1)) -
                         T(2 * D) * load<P>(x + k));
      else
        r += A.template differences<P>(x, k) - load<P>(anchor + k) * load<P>(x + k);
      store(sum + k, load<P>(sum + k) + r);
    });
  });
}

// b_coarse = sum of the residuals of each block of 2^D cells, for the blocks inside a run. marks: of the run.
template <int D, class T>
GLUG_INLINE void restrict_run(const LevelView<D, T>& fine, const LevelView<D, T>& coarse, const Range<D>& run,
                              const RowMarks* marks) {
  const int n = run.extent(0);
  if (n == 0) return;
  Range<D> rows{coarse_of<D>(run.lo), coarse_of<D>(run.hi + Index<D>::filled(1))};
  rows.hi[0] = rows.lo[0] + 1;
  visit(rows, [&](const Index<D>& first) {
    T sum[row_room<D> + 1];
    for (int k = 0; k < n + 1; ++k) sum[k] = 0;
    for (int row = 0; row < 1 << (D - 1); ++row) {
      const Index<D> f = cell_in_block<D>(first, row << 1);
      if (!run.contains(f)) continue;
      add_residuals(fine, f, n, marks ? marks[row_in_block<D>(f)] : RowMarks{}, sum);
    }
    const T* inverse = &coarse.inverse_diagonal(first);
    T* out = &coarse.b(first);
    // Nothing can be done for a cell without a diagonal: what is asked of it must not reach coarser levels.
    for (int k = 0; k < (n + 1) / 2; ++k) {
      const T both = sum[2 * k] + sum[2 * k + 1];
      out[k] = inverse[k] > 0 ? both : T(0);
    }
  });
}

// x = x + x_coarse, for a row of fine cells that starts at an even index, or one of a single cell.
template <int D, class T>
GLUG_INLINE void prolong_row(const LevelView<D, T>& fine, const LevelView<D, T>& coarse,
                             const Index<D>& first, int n) {
  const T* e = &coarse.x(coarse_of<D>(first));
  T* __restrict x = &fine.x(first);
  T twice[row_room<D> + 1];
  for (int k = 0; k < (n + 1) / 2; ++k) {
    twice[2 * k] = e[k];
    twice[2 * k + 1] = e[k];
  }
  for (int k = 0; k < n; ++k) x[k] += twice[k];
}

}  // namespace glug
