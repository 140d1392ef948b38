#include "solvers/multigrid_packed.h"

#include <algorithm>

#include "core/for_each.h"
#include "solvers/packed_system.h"

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

// f(task) over the tasks of a level.
template <int D, class T, class F>
void tasks(const Exec& exec, const MultigridLevel<D, T>& level, F f) {
  for_each_task(exec, level.packed.A->tasks(), f);
}
// f(segment) over the segments of a task.
template <int D, class T, class F>
GLUG_INLINE void visit_segments(const PackedStencil<D, T>& A, std::ptrdiff_t task, F&& f) {
  const auto* list = A.task_list() + task;
  const PackedSegment<D, T>* segment = A.segments();
  for (std::int32_t s = list[0].segment; s < list[1].segment; ++s) f(segment[s]);
}

// The rows beside a segment of x, those of absent sides 0.
template <int D, class T>
struct SidesOf {
  static constexpr int sides = PackedSegment<D, T>::sides;
  const T* beside[sides];

  GLUG_INLINE SidesOf(const T* x, const PackedSegment<D, T>& s) {
    for (int n = 0; n < sides; ++n) beside[n] = x + s.beside[n];
  }
  template <class P>
  GLUG_INLINE P sum(int k) const {
    P total = load<P>(beside[0] + k);
    for (int n = 1; n < sides; ++n) total += load<P>(beside[n] + k);
    return total;
  }
};

// The couplings of a segment: to the sides, along it, and the rest.
template <int D, class T>
struct CouplingsOf {
  static constexpr int sides = PackedSegment<D, T>::sides;
  const T* beside[sides];
  const T *along, *anchor, *inverse;

  GLUG_INLINE CouplingsOf(const PackedStencil<D, T>& A, const PackedSegment<D, T>& s)
      : along(A.coupling(0) + s.first),
        anchor(A.anchor() + s.first),
        inverse(A.inverse_diagonal() + s.first) {
    // Absent neighbours have no coupling, as those have that lie before the first place.
    for (int n = 0; n < sides; ++n)
      beside[n] = A.coupling(1 + n / 2) + (n % 2 == 0 && s.beside[n] > 0 ? s.first : s.beside[n]);
  }
  // sum k x_neighbour, those along the row given.
  template <class P>
  GLUG_INLINE P neighbours(const SidesOf<D, T>& x, int k, const P& before, const P& after) const {
    P sum = load<P>(along + k) * before + load<P>(along + k + 1) * after;
    for (int n = 0; n < sides; ++n) sum += load<P>(beside[n] + k) * load<P>(x.beside[n] + k);
    return sum;
  }
  // sum k (x_neighbour - x).
  template <class P>
  GLUG_INLINE P differences(const SidesOf<D, T>& at, const T* x, int k) const {
    const P c = load<P>(x + k);
    P sum = load<P>(along + k) * (load<P>(x + k - 1) - c) + load<P>(along + k + 1) * (load<P>(x + k + 1) - c);
    for (int n = 0; n < sides; ++n) sum += load<P>(beside[n] + k) * (load<P>(at.beside[n] + k) - c);
    return sum;
  }
};

// Which unknowns of a segment have the colour: those with k % 2 == this; of one apart, all if it is 0.
template <int D, class T>
GLUG_INLINE int first_of_colour(const PackedSegment<D, T>& s, Colour colour) {
  return (s.odd + static_cast<int>(colour)) & 1;
}

// One colour of Gauss-Seidel along a row, where relaxed(P, k, before, after) is the new value. As
// relax_packs(): neighbours along the row come from packs loaded before anything near was stored.
template <class T, class F>
GLUG_INLINE void relax_along(T* x, int n, int first, F&& relaxed) {
  constexpr int lanes = pack_lanes<T>;
  int k = 0;
  if (lanes > 1 && n >= lanes) {
    using P = Pack<T>;
    const EverySecond<T> mine(first);
    P low = load<P>(x - lanes), middle = load<P>(x);
    for (; k + lanes <= n; k += lanes) {
      const P high = load<P>(x + k + lanes);
      store(x + k,
            mine.pick(k, relaxed(P{}, k, shifted_up<T>(low, middle), shifted_down<T>(middle, high)), middle));
      low = middle;
      middle = high;
    }
  }
  for (k += (k & 1) != first; k < n; k += 2) x[k] = relaxed(T{}, k, x[k - 1], x[k + 1]);
}

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

template <int D, class T>
GLUG_INLINE void relax_segment(const PackedView<D, T>& v, const PackedSegment<D, T>& s, Colour colour) {
  const int first = first_of_colour(s, colour), n = s.count;
  if (first != 0 && (n == 1 || s.kind == SegmentKind::apart)) return;
  T* x = v.x + s.first;
  const T* b = v.b + s.first;
  const SidesOf<D, T> sides(v.x, s);
  if (s.kind == SegmentKind::apart) {
    for_covering_packs<T>(n, [&](auto kind, int k) {
      using P = decltype(kind);
      store(x + k, s.share * sides.template sum<P>(k) + s.inverse * load<P>(b + k));
    });
  } else if (s.kind == SegmentKind::even) {
    relax_along(x, n, first, [&](auto kind, int k, const auto& before, const auto& after) {
      using P = decltype(kind);
      return s.share * (before + after + sides.template sum<P>(k)) + s.inverse * load<P>(b + k);
    });
  } else {
    const CouplingsOf<D, T> A(*v.A, s);
    relax_along(x, n, first, [&](auto kind, int k, const auto& before, const auto& after) {
      using P = decltype(kind);
      return load<P>(A.inverse + k) * (load<P>(b + k) + A.template neighbours<P>(sides, k, before, after));
    });
  }
}

// Red cells from x = 0.
template <int D, class T>
GLUG_INLINE void start_segment(const PackedView<D, T>& v, const PackedSegment<D, T>& s) {
  const int first = first_of_colour(s, Colour::red);
  T* __restrict x = v.x + s.first;
  const T* b = v.b + s.first;
  const int n = s.count;
  if (s.kind == SegmentKind::apart) {
    const T inverse = first == 0 ? s.inverse : T(0);
    for (int k = 0; k < n; ++k) x[k] = inverse * b[k];
    return;
  }
  const T* inverse = v.A->inverse_diagonal() + s.first;
  const EverySecond<T> mine(first);
  for_packs<T>(n, [&](auto kind, int k) {
    using P = decltype(kind);
    store(x + k, mine.pick(k, load<P>(inverse + k) * load<P>(b + k), P{}));
  });
}

// r = b - A x along a segment.
template <int D, class T>
GLUG_INLINE void residuals_of(const PackedView<D, T>& v, const PackedSegment<D, T>& s, T* __restrict r) {
  const T* x = v.x + s.first;
  const T* b = v.b + s.first;
  const SidesOf<D, T> sides(v.x, s);
  const int n = s.count;
  const T diagonal = static_cast<T>(s.neighbours) * s.coupling;
  if (s.kind == SegmentKind::apart) {
    for_covering_packs<T>(n, [&](auto kind, int k) {
      using P = decltype(kind);
      store(r + k, load<P>(b + k) + s.coupling * sides.template sum<P>(k) - diagonal * load<P>(x + k));
    });
  } else if (s.kind == SegmentKind::even) {
    for_covering_packs<T>(n, [&](auto kind, int k) {
      using P = decltype(kind);
      store(r + k, load<P>(b + k) +
                       s.coupling * (load<P>(x + k - 1) + load<P>(x + k + 1) + sides.template sum<P>(k)) -
                       diagonal * load<P>(x + k));
    });
  } else {
    const CouplingsOf<D, T> A(*v.A, s);
    for_covering_packs<T>(n, [&](auto kind, int k) {
      using P = decltype(kind);
      store(r + k,
            load<P>(b + k) + A.template differences<P>(sides, x, k) - load<P>(A.anchor + k) * load<P>(x + k));
    });
  }
}

// Adds numbers of a segment to those of the cells of the coarse row above.
template <int D, class T>
GLUG_INLINE void add_pairs(const PackedSegment<D, T>& s, const T* r, T* __restrict sum) {
  if (s.step > 1) {
    for (int k = 0; k < s.count; ++k) sum[(s.x + k * s.step) >> 1] += r[k];
    return;
  }
  int k = 0;
  if (s.x & 1) sum[s.x >> 1] += r[k++];
  T* __restrict out = sum + ((s.x + k) >> 1);
  const int pairs = (s.count - k) / 2;
  for (int j = 0; j < pairs; ++j) out[j] += r[k + 2 * j] + r[k + 2 * j + 1];
  if (k + 2 * pairs < s.count) out[pairs] += r[k + 2 * pairs];
}

// x += what the coarse row has above each.
template <int D, class T>
GLUG_INLINE void add_above(const PackedSegment<D, T>& s, const T* e, T* __restrict x) {
  if (s.step > 1) {
    for (int k = 0; k < s.count; ++k) x[k] += e[(s.x + k * s.step) >> 1];
    return;
  }
  int k = 0;
  if (s.x & 1) x[k++] += e[s.x >> 1];
  const T* from = e + ((s.x + k) >> 1);
  const int pairs = (s.count - k) / 2;
  for (int j = 0; j < pairs; ++j) {
    x[k + 2 * j] += from[j];
    x[k + 2 * j + 1] += from[j];
  }
  if (k + 2 * pairs < s.count) x[k + 2 * pairs] += from[pairs];
}

// The first and last coarse cells above the segments [begin, end).
template <int D, class T>
GLUG_INLINE std::pair<int, int> extent_above(const PackedSegment<D, T>* begin,
                                             const PackedSegment<D, T>* end) {
  int low = begin->x, high = low;
  for (const PackedSegment<D, T>* s = begin; s < end; ++s) {
    low = std::min(low, static_cast<int>(s->x));
    high = std::max(high, s->x + (s->count - 1) * s->step);
  }
  return {low >> 1, high >> 1};
}

}  // namespace

template <int D, class T>
void relax_packed(const Exec& exec, MultigridLevel<D, T>& level, Colour colour) {
  const PackedView<D, T> v = packed_view(level);
  tasks(exec, level, [=](std::ptrdiff_t task) {
    visit_segments(*v.A, task, [&](const PackedSegment<D, T>& s) { relax_segment(v, s, colour); });
  });
}

template <int D, class T>
void relax_packed_into(const Exec& exec, MultigridLevel<D, T>& level, Colour colour, double* z) {
  const PackedView<D, T> v = packed_view(level);
  tasks(exec, level, [=](std::ptrdiff_t task) {
    visit_segments(*v.A, task, [&](const PackedSegment<D, T>& s) { relax_segment(v, s, colour); });
    const auto* list = v.A->task_list() + task;
    for (std::int32_t i = list[0].place; i < list[1].place; ++i) z[i] = v.x[i];
  });
}

template <int D, class T>
void start_packed(const Exec& exec, MultigridLevel<D, T>& level, const double* r) {
  const PackedView<D, T> v = packed_view(level);
  tasks(exec, level, [=](std::ptrdiff_t task) {
    const auto* list = v.A->task_list() + task;
    if (r)
      for (std::int32_t i = list[0].place; i < list[1].place; ++i) v.b[i] = static_cast<T>(r[i]);
    visit_segments(*v.A, task, [&](const PackedSegment<D, T>& s) { start_segment(v, s); });
  });
}

template <int D, class T>
void restrict_packed(const Exec& exec, MultigridLevel<D, T>& fine, MultigridLevel<D, T>& coarse) {
  const PackedView<D, T> v = packed_view(fine);
  const PackedStencil<D, T>* above = coarse.packed.A;
  T* packed_b = coarse.packed.b.data();
  const LevelView<D, T> c = view_of(coarse);
  const std::size_t width = static_cast<std::size_t>(coarse.grid.cells[0]);
  tasks(exec, fine, [=](std::ptrdiff_t task) {
    std::vector<T> sum(width);
    T r[PackedStencil<D, T>::longest];
    const auto* list = v.A->task_list() + task;
    const PackedSegment<D, T>* segment = v.A->segments();
    for (std::int32_t n = list[0].coarse_row; n < list[1].coarse_row; ++n) {
      const auto* row = v.A->coarse_rows() + n;
      const PackedSegment<D, T>*from = segment + row[0].segment, *to = segment + row[1].segment;
      const auto [low, high] = extent_above(from, to);
      std::fill(sum.begin() + low, sum.begin() + high + 1, T(0));
      for (const PackedSegment<D, T>* s = from; s < to; ++s) {
        residuals_of(v, *s, r);
        add_pairs(*s, r, sum.data());
      }
      if (above) {
        const auto [first, last] = above->row(row->first);
        for (const PackedRun* run = first; run < last; ++run)
          for (int k = 0; k < run->count; ++k)
            packed_b[run->place + k] = sum[static_cast<std::size_t>(run->x + k)];
      } else {
        // Nothing can be done for a cell without a diagonal.
        const std::ptrdiff_t at = c.b.offset(row->first);
        for (int k = low; k <= high; ++k)
          c.b.data[at + k] = c.inverse_diagonal.data[at + k] > 0 ? sum[static_cast<std::size_t>(k)] : T(0);
      }
    }
  });
}

template <int D, class T>
void prolong_packed(const Exec& exec, MultigridLevel<D, T>& fine, MultigridLevel<D, T>& coarse) {
  const PackedView<D, T> v = packed_view(fine);
  const PackedStencil<D, T>* above = coarse.packed.A;
  const T* packed_x = coarse.packed.x.data();
  const LevelView<D, T> c = view_of(coarse);
  const std::size_t width = static_cast<std::size_t>(coarse.grid.cells[0]);
  tasks(exec, fine, [=](std::ptrdiff_t task) {
    std::vector<T> values(above ? width : 0);
    const auto* list = v.A->task_list() + task;
    const PackedSegment<D, T>* segment = v.A->segments();
    for (std::int32_t n = list[0].coarse_row; n < list[1].coarse_row; ++n) {
      const auto* row = v.A->coarse_rows() + n;
      const T* e = above ? values.data() : c.x.data + c.x.offset(row->first);
      if (above) {
        const auto [low, high] = extent_above(segment + row[0].segment, segment + row[1].segment);
        std::fill(values.begin() + low, values.begin() + high + 1, T(0));
        const auto [first, last] = above->row(row->first);
        for (const PackedRun* run = first; run < last; ++run)
          for (int k = 0; k < run->count; ++k)
            values[static_cast<std::size_t>(run->x + k)] = packed_x[run->place + k];
      }
      for (std::int32_t s = row[0].segment; s < row[1].segment; ++s)
        add_above(segment[s], e, v.x + segment[s].first);
    }
  });
}

template <int D, class T>
void unpack_into(const Exec& exec, const PackedStencil<D, T>& A, const PackedVector& from, Field<D, T>& to) {
  A.unpack(exec, from.cells.data(), to.view());
}

template <int D, class T>
void pack_from(const Exec& exec, const PackedStencil<D, T>& A, const Field<D, T>& from, PackedVector& to) {
  A.pack(exec, from.read(), to.cells.data());
}

template <int D, class T>
void split_residuals_packed(const Exec& exec, MultigridLevel<D, T>& level, T* residuals) {
  const PackedView<D, T> v = packed_view(level);
  const auto* cell = level.packed.split_cells.data();
  for_each(exec, static_cast<std::ptrdiff_t>(level.packed.split_cells.size()), [=](std::ptrdiff_t n) {
    residuals[n] = 0;
    if (cell[n].place == 0) return;
    PackedSegment<D, T> s = v.A->segments()[cell[n].segment];
    const std::int32_t k = cell[n].place - s.first;
    s.first += k;
    for (std::int32_t& place : s.beside)
      if (place > 0) place += k;
    s.count = 1;
    residuals_of(v, s, residuals + n);
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
    for (std::size_t n = 0; n < movers.places.size(); ++n) {
      if (movers.places[n] < 0) continue;
      movers.places[n] = place_of(movers.places[n]);
      for (std::int32_t k = movers.place_start[n]; k < movers.place_start[n + 1]; ++k)
        movers.entries[static_cast<std::size_t>(movers.at_place[static_cast<std::size_t>(k)].entry)].to =
            movers.places[n];
    }
  }
  const std::size_t room =
      given ? given->room() : packed.A->room(static_cast<std::size_t>(beyond - packed.A->end()));
  make_room(room, packed.A->end(), packed.x);
  make_room(room, packed.A->end(), packed.b);
}

template <int D, class T>
void pack_ways(MultigridLevel<D, T>& fine, const MultigridLevel<D, T>& coarse) {
  PackedLevel<D, T>& packed = fine.packed;
  packed.split_cells.clear();
  packed.split_coarse.clear();
  for (const SplitBlock<D>& block : fine.split.host) {
    for (int p = 0; p < 1 << D; ++p) {
      const Index<D> i = cell_in_block<D>(block.coarse, p);
      const std::int32_t place = fine.grid.cell_range().contains(i) ? packed.A->place(i) : 0;
      packed.split_cells.push_back({place, place > 0 ? packed.A->segment_of(place) : 0});
    }
    packed.split_coarse.push_back(coarse.packed.A ? std::ptrdiff_t{coarse.packed.A->place(block.coarse)}
                                                  : coarse.x.read().offset(block.coarse));
  }
}

#define GLUG_INSTANTIATE(D, T)                                                                               \
  template void pack_level<D, T>(const Exec&, const PackedSystem<D, T>*, MultigridLevel<D, T>&);             \
  template void pack_ways<D, T>(MultigridLevel<D, T>&, const MultigridLevel<D, T>&);                         \
  template void relax_packed<D, T>(const Exec&, MultigridLevel<D, T>&, Colour);                              \
  template void start_packed<D, T>(const Exec&, MultigridLevel<D, T>&, const double*);                       \
  template void relax_packed_into<D, T>(const Exec&, MultigridLevel<D, T>&, Colour, double*);                \
  template void restrict_packed<D, T>(const Exec&, MultigridLevel<D, T>&, MultigridLevel<D, T>&);            \
  template void prolong_packed<D, T>(const Exec&, MultigridLevel<D, T>&, MultigridLevel<D, T>&);             \
  template void unpack_into<D, T>(const Exec&, const PackedStencil<D, T>&, const PackedVector&,              \
                                  Field<D, T>&);                                                             \
  template void pack_from<D, T>(const Exec&, const PackedStencil<D, T>&, const Field<D, T>&, PackedVector&); \
  template void split_residuals_packed<D, T>(const Exec&, MultigridLevel<D, T>&, T*);
GLUG_INSTANTIATE(2, float)
GLUG_INSTANTIATE(2, double)
GLUG_INSTANTIATE(3, float)
GLUG_INSTANTIATE(3, double)
#undef GLUG_INSTANTIATE

}  // namespace glug
