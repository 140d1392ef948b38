#include "solvers/extra_unknowns.h"

#include <algorithm>

#include "core/real.h"
#include "core/reduce.h"

namespace glug {

template <int D, class T>
void ExtraUnknowns<D, T>::assign(std::int32_t count, std::vector<ExtraLink<T>> links) {
  count_ = count;
  links_.host = std::move(links);
  const std::vector<ExtraLink<T>>& list = links_.host;
  diagonal_.assign(static_cast<std::size_t>(count), 0);
  for (const ExtraLink<T>& link : list) diagonal_[link.unknown] += link.coupling;
  cut_rows(row_piece(Memory::host));

  // By cell: sorted by (cell, unknown).
  const std::int32_t n = static_cast<std::int32_t>(list.size());
  std::vector<std::int32_t> order(list.size());
  for (std::int32_t k = 0; k < n; ++k) order[k] = k;
  std::sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
    const ExtraLink<T>&x = list[a], &y = list[b];
    return x.cell != y.cell ? x.cell < y.cell : x.unknown < y.unknown;
  });
  touched_.host.clear();
  touched_start_.host.clear();
  of_touched_.host.clear();
  for (std::int32_t k : order) {
    const ExtraLink<T>& link = list[k];
    if (touched_.empty() || touched_.host.back() != link.cell) {
      touched_.host.push_back(link.cell);
      touched_start_.host.push_back(static_cast<std::int32_t>(of_touched_.size()));
    }
    of_touched_.host.push_back({link.unknown, link.coupling});
  }
  touched_start_.host.push_back(static_cast<std::int32_t>(of_touched_.size()));
}

template <int D, class T>
void ExtraUnknowns<D, T>::cut_rows(std::int32_t length) {
  const std::vector<ExtraLink<T>>& list = links_.host;
  const std::int32_t n = static_cast<std::int32_t>(list.size());
  pieces_.host.clear();
  piece_start_.host.assign(1, 0);
  std::int32_t begin = 0;
  for (std::int32_t row = 0; row < count_; ++row) {
    while (begin < n && list[begin].unknown == row) {
      std::int32_t end = begin;
      while (end < n && end < begin + length && list[end].unknown == row) ++end;
      pieces_.host.push_back({row, begin, end});
      begin = end;
    }
    piece_start_.host.push_back(static_cast<std::int32_t>(pieces_.size()));
  }
  partial_.host.assign(pieces_.size(), 0);
}

template <int D, class T>
void ExtraUnknowns<D, T>::publish(const Exec& exec) {
  cut_rows(row_piece(memory_of(exec)));
  glug::publish(exec, links_, pieces_, piece_start_, touched_, touched_start_, of_touched_, partial_);
}

template <int D, class T>
double ExtraUnknowns<D, T>::apply(const Exec& exec, const double* cells, const double* extra, double* out,
                                  double* out_extra) const {
  if (count_ == 0) return 0;
  const ExtraLink<T>* link = links_.data();
  const RowPiece* piece = pieces_.data();
  const std::int32_t* piece_start = piece_start_.data();
  double* partial = partial_.data();
  for_each_task(exec, static_cast<std::ptrdiff_t>(pieces_.size()), [=] GLUG_FN(std::ptrdiff_t n) {
    double sum = 0;
    const double own = extra[piece[n].row];
    for (std::int32_t e = piece[n].begin; e < piece[n].end; ++e)
      sum += link[e].coupling * (own - cells[link[e].cell]);
    partial[n] = sum;
  });
  const double dot = reduce(exec, count_, 0.0, Plus{}, [=] GLUG_FN(std::ptrdiff_t k) {
    double sum = 0;
    for (std::int32_t n = piece_start[k]; n < piece_start[k + 1]; ++n) sum += partial[n];
    out_extra[k] = sum;
    return extra[k] * sum;
  });

  const std::ptrdiff_t* touched = touched_.data();
  const std::int32_t* start = touched_start_.data();
  const LinkOfCell<T>* of_touched = of_touched_.data();
  return dot + reduce(exec, static_cast<std::ptrdiff_t>(touched_.size()), 0.0, Plus{},
                      [=] GLUG_FN(std::ptrdiff_t n) {
                        double sum = 0;
                        for (std::int32_t e = start[n]; e < start[n + 1]; ++e)
                          sum += of_touched[e].coupling * extra[of_touched[e].unknown];
                        out[touched[n]] -= sum;
                        return -cells[touched[n]] * sum;
                      });
}

template <int D, class T>
void ExtraUnknowns<D, T>::precondition(const double* r, double* z) const {
  for (std::size_t k = 0; k < diagonal_.size(); ++k) z[k] = diagonal_[k] > 0 ? r[k] / diagonal_[k] : 0;
}

template <int D, class T>
void ExtraUnknowns<D, T>::gather(const Exec& exec, const T* cells, double* sums) const {
  const ExtraLink<T>* link = links_.data();
  const RowPiece* piece = pieces_.data();
  double* partial = partial_.data();
  for_each_task(exec, static_cast<std::ptrdiff_t>(pieces_.size()), [=] GLUG_FN(std::ptrdiff_t n) {
    double sum = 0;
    for (std::int32_t e = piece[n].begin; e < piece[n].end; ++e)
      sum += static_cast<double>(link[e].coupling) * cells[link[e].cell];
    partial[n] = sum;
  });
  for (std::int32_t k = 0; k < count_; ++k) sums[k] = 0;
  for (std::size_t n = 0; n < pieces_.size(); ++n) sums[pieces_.host[n].row] += partial_.host[n];
}

template <int D, class T>
void ExtraUnknowns<D, T>::scatter(const Exec& exec, const double* extra, const T* own, T* cells) const {
  const std::ptrdiff_t* touched = touched_.data();
  const std::int32_t* start = touched_start_.data();
  const LinkOfCell<T>* of_touched = of_touched_.data();
  for_each(exec, static_cast<std::ptrdiff_t>(touched_.size()), [=] GLUG_FN(std::ptrdiff_t n) {
    double sum = own[n];
    for (std::int32_t e = start[n]; e < start[n + 1]; ++e)
      sum += of_touched[e].coupling * extra[of_touched[e].unknown];
    cells[touched[n]] = static_cast<T>(sum);
  });
}

template class ExtraUnknowns<2, Real>;
template class ExtraUnknowns<3, Real>;

}  // namespace glug
