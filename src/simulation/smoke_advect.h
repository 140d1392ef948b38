// smoke_advect.h: carries fields with the flow: MacCormack steps on the grid, kept within the values they
// come from (Selle et al. 2008). Theory: docs/theory.md (K2)-(K5).
#pragma once

#include "core/domain.h"
#include "core/exec.h"
#include "simulation/smoke_state.h"

namespace glug {

template <int D>
struct SmokeAdvection {
  Grid<D> grid;
  Sides<D> sides;
  MacView<D, const float> velocity;  // meaningful everywhere; in solids near their surface
  double dt = 0;                     // s
};

// A field at cell centres; what comes in through open sides is 0. The result is in carried.value.
template <int D>
void carry_cells(const Exec& exec, const SmokeAdvection<D>& in, View<D, const float> from,
                 Carried<D>& carried);

// A field on the faces along `axis`.
template <int D>
void carry_faces(const Exec& exec, const SmokeAdvection<D>& in, int axis, View<D, const float> from,
                 Carried<D>& carried);

// (K5) Moves carried.value towards its bounds, everywhere by the same share of the way, so that sum of
// weight * value becomes `wanted`. Where nothing varies nothing is changed. Returns the sum that it reached.
template <int D>
double restore_sum(const Exec& exec, const Range<D>& cells, View<D, const float> weight, double wanted,
                   Carried<D>& carried);

template <int D>
double weighted_sum(const Exec& exec, const Range<D>& cells, View<D, const float> weight,
                    View<D, const float> value);

}  // namespace glug
