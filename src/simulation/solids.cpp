#include "simulation/solids.h"

#include <algorithm>
#include <cmath>

#include "bodies/given_impulses.h"
#include "geometry/face_fractions.h"
#include "geometry/volume.h"
#include "simulation/rigid_stage.h"
#include "simulation/slits.h"
#include "simulation/stream_stage.h"

namespace glug {
template <int D>
Range<D> blocks_near(const Grid<D>& grid, const SolidBody& body, double margin) {
  const WorldBox box = world_box(body);
  const double edge = block_edge<D> * grid.h;
  Range<D> reach;
  for (int a = 0; a < D; ++a) {
    const double last = (grid.cells[a] + block_edge<D>) / block_edge<D>;
    reach.lo[a] = static_cast<int>(std::clamp(std::floor((box.low[a] - margin) / edge), 0.0, last));
    reach.hi[a] = static_cast<int>(std::clamp(std::floor((box.high[a] + margin) / edge) + 1, 0.0, last));
  }
  return reach;
}

namespace {

// Two cells away from a body nothing but the distance changes; that is resolved as far as one block diagonal.
template <int D>
void forget_near(const SolidBody& body, std::vector<std::uint8_t>& swept, State<D>& state) {
  const Grid<D>& grid = state.setup.grid;
  const BlocksView<D> blocks = state.active.view();
  visit(blocks_near(grid, body, far_solid_distance(grid) + 2 * grid.h), [&](const Index<D>& b) {
    SolidKnown& known = state.solid_known[static_cast<std::size_t>(blocks.linear(b))];
    known = std::min(known, SolidKnown::openings);
  });
  visit(blocks_near(grid, body, 2 * grid.h), [&](const Index<D>& b) {
    const std::size_t id = static_cast<std::size_t>(blocks.linear(b));
    state.solid_known[id] = SolidKnown::nothing;
    swept[id] = 1;
  });
}

std::vector<RigidMotion> motions_of(const std::vector<SolidBody>& solids) {
  std::vector<RigidMotion> motions;
  for (const SolidBody& body : solids) motions.push_back(motion_of(body));
  return motions;
}

// (R19) Work of driven solids by the contacts that changed motions from what they were `before`, J.
template <int D>
double work_of_meetings(const std::vector<RigidMotion>& before, double seconds, const State<D>& state) {
  std::vector<SolidBody> solids = state.solids;
  std::vector<RigidMotion> changes = motions_of(solids);
  bool any = false;
  for (std::size_t n = 0; n < solids.size(); ++n) {
    changes[n] -= before[n];
    any = any || changes[n] != RigidMotion::Zero();
    if (solids[n].is_free()) set_motion(before[n], solids[n]);
  }
  if (!any) return 0;
  std::vector<Contact> contacts = find_contacts(state.setup.grid, state.setup.sides, seconds, solids);
  std::vector<MovingBody> moving;
  for (const SolidBody& body : solids) {
    moving.push_back(moving_body(body, D));
    hold_by_hinge(body, moving.back());
  }
  for (Contact& c : contacts) {  // nothing is known of them yet
    c.pushed = 1;
    c.wedged = true;
  }
  (void)find_given_impulses(moving, changes, contacts);
  double work = 0;
  for (const Contact& c : contacts) {
    if (c.other < 0 || moving[static_cast<std::size_t>(c.other)].yields()) continue;
    work += dot(c.normal * c.pushed + c.rubbed, moving[static_cast<std::size_t>(c.other)].velocity_at(c.x));
  }
  return work;
}

}  // namespace

template <int D>
void move_solids(State<D>& state, double time) {
  close_slits(state);
  std::vector<std::uint8_t> swept(state.solid_known.size(), 0);
  double seconds = 0;
  for (const SolidBody& body : state.solids)
    if (body.is_free()) seconds = time - body.time;
  if (seconds > 0) {
    const std::vector<RigidMotion> before = motions_of(state.solids);
    resolve_contacts(state.setup.grid, state.setup.sides, embed<D>(state.setup.gravity), seconds,
                     state.solids);
    state.ledger.solid_work += work_of_meetings(before, seconds, state);
  }
  for (SolidBody& body : state.solids) {
    if (!body.moves()) continue;
    const bool was_free = body.is_free();
    Pose next = was_free ? pose_after(body, time - body.time) : pose_at(body.motion, time);
    body.time = time;
    if (body.is_free() && !was_free) {
      next = released_pose(body);
      SolidBody released = body;
      released.pose = next;  // what drove it gave it the energy that it is released with
      state.ledger.solid_work += energy_of(released, embed<D>(state.setup.gravity));
    }
    if (next == body.pose && is_at_rest(next)) continue;
    forget_near(body, swept, state);
    if (was_free)  // a force works as far as what it acts on moves
      state.ledger.solid_work +=
          dot(body.forces.at(state.time), next.to_world(body.unit_mass.centre) - body.centre());
    body.pose = next;
    forget_near(body, swept, state);
  }
  state.swept.assign(swept);
}

template <int D>
std::vector<Pose> poses_of(const State<D>& state) {
  std::vector<Pose> poses;
  for (const SolidBody& body : state.solids) poses.push_back(body.pose);
  return poses;
}

template <int D>
double farthest_move(const State<D>& state, const std::vector<Pose>& before) {
  Vec<D, double> domain{};
  for (int a = 0; a < D; ++a) domain[a] = state.setup.grid.cells[a] * state.setup.grid.h;
  double farthest = 0;
  for (std::size_t n = 0; n < before.size(); ++n)
    farthest = std::max(farthest, farthest_move(state.solids[n], before[n], embed<D>(domain), D));
  return farthest;
}

template <int D>
void update_solids(const Exec& exec, const BlocksView<D>& blocks, State<D>& state, SolidKnown wanted) {
  std::vector<std::uint8_t> flags(state.solid_known.size(), 0);
  for (std::int32_t slot = 0; slot < blocks.count; ++slot)
    flags[blocks.ids[slot]] = state.solid_known[blocks.ids[slot]] < wanted ? 1 : 0;
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
  for (std::int32_t id : stale.ids()) {
    state.solid_changed[id] |= state.solid_known[id] == SolidKnown::nothing;
    state.solid_known[id] = SolidKnown::all;
  }
}

template <int D>
void update_solid_velocity(const Exec& exec, State<D>& state, double interval) {
  if (!state.solids_move()) return;
  state.solid_interval = interval;
  const Grid<D>& grid = state.setup.grid;
  const std::vector<SolidInstance> solids = instances_of(state.solids, interval);
  std::vector<std::uint8_t> swept(state.solid_known.size(), 0), known(swept);
  for (std::int32_t id : state.swept.ids()) swept[static_cast<std::size_t>(id)] = 1;
  const BlocksView<D> blocks = state.active.view();
  for (std::size_t k = 0; k < solids.size(); ++k) {
    if (is_at_rest(solids[k].pose) && is_at_rest(state.solids[k].pose)) continue;
    visit(blocks_near(grid, state.solids[k], 2 * grid.h),
          [&](const Index<D>& b) { swept[static_cast<std::size_t>(blocks.linear(b))] = 1; });
  }
  state.swept.assign(swept);
  // Elsewhere the openings are not known, and with them all is found when they are needed.
  for (std::size_t id = 0; id < swept.size(); ++id)
    known[id] = swept[id] && state.solid_known[id] != SolidKnown::nothing;
  Blocks<D> ready(grid);
  ready.assign(known);
  solid_velocity<D>(exec, grid, ready.view(), solids.data(), static_cast<int>(solids.size()),
                    state.open.read(), state.solid_velocity.view());
}

template <int D>
void update_openings_everywhere(const Exec& exec, State<D>& state) {
  if (!state.setup.has_bubbles() && !uses_stream(state)) return;
  if (state.everywhere.count() == 0) state.everywhere = Blocks<D>::all(state.setup.grid);
  update_solids(exec, state.everywhere.view(), state, SolidKnown::openings);
}

#define GLUG_INSTANTIATE(D)                                                    \
  template Range<D> blocks_near<D>(const Grid<D>&, const SolidBody&, double);  \
  template void update_openings_everywhere<D>(const Exec&, State<D>&);         \
  template void move_solids<D>(State<D>&, double);                             \
  template std::vector<Pose> poses_of<D>(const State<D>&);                     \
  template double farthest_move<D>(const State<D>&, const std::vector<Pose>&); \
  template void update_solid_velocity<D>(const Exec&, State<D>&, double);      \
  template void update_solids<D>(const Exec&, const BlocksView<D>&, State<D>&, SolidKnown);
GLUG_INSTANTIATE(2)
GLUG_INSTANTIATE(3)
#undef GLUG_INSTANTIATE

}  // namespace glug
