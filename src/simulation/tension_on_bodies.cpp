#include "simulation/tension_on_bodies.h"

#include <cmath>
#include <numbers>

#include "bodies/rigid_motion.h"
#include "core/for_each.h"
#include "projection/rigid_bodies.h"

namespace glug {
namespace {

// (C8) The stress in the surface, of the smoothed phi that (C4) measures.
template <int D>
struct SurfaceStress {
  CurvatureView<D> surface;
  double sigma = 0;  // N/m

  // Its pull on a face across `axis` in the middle of a cell, N/m^(D-1).
  Vec<D, double> across(int axis, const Index<D>& i) const {
    Vec<D, double> pull{};
    const Range<D> cells = surface.grid.cell_range();
    const auto value = [&](const Index<D>& j) {
      return static_cast<double>(surface.value(cells.clamped(j)));
    };
    if (!cells.contains(i) || surface.near.slot_of_cell(i) < 0) return pull;
    const double h = surface.grid.h, wide = 3 * h, d = value(i);
    if (std::abs(d) >= wide) return pull;
    Vec<D, double> slope{};
    for (int a = 0; a < D; ++a) {
      const Index<D> low = cells.clamped(i - Index<D>::unit(a)), high = cells.clamped(i + Index<D>::unit(a));
      if (surface.near.slot_of_cell(low) < 0 || surface.near.slot_of_cell(high) < 0) return pull;
      slope[a] = (value(high) - value(low)) / (2 * h);
    }
    const double steep = norm(slope);
    if (!(steep > 0)) return pull;
    const double delta = steep * (1 + std::cos(std::numbers::pi * d / wide)) / (2 * wide);
    for (int a = 0; a < D; ++a)
      pull[a] = sigma * delta * ((a == axis ? 1.0 : 0.0) - slope[a] * slope[axis] / (steep * steep));
    return pull;
  }
};

}  // namespace

template <int D>
void pull_by_tension(const Exec& exec, State<D>& state, double seconds) {
  const Setup<D>& s = state.setup;
  if (!(s.liquid.surface_tension > 0) || state.bodies.empty()) return;
  const SurfaceStress<D> stress{state.curvature.view(), s.liquid.surface_tension};
  if (!stress.surface.kappa.data) return;
  std::vector<SolidBody*> free;
  for (SolidBody& body : state.solids)
    if (body.is_free()) free.push_back(&body);
  for_each_task(exec, static_cast<std::ptrdiff_t>(free.size()), [&](std::ptrdiff_t n) {
    SolidBody& body = *free[static_cast<std::size_t>(n)];
    const Vec3 centre = body.centre();
    RigidMotion sum = RigidMotion::Zero();  // N, and N m
    // Through a face within the body as much goes in as out.
    for (const ClosedFace<D>& f : state.bodies[static_cast<std::size_t>(n)].faces)
      for (int high = 0; high < 2; ++high) {
        const Index<D> i = high ? f.face : f.face - Index<D>::unit(f.axis);
        const double part = (high ? f.share : -f.share) * s.grid.face_area();
        const Vec3 pull = embed<D>(stress.across(f.axis, i) * part);
        sum += rigid_row(embed<D>(s.grid.cell_center(i)) - centre, pull);
      }
    set_motion(motion_of(body) + moving_body(body, D).yield * sum * seconds, body);
  });
}

#define GLUG_INSTANTIATE(D) template void pull_by_tension<D>(const Exec&, State<D>&, double);
GLUG_INSTANTIATE(2)
GLUG_INSTANTIATE(3)
#undef GLUG_INSTANTIATE

}  // namespace glug
