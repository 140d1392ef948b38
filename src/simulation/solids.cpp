#include "simulation/solids.h"

#include <cmath>

#include "geometry/face_fractions.h"
#include "geometry/volume.h"

namespace glug {
namespace {

// Distances are resolved one block diagonal away from a solid, so that far a moving one changes them.
template <int D>
void forget_near(const SolidBody& body, State<D>& state) {
  const WorldBox box = world_box(body);
  const Grid<D>& grid = state.setup.grid;
  const double margin = far_solid_distance(grid) + 2 * grid.h;
  const double edge = block_edge<D> * grid.h;
  const BlocksView<D> blocks = state.active.view();
  Range<D> reach;
  for (int a = 0; a < D; ++a) {
    const double last = blocks.blocks[a];
    reach.lo[a] = static_cast<int>(std::clamp(std::floor((box.low[a] - margin) / edge), 0.0, last));
    reach.hi[a] = static_cast<int>(std::clamp(std::floor((box.high[a] + margin) / edge) + 1, 0.0, last));
  }
  visit(reach, [&](const Index<D>& b) { state.solid_known[blocks.linear(b)] = 0; });
}

}  // namespace

template <int D>
void move_solids(State<D>& state, double time) {
  for (SolidBody& body : state.solids) {
    if (!body.motion.moves()) continue;
    forget_near(body, state);
    body.pose = pose_at(body.motion, time);
    forget_near(body, state);
  }
}

template <int D>
void update_solids(const Exec& exec, const BlocksView<D>& blocks, State<D>& state) {
  std::vector<std::uint8_t> flags(state.solid_known.size(), 0);
  for (std::int32_t slot = 0; slot < blocks.count; ++slot)
    flags[blocks.ids[slot]] = state.solid_known[blocks.ids[slot]] ? 0 : 1;
  Blocks<D> stale(state.setup.grid);
  stale.assign(flags);
  if (stale.count() == 0) return;
  const Setup<D>& s = state.setup;
  const std::vector<SolidInstance> solids = instances_of(state.solids);
  const int count = static_cast<int>(solids.size());
  solid_distance(exec, stale.view(), s.grid, s.sides, solids.data(), count, state.solid.view());
  face_fractions<D, float>(exec, stale.view(), s.grid, s.sides, state.solid.read(), state.open.view());
  if (state.solids_move())
    solid_velocity<D>(exec, s.grid, stale.view(), solids.data(), count, state.open.read(),
                      state.solid_velocity.view());
  if (state.open_part.range().size() > 0)
    open_fractions<D>(exec, stale.view(), s.grid, state.solid.read(), state.open_part.view());
  for (std::int32_t id : stale.ids()) state.solid_known[id] = 1;
}

#define GLUG_INSTANTIATE(D)                        \
  template void move_solids<D>(State<D>&, double); \
  template void update_solids<D>(const Exec&, const BlocksView<D>&, State<D>&);
GLUG_INSTANTIATE(2)
GLUG_INSTANTIATE(3)

}  // namespace glug
