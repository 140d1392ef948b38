#include "solvers/packed_stencil.h"

#include <algorithm>

#include "core/reduce.h"
#include "solvers/pack.h"

namespace glug {
namespace {

constexpr std::int32_t task_unknowns = 4096;  // at least, but for the last task
constexpr std::int32_t rows_at_once = 32;     // coarse rows that are listed together
constexpr int shortest_even = 8;              // an even stretch among others that is worth its own segment

// Of a list of blocks, those with the same coordinates but along axis 0.
template <int D>
class BlockRows {
 public:
  explicit BlockRows(const BlocksView<D>& blocks) : blocks_(blocks) {
    std::int32_t total = 1;
    for (int a = 1; a < D; ++a) total *= blocks.blocks[a];
    start_.assign(static_cast<std::size_t>(total) + 1, 0);
    for (std::int32_t slot = 0; slot < blocks.count; ++slot)
      ++start_[static_cast<std::size_t>(blocks.ids[slot] / blocks.blocks[0]) + 1];
    for (std::size_t n = 1; n < start_.size(); ++n) start_[n] += start_[n - 1];
  }
  // f(slot) for the blocks that a row of cells passes through.
  template <class F>
  void visit(const Index<D>& row, F&& f) const {
    std::int32_t n = 0;
    for (int a = D - 1; a > 0; --a) n = n * blocks_.blocks[a] + row[a] / block_edge<D>;
    for (std::int32_t slot = start_[static_cast<std::size_t>(n)];
         slot < start_[static_cast<std::size_t>(n) + 1]; ++slot)
      f(slot);
  }

 private:
  BlocksView<D> blocks_;
  std::vector<std::int32_t> start_;
};

// f(x) for the unknowns of a row.
template <int D, class T, class F>
void visit_unknowns(const Stencil<D, T>& stencil, const BlockRows<D>& by_row, const Index<D>& row, F&& f) {
  const BlocksView<D>& blocks = stencil.blocks();
  const StencilView<D, const T> A = stencil.read();
  const RowMarks* marks = stencil.row_kinds();
  by_row.visit(row, [&](std::int32_t slot) {
    const Range<D> run = run_at(blocks, slot, blocks.grid.cell_range());
    const int n = run.extent(0);
    if (n == 0) return;
    Index<D> first = row;
    first[0] = run.lo[0];
    const RowMarks& parts = marks[std::ptrdiff_t{slot} * block_rows<D> + row_in_block<D>(first)];
    for (int m = 0, k = 0; k < n; ++m, k += block_edge<D>) {
      const RowKind kind = parts.kind(m);
      if (kind == RowKind::empty) continue;
      const int length = kind == RowKind::first ? 1 : std::min(block_edge<D>, n - k);
      Index<D> i = first;
      i[0] += k;
      for (int j = 0; j < length; ++j, ++i[0])
        if (kind != RowKind::general || A.diagonal(i) > 0) f(i[0]);
    }
  });
}

// The pointers of a segment into a vector; absent sides are `absent`.
template <int D, class T, class V>
struct SegmentSides {
  static constexpr int sides = PackedSegment<D, T>::sides;
  const V* beside[sides];
  GLUG_INLINE SegmentSides(const V* vector, const PackedSegment<D, T>& s, const V* absent) {
    for (int n = 0; n < sides; ++n) beside[n] = s.beside[n] > 0 ? vector + s.beside[n] : absent;
  }
};

// y = A x along a segment. Differences: constants must vanish to the last bit.
template <int D, class T>
GLUG_INLINE void apply_segment(const PackedStencil<D, T>& A, const PackedSegment<D, T>& s,
                               const double* vector, double* out) {
  const double* x = vector + s.first;
  double* __restrict y = out + s.first;
  const int n = s.count;
  if (s.kind != SegmentKind::general) {
    // A side that is absent is the row itself.
    const SegmentSides<D, T, double> at(vector, s, x);
    const double coupling = s.coupling;
    if (s.kind == SegmentKind::even) {
      for (int k = 0; k < n; ++k) {
        double sum = (x[k] - x[k - 1]) + (x[k] - x[k + 1]);
        for (int side = 0; side < at.sides; ++side) sum += x[k] - at.beside[side][k];
        y[k] = coupling * sum;
      }
    } else {
      for (int k = 0; k < n; ++k) {
        double sum = 0;
        for (int side = 0; side < at.sides; ++side) sum += x[k] - at.beside[side][k];
        y[k] = coupling * sum;
      }
    }
    return;
  }
  const T* anchor = A.anchor() + s.first;
  const T* along = A.coupling(0) + s.first;
  for (int k = 0; k < n; ++k)
    y[k] = anchor[k] * x[k] + along[k] * (x[k] - x[k - 1]) + along[k + 1] * (x[k] - x[k + 1]);
  for (int side = 0; side < s.sides; ++side) {
    if (s.beside[side] == 0) continue;
    const T* coupling = A.coupling(1 + side / 2) + (side % 2 == 0 ? s.first : s.beside[side]);
    const double* other = vector + s.beside[side];
    for (int k = 0; k < n; ++k) y[k] += coupling[k] * (x[k] - other[k]);
  }
}

}  // namespace

template <int D, class T>
void PackedStencil<D, T>::list_runs(const Exec& exec, const Stencil<D, T>& stencil) {
  const BlockRows<D> by_row(stencil.blocks());
  Range<D> coarse{};
  for (int a = 0; a < D; ++a) coarse.hi[a] = a == 0 ? 1 : (grid_.cells[a] + 1) / 2;
  const std::int32_t coarse_rows = static_cast<std::int32_t>(coarse.size());
  row_start_.assign(static_cast<std::size_t>(coarse_rows) * rows + 1, 0);
  const std::ptrdiff_t pieces = (coarse_rows + rows_at_once - 1) / rows_at_once;
  std::vector<std::vector<PackedRun>> of_piece(static_cast<std::size_t>(pieces));
  for_each_task(exec, pieces, [&](std::ptrdiff_t piece) {
    std::vector<PackedRun>& list = of_piece[static_cast<std::size_t>(piece)];
    const std::int32_t last = std::min(coarse_rows, static_cast<std::int32_t>(piece + 1) * rows_at_once);
    for (std::int32_t c = static_cast<std::int32_t>(piece) * rows_at_once; c < last; ++c)
      for (int inside = 0; inside < rows; ++inside) {
        const Index<D> row = row_of_coarse(coarse.at(c), inside);
        const std::size_t before = list.size();
        if (grid_.cell_range().contains(row))
          visit_unknowns(stencil, by_row, row, [&](int x) {
            if (list.size() > before && list.back().x + list.back().count == x)
              ++list.back().count;
            else
              list.push_back({0, static_cast<std::int16_t>(x), 1});
          });
        row_start_[static_cast<std::size_t>(c) * rows + inside + 1] =
            static_cast<std::int32_t>(list.size() - before);
      }
  });
  for (std::size_t n = 1; n < row_start_.size(); ++n) row_start_[n] += row_start_[n - 1];
  runs_.clear();
  runs_.reserve(static_cast<std::size_t>(row_start_.back()));
  end_ = begin;
  for (const std::vector<PackedRun>& list : of_piece)
    for (PackedRun run : list) {
      run.place = end_;
      end_ += run.count;
      runs_.push_back(run);
    }
  coarse_rows_.clear();
  for (std::int32_t c = 0; c < coarse_rows; ++c)
    if (row_start_[static_cast<std::size_t>(c) * rows] < row_start_[static_cast<std::size_t>(c + 1) * rows])
      coarse_rows_.push_back({coarse.at(c), 0});
}

template <int D, class T>
void PackedStencil<D, T>::make_tasks() {
  tasks_.clear();
  std::int32_t next = 0;  // place a new task may start at
  for (std::size_t n = 0; n < coarse_rows_.size(); ++n) {
    const std::size_t first_row =
        static_cast<std::size_t>(row_number(row_of_coarse(coarse_rows_[n].first, 0)));
    const std::int32_t place = runs_[static_cast<std::size_t>(row_start_[first_row])].place;
    if (place < next) continue;
    tasks_.push_back({place, 0, static_cast<std::int32_t>(n)});
    next = place + task_unknowns;
  }
  tasks_.push_back({end_, 0, static_cast<std::int32_t>(coarse_rows_.size())});
}

template <int D, class T>
void PackedStencil<D, T>::take_coefficients(const Exec& exec, const Stencil<D, T>& stencil) {
  for (Buffer<T>* buffer : {&anchor_, &inverse_}) make_room(room(), end_, *buffer);
  for (Buffer<T>& buffer : coupling_) make_room(room(), end_, buffer);
  const StencilView<D, const T> A = stencil.read();
  visit_runs(exec, [=, this](Index<D> i, int n, std::int32_t place) {
    for (int k = 0; k < n; ++k, ++i[0]) {
      const std::size_t at = static_cast<std::size_t>(place + k);
      anchor_[at] = A.anchor(i);
      for (int a = 0; a < D; ++a) coupling_[a][at] = A.coupling[a](i);
      inverse_[at] = static_cast<T>(1 / A.diagonal(i));
    }
  });
}

// Cuts what has the same neighbours throughout by what couples it. stretch: one segment so far.
template <int D, class T>
void PackedStencil<D, T>::cut_stretch(PackedSegment<D, T> stretch, bool alone,
                                      std::vector<PackedSegment<D, T>>& out) const {
  const T* along = coupling_[0].data();
  // The kind of one unknown, and the number that couples it.
  const auto kind_at = [&](int k, T& number) {
    const std::int32_t place = stretch.first + k;
    number = along[place];
    if (anchor_[static_cast<std::size_t>(place)] > 0 || along[place + 1] != number)
      return SegmentKind::general;
    const bool coupled_along = number > 0;
    if (!coupled_along && !alone) return SegmentKind::general;
    for (int side = 0; side < stretch.sides; ++side) {
      if (stretch.beside[side] == 0) continue;
      const T coupling =
          coupling_[1 + side / 2]
                   [static_cast<std::size_t>((side % 2 == 0 ? stretch.first : stretch.beside[side]) + k)];
      if (!(number > 0)) number = coupling;
      if (coupling != number || !(coupling > 0)) return SegmentKind::general;
    }
    if (!(number > 0)) return SegmentKind::general;
    return coupled_along ? SegmentKind::even : SegmentKind::apart;
  };
  const int n = stretch.count;
  for (int k = 0; k < n;) {
    T number = 0;
    const SegmentKind kind = kind_at(k, number);
    int end = k + 1;
    for (T other = 0; end < n; ++end) {
      const SegmentKind next = kind_at(end, other);
      if (next != kind || (kind != SegmentKind::general && other != number)) break;
    }
    PackedSegment<D, T> s = stretch;
    s.first += k;
    s.x = static_cast<std::int16_t>(s.x + k);
    s.odd = static_cast<std::uint8_t>((s.odd + k) & 1);
    s.count = static_cast<std::int16_t>(end - k);
    for (std::int32_t& place : s.beside)
      if (place > 0) place += k;
    s.kind = kind == SegmentKind::even && s.count < std::min(n, shortest_even) ? SegmentKind::general : kind;
    if (s.kind != SegmentKind::general) {
      s.neighbours = static_cast<std::uint8_t>(s.kind == SegmentKind::even ? 2 : 0);
      for (std::int32_t place : s.beside)
        s.neighbours = static_cast<std::uint8_t>(s.neighbours + (place > 0));
      s.coupling = number;
      s.share = T(1) / static_cast<T>(s.neighbours);
      s.inverse = s.share / number;
    }
    PackedSegment<D, T>* before = k > 0 ? &out.back() : nullptr;
    if (before && before->kind == SegmentKind::general && s.kind == SegmentKind::general)
      before->count = static_cast<std::int16_t>(before->count + s.count);
    else
      out.push_back(s);
    k = end;
  }
}

template <int D, class T>
void PackedStencil<D, T>::cut_row(const Index<D>& at, std::vector<PackedSegment<D, T>>& out) const {
  constexpr int sides = 2 * (D - 1);
  const auto [from, to] = row(at);
  if (from == to) return;
  std::pair<const PackedRun*, const PackedRun*> beside[sides];
  for (int side = 0; side < sides; ++side) {
    const Index<D> unit = Index<D>::unit(1 + side / 2);
    const Index<D> other = side % 2 == 0 ? at - unit : at + unit;
    beside[side] =
        grid_.cell_range().contains(other) ? row(other) : std::pair<const PackedRun*, const PackedRun*>{};
  }
  int odd = 0;
  for (int a = 1; a < D; ++a) odd += at[a];
  const std::size_t start = out.size();
  for (const PackedRun* run = from; run < to; ++run) {
    const int end_of_run = run->x + run->count;
    for (int x = run->x; x < end_of_run;) {
      PackedSegment<D, T> s;
      int end = std::min(end_of_run, x + longest);
      for (int side = 0; side < sides; ++side) {
        auto& [now, last] = beside[side];
        while (now < last && now->x + now->count <= x) ++now;
        if (now == last) continue;
        if (now->x <= x) {
          s.beside[side] = now->place + (x - now->x);
          end = std::min(end, now->x + now->count);
        } else {
          end = std::min(end, static_cast<int>(now->x));
        }
      }
      s.first = run->place + (x - run->x);
      s.count = static_cast<std::int16_t>(end - x);
      s.x = static_cast<std::int16_t>(x);
      s.odd = static_cast<std::uint8_t>((x + odd) & 1);
      cut_stretch(s, run->count == 1, out);
      x = end;
    }
  }
  // Unknowns apart from each other at equal, even distances become one segment.
  std::size_t kept = start;
  for (std::size_t n = start; n < out.size(); ++n) {
    const PackedSegment<D, T>& s = out[n];
    PackedSegment<D, T>* before = kept > start ? &out[kept - 1] : nullptr;
    if (before && s.kind == SegmentKind::apart && before->kind == SegmentKind::apart &&
        before->coupling == s.coupling && before->count < longest) {
      const int step = s.x - (before->x + (before->count - 1) * before->step);
      bool same = step % 2 == 0 && (before->count == 1 || step == before->step);
      for (int side = 0; side < sides; ++side)
        same &= s.beside[side] == (before->beside[side] > 0 ? before->beside[side] + before->count : 0);
      if (same) {
        before->step = static_cast<std::int16_t>(step);
        ++before->count;
        continue;
      }
    }
    out[kept++] = s;
  }
  out.resize(kept);
}

template <int D, class T>
void PackedStencil<D, T>::cut_segments(const Exec& exec) {
  std::vector<std::vector<PackedSegment<D, T>>> of_task(static_cast<std::size_t>(tasks()));
  for_each_task(exec, tasks(), [&](std::ptrdiff_t task) {
    std::vector<PackedSegment<D, T>>& list = of_task[static_cast<std::size_t>(task)];
    for (std::int32_t c = tasks_[task].coarse_row; c < tasks_[task + 1].coarse_row; ++c) {
      coarse_rows_[c].segment = static_cast<std::int32_t>(list.size());
      for (int inside = 0; inside < rows; ++inside) {
        const Index<D> row = row_of_coarse(coarse_rows_[c].first, inside);
        if (grid_.cell_range().contains(row)) cut_row(row, list);
      }
    }
  });
  segments_.clear();
  for (std::size_t task = 0; task < of_task.size(); ++task) {
    tasks_[task].segment = static_cast<std::int32_t>(segments_.size());
    for (std::int32_t c = tasks_[task].coarse_row; c < tasks_[task + 1].coarse_row; ++c)
      coarse_rows_[c].segment += tasks_[task].segment;
    segments_.insert(segments_.end(), of_task[task].begin(), of_task[task].end());
  }
  tasks_.back().segment = static_cast<std::int32_t>(segments_.size());
  coarse_rows_.push_back({{}, tasks_.back().segment});
}

template <int D, class T>
void PackedStencil<D, T>::assign(const Exec& exec, const Stencil<D, T>& stencil) {
  grid_ = stencil.blocks().grid;
  list_runs(exec, stencil);
  make_tasks();
  take_coefficients(exec, stencil);
  cut_segments(exec);
}

template <int D, class T>
std::int32_t PackedStencil<D, T>::place(const Index<D>& i) const {
  const auto [from, to] = row(i);
  const PackedRun* run = std::upper_bound(from, to, i[0], [](int x, const PackedRun& r) { return x < r.x; });
  if (run == from) return 0;
  --run;
  return i[0] < run->x + run->count ? run->place + (i[0] - run->x) : 0;
}

template <int D, class T>
std::int32_t PackedStencil<D, T>::segment_of(std::int32_t place) const {
  const auto found =
      std::upper_bound(segments_.begin(), segments_.end(), place,
                       [](std::int32_t p, const PackedSegment<D, T>& s) { return p < s.first; });
  return static_cast<std::int32_t>(found - segments_.begin()) - 1;
}

template <int D, class T>
double PackedStencil<D, T>::apply_dot(const Exec& exec, const double* x, double* y) const {
  std::vector<double> partial(static_cast<std::size_t>(tasks()));
  double* sums = partial.data();
  for_each_task(exec, tasks(), [=, this](std::ptrdiff_t task) {
    for (std::int32_t s = tasks_[task].segment; s < tasks_[task + 1].segment; ++s)
      apply_segment(*this, segments_[s], x, y);
    PackSum<double> sum;
    const std::int32_t first = tasks_[task].place;
    for_packs<double>(tasks_[task + 1].place - first, [&](auto kind, int k) {
      using P = decltype(kind);
      sum.add(load<P>(x + first + k) * load<P>(y + first + k));
    });
    sums[task] = sum.total();
  });
  double total = 0;
  for (double sum : partial) total += sum;
  return total;
}

template class PackedStencil<2, float>;
template class PackedStencil<2, double>;
template class PackedStencil<3, float>;
template class PackedStencil<3, double>;

}  // namespace glug
