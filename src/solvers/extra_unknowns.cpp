#include "solvers/extra_unknowns.h"

#include "core/real.h"
#include "core/reduce.h"

namespace glug {

template <int D, class T>
void ExtraUnknowns<D, T>::assign(CouplingRows<T> rows) {
  rows_ = std::move(rows);
  pieces_.cut(rows_, Memory::host);
  diagonal_.clear();
  for (std::int32_t k = 0; k < count(); ++k) diagonal_.push_back(RowsView<T>::on_host(rows_).sum(k));
  std::vector<std::ptrdiff_t>& cells = cells_.host;
  cells.clear();
  for (const auto& entry : rows_.entries.host) cells.push_back(entry.to);
  std::sort(cells.begin(), cells.end());
  cells.erase(std::unique(cells.begin(), cells.end()), cells.end());
  std::vector<std::int32_t> number;
  for (const auto& entry : rows_.entries.host)
    number.push_back(
        static_cast<std::int32_t>(std::lower_bound(cells.begin(), cells.end(), entry.to) - cells.begin()));
  of_cells_ = transposed(rows_, number, cells.size());
}

template <int D, class T>
void ExtraUnknowns<D, T>::publish(const Exec& exec) {
  pieces_.cut(rows_, memory_of(exec));
  glug::publish(exec, rows_, pieces_, cells_, of_cells_);
}

template <int D, class T>
double ExtraUnknowns<D, T>::apply(const Exec& exec, const double* cells, const double* extra, double* out,
                                  double* out_extra) const {
  if (count() == 0) return 0;
  const RowsView<T> rows(rows_), of_cells(of_cells_);
  const RowPiece* piece = pieces_.pieces.data();
  double* sums = pieces_.sums.data();
  // Differences: constants must vanish to the last bit.
  for_each_task(exec, pieces_.count(), [=] GLUG_FN(std::ptrdiff_t n) {
    double sum = 0;
    const double own = extra[piece[n].row];
    for (std::int32_t e = piece[n].begin; e < piece[n].end; ++e)
      sum += rows.entries[e].coupling * (own - cells[rows.entries[e].to]);
    sums[n] = sum;
  });
  const PieceSums<double> of_pieces(pieces_);
  const double dot = reduce(exec, count(), 0.0, Plus{}, [=] GLUG_FN(std::ptrdiff_t k) {
    out_extra[k] = of_pieces.added(0.0, k);
    return extra[k] * out_extra[k];
  });
  const std::ptrdiff_t* at = cells_.data();
  return dot +
         reduce(exec, static_cast<std::ptrdiff_t>(cells_.size()), 0.0, Plus{}, [=] GLUG_FN(std::ptrdiff_t n) {
           const double sum = of_cells.dot(static_cast<std::int32_t>(n), extra);
           out[at[n]] -= sum;
           return -cells[at[n]] * sum;
         });
}

template <int D, class T>
void ExtraUnknowns<D, T>::precondition(const double* r, double* z) const {
  for (std::size_t k = 0; k < diagonal_.size(); ++k) z[k] = diagonal_[k] > 0 ? r[k] / diagonal_[k] : 0;
}

template class ExtraUnknowns<2, Real>;
template class ExtraUnknowns<3, Real>;

}  // namespace glug
