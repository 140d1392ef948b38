#include "solvers/movers.h"

#include <algorithm>

#include "core/union_find.h"

namespace glug {
namespace {

// Enough faces to be worth a thread's while, few enough that a large mover keeps all of them busy.
constexpr std::int32_t runs_in_piece = 128;
constexpr std::ptrdiff_t pieces_at_once = 16;

// The sum of n numbers `stride` apart, and the sum of k times the k-th.
struct RunSums {
  double all = 0, ramp = 0;
};
template <class T>
GLUG_INLINE RunSums sums_of_run(const T* x, std::ptrdiff_t stride, int n) {
  constexpr int lanes = 4;
  double all[lanes] = {}, ramp[lanes] = {};
  int k = 0;
  if (stride == 1)
    for (; k + lanes <= n; k += lanes)
      for (int lane = 0; lane < lanes; ++lane) {
        const double v = x[k + lane];
        all[lane] += v;
        ramp[lane] += v * (k + lane);
      }
  RunSums sums{(all[0] + all[1]) + (all[2] + all[3]), (ramp[0] + ramp[1]) + (ramp[2] + ramp[3])};
  for (; k < n; ++k) {
    const double v = x[k * stride];
    sums.all += v;
    sums.ramp += v * k;
  }
  return sums;
}

template <class T>
GLUG_INLINE RunSums sums_of_list(const T* x, const std::int32_t* place, int n) {
  RunSums sums;
  for (int k = 0; k < n; ++k) {
    const double v = x[place[k]];
    sums.all += v;
    sums.ramp += v * k;
  }
  return sums;
}

template <class T>
GLUG_INLINE void add_to_list(T* y, const std::int32_t* place, int n, double value, double slope) {
  for (int k = 0; k < n; ++k) y[place[k]] = static_cast<T>(y[place[k]] + (value + slope * k));
}

// The same of places that follow each other by twos, the first two given.
template <class T>
GLUG_INLINE RunSums sums_of_both_colours(const T* x, const std::int32_t* place, int n) {
  RunSums sums = sums_of_run(x + place[0], 1, (n + 1) / 2);
  sums.ramp *= 2;
  if (n > 1) {
    const RunSums others = sums_of_run(x + place[1], 1, n / 2);
    sums.all += others.all;
    sums.ramp += 2 * others.ramp + others.all;
  }
  return sums;
}

template <class T>
GLUG_INLINE void add_to_run(T* y, std::ptrdiff_t stride, int n, double value, double slope) {
  if (stride == 1)
    for (int k = 0; k < n; ++k) y[k] = static_cast<T>(y[k] + (value + slope * k));
  else
    for (int k = 0; k < n; ++k) y[k * stride] = static_cast<T>(y[k * stride] + (value + slope * k));
}

template <class T>
GLUG_INLINE void add_to_both_colours(T* y, const std::int32_t* place, int n, double value, double slope) {
  add_to_run(y + place[0], 1, (n + 1) / 2, value, 2 * slope);
  if (n > 1) add_to_run(y + place[1], 1, n / 2, value + slope, 2 * slope);
}

// + where the cell lies below the face.
constexpr double sign_of_side(int side) { return side % 2 == 0 ? 1 : -1; }

template <int D>
MoverMoments<D> times(const MoverMatrix<D>& S, const MoverMoments<D>& t) {
  constexpr int n = mover_moments<D>;
  MoverMoments<D> s{};
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) s[i] += S[j * n + i] * t[j];  // symmetric
  return s;
}

}  // namespace

template <int D>
void Movers<D>::clear() {
  shapes_.clear();
  runs_.clear();
  movers_.clear();
  extra_.clear();
  links_.clear();
  finish({});
}

template <int D>
std::int32_t Movers<D>::add_shape(const std::array<std::vector<FaceRun<D>>, mover_sides<D>>& runs,
                                  const MoverMatrix<D>& yield) {
  MoverShape<D> shape;
  shape.yield = yield;
  for (int side = 0; side < mover_sides<D>; ++side) {
    shape.start[side] = static_cast<std::int32_t>(runs_.size());
    runs_.insert(runs_.end(), runs[side].begin(), runs[side].end());
  }
  shape.start[mover_sides<D>] = static_cast<std::int32_t>(runs_.size());
  shapes_.push_back(shape);
  return shapes() - 1;
}

template <int D>
void Movers<D>::finish(const std::array<std::ptrdiff_t, D>& strides) {
  strides_ = strides;
  pieces_.clear();
  std::vector<std::int32_t> mover_of;
  for (int side = 0; side < mover_sides<D>; ++side)
    for (std::int32_t m = 0; m < count(); ++m) {
      const MoverShape<D>& shape = shapes_[movers_[m].shape];
      for (std::int32_t r = shape.start[side]; r < shape.start[side + 1]; r += runs_in_piece) {
        mover_of.push_back(m);
        pieces_.push_back({m, r, std::min(r + runs_in_piece, shape.start[side + 1]), side});
      }
    }
  of_mover_ = group_by(mover_of, movers_.size());
  partial_.assign(pieces_.size(), {});
  motion_.assign(movers_.size(), {});
  moments_.assign(links_.empty() ? 0 : movers_.size(), {});
  dots_.assign(movers_.size(), 0);
  order_.clear();
}

// Both sides of an axis at once, pieces that share a cell in one group.
template <int D>
void Movers<D>::stage(std::int32_t places) {
  if (pieces_.empty()) return;
  std::vector<std::int32_t> owner(static_cast<std::size_t>(places), -1);  // the last piece at each
  const std::int32_t n = static_cast<std::int32_t>(pieces_.size());
  order_.resize(pieces_.size());
  UnionFind sharing(pieces_.size());
  for (std::int32_t p = 0; p < n; ++p) {
    const Piece& piece = pieces_[p];
    const std::int32_t* place = places_of(piece.mover);
    for (std::int32_t r = piece.begin; r < piece.end; ++r)
      for (int k = 0; k < runs_[r].count; ++k) {
        std::int32_t& at = owner[place[runs_[r].listed + k]];
        if (at >= 0 && pieces_[at].side / 2 == piece.side / 2) sharing.join(at, p);
        at = p;
      }
  }
  std::vector<std::int32_t> group(static_cast<std::size_t>(n));
  for (std::int32_t p = 0; p < n; ++p) group[p] = sharing.root(p);  // the first of each group
  for (std::int32_t p = 0; p < n; ++p) order_[p] = p;
  std::stable_sort(order_.begin(), order_.end(), [&](std::int32_t x, std::int32_t y) {
    const int a = pieces_[x].side / 2, b = pieces_[y].side / 2;
    return a != b ? a < b : group[x] < group[y];
  });
  group_start_.clear();
  stage_start_.clear();
  for (std::int32_t k = 0; k < n; ++k) {
    const std::int32_t p = order_[k], before = k > 0 ? order_[k - 1] : 0;
    const bool new_stage = k == 0 || pieces_[p].side / 2 != pieces_[before].side / 2;
    if (new_stage) stage_start_.push_back(static_cast<std::int32_t>(group_start_.size()));
    if (new_stage || group[p] != group[before]) group_start_.push_back(k);
  }
  stage_start_.push_back(static_cast<std::int32_t>(group_start_.size()));
  group_start_.push_back(n);
}

template <int D>
template <class T>
void Movers<D>::gather_pieces(const Exec& exec, const T* x) const {
  const std::ptrdiff_t n = static_cast<std::ptrdiff_t>(pieces_.size());
  for_each_task(exec, (n + pieces_at_once - 1) / pieces_at_once, [=, this](std::ptrdiff_t task) {
    for (std::ptrdiff_t p = task * pieces_at_once; p < n && p < (task + 1) * pieces_at_once; ++p) {
      const Piece& piece = pieces_[p];
      const T* base = x + movers_[piece.mover].base;
      const std::int32_t* place = places_of(piece.mover);
      std::array<double, D + 1> sum{};
      for (std::int32_t r = piece.begin; r < piece.end; ++r) {
        const FaceRun<D>& run = runs_[r];
        const RunSums s = !place             ? sums_of_run(base + run.cell, strides_[run.along], run.count)
                          : run.side_by_side ? sums_of_both_colours(x, place + run.listed, run.count)
                                             : sums_of_list(x, place + run.listed, run.count);
        sum[0] += run.weight * s.all;
        for (int b = 0; b < D; ++b) sum[1 + b] += run.weight * (run.x[b] * s.all);
        sum[1 + run.along] += run.weight * s.ramp;
      }
      partial_[p] = sum;
    }
  });
}

template <int D>
MoverMoments<D> Movers<D>::moments_of(std::int32_t mover) const {
  MoverMoments<D> t{};
  for (std::int32_t k = of_mover_.start[mover]; k < of_mover_.start[mover + 1]; ++k) {
    const std::int32_t p = of_mover_.members[k];
    const int side = pieces_[p].side;
    for (int b = 0; b <= D; ++b) t[side / 2 * (D + 1) + b] += sign_of_side(side) * partial_[p][b];
  }
  return t;
}

template <int D>
template <class T>
double Movers<D>::gather(const Exec& exec, const T* x, MoverMoments<D>* motion, MoverMoments<D>* change,
                         const double* x_extra) const {
  gather_pieces(exec, x);
  std::vector<MoverMoments<D>> of_extra;
  if (x_extra && !extra_.empty()) {
    of_extra.assign(movers_.size(), {});
    for (const ExtraMoments<D>& e : extra_)
      for (int k = 0; k < mover_moments<D>; ++k) of_extra[e.mover][k] += e.j[k] * x_extra[e.unknown];
  }
  const MoverMoments<D>* more = of_extra.empty() ? nullptr : of_extra.data();
  double* dots = dots_.data();
  const auto moments = [=, this](std::ptrdiff_t m) {
    MoverMoments<D> t = moments_of(static_cast<std::int32_t>(m));
    for (int k = 0; more && k < mover_moments<D>; ++k) t[k] += more[m][k];
    return t;
  };
  MoverMoments<D>* kept = links_.empty() ? nullptr : moments_.data();
  if (kept) for_each(exec, count(), [=](std::ptrdiff_t m) { kept[m] = moments(m); });
  const MoverLink<D>*first = links_.data(), *last = first + links_.size();
  for_each(exec, count(), [=, this](std::ptrdiff_t m) {
    const MoverMoments<D> t = kept ? kept[m] : moments(m);
    MoverMoments<D> s = times<D>(yield(static_cast<std::int32_t>(m)), t);
    for (const MoverLink<D>* link = first; kept && link < last; ++link)
      if (link->mover == m)
        for (int i = 0; i < mover_moments<D>; ++i)
          for (int j = 0; j < mover_moments<D>; ++j)
            s[i] += link->yield[i * mover_moments<D> + j] * kept[link->other][j];
    double dot = 0;
    for (int k = 0; k < mover_moments<D>; ++k) {
      dot += t[k] * s[k];
      if (change) change[m][k] = s[k] - motion[m][k];
      motion[m][k] = s[k];
    }
    dots[m] = dot;
  });
  double sum = 0;
  for (double dot : dots_) sum += dot;
  return sum;
}

template <int D>
template <class T>
void Movers<D>::scatter(const Exec& exec, const MoverMoments<D>* motion, double factor, T* y) const {
  const auto add_piece = [=, this](const Piece& piece) {
    const double* s = motion[piece.mover].data() + piece.side / 2 * (D + 1);
    const double sign = factor * sign_of_side(piece.side);
    T* base = y + movers_[piece.mover].base;
    const std::int32_t* place = places_of(piece.mover);
    for (std::int32_t r = piece.begin; r < piece.end; ++r) {
      const FaceRun<D>& run = runs_[r];
      double value = s[0];
      for (int b = 0; b < D; ++b) value += s[1 + b] * run.x[b];
      value *= sign * run.weight;
      const double slope = sign * run.weight * s[1 + run.along];
      if (!place)
        add_to_run(base + run.cell, strides_[run.along], run.count, value, slope);
      else if (run.side_by_side)
        add_to_both_colours(y, place + run.listed, run.count, value, slope);
      else
        add_to_list(y, place + run.listed, run.count, value, slope);
    }
  };
  if (order_.empty()) {
    for (const Piece& piece : pieces_) add_piece(piece);
    return;
  }
  for (std::size_t stage = 0; stage + 1 < stage_start_.size(); ++stage) {
    const std::ptrdiff_t begin = stage_start_[stage], end = stage_start_[stage + 1];
    for_each_task(exec, (end - begin + pieces_at_once - 1) / pieces_at_once, [=, this](std::ptrdiff_t task) {
      const std::ptrdiff_t first = begin + task * pieces_at_once;
      const std::ptrdiff_t last = first + pieces_at_once < end ? first + pieces_at_once : end;
      for (std::int32_t k = group_start_[first]; k < group_start_[last]; ++k) add_piece(pieces_[order_[k]]);
    });
  }
}

template <int D>
double Movers<D>::apply(const Exec& exec, const double* x, const double* x_extra, double* y,
                        double* y_extra) const {
  if (empty()) return 0;
  const double dot = gather<double>(exec, x, motion_.data(), nullptr, x_extra);
  scatter(exec, motion_.data(), 1.0, y);
  scatter_extra(motion_.data(), 1.0, y_extra);
  return dot;
}

// A cell may touch a mover by several faces: their rows of J add up before they are squared.
template <int D>
auto Movers<D>::diagonal_of_shape(std::int32_t shape) const -> std::vector<DiagonalEntry> {
  struct Row {
    std::ptrdiff_t cell;
    std::int32_t face;
    MoverMoments<D> j;
  };
  std::vector<Row> rows;
  visit_faces_of_shape(shape, [&](int side, std::ptrdiff_t cell, const std::array<double, D>& x, double w) {
    Row row{cell, static_cast<std::int32_t>(rows.size()), {}};
    const auto m = moments_of_face<double>(side, x, w);
    for (int b = 0; b <= D; ++b) row.j[side / 2 * (D + 1) + b] = m[b];
    rows.push_back(row);
  });
  std::stable_sort(rows.begin(), rows.end(), [](const Row& x, const Row& y) { return x.cell < y.cell; });
  std::vector<DiagonalEntry> entries;
  for (std::size_t k = 0; k < rows.size();) {
    Row row = rows[k++];
    for (; k < rows.size() && rows[k].cell == row.cell; ++k)
      for (int i = 0; i < mover_moments<D>; ++i) row.j[i] += rows[k].j[i];
    const MoverMoments<D> s = times<D>(shapes_[shape].yield, row.j);
    double value = 0;
    for (int i = 0; i < mover_moments<D>; ++i) value += row.j[i] * s[i];
    entries.emplace_back(row.face, value);
  }
  return entries;
}

template <int D>
void Movers<D>::add_diagonal(const Exec& exec, double* diagonal) const {
  std::vector<std::vector<DiagonalEntry>> of_shape(shapes_.size());
  std::vector<DiagonalEntry>* out = of_shape.data();
  for_each_task(exec, shapes(),
                [=, this](std::ptrdiff_t k) { out[k] = diagonal_of_shape(static_cast<std::int32_t>(k)); });
  // Several movers may meet in a cell: in order.
  for (std::int32_t m = 0; m < count(); ++m)
    for (const auto& [face, value] : of_shape[shape_of(m)]) diagonal[places_of(m)[face]] += value;
}

#define GLUG_INSTANTIATE(D, T)                                                                    \
  template double Movers<D>::gather<T>(const Exec&, const T*, MoverMoments<D>*, MoverMoments<D>*, \
                                       const double*) const;                                      \
  template void Movers<D>::scatter<T>(const Exec&, const MoverMoments<D>*, double, T*) const;
template class Movers<2>;
template class Movers<3>;
GLUG_INSTANTIATE(2, float)
GLUG_INSTANTIATE(2, double)
GLUG_INSTANTIATE(3, float)
GLUG_INSTANTIATE(3, double)
#undef GLUG_INSTANTIATE

}  // namespace glug
