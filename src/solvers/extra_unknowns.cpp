#include "solvers/extra_unknowns.h"

#include "core/real.h"
#include "core/reduce.h"

namespace glug {

template <class T>
void ExtraUnknowns<T>::assign(CouplingRows<T> rows) {
  links_.rows = std::move(rows);
  links_.index(Memory::host);
  diagonal_.clear();
  for (std::int32_t k = 0; k < count(); ++k) diagonal_.push_back(links_.rows.sum(k));
}

template <class T>
void ExtraUnknowns<T>::publish(const Exec& exec) {
  links_.pieces.cut(links_.rows, memory_of(exec));
  links_.publish(exec);
}

template <class T>
double ExtraUnknowns<T>::apply(const Exec& exec, const double* cells, const double* extra, double* out,
                               double* out_extra) const {
  if (count() == 0) return 0;
  const RowsView<T> rows(links_.rows), of_cells(links_.of_places);
  const PieceSums<double> of_pieces(links_.pieces);
  // Differences: constants must vanish to the last bit.
  for_each_task(exec, links_.pieces.count(), [=] GLUG_FN(std::ptrdiff_t n) {
    double sum = 0;
    const RowPiece& piece = of_pieces.piece[n];
    const double own = extra[piece.row];
    for (std::int32_t e = piece.begin; e < piece.end; ++e)
      sum += rows.entries[e].coupling * (own - cells[rows.entries[e].to]);
    of_pieces.sums[n] = sum;
  });
  const double dot = reduce(exec, count(), 0.0, Plus{}, [=] GLUG_FN(std::ptrdiff_t k) {
    out_extra[k] = of_pieces.added(0.0, k);
    return extra[k] * out_extra[k];
  });
  const std::ptrdiff_t* at = links_.places.data();
  return dot + reduce(exec, links_.count(), 0.0, Plus{}, [=] GLUG_FN(std::ptrdiff_t n) {
           const double sum = of_cells.dot(static_cast<std::int32_t>(n), extra);
           out[at[n]] -= sum;
           return -cells[at[n]] * sum;
         });
}

template class ExtraUnknowns<Real>;

}  // namespace glug
