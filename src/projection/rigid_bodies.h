// rigid_bodies.h: rigid bodies as movers of the pressure system: they press on the fluid and the fluid on
// them in one solve, as in Batty et al. 2007.
//
// Through its share w of a face along axis a, at r from its centre, a body carries w (V + omega x r)_a. Its
// mass is that of the grid, the sum of rho_s w h^D over its faces, so that a body as dense as the liquid
// rests in it exactly (docs/theory.md, R1 to R4). Where its pressures are those of bubbles it pushes them.
#pragma once

#include <optional>
#include <vector>

#include "bodies/solid_body.h"
#include "projection/build_pressure_system.h"

namespace glug {

// Numbers of a rigid motion: velocity of the centre, then angular velocity (2D: about z).
template <int D>
inline constexpr int rigid_numbers = D == 2 ? 3 : 6;
// Where number k of a motion stands among the six that a motion in space has.
template <int D>
constexpr int wide(int k) {
  return D == 2 && k == 2 ? 5 : k;
}
template <int D>
using RigidVector = std::array<double, rigid_numbers<D>>;

// Row-major and symmetric: of motions or impulses.
template <int D>
using RigidMatrix = std::array<double, rigid_numbers<D> * rigid_numbers<D>>;

// What an impulse on another body does to one that touches it.
template <int D>
struct BodyLink {
  std::int32_t other = 0;  // its number in the list
  RigidMatrix<D> yield{};  // motion of the one by impulses on the other
};

// What the pressure system knows of a body.
template <int D>
struct BodyInput {
  std::vector<ClosedFace<D>> faces;  // its share of each
  Vec3 centre{};                     // m
  double density = 0;                // kg/m^D
  // (R10) Motion by impulses, as contacts and hinges leave it; absent: nothing holds it.
  std::optional<RigidMatrix<D>> yield{};
  std::vector<BodyLink<D>> links{};  // each with its transpose at the other
};

// (R2) The inverse of a body's mass on the grid; 0 for one that the grid does not see.
template <int D>
RigidMatrix<D> inverse_mass_on_grid(const Grid<D>& grid, const BodyInput<D>& body);

// (R2), (R10) Motion of a body by impulses on itself, held or not.
template <int D>
RigidMatrix<D> yield_of(const Grid<D>& grid, const BodyInput<D>& body) {
  return body.yield ? *body.yield : inverse_mass_on_grid(grid, body);
}

// (R2), (R3) Adds a mover for each body of input.bodies that can move; after those of tiles.
template <int D, class T>
void add_rigid_bodies(const Exec& exec, const ProjectionInput<D, T>& input, PressureSystem<D, T>& system);

// (R3) dt h^(D-1) J p: the impulse of a pressure on each body and its moment about the centre.
template <int D, class T>
std::vector<RigidVector<D>> impulses_on_bodies(const Exec& exec, const ProjectionInput<D, T>& input,
                                               const Vector<D>& pressure);
// (R4) What impulses add to the motion of each body.
template <int D>
std::vector<RigidVector<D>> pushes_by(const Grid<D>& grid, const std::vector<BodyInput<D>>& bodies,
                                      const std::vector<RigidVector<D>>& impulses);

// (R5) J of each body, added up over each component of the fluid: per body and component.
template <int D, class T>
std::vector<std::vector<MoverMoments<D>>> moments_of_components(const Exec& exec,
                                                                const ProjectionInput<D, T>& input,
                                                                View<D, const std::int32_t> of_cell,
                                                                std::size_t components);

// (R5) Which bodies pressures move, and which move together.
template <int D>
class PushedBodies {
 public:
  PushedBodies(const Grid<D>& grid, const std::vector<BodyInput<D>>& bodies);
  // The group of a body: the smallest number among those linked to it.
  std::int32_t group(std::size_t body) const { return group_[body]; }
  // How pressures with these moments, one entry per body, push it, as far as it can move: of its faces'
  // areas.
  RigidVector<D> push(std::size_t body, const std::vector<MoverMoments<D>>& moments) const;

 private:
  const Grid<D>& grid_;
  const std::vector<BodyInput<D>>& bodies_;
  std::vector<double> area_;
  std::vector<std::int32_t> group_;
};

}  // namespace glug
