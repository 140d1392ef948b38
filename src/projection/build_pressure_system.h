// build_pressure_system.h: from labels, distances and open areas to the pressure system and its right-hand
// sides. Theory: docs/theory.md, Pressure; after Batty et al. 2007 with the area weights of Ng, Min and Gibou
// 2009 and the ghost-fluid free surface of Gibou et al. 2002.
#pragma once

#include "core/domain.h"
#include "projection/pressure_system.h"
#include "regions/tiles.h"

namespace glug {

template <int D>
struct BodyInput;  // rigid_bodies.h

// What a projection reads. `blocks` lists every block with a liquid cell and all its face neighbours (with
// gas: every block with a cell that is not solid); labels in it are current; phi is valid there, the face
// fields on all faces of those blocks' cells. open is 0 on closed sides.
template <int D, class T>
struct ProjectionInput {
  Grid<D> grid{};
  BlocksView<D> blocks{};
  Sides<D> sides{};
  View<D, const Cell> label{};
  View<D, const T> phi{};                // m, at cell centres
  MacView<D, const T> open{};            // w_f, in [0, 1]
  MacView<D, const T> velocity{};        // u*, m/s
  MacView<D, const T> solid_velocity{};  // u_s, m/s; data null = at rest
  // Bubbles (regions/bubbles.h): the component of each air cell, in all blocks, and the unknown of each
  // component, -1 = free air. data null = all air is free.
  View<D, const std::int32_t> air{};
  const std::int32_t* air_unknown = nullptr;
  std::int32_t air_unknowns = 0;
  BlocksView<D> swept{};  // where solid_velocity is not 0, at least; with bubbles only
  // Components of the liquid, numbered from `first_body` on (regions/components.h); null = they are found.
  const Components<D>* regions = nullptr;
  std::int32_t first_body = 0;
  // Regions that move as one: their cells are labelled Cell::affine. null = none.
  const Tiles<D>* tiles = nullptr;
  // Rigid bodies that move as the pressure tells; solid_velocity holds what they would do without it. null =
  // none: all solids are walls.
  const std::vector<BodyInput<D>>* bodies = nullptr;
  // Where liquid is thin (regions/thin_liquid.h), volume correction leaves it alone; data null = nowhere.
  View<D, const std::uint8_t> thickness{};
  // How dense particles are (regions/crowding.h): liquid grows where they crowd and shrinks where they are
  // sparse; data null = alike everywhere.
  View<D, const float> crowding{};
  // Liquid that bears less than this, Pa, does not shrink: it falls freely. data null = all of it may.
  View<D, const double> pressure{};
  double cell_weight = 0;
  View<D, const T> target{};  // wanted net flux out of each cell / face area, m/s; data null = 0
  // The cells where it is not 0: what is wanted of a bubble is the sum over its cells.
  const Index<D>* target_cells = nullptr;
  std::int64_t target_count = 0;
  // Cells that open, since liquid leaves a wall there (wall_separation.h): nothing is asked of their net
  // flux. data null = none.
  View<D, const std::uint8_t> separated{};
  double dt = 0;           // s
  double density = 1000;   // kg/m^D
  double gas_density = 0;  // kg/m^D; above 0 the cells of air are unknowns as the liquid's are (M1)-(M3)

  bool two_phase() const { return gas_density > 0; }
  // The labels of cells with an unknown. Beyond an open side labels read air too: see is_fluid.
  CellSet fluid() const { return two_phase() ? CellSet(Cell::liquid) | Cell::air : CellSet(Cell::liquid); }
};

// (P3) Rebuilds the matrix for the liquid of `input`.
template <int D, class T>
void build_pressure_system(const Exec& exec, const ProjectionInput<D, T>& input,
                           PressureSystem<D, T>& system);

// What had to be taken from a right-hand side because closed components cannot change their volume.
struct [[nodiscard]] RhsReport {
  double removed = 0;    // sum over closed components of |net flux| / face area, m/s
  int incompatible = 0;  // closed components whose net flux was not zero, beyond rounding
};

// (P5) b = -(D u*) - solid flux + target; net fluxes of closed components are removed in proportion to cell
// volume.
template <int D, class T>
RhsReport velocity_rhs(const Exec& exec, const ProjectionInput<D, T>& input,
                       const PressureSystem<D, T>& system, Vector<D>& rhs);

// (B5) Net flux out of each bubble / face area, m/s, of input.velocity, solids included.
template <int D, class T>
std::vector<double> bubble_fluxes(const Exec& exec, const ProjectionInput<D, T>& input,
                                  const PressureSystem<D, T>& system);

// (B5) The part of them that moving solids make, from input.solid_velocity, into the system: built with it,
// and to be found again when solids were pushed.
template <int D, class T>
void find_swept_fluxes(const Exec& exec, const ProjectionInput<D, T>& input, PressureSystem<D, T>& system);

// Work that moving solids do on the fluid while input.dt passes, J: through the closed part of faces, against
// the pressures of cells and bubbles.
template <int D, class T>
double solid_work(const Exec& exec, const ProjectionInput<D, T>& input, const PressureSystem<D, T>& system,
                  const Vector<D>& pressure);

// (P9), of one phase: the right-hand side whose solution displaces the liquid so that its volume grows by
// `volume_change` (m^D), spread over the cells of all components that touch air in proportion to cell volume.
template <int D, class T>
void volume_correction_rhs(const Exec& exec, const ProjectionInput<D, T>& input,
                           const PressureSystem<D, T>& system, double volume_change, Vector<D>& rhs,
                           const double* bubble_changes = nullptr);
// The same with a wanted growth (m^D) of each body of liquid, counted from first_body, and of each bubble's
// unknown; either may be null. A body that touches no air stays as it is.
template <int D, class T>
void volume_correction_rhs(const Exec& exec, const ProjectionInput<D, T>& input,
                           const PressureSystem<D, T>& system, const double* body_changes,
                           const double* bubble_changes, Vector<D>& rhs);

}  // namespace glug
