#include "solvers/packed_stencil.h"

#include <algorithm>

#include "core/group_by.h"
#include "core/pack.h"
#include "core/real.h"
#include "core/reduce.h"

namespace glug {
namespace {

// Unknowns of a task at least, but for the last one: fewer on small levels, so that there are tasks for many
// threads.
constexpr std::int32_t task_unknowns(std::int64_t all) {
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(all / 64, 1024, 4096));
}
constexpr std::int32_t rows_at_once = 32;  // coarse rows that are listed together
constexpr int shortest_even = 8;           // unknowns of an even stretch that is worth its own segment

// f(first, n, kind) for the parts of a row, block by block, that may hold unknowns.
template <int D, class T, class F>
void visit_parts(const Stencil<D, T>& stencil, Index<D> first, F&& f) {
  first[0] = 0;
  const BlocksView<D>& blocks = stencil.blocks();
  const int width = blocks.grid.cells[0], in_block = row_in_block<D>(first);
  std::int32_t block = blocks.linear(blocks.block_of(first));
  for (int& x = first[0]; x < width; x += block_edge<D>, ++block) {
    const RowKind kind = kind_in_block(blocks, stencil.row_kinds(), block, in_block);
    if (kind != RowKind::empty) f(first, std::min(block_edge<D>, width - x), kind);
  }
}

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

}  // namespace

// Cuts the rows of a task into segments.
template <int D, class T>
struct PackedStencil<D, T>::Cut {
  static constexpr int sides = PackedSegment<D, T>::sides;
  PackedStencil* packed = nullptr;
  const Stencil<D, T>* stencil = nullptr;
  std::vector<PackedSegment<D, T>> segments[2];  // by colour
  std::vector<T> coefficients;

  void row(const Index<D>& at);

 private:
  struct Stretch {
    int begin, end;
  };
  void find_couplings(const Index<D>& row) {
    const StencilView<D, const T> A = stencil->read();
    const std::size_t width = static_cast<std::size_t>(packed->grid_.cells[0] + block_edge<D>);
    coupled_.assign(width, 0);
    number_.resize(width);
    visit_parts(*stencil, row, [&](const Index<D>& first, int n, RowKind kind) {
      const RowCouplings<D, T> couplings(A, first);
      std::uint8_t* coupled = coupled_.data() + first[0];
      T* number = number_.data() + first[0];
      if (kind == RowKind::uniform) {
        std::fill_n(coupled, n, static_cast<std::uint8_t>((1u << sides) - 1));
        std::fill_n(number, n, couplings.to[0][0]);
      } else {
        couplings.find_most(number);
        couplings.find_even(number, coupled);
      }
    });
  }

  // The first of a colour in a run.
  static int first_of(const PackedRun& run, int colour) { return run.x + (run.colour != colour); }
  bool same(int x, int y) const { return coupled_[x] == coupled_[y] && number_[x] == number_[y]; }

  void find_even_stretches(std::span<const PackedRun> runs, int colour) {
    even_.clear();
    for (const PackedRun& run : runs) {
      const int end_of_run = run.x + run.count;
      for (int x = first_of(run, colour); x < end_of_run;) {
        int end = x + 2;
        while (end < end_of_run && same(end, x)) end += 2;
        if (coupled_[x] && end - x >= 2 * shortest_even) even_.push_back({x, end});
        x = end;
      }
    }
  }

  // A segment whose unknowns are all coupled as the cell at x is.
  void make_even(int x, PackedSegment<D, T>& s) {
    for (int side = 0; side < sides; ++side)
      if ((coupled_[x] >> side) & 1u)
        ++s.neighbours;
      else
        s.beside[side] = 0;
    s.coupling = number_[x];
    s.share = T(1) / static_cast<T>(s.neighbours);
    s.inverse = s.share / s.coupling;
    T* inverse = packed->inverse_.data() + s.first;
    for (int k = 0; k < s.count; ++k) inverse[k] = s.inverse;
  }

  void take_coefficients(const Index<D>& row, PackedSegment<D, T>& s) {
    const RowCouplings<D, T> couplings(stencil->read(), row + Index<D>::unit(0) * s.x);
    const int n = s.count, step = s.step;
    s.coefficients = static_cast<std::int32_t>(coefficients.size());
    coefficients.resize(coefficients.size() + static_cast<std::size_t>((1 + sides) * n));
    T* out = coefficients.data() + s.coefficients;
    for (int k = 0; k < n; ++k) out[k] = couplings.anchor[k * step];
    for (int side = 0; side < sides; ++side)
      for (int k = 0; k < n; ++k) out[(1 + side) * n + k] = couplings.to[side][k * step];
    T* inverse = packed->inverse_.data() + s.first;
    for (int k = 0; k < n; ++k) {
      double diagonal = out[k];
      for (int side = 0; side < sides; ++side) diagonal += out[(1 + side) * n + k];
      inverse[k] = static_cast<T>(1 / diagonal);
    }
  }

  // Of the cells of the row at hand: where its couplings are one number, which sides are coupled, and that
  // number; 0 elsewhere.
  std::vector<std::uint8_t> coupled_;
  std::vector<T> number_;
  std::vector<Stretch> even_;  // of one colour, those that are long enough
};

template <int D, class T>
void PackedStencil<D, T>::list_runs(const Exec& exec, const Stencil<D, T>& stencil) {
  const StencilView<D, const T> A = stencil.read();
  Range<D> coarse{};
  for (int a = 0; a < D; ++a) coarse.hi[a] = a == 0 ? 1 : (grid_.cells[a] + 1) / 2;
  const std::int32_t coarse_rows = static_cast<std::int32_t>(coarse.size());
  row_start_.assign(static_cast<std::size_t>(coarse_rows) * rows + 1, 0);
  const std::ptrdiff_t pieces = (coarse_rows + rows_at_once - 1) / rows_at_once;
  std::vector<std::vector<PackedRun>> of_piece(static_cast<std::size_t>(pieces));
  for_each_task(exec, pieces, [&](std::ptrdiff_t piece) {
    std::vector<PackedRun>& list = of_piece[piece];
    const std::int32_t last = std::min(coarse_rows, static_cast<std::int32_t>(piece + 1) * rows_at_once);
    for (std::int32_t c = static_cast<std::int32_t>(piece) * rows_at_once; c < last; ++c)
      visit_rows(coarse.at(c), [&](const Index<D>& row) {
        const std::size_t before = list.size();
        const auto add = [&](int x, int n) {
          if (list.size() > before && list.back().x + list.back().count == x)
            list.back().count = static_cast<std::int16_t>(list.back().count + n);
          else
            list.push_back({{}, static_cast<std::int16_t>(x), static_cast<std::int16_t>(n), 0});
        };
        visit_parts(stencil, row, [&](const Index<D>& first, int n, RowKind kind) {
          if (kind == RowKind::uniform) return add(first[0], n);
          const RowCouplings<D, T> couplings(A, first);
          T most[block_edge<D>];
          couplings.find_most(most);
          for (int k = 0; k < n; ++k)
            if (most[k] > 0 || couplings.anchor[k] > 0) add(first[0] + k, 1);
        });
        for (std::size_t n = before; n < list.size(); ++n)
          list[n].colour = static_cast<std::int16_t>(colour_of<D>(row + Index<D>::unit(0) * list[n].x));
        row_start_[row_number(row) + 1] = static_cast<std::int32_t>(list.size() - before);
      });
  });
  for (std::size_t n = 1; n < row_start_.size(); ++n) row_start_[n] += row_start_[n - 1];
  runs_ = joined(of_piece);
  coarse_rows_.clear();
  for (std::int32_t c = 0; c < coarse_rows; ++c)
    if (const std::int32_t* start = row_start_.data() + std::ptrdiff_t{c} * rows; start[0] < start[rows])
      coarse_rows_.push_back({coarse.at(c), start[0], {}, {}});
  coarse_rows_.push_back({{}, row_start_.back(), {}, {}});
}

template <int D, class T>
void PackedStencil<D, T>::make_tasks(const Exec& exec) {
  std::int64_t all = 0;
  for (const PackedRun& run : runs_) all += run.count;
  const std::int32_t enough = task_unknowns(all);
  tasks_.clear();
  end_ = begin;
  const std::int32_t coarse_rows = static_cast<std::int32_t>(coarse_rows_.size()) - 1;
  for (std::int32_t n = 0; n < coarse_rows; ++n) {
    if (tasks_.empty() || end_ - tasks_.back().place >= enough) tasks_.push_back({end_, 0, 0, 0, n});
    for (std::int32_t r = coarse_rows_[n].run; r < coarse_rows_[n + 1].run; ++r) end_ += runs_[r].count;
  }
  tasks_.push_back({end_, end_, 0, 0, coarse_rows});
  // Runs lie in the order of their rows.
  for_each_task(exec, tasks(), [&, this](std::ptrdiff_t task) {
    std::int32_t next = tasks_[task].place;
    const std::int32_t first = coarse_rows_[tasks_[task].coarse_row].run;
    const std::int32_t end = coarse_rows_[tasks_[task + 1].coarse_row].run;
    for (int colour = 0; colour < 2; ++colour) {
      if (colour == 1) tasks_[task].black_place = next;
      for (std::int32_t r = first; r < end; ++r) {
        const bool is_second = runs_[r].colour != colour;
        runs_[r].place[is_second] = next;
        next += (runs_[r].count + !is_second) / 2;
      }
    }
  });
}

template <int D, class T>
void PackedStencil<D, T>::Cut::row(const Index<D>& at) {
  constexpr int across = sides - 2;
  const std::span<const PackedRun> runs = packed->row(at);
  if (runs.empty()) return;
  find_couplings(at);
  for (int colour = 0; colour < 2; ++colour) {
    find_even_stretches(runs, colour);
    auto stretch = even_.begin();
    std::span<const PackedRun> beside[across];  // those that do not end before x
    for (int side = 0; side < across; ++side) {
      const Index<D> unit = Index<D>::unit(1 + side / 2);
      const Index<D> other = side % 2 == 0 ? at - unit : at + unit;
      if (packed->grid_.cell_range().contains(other)) beside[side] = packed->row(other);
    }
    std::vector<PackedSegment<D, T>>& list = segments[colour];
    const std::size_t begin_of_row = list.size();
    for (const PackedRun& run : runs) {
      const int end_of_run = run.x + run.count;
      for (int x = first_of(run, colour); x < end_of_run;) {
        int end = std::min(end_of_run, x + 2 * longest);
        while (stretch != even_.end() && stretch->end <= x) ++stretch;
        const bool is_even = stretch != even_.end() && stretch->begin <= x;
        if (stretch != even_.end()) end = std::min(end, is_even ? stretch->end : stretch->begin);
        // As long as the rows beside it go on alike.
        const PackedRun* other[across] = {};
        for (int side = 0; side < across; ++side) {
          if (is_even && !((coupled_[x] >> (2 + side)) & 1u)) continue;
          std::span<const PackedRun>& left = beside[side];
          while (!left.empty() && left[0].x + left[0].count <= x) left = left.subspan(1);
          if (left.empty()) continue;
          if (left[0].x <= x) {
            other[side] = &left[0];
            end = std::min(end, left[0].x + left[0].count);
          } else {
            end = std::min(end, static_cast<int>(left[0].x));
          }
        }
        PackedSegment<D, T> s;
        s.first = run.at(x);
        s.count = static_cast<std::int16_t>((end - x + 1) / 2);
        s.x = static_cast<std::int16_t>(x);
        // At the ends of a run a neighbour along it is some other unknown; the coupling to it is 0.
        if (run.count > 1)
          for (int high = 0; high < 2; ++high) s.beside[high] = run.at(x + 2 * high - 1);
        for (int side = 0; side < across; ++side)
          if (other[side]) s.beside[2 + side] = other[side]->at(x);
        bool alike = coupled_[x] != 0;
        for (int y = x + 2; y < end && alike && !is_even; y += 2) alike = same(y, x);
        if (alike) make_even(x, s);
        if (list.size() == begin_of_row || !lengthen(list.back(), s)) list.push_back(s);
        x += 2 * s.count;
      }
    }
    for (std::size_t n = begin_of_row; n < list.size(); ++n)
      if (!list[n].is_even()) take_coefficients(at, list[n]);
  }
}

template <int D, class T>
void PackedStencil<D, T>::cut_segments(const Exec& exec, const Stencil<D, T>& stencil) {
  make_room(room(), end_, inverse_);
  std::vector<Cut> of_task(static_cast<std::size_t>(tasks()));
  for_each_task(exec, tasks(), [&](std::ptrdiff_t task) {
    Cut& cut = of_task[task];
    cut.packed = this;
    cut.stencil = &stencil;
    for (std::int32_t c = tasks_[task].coarse_row; c < tasks_[task + 1].coarse_row; ++c) {
      CoarseRow& coarse = coarse_rows_[c];
      for (int k = 0; k < 2; ++k) coarse.segment[k] = static_cast<std::int32_t>(cut.segments[k].size());
      visit_rows(coarse.first, [&](const Index<D>& row) { cut.row(row); });
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
    const Cut& cut = of_task[task];
    const std::int32_t start[2] = {tasks_[task].segment, tasks_[task].black_segment};
    const std::int32_t coefficients = coefficient_start[task];
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
  const std::span<const PackedRun> runs = row(i);
  const auto after =
      std::upper_bound(runs.begin(), runs.end(), i[0], [](int x, const PackedRun& run) { return x < run.x; });
  if (after == runs.begin()) return 0;
  return i[0] < after[-1].x + after[-1].count ? after[-1].at(i[0]) : 0;
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
  return sum_tasks(exec, [=, this](const Task& task, const Task& next) {
    PackSum<double> sum;
    for (std::int32_t s = task.segment; s < next.segment; ++s)
      apply_segment(coefficients_.data(), segments_[s], x, y, sum);
    return sum.total();
  });
}

template class PackedStencil<2, Real>;
template class PackedStencil<3, Real>;

}  // namespace glug
