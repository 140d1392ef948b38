// rigid_bodies.h: rigid bodies as movers of the pressure system: they press on the fluid and the fluid on
// them in one solve, as in Batty et al. 2007.
//
// Through its share w of a face along axis a, at r from its centre, a body carries w (V + omega x r)_a. Its
// mass is that of the grid, the sum of rho_s w h^D over its faces, so that a body as dense as the liquid
// rests in it exactly (docs/theory.md, R1 to R4). Where its pressures are those of bubbles it pushes them.
#pragma once

#include <vector>

#include "bodies/solid_body.h"
#include "projection/build_pressure_system.h"

namespace glug {

// Numbers of a rigid motion: velocity of the centre, then angular velocity (2D: about z).
template <int D>
inline constexpr int rigid_numbers = D == 2 ? 3 : 6;
template <int D>
using RigidVector = std::array<double, rigid_numbers<D>>;

// What the pressure system knows of a body.
template <int D>
struct BodyInput {
  std::vector<ClosedFace<D>> faces;  // its share of each
  Vec3 centre{};                     // m
  double density = 0;                // kg/m^D
};

// (R2), (R3) Adds a mover for each body of input.bodies; after those of tiles.
template <int D, class T>
void add_rigid_bodies(const ProjectionInput<D, T>& input, PressureSystem<D, T>& system);

// (R4) What a pressure adds to the motion of each body.
template <int D, class T>
std::vector<RigidVector<D>> push_of_bodies(const Exec& exec, const ProjectionInput<D, T>& input,
                                           const PressureSystem<D, T>& system, const Vector<D>& pressure);

// (R5) J of each body, added up over each component of the fluid: per body and component.
template <int D, class T>
std::vector<std::vector<MoverMoments<D>>> moments_of_components(const ProjectionInput<D, T>& input,
                                                                View<D, const std::int32_t> of_cell,
                                                                std::size_t components);
// Whether a pressure with these moments would push the body; rounding: of the areas of its faces.
template <int D>
bool can_push(const Grid<D>& grid, const BodyInput<D>& body, const MoverMoments<D>& moments, double rounding);

}  // namespace glug
