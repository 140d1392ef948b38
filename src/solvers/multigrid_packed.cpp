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
  T* x;
  T* b;
};
template <int D, class T>
PackedView<D, T> packed_view(MultigridLevel<D, T>& level) {
  return {level.packed, level.x.data(), level.b.data()};
}

// f(task, the next one) over the tasks of a level.
template <int D, class T, class F>
void tasks(const Exec& exec, const MultigridLevel<D, T>& level, F f) {
  const auto* list = level.packed->task_list();
  for_each_equal_task(exec, level.packed->tasks(),
                      [=](std::ptrdiff_t task) { f(list[task], list[task + 1]); });
}
// The sum of what it returns.
template <int D, class T, class F>
double sum_tasks(const Exec& exec, const MultigridLevel<D, T>& level, F f) {
  const auto* list = level.packed->task_list();
  return sum_equal_tasks(exec, level.packed->tasks(),
                         [=](std::ptrdiff_t task) { return f(list[task], list[task + 1]); });
}

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

// f(P{}, k, residual b - A x) along a segment; may be called twice for the same k.
template <int D, class T, class F>
GLUG_INLINE void residuals_of(const PackedView<D, T>& v, const PackedSegment<D, T>& s, F&& f) {
  const T* x = v.x + s.first;
  const T* b = v.b + s.first;
  const Sides<D, T> at(v.x, s);
  const int n = s.count;
  if (s.is_even()) {
    const T coupling = s.coupling, neighbours = static_cast<T>(s.neighbours);
    for_covering_packs<T>(n, [&](auto kind, int k) {
      using P = decltype(kind);
      f(kind, k, load<P>(b + k) + coupling * (at.template sum<P>(k) - neighbours * load<P>(x + k)));
    });
  } else {
    const T* anchor = v.A->coefficients() + s.coefficients;
    for_covering_packs<T>(n, [&](auto kind, int k) {
      using P = decltype(kind);
      const P centre = load<P>(x + k);
      P r = load<P>(b + k) - load<P>(anchor + k) * centre;
      for (int side = 0; side < s.sides; ++side)
        r += load<P>(anchor + (1 + side) * n + k) * (load<P>(at.beside[side] + k) - centre);
      f(kind, k, r);
    });
  }
}

// The same for its k-th unknown.
template <int D, class T>
T residual_at(const PackedView<D, T>& v, const PackedSegment<D, T>& s, std::int32_t k) {
  const T centre = v.x[s.first + k];
  T r = v.b[s.first + k];
  const T* anchor = v.A->coefficients() + s.coefficients;
  if (!s.is_even()) r -= anchor[k] * centre;
  for (int side = 0; side < s.sides; ++side) {
    const T coupling = !s.is_even()         ? anchor[(1 + side) * s.count + k]
                       : s.beside[side] > 0 ? s.coupling
                                            : T(0);
    r += coupling * (v.x[s.beside[side] + k] - centre);
  }
  return r;
}

// z = x; returns r . z.
template <class T>
GLUG_INLINE double copy_and_dot(const T* x, const double* r, int n, double* __restrict z) {
  for (int k = 0; k < n; ++k) z[k] = x[k];
  PackSum<double> sum;
  for_packs<double>(n, [&](auto kind, int k) {
    using P = decltype(kind);
    sum.add(load<P>(r + k) * load<P>(z + k));
  });
  return sum.total();
}

// Adds the residuals of a segment to those of the cells of the coarse row above.
template <int D, class T>
GLUG_INLINE void add_residuals(const PackedView<D, T>& v, const PackedSegment<D, T>& s, T* sum) {
  T r[PackedStencil<D, T>::longest];
  residuals_of(v, s, [&](auto, int k, const auto& value) { store(r + k, value); });
  if (s.step == 2) {
    T* __restrict out = sum + (s.x >> 1);
    for (int k = 0; k < s.count; ++k) out[k] += r[k];
  } else {
    for (int k = 0; k < s.count; ++k) sum[(s.x + k * s.step) >> 1] += r[k];
  }
}

// x += what the coarse row has above each.
template <int D, class T>
GLUG_INLINE void add_above(const PackedSegment<D, T>& s, const T* e, T* __restrict x) {
  if (s.step == 2) {
    const T* from = e + (s.x >> 1);
    for (int k = 0; k < s.count; ++k) x[k] += from[k];
  } else {
    for (int k = 0; k < s.count; ++k) x[k] += e[(s.x + k * s.step) >> 1];
  }
}

// A stretch of a coarse row: what lies above the fine unknowns of a task's row.
template <int D, class T>
struct RowAbove {
  std::vector<T> values;
  int low = 0, high = 0;
  explicit RowAbove(int cells) : values(static_cast<std::size_t>(cells)) {}

  void clear(const PackedStencil<D, T>& fine, const typename PackedStencil<D, T>::CoarseRow& row) {
    low = static_cast<int>(values.size());
    high = 0;
    for (int colour = 0; colour < 2; ++colour)
      for (std::int32_t s = row.segment[colour]; s < row.end[colour]; ++s) {
        const PackedSegment<D, T>& segment = fine.segments()[s];
        low = std::min(low, segment.x >> 1);
        high = std::max(high, ((segment.x + (segment.count - 1) * segment.step) >> 1) + 1);
      }
    for (int k = low; k < high; ++k) values[k] = 0;
  }
};

// f(run, colour of its first) over the runs of a row.
template <int D, class T, class F>
GLUG_INLINE void visit_row(const PackedStencil<D, T>& A, const Index<D>& row, F&& f) {
  const auto [first, last] = A.row(row);
  for (const PackedRun* run = first; run < last; ++run) f(*run, A.first_colour(row, *run));
}

}  // namespace

template <int D, class T>
void relax_packed(const Exec& exec, MultigridLevel<D, T>& level, Colour colour) {
  const PackedView<D, T> v = packed_view(level);
  const PackedSegment<D, T>* segment = v.A->segments();
  tasks(exec, level, [=](const auto& task, const auto& next) {
    const std::int32_t begin = colour == Colour::red ? task.segment : task.black_segment;
    const std::int32_t end = colour == Colour::red ? task.black_segment : next.segment;
    for (std::int32_t s = begin; s < end; ++s) relax_segment(v, segment[s]);
  });
}

template <int D, class T>
double relax_packed_into(const Exec& exec, MultigridLevel<D, T>& level, const double* r, double* z) {
  const PackedView<D, T> v = packed_view(level);
  const PackedSegment<D, T>* segment = v.A->segments();
  return sum_tasks(exec, level, [=](const auto& task, const auto& next) {
    for (std::int32_t s = task.segment; s < task.black_segment; ++s) relax_segment(v, segment[s]);
    return copy_and_dot(v.x + task.place, r + task.place, next.place - task.place, z + task.place);
  });
}

template <int D, class T>
double store_packed(const Exec& exec, MultigridLevel<D, T>& level, const double* r, double* z) {
  const T* x = level.x.data();
  return sum_tasks(exec, level, [=](const auto& task, const auto& next) {
    return copy_and_dot(x + task.place, r + task.place, next.place - task.place, z + task.place);
  });
}

template <int D, class T>
void restrict_packed(const Exec& exec, MultigridLevel<D, T>& fine, MultigridLevel<D, T>& coarse) {
  const PackedView<D, T> v = packed_view(fine), c = packed_view(coarse);
  const int width = coarse.grid.cells[0], colours = colours_to_pass(fine);
  tasks(exec, fine, [=](const auto& task, const auto& next) {
    RowAbove<D, T> sum(width);
    for (std::int32_t n = task.coarse_row; n < next.coarse_row; ++n) {
      const auto& row = v.A->coarse_rows()[n];
      sum.clear(*v.A, row);
      for (int colour = 0; colour < colours; ++colour)
        for (std::int32_t s = row.segment[colour]; s < row.end[colour]; ++s)
          add_residuals(v, v.A->segments()[s], sum.values.data());
      visit_row(*c.A, row.first, [&](const PackedRun& run, int colour) {
        split_colours(sum.values.data() + run.x, run.count, c.b + run.place[colour],
                      c.b + run.place[1 - colour]);
      });
    }
  });
}

template <int D, class T>
void prolong_packed(const Exec& exec, MultigridLevel<D, T>& fine, MultigridLevel<D, T>& coarse) {
  const PackedView<D, T> v = packed_view(fine), c = packed_view(coarse);
  const int width = coarse.grid.cells[0], colours = colours_to_pass(fine);
  tasks(exec, fine, [=](const auto& task, const auto& next) {
    RowAbove<D, T> above(width);
    for (std::int32_t n = task.coarse_row; n < next.coarse_row; ++n) {
      const auto& row = v.A->coarse_rows()[n];
      above.clear(*v.A, row);
      visit_row(*c.A, row.first, [&](const PackedRun& run, int colour) {
        join_colours(c.x + run.place[colour], c.x + run.place[1 - colour], run.count,
                     above.values.data() + run.x);
      });
      for (int colour = 0; colour < colours; ++colour)
        for (std::int32_t s = row.segment[colour]; s < row.end[colour]; ++s) {
          const PackedSegment<D, T>& segment = v.A->segments()[s];
          add_above(segment, above.values.data(), v.x + segment.first);
        }
    }
  });
}

template <int D, class T>
void member_residuals_packed(const Exec& exec, MultigridLevel<D, T>& level) {
  const PackedView<D, T> v = packed_view(level);
  const Member* member = level.members.list.data();
  T* residual = level.members.residual.data();
  for_each(exec, static_cast<std::ptrdiff_t>(level.members.list.size()), [=](std::ptrdiff_t n) {
    if (member[n].is_part) return;
    const PackedSegment<D, T>& s = v.A->segments()[member[n].number];
    residual[n] = residual_at(v, s, static_cast<std::int32_t>(member[n].at) - s.first);
  });
}

#define GLUG_INSTANTIATE(D, T)                                                                         \
  template void relax_packed<D, T>(const Exec&, MultigridLevel<D, T>&, Colour);                        \
  template double relax_packed_into<D, T>(const Exec&, MultigridLevel<D, T>&, const double*, double*); \
  template void restrict_packed<D, T>(const Exec&, MultigridLevel<D, T>&, MultigridLevel<D, T>&);      \
  template void prolong_packed<D, T>(const Exec&, MultigridLevel<D, T>&, MultigridLevel<D, T>&);       \
  template double store_packed<D, T>(const Exec&, MultigridLevel<D, T>&, const double*, double*);      \
  template void member_residuals_packed<D, T>(const Exec&, MultigridLevel<D, T>&);
GLUG_INSTANTIATE(2, Real)
GLUG_INSTANTIATE(3, Real)
#undef GLUG_INSTANTIATE

}  // namespace glug
