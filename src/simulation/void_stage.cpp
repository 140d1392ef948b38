#include "simulation/void_stage.h"

#include <algorithm>
#include <cmath>

#include "geometry/solid_extension.h"

namespace glug {
namespace {

// The body of liquid around each void that is to be filled; -1 for all other bubbles.
template <int D>
std::vector<std::int32_t> bodies_around(const Bubbles<D>& bubbles) {
  std::vector<std::int32_t> body(bubbles.list.size(), -1);
  std::vector<int> bodies(bubbles.list.size(), 0);
  for (const RegionPair& p : bubbles.contacts) {
    body[static_cast<std::size_t>(p.first)] = p.second;
    ++bodies[static_cast<std::size_t>(p.first)];
  }
  for (std::size_t k = 0; k < body.size(); ++k) {
    const Bubble<D>& b = bubbles.list[k];
    // Filling what parts two bodies would join them after they were told apart.
    if (b.tracked || b.free || bodies[k] != 1) body[k] = -1;
  }
  return body;
}

// Whether a cell is no deep part of the liquid, as labels will say, and open to its neighbours.
template <int D>
struct HoleFinder {
  View<D, const float> phi;
  MacView<D, const float> open;
  BlocksView<D> known;
  Range<D> cells;
  float liquid;                // m, phi of liquid cells is less
  float spacing;               // m
  View<D, const float> solid;  // m, at nodes: cells whose centre is solid are neither; null: phi knows them

  GLUG_FN bool is_air(const Index<D>& i) const {
    return !cells.contains(i) || known.slot_of_cell(i) < 0 || !(phi(i) < liquid);
  }
  GLUG_FN bool is_unknown(const Index<D>& i) const {
    return solid.data && cells.contains(i) && solid_centred<D, float>(solid, i);
  }
  // What lies beyond the open faces of a cell.
  struct Around {
    int air = 0;       // cells of it, ..
    Index<D> which{};  // .. and the last of them
    float liquid = 0;  // faces towards liquid, by their open parts
  };
  GLUG_FN Around around(const Index<D>& i) const {
    Around found;
    for (int a = 0; a < D; ++a)
      for (int high = 0; high < 2; ++high) {
        const Index<D> f = high ? i + Index<D>::unit(a) : i;
        const float part = open[a](f);
        if (!(part > 0)) continue;
        const Index<D> other = high ? f : i - Index<D>::unit(a);
        if (is_unknown(other)) continue;
        if (is_air(other)) {
          found.which = other;
          ++found.air;
        } else {
          found.liquid += part;
        }
      }
    return found;
  }
  // Beside walls, of which nothing is known, holes are told from the surface by all that lies within three
  // cells.
  GLUG_FN bool is_deep(const Index<D>& i) const {
    int air = 0;
    visit(intersection(Range<D>{i - Index<D>::filled(3), i + Index<D>::filled(4)}, cells),
          [&](const Index<D>& n) { air += is_air(n) && !is_unknown(n); });
    return air <= 2;
  }
  // Where solids leave little of the cell to the liquid it may be a gap between them that is sealed: liquid
  // there could not yield.
  GLUG_FN bool is_enclosed(const Index<D>& i) const {
    // Beside a wall that runs along it half of D - 1 faces may lead to what is unknown.
    const float unknown = solid.data ? 0.5f * (D - 1) : 0.f;
    const Around own = around(i);
    if (own.air == 0) return own.liquid >= D - unknown;
    if (own.air > 1 || !cells.contains(own.which) || known.slot_of_cell(own.which) < 0) return false;
    const Around other = around(own.which);
    return other.air == 1 && own.liquid + other.liquid >= 2 * D - 1 - unknown;
  }
  GLUG_FN bool is_pinhole(const Index<D>& i) const {
    // Beside liquid the distance to it is a cell at most.
    if (!(phi(i) < 1.5f * spacing) || !is_air(i) || is_unknown(i)) return false;
    return is_enclosed(i) && (!solid.data || is_deep(i));
  }
};

template <int D>
bool holds_particles(const Particles<D>& particles, const Index<D>& i) {
  const BlocksView<D> occupied = particles.occupied.view();
  const std::int32_t slot = occupied.slot_of_cell(i);
  if (slot < 0) return false;
  const std::uint32_t* begin =
      particles.cell_begin.data() + static_cast<std::ptrdiff_t>(slot) * block_volume<D>;
  const int cell = cell_in_block<D>(i, occupied.indices(slot).lo);
  return begin[cell + 1] > begin[cell];
}

}  // namespace

template <int D>
void fill_pinholes(const Exec& exec, State<D>& state, PhiInSolids known) {
  const BlocksView<D> active = state.active.view();
  const Range<D> cells = state.setup.grid.cell_range();
  const float h = static_cast<float>(state.setup.grid.h);
  const HoleFinder<D> holes{state.phi.read(),
                            state.open.read(),
                            active,
                            cells,
                            -static_cast<float>(least_depth) * h,
                            h,
                            known == PhiInSolids::unknown ? state.solid.read() : View<D, const float>{}};
  const std::vector<Index<D>> found =
      join_lists<D, Index<D>>(exec, active, [=](std::int32_t slot, std::vector<Index<D>>& list) {
        visit(intersection(active.indices(slot), cells), [&](const Index<D>& i) {
          if (holes.is_pinhole(i)) list.push_back(i);
        });
      });
  for (const Index<D>& i : found) state.phi(i) = -0.5f * h;
  if (known == PhiInSolids::unknown) state.voids.clear();
  for (const Index<D>& i : found)
    // Beside walls particles may only keep away: then there is nothing to fill.
    if (known == PhiInSolids::continued || !holds_particles(state.particles, i)) state.voids.push_back(i);
  // In a narrow band particles are few to give, and those that came from other depths show in its energy.
  if (!state.deep.empty()) state.voids.clear();
}

template <int D>
void fill_voids(const Exec& exec, State<D>& state) {
  state.voids.clear();
  Bubbles<D>& bubbles = state.bubbles;
  if (bubbles.events.voids == 0) return;
  const std::vector<std::int32_t> bodies = bodies_around(bubbles);
  const std::int32_t* body = bodies.data();
  const std::int32_t bubble_count = static_cast<std::int32_t>(bodies.size());
  const BlocksView<D> active = state.active.view();
  const Range<D> cells = state.setup.grid.cell_range();
  const View<D, std::int32_t> of = bubbles.regions.of_cell.view();
  std::int32_t* whole = bubbles.regions.of_block.data();
  const auto is_void = [=](std::int32_t region) {
    return region >= 0 && region < bubble_count && body[region] >= 0;
  };
  state.voids = join_lists<D, Index<D>>(exec, active, [=](std::int32_t slot, std::vector<Index<D>>& list) {
    std::int32_t& known = whole[active.ids[slot]];
    if (known != Components<D>::mixed && !is_void(known)) return;
    known = Components<D>::mixed;
    visit(intersection(active.indices(slot), cells), [&](const Index<D>& i) {
      if (is_void(of(i))) list.push_back(i);
    });
  });
  const float depth = static_cast<float>(0.5 * state.setup.grid.h);
  for (const Index<D>& i : state.voids) {
    state.phi(i) = -depth;
    state.labels.of_cell(i) = Cell::liquid;
    state.liquid_part(i) = state.open_part(i);
    of(i) = body[of(i)];
  }
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    if (bodies[k] < 0) continue;
    Bubble<D>& b = bubbles.list[k];
    state.volume += b.volume;
    bubbles.bodies[static_cast<std::size_t>(bodies[k] - bubble_count)].volume += b.volume;
    b.volume = b.area = 0;
  }
  number_unknowns(bubbles);
}

template <int D>
std::vector<std::int64_t> carried_voids(const State<D>& state, double dt) {
  const Grid<D>& grid = state.setup.grid;
  std::vector<std::int64_t> places;
  for (const Index<D>& i : state.voids) {
    Index<D> to = i;
    for (int a = 0; a < D; ++a) {
      const double u = 0.5 * (static_cast<double>(state.velocity[a](i)) +
                              static_cast<double>(state.velocity[a](i + Index<D>::unit(a))));
      to[a] += static_cast<int>(std::floor(0.5 + u * dt / grid.h));
    }
    if (grid.cell_range().contains(to)) places.push_back(grid.cell_range().number_of(to));
  }
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  return places;
}

#define GLUG_INSTANTIATE(D)                                            \
  template void fill_pinholes<D>(const Exec&, State<D>&, PhiInSolids); \
  template void fill_voids<D>(const Exec&, State<D>&);                 \
  template std::vector<std::int64_t> carried_voids<D>(const State<D>&, double);
GLUG_INSTANTIATE(2)
GLUG_INSTANTIATE(3)
#undef GLUG_INSTANTIATE

}  // namespace glug
