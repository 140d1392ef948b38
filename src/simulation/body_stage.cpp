#include "simulation/body_stage.h"

#include <algorithm>
#include <cmath>

#include "regions/cell_pairs.h"
#include "simulation/surface_stage.h"

namespace glug {
namespace {

// The body of liquid a cell's particles belong to: its own, or beside an air cell a neighbour's; -1 = spray.
template <int D>
struct BodyOfParticles {
  View<D, const std::int32_t> of;
  MacView<D, const float> open;
  Range<D> cells;
  std::int32_t first;

  GLUG_INLINE std::int32_t operator()(const Index<D>& i) const {
    if (!cells.contains(i)) return -1;
    if (of(i) >= first) return of(i) - first;
    for (int a = 0; a < D; ++a) {
      const Index<D> low = i - Index<D>::unit(a), high = i + Index<D>::unit(a);
      if (cells.contains(low) && open[a](i) > 0 && of(low) >= first) return of(low) - first;
      if (cells.contains(high) && open[a](high) > 0 && of(high) >= first) return of(high) - first;
    }
    return -1;
  }
};

// Liquid of each body that its surface should show, in 1024ths of a particle: by the share that the surface
// measures (S4) as its particles say, by the rest as the surface itself does. That of spray, in no body, is
// left out.
template <int D>
std::vector<std::int64_t> particles_of_bodies(const Exec& exec, const State<D>& state) {
  constexpr std::int64_t unit = 1024;
  const View<D, const std::uint8_t> measured = state.measured.read();
  const View<D, const float> liquid = state.liquid_part.read();
  const double cells_to_units = unit * state.setup.grid.cell_volume() / state.particle_volume;
  const BlocksView<D> occupied = state.particles.occupied.view();
  const std::uint32_t* begin = state.particles.cell_begin.data();
  const Components<D>& regions = state.bubbles.regions;
  const std::int32_t first = static_cast<std::int32_t>(state.bubbles.list.size());
  const Range<D> cells = state.setup.grid.cell_range();
  const BodyOfParticles<D> body_of{regions.of_cell.read(), state.open.read(), cells, first};
  const std::vector<RegionPair> counts =
      join_lists<D, RegionPair>(exec, occupied, [=](std::int32_t slot, std::vector<RegionPair>& list) {
        const std::uint32_t* n = begin + static_cast<std::size_t>(slot) * block_volume<D>;
        const Index<D> lo = occupied.indices(slot).lo;
        for (int c = 0; c < block_volume<D>; ++c) {
          const Index<D> cell = cell_of_number<D>(c, lo);
          if (!cells.contains(cell) || (n[c] == n[c + 1] && !(liquid(cell) > 0))) continue;
          const std::int32_t body = body_of(cell);
          if (body < 0) continue;
          const std::int64_t held = unit * (n[c + 1] - n[c]), share = measured(cell);
          const std::int64_t seen =
              share == all_measured
                  ? 0
                  : static_cast<std::int64_t>(cells_to_units * static_cast<double>(liquid(cell)));
          add_pair(list, body, 0, (share * held + (all_measured - share) * seen) / all_measured);
        }
      });
  std::vector<std::int64_t> sums(state.bubbles.bodies.size(), 0);
  for (const RegionPair& p : counts) sums[static_cast<std::size_t>(p.first)] += p.count;
  if (state.deep.empty()) return sums;
  const BlocksView<D> deep = state.deep.blocks.view();
  const Range<D>* boxes = state.deep.boxes.data();
  const CellMark<D> is_deep = state.deep.cells();
  const View<D, const float> stock = state.deep.stock.read();
  const std::vector<RegionPair> stocks =
      join_lists<D, RegionPair>(exec, deep, [=](std::int32_t slot, std::vector<RegionPair>& list) {
        visit(boxes[slot], [&](const Index<D>& i) {
          const std::int32_t body = is_deep(i) ? body_of(i) : -1;
          if (body >= 0)
            add_pair(list, body, 0, static_cast<std::int64_t>(unit * static_cast<double>(stock(i))));
        });
      });
  for (const RegionPair& p : stocks) sums[static_cast<std::size_t>(p.first)] += p.count;
  return sums;
}

// What came into each body through emitters, and what drains took of it.
template <int D>
void add_flows(State<D>& state) {
  const std::int32_t first = static_cast<std::int32_t>(state.bubbles.list.size());
  const BodyOfParticles<D> body_of{state.bubbles.regions.of_cell.read(), state.open.read(),
                                   state.setup.grid.cell_range(), first};
  for (const CellFlow<D>& flow : state.flows) {
    const std::int32_t body = body_of(flow.cell);
    if (body >= 0)
      state.bubbles.bodies[static_cast<std::size_t>(body)].rest_volume +=
          flow.particles * state.particle_volume;
  }
}

// Bodies smaller than this many cells keep whatever volume they have: the error of such a drop is mostly
// noise, and to chase it would tear it apart.
inline constexpr double small_body = 64;
// What leaves a body as spray and falls into another, or back, passes the graph by, and what is measured by
// the particles changes as lumps merge; the particles know. But where solids cut cells they fill them by a
// percent more or less than the surface shows: a difference between two bodies that small is none, and to
// even it out would lift the one and drop the other.
inline constexpr double particles_err = 0.015;

}  // namespace

template <int D>
void settle_bodies(const Exec& exec, State<D>& state) {
  std::vector<LiquidRegion>& bodies = state.bubbles.bodies;
  const std::vector<std::int64_t> counts = particles_of_bodies(exec, state);
  add_flows(state);
  double largest = 0;
  for (const LiquidRegion& b : bodies) largest = std::max(largest, b.volume);
  const double small = std::min(largest, small_body * state.setup.grid.cell_volume());
  const auto is_kept = [&](const LiquidRegion& b) { return b.volume >= small && b.volume > 0; };
  double volume = 0, rest = 0, particles = 0;
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    if (!is_kept(bodies[k])) {
      bodies[k].rest_volume = bodies[k].volume;
      continue;
    }
    volume += bodies[k].volume;
    rest += bodies[k].rest_volume;
    particles += static_cast<double>(counts[k]);
  }
  const double elsewhere = state.volume - volume;  // in drops and spray
  const double due = state.target_volume - state.hidden_volume - elsewhere;
  if (!(particles > 0)) return;
  double told_rest = 0;
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    LiquidRegion& b = bodies[k];
    if (!is_kept(b)) continue;
    b.rest_volume += (due - rest) * b.volume / volume;
    const double told = due * static_cast<double>(counts[k]) / particles;
    b.rest_volume += beyond(told - b.rest_volume, particles_err * b.rest_volume);
    told_rest += b.rest_volume;
  }
  for (LiquidRegion& b : bodies)
    if (is_kept(b)) b.rest_volume += (due - told_rest) * b.volume / volume;
}

template <int D>
bool wanted_body_growth(const State<D>& state, double seconds, std::vector<double>& growth) {
  growth.clear();
  bool any = false;
  for (const LiquidRegion& b : state.bubbles.bodies) {
    growth.push_back(liquid_growth(b.rest_volume - b.volume, b.rest_volume, seconds));
    any = any || growth.back() != 0;
  }
  return any && state.setup.liquid.volume_correction;
}

#define GLUG_INSTANTIATE(D)                               \
  template void settle_bodies<D>(const Exec&, State<D>&); \
  template bool wanted_body_growth<D>(const State<D>&, double, std::vector<double>&);
GLUG_INSTANTIATE(2)
GLUG_INSTANTIATE(3)
#undef GLUG_INSTANTIATE

}  // namespace glug
