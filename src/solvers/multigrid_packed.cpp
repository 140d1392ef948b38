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
  return {level.packed.A, level.packed.x.data(), level.packed.b.data()};
}

// f(task, the next one) over the tasks of a level.
template <int D, class T, class F>
void tasks(const Exec& exec, const MultigridLevel<D, T>& level, F f) {
  const auto* list = level.packed.A->task_list();
  for_each_equal_task(exec, level.packed.A->tasks(),
                      [=](std::ptrdiff_t task) { f(list[task], list[task + 1]); });
}
// The sum of what it returns.
template <int D, class T, class F>
double sum_tasks(const Exec& exec, const MultigridLevel<D, T>& level, F f) {
  const auto* list = level.packed.A->task_list();
  return sum_equal_tasks(exec, level.packed.A->tasks(),
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

// The colours that the way down and up must see.
template <int D, class T>
int colours_to_pass(const MultigridLevel<D, T>& level) {
  return level.movers.movers ? 2 : 1;
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
void start_packed(const Exec& exec, MultigridLevel<D, T>& level, const double* r) {
  const PackedView<D, T> v = packed_view(level);
  const T* inverse = v.A->inverse_diagonal();
  const bool both = colours_to_pass(level) == 2;
  tasks(exec, level, [=](const auto& task, const auto& next) {
    T* __restrict x = v.x;
    T* __restrict b = v.b;
    if (r)
      for (std::int32_t i = task.place; i < next.place; ++i) b[i] = static_cast<T>(r[i]);
    for (std::int32_t i = task.place; i < task.black_place; ++i) x[i] = inverse[i] * b[i];
    if (both)
      for (std::int32_t i = task.black_place; i < next.place; ++i) x[i] = 0;
  });
}

template <int D, class T>
void solve_alone_packed(const Exec& exec, MultigridLevel<D, T>& level) {
  const PackedView<D, T> v = packed_view(level);
  const T* inverse = v.A->inverse_diagonal();
  tasks(exec, level, [=](const auto& task, const auto& next) {
    for (std::int32_t i = task.place; i < next.place; ++i) v.x[i] = inverse[i] * v.b[i];
  });
}

template <int D, class T>
double store_packed(const Exec& exec, MultigridLevel<D, T>& level, const double* r, double* z) {
  const T* x = level.packed.x.data();
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
void split_residuals_packed(const Exec& exec, MultigridLevel<D, T>& level, T* residuals) {
  const PackedView<D, T> v = packed_view(level);
  const std::ptrdiff_t* cell = level.split_cells.data();
  const std::int32_t* segment = level.packed.split_segments.data();
  for_each(exec, static_cast<std::ptrdiff_t>(level.split_cells.size()), [=](std::ptrdiff_t n) {
    residuals[n] = 0;
    if (cell[n] == 0) return;
    const PackedSegment<D, T>& s = v.A->segments()[segment[n]];
    residuals[n] = residual_at(v, s, static_cast<std::int32_t>(cell[n]) - s.first);
  });
}

template <int D, class T>
void pack_level(const Exec& exec, const PackedSystem<D, T>* given, MultigridLevel<D, T>& level) {
  PackedLevel<D, T>& packed = level.packed;
  if (!given) packed.own.assign(exec, *level.A);
  packed.A = given ? &given->stencil() : &packed.own;
  const Range<D> layout = level.x.range();
  std::int32_t beyond = packed.A->end();
  const auto place_of = [&](std::ptrdiff_t offset) {
    const std::int32_t place = packed.A->place(layout.at(offset));
    return std::ptrdiff_t{place > 0 ? place : beyond++};
  };
  LooseParts<D, T>& loose = level.loose;
  for (std::ptrdiff_t& at : loose.touched_at.host) at = place_of(at);
  for (auto& entry : loose.to_cells.entries.host) entry.to = place_of(entry.to);
  LevelMovers<D, T>& movers = level.movers;
  if (movers.finest) {
    movers.finest = &given->movers();
  } else {
    // Both lists name each cell; those that are no unknowns must get one place in both.
    ListedMovers<D, T>& listed = movers.listed;
    for (std::size_t n = 0; n < listed.places.size(); ++n) {
      std::ptrdiff_t& place = listed.places.host[n];
      if (place < 0) continue;
      place = place_of(place);
      for (std::int32_t k = listed.place_start.host[n]; k < listed.place_start.host[n + 1]; ++k)
        listed.entries.host[listed.at_place.host[k].entry].to = place;
    }
  }
  const std::size_t room =
      given ? given->room() : packed.A->room(static_cast<std::size_t>(beyond - packed.A->end()));
  make_room(room, packed.A->end(), packed.x);
  make_room(room, packed.A->end(), packed.b);
  // What an older system left may be no number, and couplings of 0 do not hide that.
  T* x = packed.x.data();
  tasks(exec, level, [=](const auto& task, const auto& next) {
    for (std::int32_t i = task.place; i < next.place; ++i) x[i] = 0;
  });
}

template <int D, class T>
void list_ways(const Exec& exec, MultigridLevel<D, T>& fine, const MultigridLevel<D, T>& coarse) {
  fine.split_coarse.host.clear();
  fine.split_cells.host.clear();
  fine.packed.split_segments.clear();
  for (const SplitBlock<D>& block : fine.split.host) {
    fine.split_coarse.host.push_back(coarse.at(block.coarse));
    for (int p = 0; p < 1 << D; ++p) {
      const Index<D> i = cell_in_block<D>(block.coarse, p);
      const std::ptrdiff_t at = fine.grid.cell_range().contains(i) ? fine.at(i) : 0;
      fine.split_cells.host.push_back(at);
      if (fine.packed.A)
        fine.packed.split_segments.push_back(at > 0 ? fine.packed.A->segment_of(static_cast<std::int32_t>(at))
                                                    : 0);
    }
  }
  publish(exec, fine.split_coarse, fine.split_cells);
}

#define GLUG_INSTANTIATE(D, T)                                                                         \
  template void pack_level<D, T>(const Exec&, const PackedSystem<D, T>*, MultigridLevel<D, T>&);       \
  template void list_ways<D, T>(const Exec&, MultigridLevel<D, T>&, const MultigridLevel<D, T>&);      \
  template void relax_packed<D, T>(const Exec&, MultigridLevel<D, T>&, Colour);                        \
  template void start_packed<D, T>(const Exec&, MultigridLevel<D, T>&, const double*);                 \
  template double relax_packed_into<D, T>(const Exec&, MultigridLevel<D, T>&, const double*, double*); \
  template void restrict_packed<D, T>(const Exec&, MultigridLevel<D, T>&, MultigridLevel<D, T>&);      \
  template void prolong_packed<D, T>(const Exec&, MultigridLevel<D, T>&, MultigridLevel<D, T>&);       \
  template void solve_alone_packed<D, T>(const Exec&, MultigridLevel<D, T>&);                          \
  template double store_packed<D, T>(const Exec&, MultigridLevel<D, T>&, const double*, double*);      \
  template void split_residuals_packed<D, T>(const Exec&, MultigridLevel<D, T>&, T*);
GLUG_INSTANTIATE(2, Real)
GLUG_INSTANTIATE(3, Real)
#undef GLUG_INSTANTIATE

}  // namespace glug
