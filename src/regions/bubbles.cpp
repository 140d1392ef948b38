#include "regions/bubbles.h"

#include <algorithm>
#include <cmath>

#include "core/union_find.h"
#include "regions/air_measures.h"
#include "regions/bubble_memory.h"
#include "regions/heritage.h"

namespace glug {
namespace {

// Of each bubble.
template <int D>
void measure(const AirInput<D>& in, const AirMeasures<D>& measures, Bubbles<D>& bubbles) {
  bubbles.list.assign(measures.sums.size(), Bubble<D>{});
  for (std::size_t k = 0; k < measures.sums.size(); ++k) {
    const AirSums<D>& sum = measures.sums[k];
    Bubble<D>& b = bubbles.list[k];
    b.volume = sum.cells * in.grid.cell_volume();
    for (int a = 0; a < D; ++a) b.center[a] = sum.cells > 0 ? sum.moment[a] / sum.cells : 0;
    b.area = sum.area;
    b.ambient = in.ambient_free && sum.outside > 0;
  }
  const View<D, const std::int32_t> of = bubbles.regions.of_cell.read();
  for (std::int64_t n = 0; n < in.outside_count; ++n) {
    const std::int32_t region = of(in.outside[n]);
    if (region >= 0 && region < static_cast<std::int32_t>(bubbles.list.size()))
      bubbles.list[static_cast<std::size_t>(region)].ambient = in.ambient_free;
  }
}

// Which bubbles lie where walls let go of the liquid a step ago, or a cell beside that.
template <int D>
std::vector<std::uint8_t> where_walls_let_go(const AirInput<D>& in, const Bubbles<D>& bubbles) {
  std::vector<std::uint8_t> found(bubbles.list.size(), 0);
  const View<D, const std::int32_t> of = bubbles.regions.of_cell.read();
  const Range<D> cells = in.grid.cell_range();
  for (std::int64_t n = 0; n < in.let_go_count; ++n)
    visit(
        intersection(Range<D>{in.let_go[n] - Index<D>::filled(1), in.let_go[n] + Index<D>::filled(2)}, cells),
        [&](const Index<D>& i) {
          const std::int32_t region = of(i);
          if (region >= 0 && region < static_cast<std::int32_t>(found.size()))
            found[static_cast<std::size_t>(region)] = 1;
        });
  return found;
}

// (B3) One bubble of each sealed component of air and liquid is free: the one that was, while it has half the
// volume of the largest, else the largest. Such components follow from who touches whom. A void is not
// chosen: it is filled, unless it parts two bodies of liquid. A vacuum (W8) is free besides: a void that is
// large enough, and what comes of one as long as it has room; what is left of it in the end is a void again.
template <int D>
void choose_free(const AirInput<D>& in, const AirMeasures<D>& measures, const Kinship& kinship,
                 Bubbles<D>& bubbles) {
  constexpr double little = 0.5;  // of a void's volume: the air that it may hold
  const std::vector<std::uint8_t> let_go = where_walls_let_go(in, bubbles);
  const double least_kept = std::min(in.vacuum, in.grid.cell_volume());
  const std::size_t regions = static_cast<std::size_t>(bubbles.regions.count);
  UnionFind touching(regions);
  const auto root = [&](std::size_t n) {
    return static_cast<std::size_t>(touching.root(static_cast<std::int32_t>(n)));
  };
  std::vector<int> touches(regions, 0);
  for (const RegionPair& p : measures.contacts) {
    touching.join(p.first, p.second);
    ++touches[static_cast<std::size_t>(p.first)];
  }
  // p = 0 at an open side: liquid there anchors the pressure as free air does.
  std::vector<bool> open(regions, false);
  for (std::int32_t r : measures.liquid_outside) open[root(static_cast<std::size_t>(r))] = true;
  std::vector<std::size_t> largest(regions, regions), faithful(regions, regions), last(regions, regions);
  const auto keep_larger = [&](std::size_t& best, std::size_t k) {
    if (best == regions || bubbles.list[k].volume > bubbles.list[best].volume) best = k;
  };
  for (std::size_t k = 0; k < bubbles.list.size(); ++k) {
    Bubble<D>& b = bubbles.list[k];
    const bool from_vacuum = k < kinship.from_vacuum.size() && kinship.from_vacuum[k];
    if (from_vacuum && b.tracked && b.volume < least_kept && b.rest_volume < little * b.volume) {
      b.tracked = false;
      ++bubbles.events.voids;
    }
    const bool large = b.volume >= (from_vacuum ? least_kept : in.vacuum) || let_go[k];
    const bool is_empty = (from_vacuum || !b.tracked) && !b.ambient && large && b.has_room();
    if (is_empty && !b.tracked) --bubbles.events.voids;
    b.free = b.ambient || is_empty;
    const std::size_t r = root(k);
    if (b.ambient) open[r] = true;
    if (is_empty) continue;
    if (b.tracked) keep_larger(largest[r], k);
    if (b.tracked && b.was_free) keep_larger(faithful[r], k);
    if (!b.tracked && touches[k] > 1) keep_larger(last[r], k);
  }
  for (std::size_t r = 0; r < regions; ++r) {
    if (open[r]) continue;
    std::size_t chosen = largest[r];
    if (faithful[r] < regions && bubbles.list[faithful[r]].volume >= 0.5 * bubbles.list[chosen].volume)
      chosen = faithful[r];
    if (chosen == regions) chosen = last[r];
    if (chosen < regions) bubbles.list[chosen].free = true;
  }
}

// What is free keeps no memory of what it should be.
template <int D>
double level_free(std::vector<Bubble<D>>& list) {
  double gathered = 0;
  for (Bubble<D>& b : list) {
    if (!b.free || b.is_vacuum()) continue;
    gathered += b.rest_volume - b.volume;
    b.rest_volume = b.volume;
  }
  return gathered;
}

}  // namespace

template <int D>
BubbleEvents inherit_volumes(const std::vector<Bubble<D>>& before, const std::vector<RegionPair>& pairs,
                             double least_volume, std::int64_t& next_id, std::vector<Bubble<D>>& now,
                             Kinship* kinship) {
  BubbleEvents events;
  const std::size_t old_count = before.size();
  // Connected parts of the graph: bubbles before are nodes 0 .. old_count - 1, bubbles now follow.
  std::vector<std::size_t> parent(old_count + now.size());
  for (std::size_t n = 0; n < parent.size(); ++n) parent[n] = n;
  const auto root = [&](std::size_t n) {
    while (parent[n] != n) n = parent[n] = parent[parent[n]];
    return n;
  };
  std::vector<int> children(old_count, 0), parents(now.size(), 0);
  for (const RegionPair& p : pairs) {
    const std::size_t a = root(static_cast<std::size_t>(p.first)),
                      b = root(old_count + static_cast<std::size_t>(p.second));
    parent[std::max(a, b)] = std::min(a, b);
    ++children[static_cast<std::size_t>(p.first)];
    ++parents[static_cast<std::size_t>(p.second)];
  }
  std::vector<double> rest(parent.size(), 0), volume(parent.size(), 0);
  std::vector<bool> free(parent.size(), false);
  for (std::size_t n = 0; n < old_count; ++n) {
    rest[root(n)] += before[n].rest_volume;
    if (before[n].ambient || (before[n].free && !before[n].is_vacuum())) free[root(n)] = true;
    if (children[n] > 1) ++events.splits;
    if (children[n] > 0) continue;
    if (before[n].ambient) {
      events.gathered += before[n].rest_volume;  // never conserved, so never lost
    } else {
      ++events.vanished;
      events.lost_volume += before[n].rest_volume;
    }
  }
  const auto measured = [&](const Bubble<D>& b) { return std::max(b.volume, least_volume); };
  for (std::size_t n = 0; n < now.size(); ++n) {
    const std::size_t r = root(old_count + n);
    volume[r] += measured(now[n]);
    if (now[n].ambient) free[r] = true;
  }
  for (std::size_t n = 0; n < now.size(); ++n) {
    Bubble<D>& b = now[n];
    const std::size_t r = root(old_count + n);
    b.tracked = parents[n] > 0;
    if (parents[n] > 1) ++events.merges;
    if (free[r])
      b.rest_volume = b.volume, events.gathered -= b.volume;
    else if (b.tracked)
      b.rest_volume = rest[r] * measured(b) / volume[r];
    else
      b.rest_volume = 0;
    if (!b.tracked && !b.ambient) ++events.voids;
  }
  for (std::size_t n = 0; n < old_count; ++n)
    if (free[root(n)] && children[n] > 0) events.gathered += before[n].rest_volume;
  // A bubble's id goes to the one that holds most of its cells now.
  std::vector<std::int64_t> best(old_count, -1);
  std::vector<std::int32_t> heir(old_count, -1);
  for (const RegionPair& p : pairs)
    if (p.count > best[static_cast<std::size_t>(p.first)]) {
      best[static_cast<std::size_t>(p.first)] = p.count;
      heir[static_cast<std::size_t>(p.first)] = p.second;
    }
  std::vector<std::int64_t> claim(now.size(), -1);
  for (Bubble<D>& b : now) b.id = 0, b.was_free = false;
  for (std::size_t n = 0; n < old_count; ++n) {
    if (heir[n] < 0) continue;
    const std::size_t k = static_cast<std::size_t>(heir[n]);
    if (before[n].free) now[k].was_free = true;
    if (best[n] > claim[k]) {
      claim[k] = best[n];
      now[k].id = before[n].id;
      now[k].pressure = before[n].pressure;
      now[k].viscous_pressure = before[n].viscous_pressure;
    }
  }
  for (Bubble<D>& b : now)
    if (b.id == 0) b.id = next_id++;
  if (kinship) {
    kinship->vanished.assign(old_count, 0);
    kinship->met_free.assign(old_count, 0);
    kinship->from_free.assign(now.size(), 0);
    for (std::size_t n = 0; n < old_count; ++n) {
      kinship->vanished[n] = children[n] == 0;
      kinship->met_free[n] = free[root(n)];
    }
    for (std::size_t n = 0; n < now.size(); ++n) kinship->from_free[n] = free[root(old_count + n)];
    kinship->from_vacuum.assign(now.size(), 0);
    for (const RegionPair& p : pairs)
      if (before[static_cast<std::size_t>(p.first)].is_vacuum())
        kinship->from_vacuum[static_cast<std::size_t>(p.second)] = 1;
  }
  return events;
}

void inherit_bodies(const std::vector<LiquidRegion>& before, const std::vector<RegionPair>& pairs,
                    double cell_volume, std::vector<LiquidRegion>& now) {
  // The graph of bubbles does it: a body is a bubble without outside.
  std::vector<Bubble<2>> from(before.size()), to(now.size());
  for (std::size_t k = 0; k < before.size(); ++k) from[k].rest_volume = before[k].rest_volume;
  for (std::size_t k = 0; k < now.size(); ++k) to[k].volume = now[k].volume;
  std::int64_t id = 1;
  (void)inherit_volumes<2>(from, pairs, 0.05 * cell_volume, id, to);
  for (std::size_t k = 0; k < now.size(); ++k) now[k].rest_volume = to[k].rest_volume;
}

template <int D>
void follow_bubbles(const Exec& exec, const AirInput<D>& in, Bubbles<D>& bubbles) {
  std::vector<Bubble<D>> before;
  before.swap(bubbles.list);
  std::vector<LiquidRegion> before_bodies;
  before_bodies.swap(bubbles.bodies);
  std::swap(bubbles.before_, bubbles.regions);
  find_block_kinds<D>(exec, {in.grid, in.everywhere, in.active, in.phi, in.solid, in.open, in.solids_changed},
                      bubbles.kinds_);
  const std::int32_t air = find_regions<D, float>(exec, in.everywhere, in.label, in.open,
                                                  bubbles.kinds_.of_block.data(), bubbles.regions);
  AirMeasures<D> measures = measure_air(exec, in, bubbles.regions, air, bubbles.kinds_);
  measure(in, measures, bubbles);
  for (double cells : measures.liquid) bubbles.bodies.push_back({cells * in.grid.cell_volume(), 0});
  Kinship kinship;
  if (bubbles.known) {
    const HeritageInput<D> between{in.everywhere,
                                   in.open,
                                   &bubbles.before_,
                                   &bubbles.regions,
                                   static_cast<std::int32_t>(before.size()),
                                   air};
    std::vector<RegionPair> pairs = heritage(exec, between), of_liquid;
    // Pairs are sorted, and bubbles have the lower numbers.
    for (; !pairs.empty() && pairs.back().second >= air; pairs.pop_back())
      of_liquid.push_back({pairs.back().first - between.air_before, pairs.back().second - air, 0});
    inherit_bodies(before_bodies, of_liquid, in.grid.cell_volume(), bubbles.bodies);
    const double least_volume = 0.05 * in.grid.cell_volume();
    bubbles.events = inherit_volumes<D>(before, pairs, least_volume, bubbles.next_id, bubbles.list, &kinship);
    rejoin_strays<D>(before, in.grid.h, in.reach, least_volume, kinship, bubbles.list, bubbles.events);
    leave_crumbs<D>(before, bubbles.regions, in.grid, in.open, kinship, bubbles.list, bubbles.events);
    recall_bubbles<D>(before, kinship, in.grid.h, bubbles.remembered, bubbles.list, bubbles.events);
  } else {
    for (LiquidRegion& b : bubbles.bodies) b.rest_volume = b.volume;
    for (Bubble<D>& b : bubbles.list) {
      b.rest_volume = b.volume;
      b.id = bubbles.next_id++;
    }
    bubbles.events = {};
  }
  // After heirs are known: who was free matters, and a void is not asked.
  choose_free(in, measures, kinship, bubbles);
  bubbles.events.gathered += level_free(bubbles.list);
  bubbles.gathered += bubbles.events.gathered;
  bubbles.contacts = std::move(measures.contacts);
  bubbles.known = true;
  number_unknowns(bubbles);
}

template <int D>
void number_unknowns(Bubbles<D>& bubbles) {
  bubbles.unknowns = 0;
  for (Bubble<D>& b : bubbles.list) b.unknown = !b.free && b.area > 0 ? bubbles.unknowns++ : -1;
}

template <int D>
void label_empty_blocks(const Exec& exec, const BlocksView<D>& everywhere, const BlocksView<D>& active,
                        MacView<D, const float> open, const std::uint8_t* changed, CellLabels<D>& labels) {
  const View<D, Cell> label = labels.of_cell.view();
  labels.empty.resize(static_cast<std::size_t>(everywhere.count), 0);
  std::uint8_t* empty = labels.empty.data();
  const Range<D> cells = everywhere.grid.cell_range();
  for_each_block(exec, everywhere, [=](std::int32_t slot) {
    const std::int32_t id = everywhere.ids[slot];
    const bool known = empty[id] && changed && !changed[id];
    empty[id] = active.slots[id] < 0;
    if (!empty[id] || known) return;
    visit(intersection(everywhere.indices(slot), cells), [&](const Index<D>& i) {
      bool any = false;
      for (int a = 0; a < D; ++a) any |= open[a](i) > 0 || open[a](i + Index<D>::unit(a)) > 0;
      label(i) = any ? Cell::air : Cell::solid;
    });
  });
}

#define GLUG_INSTANTIATE(D)                                                                               \
  template BubbleEvents inherit_volumes<D>(const std::vector<Bubble<D>>&, const std::vector<RegionPair>&, \
                                           double, std::int64_t&, std::vector<Bubble<D>>&, Kinship*);     \
  template void number_unknowns<D>(Bubbles<D>&);                                                          \
  template void follow_bubbles<D>(const Exec&, const AirInput<D>&, Bubbles<D>&);                          \
  template void label_empty_blocks<D>(const Exec&, const BlocksView<D>&, const BlocksView<D>&,            \
                                      MacView<D, const float>, const std::uint8_t*, CellLabels<D>&);
GLUG_INSTANTIATE(2)
GLUG_INSTANTIATE(3)
#undef GLUG_INSTANTIATE

}  // namespace glug
