#include "simulation/tap_stage.h"

#include <algorithm>
#include <cmath>

#include "geometry/solid_extension.h"
#include "particles/drive.h"
#include "simulation/solids.h"
#include "simulation/surface_stage.h"

namespace glug {
namespace {

Tap tap_of(const TapSetup& setup) {
  return {{ShapeSdf(setup.shape), setup.motion, pose_at(setup.motion, 0)}, setup.hours, setup.velocity};
}

// Cells of the domain that the shape's box reaches at a time.
template <int D>
Range<D> cells_near(const Grid<D>& grid, const Tap& tap, double time) {
  const WorldBox box = box_of(tap, time);
  Range<D> cells{};
  for (int a = 0; a < D; ++a) {
    const double low = std::clamp(box.low[a] / grid.h, -1.0, grid.cells[a] + 1.0);
    const double high = std::clamp(box.high[a] / grid.h, -1.0, grid.cells[a] + 1.0);
    cells.lo[a] = static_cast<int>(std::floor(low));
    cells.hi[a] = static_cast<int>(std::ceil(high));
  }
  cells = intersection(cells, grid.cell_range());
  for (int a = 0; a < D; ++a)
    if (cells.hi[a] <= cells.lo[a]) return {};
  return cells;
}

// The shape's box in its own frame, no farther than the domain reaches there.
template <int D>
WorldBox own_box(const Grid<D>& grid, const Tap& tap, const Pose& pose) {
  WorldBox domain{Vec3::filled(HUGE_VAL), Vec3::filled(-HUGE_VAL)};
  visit(Range<D>{Index<D>{}, Index<D>::filled(2)}, [&](const Index<D>& corner) {
    Vec<D, double> x{};
    for (int a = 0; a < D; ++a) x[a] = corner[a] * grid.cells[a] * grid.h;
    const Vec3 own = pose.to_body(embed<D>(x));
    for (int a = 0; a < D; ++a) {
      domain.low[a] = std::min(domain.low[a], own[a]);
      domain.high[a] = std::max(domain.high[a], own[a]);
    }
  });
  WorldBox box{tap.body.shape.low(), tap.body.shape.high()};
  for (int a = 0; a < D; ++a) {
    box.low[a] = std::clamp(box.low[a], domain.low[a], domain.high[a]);
    box.high[a] = std::clamp(box.high[a], domain.low[a], domain.high[a]);
  }
  return box;
}

template <int D>
TapStep<D> step_of(const State<D>& state, const Tap& tap, double from, double to) {
  TapStep<D> step;
  step.grid = state.setup.grid;
  step.solid = state.solid.read();
  step.known = state.active.view();
  step.phi = state.phi.read();
  step.per_axis = static_cast<int>(std::lround(std::pow(particles_per_cell<D>(state.setup.liquid), 1.0 / D)));
  step.cells = cells_near(state.setup.grid, tap, to);
  step.was_open = tap.hours.opening(from) > 0;
  step.now = view_of(tap, D, to);
  const WorldBox own = own_box(state.setup.grid, tap, step.now.pose);
  step.low = own.low;
  step.high = own.high;
  step.velocity = tap.velocity;
  // The lattice repeats: its points are numbered by ints.
  const double period = 0x1p20 * step.grid.h;
  for (int a = 0; a < D; ++a) step.way[a] = std::fmod(tap.velocity[a] * to, period);
  step.dt = to - from;
  return step;
}

// Solids must be known wherever something comes in, also where no liquid is yet.
template <int D>
void know_solids(const Exec& exec, const Range<D>& cells, State<D>& state) {
  if (cells.size() == 0) return;
  Blocks<D> blocks(state.setup.grid);
  const BlocksView<D> v = blocks.view();
  std::vector<std::uint8_t> flags(static_cast<std::size_t>(blocks.total()), 0);
  visit(Range<D>{v.block_of(cells.lo), v.block_of(cells.hi - Index<D>::filled(1)) + Index<D>::filled(1)},
        [&](const Index<D>& b) { flags[static_cast<std::size_t>(v.linear(b))] = 1; });
  blocks.assign(flags);
  update_solids(exec, blocks.view(), state);
}

// J that it takes to bring what came in into liquid, which has a pressure. What had no room, what a stream
// brings, which leaves room behind it, and what came into a bubble, is counted where that makes room.
template <int D>
double against_pressure(const State<D>& state, const std::vector<CellFlow<D>>& flows) {
  if (!state.bubbles.known) return 0;
  const View<D, const std::int32_t> of = state.bubbles.regions.of_cell.read();
  const std::int32_t bubbles = static_cast<std::int32_t>(state.bubbles.list.size());
  double work = 0;
  for (const CellFlow<D>& flow : flows)
    if (of(flow.cell) >= bubbles)
      work += state.pressure.cells(flow.cell) * (flow.particles - flow.pushed - flow.streamed) *
              state.particle_volume;
  return work;
}

// A cell, two away at most, of the largest bubble there that keeps its volume; false if there is none.
template <int D>
bool find_bubble(const State<D>& state, const Index<D>& near, Index<D>& found) {
  const View<D, const std::int32_t> of = state.bubbles.regions.of_cell.read();
  double largest = 0;
  visit(intersection(Range<D>{near, near + Index<D>::filled(1)}.grown(2), state.setup.grid.cell_range()),
        [&](const Index<D>& i) {
          if (state.labels.of_cell(i) != Cell::air || of(i) < 0) return;
          const Bubble<D>& bubble = state.bubbles.list[static_cast<std::size_t>(of(i))];
          if (bubble.unknown < 0 || !(bubble.volume > largest)) return;
          largest = bubble.volume;
          found = i;
        });
  return largest > 0;
}

// Air that keeps its volume does not give way by itself: what comes into a bubble it lets out, over all of
// its surface. By what it lacks alone where a shape was filled: air that was free when that happened has
// given way already, and what is left of it begins with the volume it has (B4).
template <int D>
class DisplacedAir {
 public:
  struct OfBubble {
    std::size_t bubble = 0;
    Index<D> cell{};                  // one of its
    double streamed = 0, filled = 0;  // m^D
  };

  explicit DisplacedAir(const State<D>& state) : state_(&state) {}

  // m^D, by a stream in the coming step and by filling in the one that was made.
  void displace(const Index<D>& near, double streamed, double filled) {
    Index<D> cell{};
    if (state_->setup.air.model != AirModel::constraint || !(streamed + filled > 0) ||
        !find_bubble(*state_, near, cell))
      return;
    const auto bubble = static_cast<std::size_t>(state_->bubbles.regions.of_cell(cell));
    auto at = std::find_if(list_.begin(), list_.end(), [&](const OfBubble& b) { return b.bubble == bubble; });
    if (at == list_.end()) at = list_.insert(at, {bubble, cell});
    at->streamed += streamed;
    at->filled += filled;
  }

  const std::vector<OfBubble>& list() const { return list_; }

  // m^D that the bubble lets out: no more than a correction would move its surface by (B6).
  double volume(const OfBubble& from) const {
    const Bubble<D>& b = state_->bubbles.list[from.bubble];
    const double lacks = std::max(0.0, b.rest_volume - b.volume);
    return std::min(from.streamed + std::min(from.filled, lacks),
                    0.25 * b.area * state_->setup.grid.cell_volume());
  }

 private:
  const State<D>* state_;
  std::vector<OfBubble> list_;
};

// The first cell of the domain downstream whose centre lies in no solid, two cells away at most; false unless
// it is liquid.
template <int D>
bool find_liquid(const State<D>& state, const TapStep<D>& step, Index<D>& cell) {
  const Vec3 along = step.now.pose.world_from_body * step.now.along * step.grid.h;
  Vec3 x = embed<D>(step.grid.cell_center(cell));
  for (int k = 0; k < 5; ++k, x += 0.5 * along) {
    for (int a = 0; a < D; ++a) cell[a] = static_cast<int>(std::floor(x[a] / step.grid.h));
    if (!step.grid.cell_range().contains(cell)) return false;
    if (!solid_centred<D, float>(step.solid, cell)) return state.labels.of_cell(cell) == Cell::liquid;
  }
  return false;
}

}  // namespace

template <int D>
void make_taps(State<D>& state) {
  for (const TapSetup& s : state.setup.emitters) state.emitters.push_back(tap_of(s));
  for (const TapSetup& s : state.setup.drains) state.drains.push_back(tap_of(s));
  if (!state.emitters.empty()) state.source = Field<D, float>(state.setup.grid.cell_range());
}

template <int D>
void let_through(const Exec& exec, State<D>& state, double dt) {
  state.flows.clear();
  const double from = state.time, to = state.time + dt;
  const Setup<D>& s = state.setup;
  for (const Tap& drain : state.drains)
    let_out(exec, step_of(state, drain, from, to), state.particles, state.flows);
  for (const Tap& emitter : state.emitters) {
    const TapStep<D> step = step_of(state, emitter, from, to);
    if (!step.now.open) continue;
    know_solids(exec, step.cells, state);
    std::vector<CellFlow<D>> flows;
    const LetIn in = let_in(exec, step, state.particles, flows);
    const double volume = static_cast<double>(in.particles) * state.particle_volume;
    state.target_volume += volume;
    state.ledger.inflow += volume;
    const Vec<D, double> lowest = s.grid.lowest_corner(s.gravity);
    double lifted = 0;  // sum of -g . x
    for (int a = 0; a < D; ++a)
      lifted -= s.gravity[a] * (in.place[a] - lowest[a] * static_cast<double>(in.particles));
    state.ledger.solid_work += s.liquid.density * state.particle_volume * (in.kinetic + lifted);
    state.ledger.solid_work += against_pressure(state, flows);
    state.flows.insert(state.flows.end(), flows.begin(), flows.end());
  }
}

template <int D>
double drive_streams(const Exec& exec, State<D>& state, double moved, double seconds) {
  std::vector<TapStep<D>> steps;
  for (const Tap& emitter : state.emitters)
    steps.push_back(step_of(state, emitter, state.time - moved, state.time));
  const Kicked<D> kicked{state.velocity.view(), state.velocity_before.read(),
                         (state.setup.gravity * seconds).template as<float>()};
  const Driven driven = drive(exec, steps, spray_cells(state), kicked, state.particles);
  const double mass = state.setup.liquid.density * state.particle_volume;
  state.ledger.solid_work += mass * driven.at_once;
  return mass * driven.by_kick;
}

template <int D>
HeldStreams<D>::HeldStreams(const Exec& exec, const State<D>& state, MacView<D, const float> velocity) {
  for (const Tap& emitter : state.emitters) steps_.push_back(step_of(state, emitter, state.time, state.time));
  kept_ = faces_near(exec, steps_, velocity);
}

template <int D>
void HeldStreams<D>::hold(const Exec& exec, State<D>& state, MacView<D, float> velocity) const {
  state.ledger.solid_work += state.setup.liquid.density * state.particle_volume *
                             give_back(exec, steps_, kept_, velocity, state.particles);
}

template <int D>
double work_against_tension(const State<D>& state) {
  const Setup<D>& s = state.setup;
  if (!(s.liquid.surface_tension > 0) || s.has_gas()) return 0;
  constexpr double near_surface = 1.5;  // cells
  const CurvatureView<D> curvature = state.curvature.view();
  double work = 0;
  for (const CellFlow<D>& flow : state.flows) {
    if (flow.particles <= flow.pushed || static_cast<double>(state.phi(flow.cell)) < -near_surface * s.grid.h)
      continue;
    Index<D> bubble{};
    if (s.has_bubbles() && find_bubble(state, flow.cell, bubble)) continue;
    work += curvature.at(s.grid.cell_center(flow.cell)) * (flow.particles - flow.pushed);
  }
  return s.liquid.surface_tension * state.particle_volume * work;
}

template <int D>
bool update_sources(const Exec& exec, State<D>& state, double moved, double seconds) {
  for (const Index<D>& cell : state.source_cells) state.source(cell) = 0;
  state.source_cells.clear();
  const double face_area = state.setup.grid.face_area();
  const auto make_room = [&](const Index<D>& cell, double rate) {
    if (state.source(cell) == 0) state.source_cells.push_back(cell);
    state.source(cell) += static_cast<float>(rate / face_area);
  };
  DisplacedAir<D> air(state);
  for (const Tap& emitter : state.emitters) {
    const TapStep<D> step = step_of(state, emitter, state.time - moved, state.time);
    for (const RoomRate<D>& begins : stream_rates(exec, step)) {
      Index<D> cell = begins.cell;
      if (begins.rate > 0 && find_liquid(state, step, cell)) make_room(cell, begins.rate);
      air.displace(begins.cell, begins.free_rate * seconds, 0);
    }
  }
  for (const CellFlow<D>& flow : state.flows)
    air.displace(flow.cell, 0, (flow.particles - flow.pushed - flow.streamed) * state.particle_volume);
  for (const auto& from : air.list()) make_room(from.cell, air.volume(from) / seconds);
  return !state.source_cells.empty();
}

template <int D>
std::vector<Index<D>> drain_cells(const State<D>& state) {
  std::vector<Index<D>> cells;
  for (const Tap& drain : state.drains) {
    const TapView view = view_of(drain, D, state.time);
    if (!view.open) continue;
    visit(cells_near(state.setup.grid, drain, state.time), [&](const Index<D>& i) {
      if (view.holds(embed<D>(state.setup.grid.cell_center(i)))) cells.push_back(i);
    });
  }
  return cells;
}

template <int D>
std::vector<Index<D>> fed_cells(const State<D>& state) {
  std::vector<Index<D>> cells;
  for (const Tap& emitter : state.emitters) {
    const Grid<D>& grid = state.setup.grid;
    const TapView view = view_of(emitter, D, state.time);
    const Range<D> near = cells_near(grid, emitter, state.time);
    if (!(norm(emitter.velocity) > 0) || near.size() == 0) continue;
    visit(intersection(near.grown(1), grid.cell_range()), [&](const Index<D>& i) {
      const Vec3 own = view.pose.to_body(embed<D>(grid.cell_center(i)));
      if (view.holds_own(own) || view.may_begin_near(own, grid.h)) cells.push_back(i);
    });
  }
  return cells;
}

template <int D>
std::vector<Range<D>> cells_of_taps(const State<D>& state, double time) {
  std::vector<Range<D>> cells;
  for (const std::vector<Tap>* taps : {&state.emitters, &state.drains})
    for (const Tap& tap : *taps)
      if (const Range<D> near = cells_near(state.setup.grid, tap, time); near.size() > 0)
        cells.push_back(near);
  return cells;
}

template <int D>
bool more_to_come(const State<D>& state) {
  for (const Tap& emitter : state.emitters)
    if (state.time < emitter.hours.stop) return true;
  return false;
}

#define GLUG_INSTANTIATE(D)                                                 \
  template void make_taps<D>(State<D>&);                                    \
  template void let_through<D>(const Exec&, State<D>&, double);             \
  template double drive_streams<D>(const Exec&, State<D>&, double, double); \
  template class HeldStreams<D>;                                            \
  template double work_against_tension<D>(const State<D>&);                 \
  template bool update_sources<D>(const Exec&, State<D>&, double, double);  \
  template std::vector<Index<D>> drain_cells<D>(const State<D>&);           \
  template std::vector<Index<D>> fed_cells<D>(const State<D>&);             \
  template std::vector<Range<D>> cells_of_taps<D>(const State<D>&, double); \
  template bool more_to_come<D>(const State<D>&);
GLUG_INSTANTIATE(2)
GLUG_INSTANTIATE(3)
#undef GLUG_INSTANTIATE

}  // namespace glug
