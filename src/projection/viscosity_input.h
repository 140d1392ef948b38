// viscosity_input.h: what a step of viscosity is told. Theory: docs/theory.md, Viscosity.
#pragma once

#include <vector>

#include "core/blocks.h"
#include "core/domain.h"
#include "core/mac_field.h"

namespace glug {

template <int D>
struct BodyInput;

// What the viscosity solve reads. phi is valid in the listed blocks, solid at all their nodes.
template <int D, class T>
struct ViscosityInput {
  Grid<D> grid{};
  BlocksView<D> blocks{};
  Sides<D> sides{};                      // which are open to the air
  bool slips[D][2] = {};                 // closed sides that liquid slides along freely
  View<D, const T> phi{};                // m, at cell centres
  View<D, const T> solid{};              // m, at nodes: to all solids and closed sides
  View<D, const T> sticky{};             // m, at nodes: to solids that hold the liquid; data null = none does
  MacView<D, const T> velocity{};        // u*, m/s
  MacView<D, const T> solid_velocity{};  // m/s; data null = at rest
  MacView<D, const T> open{};            // share of each face outside solids; where there are free bodies
  const std::vector<BodyInput<D>>* bodies = nullptr;  // free ones, which the liquid drags
  double dt = 0;                                      // s
  double density = 1000;                              // kg/m^D
  double viscosity = 0;                               // Pa s
  double gas_density = 0;                             // kg/m^D; above 0 the gas takes part
  double gas_viscosity = 0;                           // Pa s
};

}  // namespace glug
