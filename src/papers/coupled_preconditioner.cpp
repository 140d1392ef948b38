#include "papers/coupled_preconditioner.h"

#include "core/real.h"
#include "papers/geometric_band.h"
#include "papers/geometric_kernels.h"
#include "papers/geometric_preconditioner.h"

namespace glug {

template <int D, class T>
void CoupledPreconditioner<D, T>::prepare(const Exec& exec, const GeometricHierarchy<D, T>& grids,
                                          const ExtraUnknowns<T>& extras, const CoupledOptions& how) {
  grids_ = &grids;
  how_ = how;
  GeometricLevel<D, T>& finest = grids.level(0);
  const View<D, T> near = finest.r.view();
  const Range<D> laid_out = solver_cells<D>(finest.grid);
  extras_ = extras;
  extras_.renumber(exec, [&](std::ptrdiff_t cell) { return near.offset(laid_out.at(cell)); });
  const std::vector<std::ptrdiff_t>& coupled = extras_.links().places.host;
  own_.resize(coupled.size());
  band_.rows.clear();
  if (coupled.empty()) return;
  for_each_cell(exec, finest.A->blocks(), finest.grid.cell_range(), [=](const Index<D>& i) { near(i) = 0; });
  const std::ptrdiff_t* at = coupled.data();
  for_each(exec, static_cast<std::ptrdiff_t>(coupled.size()),
           [=](std::ptrdiff_t n) { near.at(at[n]) = T(1); });
  gather_band(exec, how.band, finest, band_);
}

// The right-hand side of the cells follows: b = r_L - A_LB s_B.
template <int D, class T>
void CoupledPreconditioner<D, T>::smooth_extras(const Exec& exec, const Vector<D>& r, Vector<D>& z) const {
  GeometricLevel<D, T>& finest = grids_->level(0);
  const T* x = finest.x.read().data;
  const RowsView<T> rows(extras_.rows()), of_cells(extras_.links().of_places);
  const RowPieces<double>& pieces = extras_.links().pieces;
  const RowPiece* piece = pieces.pieces.data();
  double* sums = pieces.sums.data();
  for_each_task(exec, pieces.count(), [=](std::ptrdiff_t n) {
    double sum = 0;
    for (std::int32_t e = piece[n].begin; e < piece[n].end; ++e)
      sum += static_cast<double>(rows.entries[e].coupling) * x[rows.entries[e].to];
    sums[n] = sum;
  });
  const PieceSums<double> of_pieces(pieces);
  for (std::int32_t e = 0; e < extras_.count(); ++e) {
    const std::size_t k = static_cast<std::size_t>(e);
    const double d = extras_.diagonal(e);
    if (d > 0) z.extra[k] += 2.0 / 3.0 * (r.extra[k] + of_pieces.added(0.0, e) - d * z.extra[k]) / d;
  }
  const double* extra = z.extra.data();
  const std::ptrdiff_t* at = extras_.links().places.data();
  const T* own = own_.data();
  T* b = finest.b.view().data;
  for_each(exec, static_cast<std::ptrdiff_t>(own_.size()), [=](std::ptrdiff_t n) {
    double sum = own[n];
    for (std::int32_t e = of_cells.start[n]; e < of_cells.start[n + 1]; ++e)
      sum += of_cells.entries[e].coupling * extra[of_cells.entries[e].to];
    b[at[n]] = static_cast<T>(sum);
  });
}

template <int D, class T>
void CoupledPreconditioner<D, T>::apply(const Exec& exec, const Vector<D>& r, Vector<D>& z) const {
  GeometricLevel<D, T>& finest = grids_->level(0);
  load_vector(exec, r, finest);
  clear(exec, finest);
  for (double& e : z.extra) e = 0;
  const std::vector<std::ptrdiff_t>& coupled = extras_.links().places.host;
  const int sweeps = coupled.empty() ? 0 : how_.sweeps;
  const std::ptrdiff_t* at = coupled.data();
  const T* b = finest.b.read().data;
  T* own = own_.data();
  for_each(exec, static_cast<std::ptrdiff_t>(coupled.size()), [=](std::ptrdiff_t n) { own[n] = b[at[n]]; });
  for (int n = 0; n < sweeps; ++n) {
    smooth_extras(exec, r, z);
    smooth_band(exec, finest, band_, 1);
  }
  GeometricPreconditioner<D, T>(*grids_).improve(exec);
  for (int n = 0; n < sweeps; ++n) {
    smooth_band(exec, finest, band_, 1);
    smooth_extras(exec, r, z);
  }
  store_vector(exec, finest, z);
}

template class CoupledPreconditioner<2, Real>;
template class CoupledPreconditioner<3, Real>;

}  // namespace glug
