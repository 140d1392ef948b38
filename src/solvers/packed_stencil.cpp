#include "solvers/packed_stencil.h"

#include <algorithm>

#include "core/reduce.h"
#include "solvers/pack.h"

namespace glug {
namespace {

constexpr std::int32_t task_unknowns = 4096;  // at least, but for the last task
constexpr std::int32_t rows_at_once = 32;     // coarse rows that are listed together
constexpr int shortest_even = 16;             // cells of an even stretch that is worth its own segments

// Of a list of blocks, where those with the same coordinates but along axis 0 start.
template <int D>
void list_block_rows(const BlocksView<D>& blocks, std::vector<std::int32_t>& start) {
  std::int32_t total = 1;
  for (int a = 1; a < D; ++a) total *= blocks.blocks[a];
  start.assign(static_cast<std::size_t>(total) + 1, 0);
  for (std::int32_t slot = 0; slot < blocks.count; ++slot)
    ++start[static_cast<std::size_t>(blocks.ids[slot] / blocks.blocks[0]) + 1];
  for (std::size_t n = 1; n < start.size(); ++n) start[n] += start[n - 1];
}

// f(x, n, part as RowMarks has it) for the parts of a row, block by block.
template <int D, class T, class F>
void visit_parts(const Stencil<D, T>& stencil, const std::vector<std::int32_t>& block_row_start,
                 const Index<D>& row, F&& f) {
  const BlocksView<D>& blocks = stencil.blocks();
  const RowMarks* marks = stencil.row_kinds();
  const Range<D> clip = blocks.grid.cell_range();
  std::int32_t block_row = 0;
  for (int a = D - 1; a > 0; --a) block_row = block_row * blocks.blocks[a] + row[a] / block_edge<D>;
  const std::int32_t end = block_row_start[static_cast<std::size_t>(block_row) + 1];
  for (std::int32_t slot = block_row_start[static_cast<std::size_t>(block_row)]; slot < end;) {
    const Range<D> run = run_at(blocks, slot, clip);
    const int n = run.extent(0);
    if (n == 0) {  // a block of last faces alone
      ++slot;
      continue;
    }
    const RowMarks parts =
        marks ? marks[std::ptrdiff_t{slot} * block_rows<D> + row_in_block<D>(row)] : RowMarks{};
    for (int m = 0, k = 0; k < n; ++m, k += block_edge<D>, ++slot)
      f(run.lo[0] + k, std::min(block_edge<D>, n - k), parts.part[m]);
  }
}

RowKind kind_of(std::uint8_t part) { return static_cast<RowKind>(part & 15); }

// y = A x along a segment; x . y is added to `dot`. Differences: constants must vanish to the last bit.
template <int D, class T>
GLUG_INLINE void apply_segment(const T* coefficients, const PackedSegment<D, T>& s, const double* vector,
                               double* out, PackSum<double>& dot) {
  constexpr int sides = PackedSegment<D, T>::sides;
  const double* x = vector + s.first;
  double* __restrict y = out + s.first;
  const int n = s.count;
  const double* beside[sides];
  if (s.is_even()) {
    // A side that is absent is the segment itself.
    for (int side = 0; side < sides; ++side) beside[side] = s.beside[side] > 0 ? vector + s.beside[side] : x;
    const double coupling = s.coupling;
    for_packs<double>(n, [&](auto kind, int k) {
      using P = decltype(kind);
      const P centre = load<P>(x + k);
      P sum = centre - load<P>(beside[0] + k);
      for (int side = 1; side < sides; ++side) sum += centre - load<P>(beside[side] + k);
      sum *= coupling;
      store(y + k, sum);
      dot.add(centre * sum);
    });
    return;
  }
  const T* anchor = coefficients + s.coefficients;
  for (int side = 0; side < sides; ++side) beside[side] = vector + s.beside[side];
  for (int k = 0; k < n; ++k) {
    double sum = anchor[k] * x[k];
    for (int side = 0; side < sides; ++side) sum += anchor[(1 + side) * n + k] * (x[k] - beside[side][k]);
    y[k] = sum;
    dot.add(x[k] * sum);
  }
}

// Makes a segment one with that which comes after it in its row, if it can.
template <int D, class T>
bool lengthen(PackedSegment<D, T>& before, const PackedSegment<D, T>& s) {
  const int step = s.x - (before.x + (before.count - 1) * before.step);
  bool same = before.coupling == s.coupling && before.neighbours == s.neighbours &&
              before.count + s.count <= PackedStencil<D, T>::longest &&
              (before.count == 1 || before.step == step) && (s.count == 1 || s.step == step);
  for (int side = 0; side < s.sides; ++side)
    same &= s.beside[side] == (before.beside[side] > 0 ? before.beside[side] + before.count : 0);
  if (!same) return false;
  before.step = static_cast<std::int16_t>(step);
  before.count = static_cast<std::int16_t>(before.count + s.count);
  return true;
}

// Whether one of two segments is even and its neighbours go on, side by side, as those of the other one.
template <int D, class T>
bool follows(const PackedSegment<D, T>& before, const PackedSegment<D, T>& after) {
  const PackedSegment<D, T>& even = before.is_even() ? before : after;
  bool does = even.is_even() && before.step == 2 && after.step == 2 && after.x == before.x + 2 * before.count;
  for (int side = 0; side < even.sides; ++side)
    if (even.beside[side] > 0) does &= after.beside[side] == before.beside[side] + before.count;
  return does;
}
// Whether the cell at an offset is coupled as those of an even segment are.
template <int D, class T>
bool is_like(const StencilView<D, const T>& A, std::ptrdiff_t at, const PackedSegment<D, T>& even) {
  bool like = A.anchor.data[at] == 0;
  for (int side = 0; side < even.sides; ++side) {
    const auto& coupling = A.coupling[side / 2];
    like &= coupling.data[at + (side % 2 == 0 ? 0 : coupling.stride[side / 2])] ==
            (even.beside[side] > 0 ? even.coupling : T(0));
  }
  return like;
}
// Moves where a segment starts.
template <int D, class T>
void shift(PackedSegment<D, T>& s, int by) {
  s.first += by;
  s.x = static_cast<std::int16_t>(s.x + by * s.step);
  for (std::int32_t& place : s.beside)
    if (place > 0) place += by;
}

}  // namespace

template <int D, class T>
struct PackedStencil<D, T>::Cut {
  // Stretches of the row at hand whose couplings are one number, towards the coupled sides.
  struct EvenPart {
    int begin, end;
    unsigned sides;
    T coupling;
  };
  std::vector<EvenPart> even;
  std::vector<PackedSegment<D, T>> segments[2];  // by colour
  std::size_t row_begin[2];                      // where those of the row at hand start
  std::vector<T> coefficients;

  void settle_row(PackedStencil& packed, const Stencil<D, T>& stencil, const Index<D>& row, int colour);
};

template <int D, class T>
void PackedStencil<D, T>::list_runs(const Exec& exec, const Stencil<D, T>& stencil) {
  list_block_rows(stencil.blocks(), block_row_start_);
  const StencilView<D, const T> A = stencil.read();
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
        const auto add = [&](int x, int n) {
          if (list.size() > before && list.back().x + list.back().count == x)
            list.back().count = static_cast<std::int16_t>(list.back().count + n);
          else
            list.push_back({{}, static_cast<std::int16_t>(x), static_cast<std::int16_t>(n)});
        };
        if (grid_.cell_range().contains(row))
          visit_parts(stencil, block_row_start_, row, [&](int x, int n, std::uint8_t part) {
            const RowKind kind = kind_of(part);
            if (kind == RowKind::uniform || kind == RowKind::even) return add(x, n);
            if (kind == RowKind::empty) return;
            Index<D> i = row;
            i[0] = x;
            for (int k = 0; k < (kind == RowKind::first ? 1 : n); ++k, ++i[0])
              if (A.diagonal(i) > 0) add(i[0], 1);
          });
        row_start_[static_cast<std::size_t>(c) * rows + inside + 1] =
            static_cast<std::int32_t>(list.size() - before);
      }
  });
  for (std::size_t n = 1; n < row_start_.size(); ++n) row_start_[n] += row_start_[n - 1];
  runs_.resize(static_cast<std::size_t>(row_start_.back()));
  for_each_task(exec, pieces, [&](std::ptrdiff_t piece) {
    const std::vector<PackedRun>& list = of_piece[static_cast<std::size_t>(piece)];
    std::copy(list.begin(), list.end(),
              runs_.begin() + row_start_[static_cast<std::size_t>(piece) * rows_at_once * rows]);
  });
  coarse_rows_.clear();
  for (std::int32_t c = 0; c < coarse_rows; ++c)
    if (row_start_[static_cast<std::size_t>(c) * rows] < row_start_[static_cast<std::size_t>(c + 1) * rows]) {
      CoarseRow row;
      row.first = coarse.at(c);
      coarse_rows_.push_back(row);
    }
}

template <int D, class T>
void PackedStencil<D, T>::make_tasks(const Exec& exec) {
  // f(run, row) over the runs of a coarse row.
  const auto visit_row = [this](const CoarseRow& coarse, auto&& f) {
    for (int inside = 0; inside < rows; ++inside) {
      const Index<D> row = row_of_coarse(coarse.first, inside);
      if (!grid_.cell_range().contains(row)) continue;
      const std::int32_t* start = row_start_.data() + row_number(row);
      for (std::int32_t r = start[0]; r < start[1]; ++r) f(runs_[static_cast<std::size_t>(r)], row);
    }
  };
  tasks_.clear();
  end_ = begin;
  for (std::size_t n = 0; n < coarse_rows_.size(); ++n) {
    if (tasks_.empty() || end_ - tasks_.back().place >= task_unknowns)
      tasks_.push_back({end_, 0, 0, 0, static_cast<std::int32_t>(n)});
    visit_row(coarse_rows_[n], [&](const PackedRun& run, const Index<D>&) { end_ += run.count; });
  }
  tasks_.push_back({end_, end_, 0, 0, static_cast<std::int32_t>(coarse_rows_.size())});
  for_each_task(exec, tasks(), [&, this](std::ptrdiff_t task) {
    std::int32_t next = tasks_[task].place;
    for (int colour = 0; colour < 2; ++colour) {
      if (colour == 1) tasks_[task].black_place = next;
      for (std::int32_t c = tasks_[task].coarse_row; c < tasks_[task + 1].coarse_row; ++c)
        visit_row(coarse_rows_[c], [&](PackedRun& run, const Index<D>& row) {
          run.place[colour] = next;
          next += (run.count + (first_colour(row, run) == colour)) / 2;
        });
    }
  });
}

// Adds a segment of a row, or lengthens the one before it.
template <int D, class T>
void PackedStencil<D, T>::add_segment(PackedSegment<D, T> s, int colour, Cut& cut) const {
  std::vector<PackedSegment<D, T>>& out = cut.segments[colour];
  if (out.size() == cut.row_begin[colour] || !lengthen(out.back(), s)) out.push_back(s);
}

// Lists the coefficients of the segments of a row, after even ones have taken what is like them.
template <int D, class T>
void PackedStencil<D, T>::Cut::settle_row(PackedStencil& packed, const Stencil<D, T>& stencil,
                                          const Index<D>& row, int colour) {
  std::vector<PackedSegment<D, T>>& list = segments[colour];
  const StencilView<D, const T> A = stencil.read();
  Index<D> start = row;
  start[0] = 0;
  const std::ptrdiff_t at = A.anchor.offset(start);
  const std::size_t begin_of_row = row_begin[colour];
  std::size_t kept = begin_of_row;
  for (std::size_t n = begin_of_row; n < list.size(); ++n) {
    PackedSegment<D, T> s = list[n];
    if (!s.is_even() && s.step == 2) {
      if (kept > begin_of_row && follows(list[kept - 1], s)) {
        PackedSegment<D, T>& before = list[kept - 1];
        while (s.count > 0 && before.count < longest && is_like(A, at + s.x, before)) {
          packed.inverse_[static_cast<std::size_t>(s.first)] = before.inverse;
          ++before.count;
          shift(s, 1);
          --s.count;
        }
      }
      if (s.count > 0 && n + 1 < list.size() && follows(s, list[n + 1])) {
        PackedSegment<D, T>& after = list[n + 1];
        while (s.count > 0 && after.count < longest && is_like(A, at + after.x - 2, after)) {
          shift(after, -1);
          packed.inverse_[static_cast<std::size_t>(after.first)] = after.inverse;
          ++after.count;
          --s.count;
        }
      }
      if (s.count == 0) continue;
    }
    if (!s.is_even()) packed.take_coefficients(stencil, row, s, *this);
    if (kept > begin_of_row && s.is_even() && lengthen(list[kept - 1], s)) continue;
    list[kept++] = s;
  }
  list.resize(kept);
}

// Lists the coefficients of a segment, unless they turn out to be one number.
template <int D, class T>
void PackedStencil<D, T>::take_coefficients(const Stencil<D, T>& stencil, const Index<D>& row,
                                            PackedSegment<D, T>& s, Cut& cut) {
  constexpr int sides = PackedSegment<D, T>::sides;
  const StencilView<D, const T> A = stencil.read();
  Index<D> i = row;
  i[0] = s.x;
  const int n = s.count;
  const std::ptrdiff_t at = A.anchor.offset(i), step = s.step;
  const std::size_t start = cut.coefficients.size();
  cut.coefficients.resize(start + static_cast<std::size_t>((1 + sides) * n));
  T* out = cut.coefficients.data() + start;
  const auto copy = [&](const T* from, T* to) {
    for (int k = 0; k < n; ++k) to[k] = from[k * step];
  };
  copy(A.anchor.data + at, out);
  for (int side = 0; side < sides; ++side) {
    const auto& coupling = A.coupling[side / 2];
    copy(coupling.data + at + (side % 2 == 0 ? 0 : coupling.stride[side / 2]), out + (1 + side) * n);
  }
  const auto all_are = [&](const T* values, T number) {
    int k = 0;
    while (k < n && values[k] == number) ++k;
    return k == n;
  };
  bool is_even = all_are(out, T(0));
  T number = 0;
  unsigned coupled = 0;
  for (int side = 0; side < sides && is_even; ++side) {
    const T* values = out + (1 + side) * n;
    if (!(number > 0)) number = values[0];
    if (number > 0 && all_are(values, number))
      coupled |= 1u << side;
    else
      is_even = all_are(values, T(0));
  }
  T* inverse = inverse_.data() + s.first;
  if (is_even && number > 0) {
    cut.coefficients.resize(start);
    s.coupling = number;
    for (int side = 0; side < sides; ++side) {
      if (!((coupled >> side) & 1u)) s.beside[side] = 0;
      s.neighbours = static_cast<std::int16_t>(s.neighbours + ((coupled >> side) & 1u));
    }
    s.share = T(1) / static_cast<T>(s.neighbours);
    s.inverse = s.share / number;
    for (int k = 0; k < n; ++k) inverse[k] = s.inverse;
    return;
  }
  s.coefficients = static_cast<std::int32_t>(start);
  for (int k = 0; k < n; ++k) {
    double diagonal = out[k];
    for (int side = 0; side < sides; ++side) diagonal += out[(1 + side) * n + k];
    inverse[k] = static_cast<T>(1 / diagonal);
  }
}

template <int D, class T>
void PackedStencil<D, T>::cut_row(const Stencil<D, T>& stencil, const Index<D>& at, Cut& cut) {
  constexpr int sides = 2 * (D - 1);  // but along the row
  constexpr unsigned all = (1u << sides) - 1;
  const auto [from, to] = row(at);
  for (int colour = 0; colour < 2; ++colour) cut.row_begin[colour] = cut.segments[colour].size();
  if (from == to) return;
  const StencilView<D, const T> A = stencil.read();
  auto& even = cut.even;
  even.clear();
  const auto drop_short = [&] {
    if (!even.empty() && even.back().end - even.back().begin < shortest_even) even.pop_back();
  };
  visit_parts(stencil, block_row_start_, at, [&](int x, int n, std::uint8_t part) {
    const RowKind kind = kind_of(part);
    if (kind != RowKind::uniform && kind != RowKind::even) return;
    const unsigned coupled = kind == RowKind::uniform ? all : part >> RowMarks::side_shift;
    if (!even.empty() && even.back().end == x && even.back().sides == coupled) {
      even.back().end += n;
      return;
    }
    drop_short();
    Index<D> i = at;
    i[0] = x;
    even.push_back({x, x + n, coupled, A.coupling[0](i)});
  });
  drop_short();
  auto part = even.begin();

  std::pair<const PackedRun*, const PackedRun*> beside[sides];
  for (int side = 0; side < sides; ++side) {
    const Index<D> unit = Index<D>::unit(1 + side / 2);
    const Index<D> other = side % 2 == 0 ? at - unit : at + unit;
    beside[side] =
        grid_.cell_range().contains(other) ? row(other) : std::pair<const PackedRun*, const PackedRun*>{};
  }
  int odd = 0;
  for (int a = 1; a < D; ++a) odd += at[a];
  for (const PackedRun* run = from; run < to; ++run) {
    const int end_of_run = run->x + run->count;
    for (int x = run->x; x < end_of_run;) {
      int end = std::min(end_of_run, x + 2 * longest);
      while (part != even.end() && part->end <= x) ++part;
      const bool is_even = part != even.end() && part->begin <= x;
      if (part != even.end()) end = std::min(end, is_even ? part->end : part->begin);
      const PackedRun* other[sides] = {};
      for (int side = 0; side < sides; ++side) {
        if (is_even && !((part->sides >> side) & 1u)) continue;
        auto& [now, last] = beside[side];
        while (now < last && now->x + now->count <= x) ++now;
        if (now == last) continue;
        if (now->x <= x) {
          other[side] = now;
          end = std::min(end, now->x + now->count);
        } else {
          end = std::min(end, static_cast<int>(now->x));
        }
      }
      for (int colour = 0; colour < 2; ++colour) {
        const int first = x + ((x + odd + colour) & 1);
        if (first >= end) continue;
        PackedSegment<D, T> s;
        s.first = run->place[colour] + ((first - run->x) >> 1);
        s.count = static_cast<std::int16_t>((end - first + 1) / 2);
        s.x = static_cast<std::int16_t>(first);
        // At the ends of a run a neighbour along it is some other unknown; the coupling to it is 0.
        if (run->count > 1)
          for (int high = 0; high < 2; ++high)
            s.beside[high] = run->place[1 - colour] + ((first - run->x + 2 * high - 1) >> 1);
        for (int side = 0; side < sides; ++side)
          if (other[side])
            s.beside[2 + side] = other[side]->place[1 - colour] + ((first - other[side]->x) >> 1);
        if (is_even) {
          s.neighbours = 2;
          for (int side = 0; side < sides; ++side)
            s.neighbours = static_cast<std::int16_t>(s.neighbours + ((part->sides >> side) & 1u));
          s.coupling = part->coupling;
          s.share = T(1) / static_cast<T>(s.neighbours);
          s.inverse = s.share / s.coupling;
          T* inverse = inverse_.data() + s.first;
          for (int k = 0; k < s.count; ++k) inverse[k] = s.inverse;
        }
        add_segment(s, colour, cut);
      }
      x = end;
    }
  }
  for (int colour = 0; colour < 2; ++colour) cut.settle_row(*this, stencil, at, colour);
}

template <int D, class T>
void PackedStencil<D, T>::cut_segments(const Exec& exec, const Stencil<D, T>& stencil) {
  make_room(room(), end_, inverse_);
  std::vector<Cut> of_task(static_cast<std::size_t>(tasks()));
  for_each_task(exec, tasks(), [&](std::ptrdiff_t task) {
    Cut& cut = of_task[static_cast<std::size_t>(task)];
    for (std::int32_t c = tasks_[task].coarse_row; c < tasks_[task + 1].coarse_row; ++c) {
      CoarseRow& coarse = coarse_rows_[c];
      for (int k = 0; k < 2; ++k) coarse.segment[k] = static_cast<std::int32_t>(cut.segments[k].size());
      for (int inside = 0; inside < rows; ++inside) {
        const Index<D> row = row_of_coarse(coarse.first, inside);
        if (grid_.cell_range().contains(row)) cut_row(stencil, row, cut);
      }
      for (int k = 0; k < 2; ++k) coarse.end[k] = static_cast<std::int32_t>(cut.segments[k].size());
    }
  });
  std::vector<std::int32_t> coefficient_start(1, 0);
  std::int32_t next = 0;
  for (std::size_t task = 0; task < of_task.size(); ++task) {
    const Cut& cut = of_task[task];
    tasks_[task].segment = next;
    tasks_[task].black_segment = next += static_cast<std::int32_t>(cut.segments[0].size());
    next += static_cast<std::int32_t>(cut.segments[1].size());
    coefficient_start.push_back(coefficient_start.back() +
                                static_cast<std::int32_t>(cut.coefficients.size()));
  }
  tasks_.back().segment = tasks_.back().black_segment = next;
  segment_count_ = static_cast<std::size_t>(next);
  if (segments_.size() < segment_count_)
    segments_ = Buffer<PackedSegment<D, T>>(segment_count_ + segment_count_ / 8);
  const std::size_t listed = static_cast<std::size_t>(coefficient_start.back()) + 16;  // loads go beyond
  if (coefficients_.size() < listed) coefficients_ = Buffer<T>(listed + listed / 8);
  for_each_task(exec, tasks(), [&](std::ptrdiff_t task) {
    const Cut& cut = of_task[static_cast<std::size_t>(task)];
    const std::int32_t start[2] = {tasks_[task].segment, tasks_[task].black_segment};
    const std::int32_t coefficients = coefficient_start[static_cast<std::size_t>(task)];
    for (int k = 0; k < 2; ++k) {
      PackedSegment<D, T>* out = segments_.data() + start[k];
      for (PackedSegment<D, T> s : cut.segments[k]) {
        if (!s.is_even()) s.coefficients += coefficients;
        *out++ = s;
      }
    }
    std::copy(cut.coefficients.begin(), cut.coefficients.end(), coefficients_.data() + coefficients);
    for (std::int32_t c = tasks_[task].coarse_row; c < tasks_[task + 1].coarse_row; ++c)
      for (int k = 0; k < 2; ++k) {
        coarse_rows_[c].segment[k] += start[k];
        coarse_rows_[c].end[k] += start[k];
      }
  });
}

template <int D, class T>
void PackedStencil<D, T>::assign(const Exec& exec, const Stencil<D, T>& stencil) {
  grid_ = stencil.blocks().grid;
  list_runs(exec, stencil);
  make_tasks(exec);
  cut_segments(exec, stencil);
}

template <int D, class T>
std::int32_t PackedStencil<D, T>::place(const Index<D>& i) const {
  const auto [from, to] = row(i);
  const PackedRun* run = std::upper_bound(from, to, i[0], [](int x, const PackedRun& r) { return x < r.x; });
  if (run == from) return 0;
  --run;
  return i[0] < run->x + run->count ? run->place[static_cast<int>(colour_of<D>(i))] + ((i[0] - run->x) >> 1)
                                    : 0;
}

template <int D, class T>
std::int32_t PackedStencil<D, T>::segment_of(std::int32_t place) const {
  const PackedSegment<D, T>* found =
      std::upper_bound(segments_.data(), segments_.data() + segment_count_, place,
                       [](std::int32_t p, const PackedSegment<D, T>& s) { return p < s.first; });
  return static_cast<std::int32_t>(found - segments_.data()) - 1;
}

template <int D, class T>
double PackedStencil<D, T>::apply_dot(const Exec& exec, const double* x, double* y) const {
  std::vector<double> partial(static_cast<std::size_t>(tasks()));
  double* sums = partial.data();
  for_each_task(exec, tasks(), [=, this](std::ptrdiff_t task) {
    PackSum<double> sum;
    for (std::int32_t s = tasks_[task].segment; s < tasks_[task + 1].segment; ++s)
      apply_segment(coefficients_.data(), segments_[static_cast<std::size_t>(s)], x, y, sum);
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
