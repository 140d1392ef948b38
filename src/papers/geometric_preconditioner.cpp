#include "papers/geometric_preconditioner.h"

#include "core/real.h"
#include "papers/geometric_kernels.h"

namespace glug {

template <int D, class T>
void GeometricPreconditioner<D, T>::cycle(const Exec& exec, int l) const {
  if (l == grids_->levels() - 1) {
    grids_->solve_coarsest();
    return;
  }
  GeometricLevel<D, T>& level = grids_->level(l);
  GeometricLevel<D, T>& coarse = grids_->level(l + 1);
  smooth_band(exec, level, level.band, band_sweeps);
  smooth_colour(exec, level, Colour::red);
  smooth_colour(exec, level, Colour::black);
  smooth_band(exec, level, level.band, band_sweeps);
  residual(exec, level);
  restrict_to_coarse<D, T>(exec, level.r.read(), coarse);
  clear(exec, coarse);
  cycle(exec, l + 1);
  prolong_and_add(exec, coarse, level);
  smooth_band(exec, level, level.band, band_sweeps);
  smooth_colour(exec, level, Colour::black);
  smooth_colour(exec, level, Colour::red);
  smooth_band(exec, level, level.band, band_sweeps);
}

template <int D, class T>
void GeometricPreconditioner<D, T>::apply(const Exec& exec, const Vector<D>& r, Vector<D>& z) const {
  load_vector(exec, r, grids_->level(0));
  clear(exec, grids_->level(0));
  improve(exec);
  store_vector(exec, grids_->level(0), z);
}

template class GeometricPreconditioner<2, Real>;
template class GeometricPreconditioner<3, Real>;

}  // namespace glug
