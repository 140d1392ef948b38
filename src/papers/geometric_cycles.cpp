#include "papers/geometric_cycles.h"

#include "core/real.h"
#include "papers/geometric_kernels.h"

namespace glug {

template <int D, class T>
void GeometricCycles<D, T>::sweep(const Exec& exec, int l) const {
  for (int n = 0; n < sweeps_; ++n)
    for (Colour colour : {Colour::red, Colour::black}) smooth_colour(exec, grids_->level(l), colour);
}

template <int D, class T>
void GeometricCycles<D, T>::descend_and_climb(const Exec& exec, int l) const {
  if (l == grids_->levels() - 1) {
    grids_->solve_coarsest();
    return;
  }
  GeometricLevel<D, T>& level = grids_->level(l);
  GeometricLevel<D, T>& coarse = grids_->level(l + 1);
  sweep(exec, l);
  residual(exec, level);
  average_to_coarse<D, T>(exec, level.r.read(), coarse);
  clear(exec, coarse);
  descend_and_climb(exec, l + 1);
  interpolate_and_add(exec, coarse, level);
  sweep(exec, l);
}

template <int D, class T>
void GeometricCycles<D, T>::v_cycle(const Exec& exec, const Vector<D>& r, Vector<D>& z) const {
  load_vector(exec, r, grids_->level(0));
  clear(exec, grids_->level(0));
  descend_and_climb(exec, 0);
  store_vector(exec, grids_->level(0), z);
}

template <int D, class T>
void GeometricCycles<D, T>::full_cycle(const Exec& exec, const Vector<D>& r, Vector<D>& z) const {
  load_vector(exec, r, grids_->level(0));
  const int coarsest = grids_->levels() - 1;
  for (int l = 0; l < coarsest; ++l)
    average_to_coarse<D, T>(exec, grids_->level(l).b.read(), grids_->level(l + 1));
  grids_->solve_coarsest();
  // A V-cycle overwrites the b of coarser levels only: those were climbed already.
  for (int l = coarsest - 1; l >= 0; --l) {
    clear(exec, grids_->level(l));
    interpolate_and_add(exec, grids_->level(l + 1), grids_->level(l));
    descend_and_climb(exec, l);
  }
  store_vector(exec, grids_->level(0), z);
}

template class GeometricCycles<2, Real>;
template class GeometricCycles<3, Real>;

}  // namespace glug
