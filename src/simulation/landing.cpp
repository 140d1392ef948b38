#include "simulation/landing.h"

#include <algorithm>
#include <cmath>

#include "core/reduce.h"
#include "particles/collide.h"
#include "regions/labels.h"

namespace glug {
namespace {

// A substep is halved at most so often: CFL lets liquid pass a cell, contact begins at a quarter of one.
inline constexpr int most_halvings = 2;

// Particles that run into walls in the substep, in half of it, and in a quarter.
struct Landing {
  std::int64_t count[most_halvings + 1] = {};
};
struct AddLanding {
  GLUG_FN Landing operator()(Landing a, const Landing& b) const {
    for (int k = 0; k <= most_halvings; ++k) a.count[k] += b.count[k];
    return a;
  }
};

// So many may be stopped by walls: a cell's worth, and one in 100.
template <int D>
std::int64_t few_landing(const State<D>& state) {
  return particles_per_cell<D>(state.setup.liquid) + state.particles.count / 100;
}

// Cells: the way that the pressure sees a wall ahead (S8), and how far behind the foremost particles others
// would be packed with them.
inline constexpr double unseen_way = 0.25, follows = 0.5;
// CFL lets particles pass one cell.
inline constexpr float farthest = 1 + 1.7321f;

// The cell that a particle comes to a wall in, the wall being so many cells away.
template <int D>
GLUG_INLINE Index<D> foot_of(const Grid<D>& grid, const Index<D>& cell, const Vec<D, float>& offset,
                             const Vec<D, float>& slope, double distance) {
  Index<D> foot = cell;
  for (int a = 0; a < D; ++a)
    foot[a] +=
        static_cast<int>(std::floor(offset[a] - slope[a] * (static_cast<float>(distance) - collision_gap)));
  return grid.cell_range().clamped(foot);
}

// Whether the pressure holds liquid there.
template <int D>
GLUG_INLINE bool holds_liquid(const Grid<D>& grid, const BlocksView<D>& known,
                              const View<D, const float>& phi, const Index<D>& cell) {
  return known.slot_of_cell(cell) >= 0 && phi(cell) < static_cast<float>(-least_depth * grid.h);
}

}  // namespace

template <int D>
double landing_dt(const Exec& exec, const State<D>& state, double made, double wanted) {
  const Setup<D>& s = state.setup;
  if (state.particles.count == 0 || s.has_gas()) return wanted;
  const Grid<D> grid = s.grid;
  const BlocksView<D> occupied = state.particles.occupied.view();
  const std::uint32_t* cell_begin = state.particles.cell_begin.data();
  const ParticleViewOf<D, const float> p = state.particles.arrays.view();
  const View<D, const float> solid = state.solid.read();
  const View<D, const float> phi = state.phi.read();
  const BlocksView<D> known = state.active.view();
  const View<D, const std::uint8_t> thickness = state.thickness.read();
  const bool moving = state.solids_move() && state.solid_interval > 0;
  const MacView<D, const float> solid_velocity =
      moving ? state.solid_velocity.read() : MacView<D, const float>{};
  const Vec<D, double> gravity = s.gravity;
  const float per_cell = static_cast<float>(1 / grid.h);
  const Landing landing = reduce_blocks(exec, occupied, Landing{}, AddLanding{}, [=](std::int32_t slot) {
    Landing found;
    const Index<D> lo = occupied.indices(slot).lo;
    const std::uint32_t* begin = cell_begin + static_cast<std::size_t>(slot) * block_volume<D>;
    for (int c = 0; c < block_volume<D>; ++c) {
      if (begin[c] == begin[c + 1]) continue;
      const Index<D> cell = cell_of_number<D>(c, lo);
      // Particles measure what is thin (S4). Distance has slope 1, and a cell's corner is within sqrt(3) / 2
      // of its centre.
      if (solid(cell) * per_cell > farthest || thickness(cell) != bulk_liquid) continue;
      for (std::uint32_t i = begin[c]; i < begin[c + 1]; ++i) {
        Vec<D, float> offset{};
        Vec<D, double> v{};  // as the solids see it
        double most = 0;     // m: it comes no nearer in the whole substep, since no slope exceeds 1
        for (int a = 0; a < D; ++a) {
          offset[a] = p.offset[a][i];
          v[a] = static_cast<double>(p.velocity[a][i]);
          if (moving)
            v[a] -= 0.5 * static_cast<double>(solid_velocity[a](cell) +
                                              solid_velocity[a](cell + Index<D>::unit(a)));
          most += (std::abs(v[a]) + 0.5 * std::abs(gravity[a]) * (made + wanted)) * wanted;
        }
        if (most < unseen_way * grid.h) continue;
        const double distance = static_cast<double>(solid_distance_in<D>(solid, per_cell, cell, offset));
        const double way = std::max(unseen_way, distance - follows) * grid.h;
        if (most < way) continue;
        const Vec<D, float> slope = solid_gradient_at<D>(solid, per_cell, cell, offset);
        if (holds_liquid(grid, known, phi, foot_of(grid, cell, offset, slope, distance))) continue;
        double nearing = 0, pulled = 0;  // m/s, m/s^2 towards the wall
        for (int a = 0; a < D; ++a) {
          nearing -= v[a] * static_cast<double>(slope[a]);
          pulled -= gravity[a] * static_cast<double>(slope[a]);
        }
        double dt = wanted;
        for (int k = 0; k <= most_halvings; ++k, dt *= 0.5)
          found.count[k] += (nearing + 0.5 * pulled * (made + dt)) * dt > way ? 1 : 0;
      }
    }
    return found;
  });
  const std::int64_t few = few_landing(state);
  for (int k = 0; k < most_halvings; ++k, wanted *= 0.5)
    if (landing.count[k] <= few) return wanted;
  return wanted;
}

template double landing_dt<2>(const Exec&, const State<2>&, double, double);
template double landing_dt<3>(const Exec&, const State<3>&, double, double);

}  // namespace glug
