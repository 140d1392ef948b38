// restore_bends.h: (S11) the surface where it bends. Kernels that tell it from the liquid around a place, and
// smoothing, show it too near its centre of curvature, by so and so many h^2 kappa: drops and bubbles are too
// small all round. kappa is measured and the surface moved back by as much.
#pragma once

#include "core/blocks.h"
#include "geometry/views.h"

namespace glug {

// phi, a distance, within 1.5 h of the surface: phi -= share h^2 kappa. kappa is the sum of the second
// derivatives along the surface, from cells two and three apart, so that the grain of particles is not raised
// with it, and at most 1 / (2 h). Never changes a sign and keeps |phi| >= 0.02 h. An axis on
// which the domain ends counts as flat. Left as it is where a cell that is needed is solid-centred or not
// listed, where a neighbour is missing, and where phi folds.
template <int D, class T>
void restore_bends(const Exec& exec, const BlocksView<D>& blocks, const Grid<D>& grid, double share,
                   ReadView<D, T> nodal, View<D, T> phi);

}  // namespace glug
