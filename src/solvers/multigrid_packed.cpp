#include "solvers/multigrid_packed.h"

#include <algorithm>

#include "core/for_each.h"
#include "core/pack.h"
#include "core/real.h"

namespace glug {
namespace {

template <int D, class T>
struct PackedView {
  const PackedStencil<D, T>* A;
  T *x, *b;
  explicit PackedView(MultigridLevel<D, T>& level) : A(level.packed), x(level.x.data()), b(level.b.data()) {}
};

// What lies beside a segment of x: zeros on absent sides.
template <int D, class T>
struct Sides {
  static constexpr int sides = PackedSegment<D, T>::sides;
  const T* beside[sides];

  GLUG_INLINE Sides(const T* x, const PackedSegment<D, T>& s) {
    for (int n = 0; n < sides; ++n) beside[n] = x + s.beside[n];
  }
  template <class P>
  GLUG_INLINE P sum(int k) const {
    P total = load<P>(beside[0] + k);
    for (int n = 1; n < sides; ++n) total += load<P>(beside[n] + k);
    return total;
  }
  // sum coupling x; couplings: those of each side, n apart.
  template <class P>
  GLUG_INLINE P sum(const T* couplings, int n, int k) const {
    P total = load<P>(couplings + k) * load<P>(beside[0] + k);
    for (int side = 1; side < sides; ++side)
      total += load<P>(couplings + side * n + k) * load<P>(beside[side] + k);
    return total;
  }
};

// f(P{}, k) over a row of n, the last pack over some of the one before it: for what may be done twice.
template <class T, class F>
GLUG_INLINE void for_covering_packs(int n, F&& f) {
  constexpr int lanes = pack_lanes<T>;
  if (n < lanes) {
    for (int k = 0; k < n; ++k) f(T{}, k);
    return;
  }
  int k = 0;
  for (; k + lanes <= n; k += lanes) f(Pack<T>{}, k);
  if (k < n) f(Pack<T>{}, n - lanes);
}

// x = (b + sum k x_neighbour) / diagonal.
template <int D, class T>
GLUG_INLINE void relax_segment(const PackedView<D, T>& v, const PackedSegment<D, T>& s) {
  T* x = v.x + s.first;
  const T* b = v.b + s.first;
  const Sides<D, T> at(v.x, s);
  const int n = s.count;
  if (s.is_even()) {
    const T share = s.share, inverse = s.inverse;
    for_covering_packs<T>(n, [&](auto kind, int k) {
      using P = decltype(kind);
      store(x + k, share * at.template sum<P>(k) + inverse * load<P>(b + k));
    });
  } else {
    const T* inverse = v.A->inverse_diagonal() + s.first;
    const T* couplings = v.A->coefficients() + s.coefficients + n;
    for_covering_packs<T>(n, [&](auto kind, int k) {
      using P = decltype(kind);
      store(x + k, load<P>(inverse + k) * (load<P>(b + k) + at.template sum<P>(couplings, n, k)));
    });
  }
}

// f(P{}, k, residual b - A x) along a segment, for `count` of its unknowns from the `begin`-th on, which is
// k = 0; may be called twice for the same k.
template <int D, class T, class F>
GLUG_INLINE void residuals_of(const PackedView<D, T>& v, const PackedSegment<D, T>& s, int begin, int count,
                              F&& f) {
  const T* x = v.x + s.first + begin;
  const T* b = v.b + s.first + begin;
  const Sides<D, T> at(v.x + begin, s);
  if (s.is_even()) {
    const T coupling = s.coupling, neighbours = static_cast<T>(s.neighbours);
    for_covering_packs<T>(count, [&](auto kind, int k) {
      using P = decltype(kind);
      f(kind, k, load<P>(b + k) + coupling * (at.template sum<P>(k) - neighbours * load<P>(x + k)));
    });
  } else {
    const int n = s.count;
    const T* anchor = v.A->coefficients() + s.coefficients + begin;
    for_covering_packs<T>(count, [&](auto kind, int k) {
      using P = decltype(kind);
      const P centre = load<P>(x + k);
      P r = load<P>(b + k) - load<P>(anchor + k) * centre;
      for (int side = 0; side < s.sides; ++side)
        r += load<P>(anchor + (1 + side) * n + k) * (load<P>(at.beside[side] + k) - centre);
      f(kind, k, r);
    });
  }
}

// z = x; returns r . z.
template <class T>
GLUG_INLINE double copy_and_dot(const T* x, const double* r, int n, double* __restrict z) {
  for (int k = 0; k < n; ++k) z[k] = x[k];
  PackSum<double> sum;
  add_row(ProductAt{r, z}, 0, n, sum);
  return sum.total();
}

// f(k, x) for each unknown of a segment, x the index of the coarse cell above it.
template <int D, class T, class F>
GLUG_INLINE void visit_above(const PackedSegment<D, T>& s, F&& f) {
  if (s.step == 2) {
    const int first = s.x >> 1;
#pragma GCC ivdep
    for (int k = 0; k < s.count; ++k) f(k, first + k);
  } else {
    for (int k = 0; k < s.count; ++k) f(k, (s.x + k * s.step) >> 1);
  }
}

// f(row, numbers) over the coarse rows above a level, in parallel. numbers: one per coarse cell along it, 0.
template <int D, class T, class F>
void visit_coarse_rows(const Exec& exec, const PackedStencil<D, T>& A, F f) {
  const std::size_t width = static_cast<std::size_t>(A.grid().cells[0] + 1) / 2;
  A.visit_tasks(exec, [=, &A](const auto& task, const auto& next) {
    std::vector<T> numbers(width);
    for (std::int32_t n = task.coarse_row; n < next.coarse_row; ++n) {
      std::fill(numbers.begin(), numbers.end(), T(0));
      f(A.coarse_rows()[n], numbers.data());
    }
  });
}

}  // namespace

template <int D, class T>
void PackedCycle<D, T>::relax(const Exec& exec, Level& level, Colour colour) {
  const PackedView<D, T> v(level);
  const PackedSegment<D, T>* segment = v.A->segments();
  v.A->visit_tasks(exec, [=](const auto& task, const auto& next) {
    const std::int32_t begin = colour == Colour::red ? task.segment : task.black_segment;
    const std::int32_t end = colour == Colour::red ? task.black_segment : next.segment;
    for (std::int32_t s = begin; s < end; ++s) relax_segment(v, segment[s]);
  });
}

template <int D, class T>
double PackedCycle<D, T>::store(const Exec& exec, Level& level, LastSweep last, const double* r, double* z) {
  const PackedView<D, T> v(level);
  const PackedSegment<D, T>* segment = v.A->segments();
  return v.A->sum_tasks(exec, [=](const auto& task, const auto& next) {
    const std::int32_t end = last == LastSweep::of_red ? task.black_segment : task.segment;
    for (std::int32_t s = task.segment; s < end; ++s) relax_segment(v, segment[s]);
    return copy_and_dot(v.x + task.place, r + task.place, next.place - task.place, z + task.place);
  });
}

template <int D, class T>
void PackedCycle<D, T>::descend(const Exec& exec, Level& fine, Level& coarse) {
  const PackedView<D, T> v(fine), c(coarse);
  const int colours = colours_to_pass(fine);
  visit_coarse_rows(exec, *v.A, [=](const auto& row, T* sum) {
    for (int colour = 0; colour < colours; ++colour)
      for (std::int32_t n = row.segment[colour]; n < row.end[colour]; ++n) {
        const PackedSegment<D, T>& s = v.A->segments()[n];
        T r[PackedStencil<D, T>::longest];
        residuals_of(v, s, 0, s.count, [&](auto, int k, const auto& value) { glug::store(r + k, value); });
        visit_above(s, [&](int k, int x) { sum[x] += r[k]; });
      }
    for (const PackedRun& run : c.A->row(row.first))
      split_colours(sum + run.x, run.count, c.b + run.place[0], c.b + run.place[1]);
  });
}

template <int D, class T>
void PackedCycle<D, T>::ascend(const Exec& exec, Level& fine, Level& coarse) {
  const PackedView<D, T> v(fine), c(coarse);
  const int colours = colours_to_pass(fine);
  visit_coarse_rows(exec, *v.A, [=](const auto& row, T* above) {
    for (const PackedRun& run : c.A->row(row.first))
      join_colours(c.x + run.place[0], c.x + run.place[1], run.count, above + run.x);
    for (int colour = 0; colour < colours; ++colour)
      for (std::int32_t n = row.segment[colour]; n < row.end[colour]; ++n) {
        const PackedSegment<D, T>& s = v.A->segments()[n];
        T* out = v.x + s.first;
        visit_above(s, [&](int k, int x) { out[k] += above[x]; });
      }
  });
}

template <int D, class T>
void PackedCycle<D, T>::member_residuals(const Exec& exec, Level& level) {
  const PackedView<D, T> v(level);
  const Member* member = level.members.list.data();
  T* residual = level.members.residual.data();
  for_each(exec, static_cast<std::ptrdiff_t>(level.members.list.size()), [=](std::ptrdiff_t n) {
    if (member[n].is_part) return;
    const PackedSegment<D, T>& s = v.A->segments()[member[n].number];
    residuals_of(v, s, static_cast<int>(member[n].at) - s.first, 1,
                 [=](auto, int, const auto& value) { glug::store(residual + n, value); });
  });
}

template struct PackedCycle<2, Real>;
template struct PackedCycle<3, Real>;

}  // namespace glug
