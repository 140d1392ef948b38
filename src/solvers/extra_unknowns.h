// extra_unknowns.h: unknowns that are not cells, each coupled to cells by faces: a bubble is a cell with many
// faces.
//
//   A x of cell c:     stencil, whose anchor_c holds the couplings k to extra unknowns too, - sum k x_e
//   A x of unknown e:  sum over its faces k (x_e - x_c)
#pragma once

#include <cstdint>
#include <vector>

#include "solvers/coupling_rows.h"
#include "solvers/vector.h"

namespace glug {

template <class T>
class ExtraUnknowns {
 public:
  // A row for each unknown, of cells in their order, each once.
  void assign(CouplingRows<T> rows);
  // For vectors whose cells lie elsewhere: place_of(offset).
  template <class F>
  void renumber(const Exec& exec, const F& place_of) {
    links_.rename(exec, place_of);
  }
  // Shows the lists to a device: before apply() runs there.
  void publish(const Exec& exec);

  std::int32_t count() const { return links_.rows.rows(); }
  const CouplingRows<T>& rows() const { return links_.rows; }
  // And the same seen from the coupled cells.
  const LinkedPlaces<T, double>& links() const { return links_; }
  // Sum of an unknown's couplings.
  double diagonal(std::int32_t unknown) const { return diagonal_[unknown]; }

  // Adds what the stencil does not know to y = A x; returns how much that changes x . A x.
  double apply(const Exec& exec, const double* x_cells, const double* x_extra, double* y_cells,
               double* y_extra) const;
  template <class V>
  double apply(const Exec& exec, const V& x, V& y) const {
    return apply(exec, x.numbers(), x.extra.data(), y.numbers(), y.extra.data());
  }

 private:
  LinkedPlaces<T, double> links_;
  std::vector<double> diagonal_;
};

}  // namespace glug
