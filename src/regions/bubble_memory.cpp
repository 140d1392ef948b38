#include "regions/bubble_memory.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

namespace glug {
namespace {

// Of a ball of that volume.
template <int D>
double radius_of(double volume) {
  return D == 2 ? std::sqrt(volume / std::numbers::pi) : std::cbrt(volume / (4 * std::numbers::pi / 3));
}

// A cell or two more or less do not make it another bubble.
constexpr double flicker = 0.05;

struct Match {
  double distance = 0;
  std::size_t old = 0, young = 0;
};

// The nearest first, each at most once.
std::vector<Match> nearest_first(std::vector<Match> matches, std::size_t olds, std::size_t youngs) {
  std::sort(matches.begin(), matches.end(), [](const Match& x, const Match& y) {
    if (x.distance != y.distance) return x.distance < y.distance;
    return x.old != y.old ? x.old < y.old : x.young < y.young;
  });
  std::vector<bool> old_taken(olds, false), young_taken(youngs, false);
  std::vector<Match> chosen;
  for (const Match& m : matches) {
    if (old_taken[m.old] || young_taken[m.young]) continue;
    old_taken[m.old] = young_taken[m.young] = true;
    chosen.push_back(m);
  }
  return chosen;
}

// It had been counted as lost.
void is_found(std::size_t old, double rest_volume, Kinship& kinship, BubbleEvents& events) {
  kinship.vanished[old] = 0;
  --events.vanished;
  events.lost_volume -= rest_volume;
  if (events.vanished == 0) events.lost_volume = 0;  // no rounding is left behind
}

// What wanted(cell) says, if not negative, of the cell that is the fewest open faces from home; -1: none
// within reach.
template <int D, class F>
std::int32_t nearest_region(const Index<D>& home, int reach, const Grid<D>& grid,
                            MacView<D, const float> open, F&& wanted) {
  std::vector<Index<D>> found{home};
  std::size_t begin = 0;
  for (int far = 0; far <= reach; ++far) {
    const std::size_t end = found.size();
    for (std::size_t n = begin; n < end; ++n)
      if (const std::int32_t k = wanted(found[n]); k >= 0) return k;
    for (std::size_t n = begin; n < end; ++n)
      for (int a = 0; a < D; ++a)
        for (int side = 0; side < 2; ++side) {
          const Index<D> i = found[n], next = side ? i + Index<D>::unit(a) : i - Index<D>::unit(a);
          if (!grid.cell_range().contains(next) || !(open[a](side ? next : i) > 0)) continue;
          if (std::find(found.begin(), found.end(), next) == found.end()) found.push_back(next);
        }
    begin = end;
  }
  return -1;
}

}  // namespace

template <int D>
void rejoin_strays(const std::vector<Bubble<D>>& before, double h, double reach, double least_volume,
                   Kinship& kinship, std::vector<Bubble<D>>& now, BubbleEvents& events) {
  std::vector<Match> matches;
  for (std::size_t n = 0; n < before.size(); ++n) {
    const Bubble<D>& old = before[n];
    if (!kinship.vanished[n] || old.ambient) continue;
    const double v = std::max(old.volume, least_volume), far = (reach + 1) * h + radius_of<D>(v);
    for (std::size_t k = 0; k < now.size(); ++k) {
      if (now[k].tracked || now[k].ambient) continue;
      const double w = std::max(now[k].volume, least_volume), distance = norm(now[k].center - old.center);
      if (w <= 2 * v && v <= 2 * w && distance <= far) matches.push_back({distance, n, k});
    }
  }
  for (const Match& m : nearest_first(std::move(matches), before.size(), now.size())) {
    const Bubble<D>& old = before[m.old];
    Bubble<D>& young = now[m.young];
    young.id = old.id;
    young.rest_volume = old.rest_volume;
    young.pressure = old.pressure;
    young.viscous_pressure = old.viscous_pressure;
    young.tracked = true;
    young.was_free = old.free;
    --events.voids;
    is_found(m.old, old.rest_volume, kinship, events);
  }
}

template <int D>
void leave_crumbs(const std::vector<Bubble<D>>& before, const Components<D>& regions, const Grid<D>& grid,
                  MacView<D, const float> open, Kinship& kinship, std::vector<Bubble<D>>& now,
                  BubbleEvents& events) {
  const View<D, const std::int32_t> region = regions.of_cell.read();
  for (std::size_t n = 0; n < before.size(); ++n) {
    const Bubble<D>& old = before[n];
    if (!kinship.vanished[n] || old.ambient || !(old.rest_volume > 0)) continue;
    const double radius = radius_of<D>(std::max(old.volume, 0.0)) / grid.h;
    const int reach = crumb_reach + static_cast<int>(std::min(radius, 1e6));  // as far as any grid goes
    Index<D> home;
    for (int a = 0; a < D; ++a)
      home[a] = std::clamp(static_cast<int>(std::floor(old.center[a] / grid.h)), 0, grid.cells[a] - 1);
    const std::int32_t heir = nearest_region<D>(home, reach, grid, open, [&](const Index<D>& i) {
      const std::int32_t k = region(i);
      return k >= 0 && k < static_cast<std::int32_t>(now.size()) && now[static_cast<std::size_t>(k)].tracked
                 ? k
                 : -1;
    });
    if (heir < 0) continue;
    Bubble<D>& young = now[static_cast<std::size_t>(heir)];
    if (young.ambient || kinship.from_free[static_cast<std::size_t>(heir)])
      events.gathered += old.rest_volume;
    else
      young.rest_volume += old.rest_volume;
    is_found(n, old.rest_volume, kinship, events);
  }
}

template <int D>
void recall_bubbles(const std::vector<Bubble<D>>& before, const Kinship& kinship, double h,
                    std::vector<RememberedBubble<D>>& remembered, std::vector<Bubble<D>>& now,
                    BubbleEvents& events) {
  for (RememberedBubble<D>& r : remembered) ++r.steps;
  std::erase_if(remembered, [](const RememberedBubble<D>& r) { return r.steps > remembered_steps; });
  for (std::size_t n = 0; n < before.size(); ++n) {
    const Bubble<D>& b = before[n];
    if (kinship.vanished[n] || !kinship.met_free[n] || b.ambient || b.free) continue;
    remembered.push_back({b.id, b.volume, b.rest_volume, b.center, 0});
  }
  std::vector<Match> matches;
  for (std::size_t n = 0; n < remembered.size(); ++n) {
    const RememberedBubble<D>& old = remembered[n];
    const double far = radius_of<D>(old.volume) + h;
    for (std::size_t k = 0; k < now.size(); ++k) {
      if (!kinship.from_free[k] || now[k].ambient) continue;
      const double distance = norm(now[k].center - old.center);
      if (std::abs(now[k].volume - old.volume) <= 0.25 * old.volume && distance <= far)
        matches.push_back({distance, n, k});
    }
  }
  const std::vector<Match> chosen = nearest_first(std::move(matches), remembered.size(), now.size());
  for (const Match& m : chosen) {
    RememberedBubble<D>& old = remembered[m.old];
    Bubble<D>& young = now[m.young];
    // What is much smaller or larger is a part of it, or has another's part.
    const double share =
        std::abs(young.volume - old.volume) <= flicker * old.volume ? 1 : young.volume / old.volume;
    events.gathered += young.rest_volume - share * old.rest_volume;
    young.rest_volume = share * old.rest_volume;
    // The air that swallowed it may go by its name since.
    for (Bubble<D>& other : now)
      if (other.id == old.id) other.id = young.id;
    young.id = old.id;
    old.steps = remembered_steps + 1;
  }
  std::erase_if(remembered, [](const RememberedBubble<D>& r) { return r.steps > remembered_steps; });
}

#define GLUG_INSTANTIATE(D)                                                                                 \
  template void rejoin_strays<D>(const std::vector<Bubble<D>>&, double, double, double, Kinship&,           \
                                 std::vector<Bubble<D>>&, BubbleEvents&);                                   \
  template void leave_crumbs<D>(const std::vector<Bubble<D>>&, const Components<D>&, const Grid<D>&,        \
                                MacView<D, const float>, Kinship&, std::vector<Bubble<D>>&, BubbleEvents&); \
  template void recall_bubbles<D>(const std::vector<Bubble<D>>&, const Kinship&, double,                    \
                                  std::vector<RememberedBubble<D>>&, std::vector<Bubble<D>>&,               \
                                  BubbleEvents&);
GLUG_INSTANTIATE(2)
GLUG_INSTANTIATE(3)
#undef GLUG_INSTANTIATE

}  // namespace glug
