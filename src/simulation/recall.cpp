#include "simulation/recall.h"

#include <fmt/format.h>

#include <cmath>

#include "core/error.h"
#include "core/reduce.h"
#include "particles/sort.h"
#include "simulation/beyond_liquid.h"
#include "simulation/solids.h"
#include "simulation/surface_stage.h"
#include "simulation/transfer_stage.h"

namespace glug {
namespace {

constexpr double slack = 1e-3;  // cells: positions in metres are rounded

// Cell and offset of a position in cells.
template <int D>
struct Place {
  Index<D> cell{};
  Vec<D, float> offset{};
  bool inside = true;
};
template <int D>
GLUG_INLINE Place<D> place_of(const Grid<D>& grid, const Vec<D, float>& x) {
  Place<D> p;
  for (int a = 0; a < D; ++a) {
    const double cells = static_cast<double>(x[a]) / grid.h;
    p.inside = p.inside && cells >= -slack && cells <= grid.cells[a] + slack;
    if (!p.inside) return p;
    p.cell[a] = clamp(static_cast<int>(std::floor(cells)), 0, grid.cells[a] - 1);
    p.offset[a] = clamp(static_cast<float>(cells - p.cell[a]), 0.0f, 1 - 0x1p-24f);
  }
  return p;
}

}  // namespace

template <int D>
void recall_frame(const Exec& exec, int frame, const KnownParticles<D>& known, State<D>& state) {
  const Setup<D>& s = state.setup;
  const Grid<D> grid = s.grid;
  const auto count = static_cast<std::int64_t>(known.positions.size());
  const Vec<D, float>*x = known.positions.data(), *v = known.velocities.data();
  const std::uint32_t* ids = known.ids.data();
  const std::int64_t outside = reduce(exec, count, std::int64_t{0}, Plus{}, [=](std::ptrdiff_t n) {
    return std::int64_t{place_of<D>(grid, x[n]).inside ? 0 : 1};
  });
  if (s.liquid.narrow_band > 0)
    throw InputError(
        "with liquid.narrow_band deep liquid has no particles, which alone cannot tell it from air: frames "
        "need a checkpoint (output.checkpoint_every), or output.surface while the scene runs");
  if (outside > 0)
    throw InputError(
        fmt::format("{} of {} particles lie outside the domain: they are of another scene", outside, count));

  state.frame = frame;
  state.time = frame / s.time.fps;
  move_solids(state, state.time);
  Particles<D>& particles = state.particles;
  particles.arrays = ParticleArrays<D>(std::max<std::int64_t>(count, 1), false);
  particles.spare = ParticleArrays<D>();
  particles.key = Buffer<std::uint32_t>(static_cast<std::size_t>(std::max<std::int64_t>(count, 1)));
  particles.count = count;
  const ParticleViewOf<D, float> p = particles.arrays.view();
  std::uint32_t *id = particles.arrays.id.data(), *key = particles.key.data();
  const BlocksView<D> blocks = particles.occupied.view();
  for_each(exec, count, [=](std::ptrdiff_t n) {
    const Place<D> place = place_of<D>(grid, x[n]);
    for (int a = 0; a < D; ++a) {
      p.offset[a][n] = place.offset[a];
      p.velocity[a][n] = v[n][a];
    }
    id[n] = ids[n];
    key[n] = key_of_cell(blocks, place.cell);
  });
  sort_particles<D>(exec, grid, nullptr, particles);
  if (!s.has_gas()) state.active = particles.occupied.dilated(1);
  update_solids(exec, state.active.view(), state);
  update_surface(exec, state);
  transfer_to_grid(exec, state, 0, 0);
  extend_transferred(exec, state, state.velocity.view(), state.layer.view());
}

template void recall_frame<2>(const Exec&, int, const KnownParticles<2>&, State<2>&);
template void recall_frame<3>(const Exec&, int, const KnownParticles<3>&, State<3>&);

}  // namespace glug
