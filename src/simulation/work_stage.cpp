#include "simulation/work_stage.h"

#include <algorithm>

#include "core/for_each.h"
#include "simulation/pressure_stage.h"
#include "simulation/stream_stage.h"

namespace glug {
namespace {

// Velocity of solids in the step just made less that in the coming one; of free bodies 0.
template <int D>
MacField<D, float> lost_velocity(const Exec& exec, const State<D>& state, double moved) {
  const Grid<D>& grid = state.setup.grid;
  MacField<D, float> lost(grid);
  std::vector<std::uint8_t> known(state.solid_known.size(), 0);
  for (std::int32_t id : state.swept.ids()) {
    const std::size_t at = static_cast<std::size_t>(id);
    known[at] = state.solid_known[at] != SolidKnown::nothing;
  }
  Blocks<D> blocks(grid);
  blocks.assign(known);
  const std::vector<SolidInstance> solids = instances_of(state.solids, -moved);
  solid_velocity<D>(exec, grid, blocks.view(), solids.data(), static_cast<int>(solids.size()),
                    state.open.read(), lost.view(), -moved);
  for (int a = 0; a < D; ++a) {
    const View<D, float> u = lost[a].view();
    const View<D, const float> coming = state.solid_velocity[a].read();
    for_each_cell(exec, blocks.view(), grid.face_range(a), [=](const Index<D>& i) { u(i) -= coming(i); });
  }
  return lost;
}

// Where the motion of a solid is prescribed.
bool is_driven(const SolidBody& body) { return body.moves() && !body.is_free(); }

}  // namespace

template <int D>
double work_at_former_speed(const Exec& exec, double moved, double seconds, State<D>& state) {
  if (uses_stream(state)) return 0;  // it knows no pressure
  if (state.swept.count() == 0 || !std::any_of(state.solids.begin(), state.solids.end(), is_driven)) return 0;
  const ProjectionInput<D, float> in = projection_input(state, seconds);
  const MacField<D, float> lost = lost_velocity(exec, state, moved);
  ProjectionInput<D, float> differing = in;
  differing.solid_velocity = lost.read();
  differing.target = {};
  differing.target_count = 0;
  find_swept_fluxes(exec, differing, state.system);
  const double work = solid_work(exec, differing, state.system, state.pressure);
  find_swept_fluxes(exec, in, state.system);
  return work;
}

#define GLUG_INSTANTIATE(D) template double work_at_former_speed<D>(const Exec&, double, double, State<D>&);
GLUG_INSTANTIATE(2)
GLUG_INSTANTIATE(3)
#undef GLUG_INSTANTIATE

}  // namespace glug
