#include "regions/bubbles.h"

#include <algorithm>
#include <cmath>

#include "geometry/volume.h"

namespace glug {
namespace {

template <int D>
GLUG_INLINE bool is_listed(const BlocksView<D>& blocks, const Index<D>& i) {
  return blocks.slot_of_cell(i) >= 0;
}

// (B2) The part of a cell that is air, in [0, 1].
template <int D>
GLUG_INLINE double air_fraction(const AirInput<D>& in, const Index<D>& i) {
  const double open = in.open_part.data ? in.open_part(i) : cell_open_fraction<D>(in.solid, in.grid.h, i);
  if (open == 0 || !is_listed(in.active, i)) return open;
  const double liquid = in.liquid_part.data
                            ? in.liquid_part(i)
                            : cell_liquid_fraction<D>(in.active, in.grid, in.phi, in.solid, i);
  return open > liquid ? open - liquid : 0.0;
}

// The bubble a cell's air belongs to: its own, or for the air in a cell that counts as liquid, a neighbour's.
template <int D>
GLUG_INLINE std::int32_t bubble_of_air_in(const AirInput<D>& in, const View<D, const std::int32_t>& of,
                                          const Index<D>& i) {
  const Cell label = in.label(i);
  if (label == Cell::air) return of(i);
  if (label != Cell::liquid || in.phi(i) < -2 * in.grid.h) return -1;
  const Range<D> cells = in.grid.cell_range();
  for (int a = 0; a < D; ++a) {
    const Index<D> low = i - Index<D>::unit(a), high = i + Index<D>::unit(a);
    if (cells.contains(low) && in.label(low) == Cell::air && in.open[a](i) > 0) return of(low);
    if (cells.contains(high) && in.label(high) == Cell::air && in.open[a](high) > 0) return of(high);
  }
  return -1;
}

// Most blocks are all air or all liquid, without solids or a surface near: such a one is measured at once.
template <int D, std::size_t N>
bool is_plain_block(const AirInput<D>& in, const View<D, const std::int32_t>& of, std::int32_t slot,
                    std::int32_t& region, std::array<double, N>& sum) {
  const Range<D> cells = in.grid.cell_range();
  const Range<D> block = in.everywhere.indices(slot);
  if (!(intersection(block.grown(1), cells).size() == block.grown(1).size()))
    return false;  // at the domain's sides
  const bool active = in.active.slots[in.everywhere.ids[slot]] >= 0;
  const Cell label = in.label(block.lo);
  if (label == Cell::solid) return false;
  const std::int32_t mine = of(block.lo);
  const float sure = static_cast<float>(2 * in.grid.h);
  const int width = block_edge<D>;
  Range<D> rows = block;
  rows.hi[0] = rows.lo[0] + 1;
  bool plain = true;
  visit(rows, [&](const Index<D>& first) {
    if (!plain) return;
    const Cell* labels = &in.label(first);
    const std::int32_t* regions = &of(first);
    int good = 0;
    for (int k = 0; k < width; ++k) good += labels[k] == label && regions[k] == mine;
    if (active) {
      const float* phi = &in.phi(first);
      for (int k = 0; k < width; ++k) good += label == Cell::air ? phi[k] > sure : phi[k] < -sure;
    } else {
      good += width;
    }
    plain = good == 2 * width;
  });
  if (!plain) return false;
  if (label == Cell::liquid) return true;  // no air in it
  Range<D> nodes = block;
  for (int a = 1; a < D; ++a) ++nodes.hi[a];
  nodes.hi[0] = nodes.lo[0] + 1;
  visit(nodes, [&](const Index<D>& first) {
    const float* solid = &in.solid(first);
    for (int k = 0; k <= width; ++k) plain = plain && solid[k] >= 0;
  });
  if (!plain) return false;
  // Liquid may touch it from outside only if its own cells are near a surface: they are not.
  if (!active) {
    for (int a = 0; a < D; ++a)
      for (int high = 0; high < 2; ++high) {
        Range<D> beside = block;
        beside.lo[a] = high ? block.hi[a] : block.lo[a] - 1;
        beside.hi[a] = beside.lo[a] + 1;
        visit(beside, [&](const Index<D>& i) { plain = plain && in.label(i) != Cell::liquid; });
      }
    if (!plain) return false;
  }
  region = mine;
  sum[0] = block_volume<D>;
  for (int a = 0; a < D; ++a)
    sum[static_cast<std::size_t>(1 + a)] = sum[0] * in.grid.h * 0.5 * (block.lo[a] + block.hi[a]);
  return true;
}

// Volume, centre, open area towards liquid, and whether the outside is reached.
template <int D>
void measure(const Exec& exec, const AirInput<D>& in, Bubbles<D>& bubbles) {
  constexpr std::size_t n = D + 3;
  const View<D, const std::int32_t> of = bubbles.air.of_cell.read();
  const Range<D> cells = in.grid.cell_range();
  const auto sums = region_sums<D, n>(
      exec, in.everywhere, bubbles.air.count,
      [=](const Index<D>& i) { return bubble_of_air_in<D>(in, of, i); },
      [=](const Index<D>& i) {
        std::array<double, n> v{};
        v[0] = air_fraction(in, i);
        const Vec<D, double> x = in.grid.cell_center(i);
        for (int a = 0; a < D; ++a) v[static_cast<std::size_t>(1 + a)] = v[0] * x[a];
        if (in.label(i) != Cell::air) return v;
        for (int a = 0; a < D; ++a)
          for (int high = 0; high < 2; ++high) {
            const Index<D> face = high ? i + Index<D>::unit(a) : i;
            const Index<D> other = high ? face : i - Index<D>::unit(a);
            const double open = in.open[a](face);
            if (!(open > 0)) continue;
            if (!cells.contains(other))
              v[n - 1] += in.sides.open[a][high] ? open : 0.0;
            else if (in.label(other) == Cell::liquid)
              v[n - 2] += open;
          }
        return v;
      },
      [=](std::int32_t slot, std::int32_t& region, std::array<double, n>& sum) {
        return is_plain_block<D, n>(in, of, slot, region, sum);
      });
  bubbles.list.assign(static_cast<std::size_t>(bubbles.air.count), Bubble<D>{});
  for (std::size_t k = 0; k < sums.size(); ++k) {
    Bubble<D>& b = bubbles.list[k];
    b.volume = sums[k][0] * in.grid.cell_volume();
    for (int a = 0; a < D; ++a)
      b.center[a] = sums[k][0] > 0 ? sums[k][static_cast<std::size_t>(1 + a)] / sums[k][0] : 0;
    b.area = sums[k][n - 2];
    b.ambient = in.ambient_free && sums[k][n - 1] > 0;
  }
}

// (B3) The largest bubble of each sealed component of air and liquid is free.
template <int D>
void choose_free(const Exec& exec, const AirInput<D>& in, Bubbles<D>& bubbles) {
  find_components<D, float>(exec, in.everywhere, in.label, CellSet(Cell::air) | Cell::liquid, in.open,
                            bubbles.combined_);
  const View<D, const std::int32_t> of = bubbles.air.of_cell.read(), whole = bubbles.combined_.of_cell.read();
  const std::int32_t outside =
      bubbles.air.count;  // liquid at an open side of the domain anchors the pressure too
  const Range<D> cells = in.grid.cell_range();
  const std::vector<RegionPair> pairs =
      region_pairs<D>(exec, in.everywhere, [=](const Index<D>& i, const auto& emit) {
        if (of(i) >= 0) return emit(whole(i), of(i), 1);
        if (in.label(i) != Cell::liquid) return;
        for (int a = 0; a < D; ++a) {
          const Index<D> high = i + Index<D>::unit(a);
          if ((i[a] == cells.lo[a] && in.sides.open[a][0] && in.open[a](i) > 0) ||
              (high[a] == cells.hi[a] && in.sides.open[a][1] && in.open[a](high) > 0))
            emit(whole(i), outside, 1);
        }
      });
  for (Bubble<D>& b : bubbles.list) b.free = b.ambient;
  for (std::size_t first = 0; first < pairs.size();) {
    std::size_t last = first;
    bool open = false;
    std::int32_t largest = pairs[first].second;
    for (; last < pairs.size() && pairs[last].first == pairs[first].first; ++last) {
      if (pairs[last].second == outside) {
        open = true;
        continue;
      }
      const Bubble<D>& b = bubbles.list[static_cast<std::size_t>(pairs[last].second)];
      open |= b.ambient;
      if (b.volume > bubbles.list[static_cast<std::size_t>(largest)].volume) largest = pairs[last].second;
    }
    if (!open) bubbles.list[static_cast<std::size_t>(largest)].free = true;
    first = last;
  }
}

template <int D>
std::vector<RegionPair> heritage(const Exec& exec, const AirInput<D>& in, const Bubbles<D>& bubbles) {
  const View<D, const std::int32_t> now = bubbles.air.of_cell.read(), before = bubbles.before_.of_cell.read();
  const Range<D> cells = in.grid.cell_range();
  return region_pairs<D>(exec, in.everywhere, [=](const Index<D>& i, const auto& emit) {
    const std::int32_t mine = now(i);
    if (mine < 0) return;
    if (before(i) >= 0) {
      emit(before(i), mine, 1);
      return;
    }
    for (int a = 0; a < D; ++a) {
      const Index<D> low = i - Index<D>::unit(a), high = i + Index<D>::unit(a);
      if (cells.contains(low) && in.open[a](i) > 0 && before(low) >= 0) emit(before(low), mine, 0);
      if (cells.contains(high) && in.open[a](high) > 0 && before(high) >= 0) emit(before(high), mine, 0);
    }
  });
}

}  // namespace

template <int D>
BubbleEvents inherit_volumes(const std::vector<Bubble<D>>& before, const std::vector<RegionPair>& pairs,
                             double least_volume, std::int64_t& next_id, std::vector<Bubble<D>>& now) {
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
  std::vector<bool> ambient(parent.size(), false);
  for (std::size_t n = 0; n < old_count; ++n) {
    rest[root(n)] += before[n].rest_volume;
    if (before[n].ambient) ambient[root(n)] = true;
    if (children[n] > 1) ++events.splits;
    if (children[n] == 0 && !before[n].ambient) {
      ++events.vanished;
      events.lost_volume += before[n].rest_volume;
    }
  }
  const auto measured = [&](const Bubble<D>& b) { return std::max(b.volume, least_volume); };
  for (std::size_t n = 0; n < now.size(); ++n) {
    const std::size_t r = root(old_count + n);
    volume[r] += measured(now[n]);
    if (now[n].ambient) ambient[r] = true;
  }
  for (std::size_t n = 0; n < now.size(); ++n) {
    Bubble<D>& b = now[n];
    const std::size_t r = root(old_count + n);
    b.tracked = parents[n] > 0;
    if (parents[n] > 1) ++events.merges;
    if (ambient[r])
      b.rest_volume = b.volume;
    else if (b.tracked)
      b.rest_volume = rest[r] * measured(b) / volume[r];
    else
      b.rest_volume = 0;
    if (!b.tracked && !b.ambient) ++events.voids;
  }
  // A bubble's id goes to the one that holds most of its cells now.
  std::vector<std::int64_t> best(old_count, -1);
  std::vector<std::int32_t> heir(old_count, -1);
  for (const RegionPair& p : pairs)
    if (p.count > best[static_cast<std::size_t>(p.first)]) {
      best[static_cast<std::size_t>(p.first)] = p.count;
      heir[static_cast<std::size_t>(p.first)] = p.second;
    }
  std::vector<std::int64_t> claim(now.size(), -1);
  for (Bubble<D>& b : now) b.id = 0;
  for (std::size_t n = 0; n < old_count; ++n) {
    if (heir[n] < 0) continue;
    const std::size_t k = static_cast<std::size_t>(heir[n]);
    if (best[n] > claim[k]) {
      claim[k] = best[n];
      now[k].id = before[n].id;
      now[k].pressure = before[n].pressure;
    }
  }
  for (Bubble<D>& b : now)
    if (b.id == 0) b.id = next_id++;
  return events;
}

template <int D>
void follow_bubbles(const Exec& exec, const AirInput<D>& in, Bubbles<D>& bubbles) {
  std::vector<Bubble<D>> before;
  before.swap(bubbles.list);
  bubbles.before_.of_cell.swap(bubbles.air.of_cell);
  bubbles.before_.count = bubbles.air.count;
  find_components<D, float>(exec, in.everywhere, in.label, CellSet(Cell::air), in.open, bubbles.air);
  measure(exec, in, bubbles);
  choose_free(exec, in, bubbles);
  if (bubbles.known) {
    bubbles.events = inherit_volumes<D>(before, heritage(exec, in, bubbles), 0.05 * in.grid.cell_volume(),
                                        bubbles.next_id, bubbles.list);
  } else {
    for (Bubble<D>& b : bubbles.list) {
      b.rest_volume = b.volume;
      b.id = bubbles.next_id++;
    }
    bubbles.events = {};
  }
  bubbles.known = true;
  bubbles.unknowns = 0;
  for (Bubble<D>& b : bubbles.list) b.unknown = !b.free && b.area > 0 ? bubbles.unknowns++ : -1;
}

template <int D>
void label_empty_blocks(const Exec& exec, const BlocksView<D>& everywhere, const BlocksView<D>& active,
                        MacView<D, const float> open, CellLabels<D>& labels) {
  const View<D, Cell> label = labels.of_cell.view();
  const Range<D> cells = everywhere.grid.cell_range();
  for_each_block(exec, everywhere, [=](std::int32_t slot) {
    if (active.slots[everywhere.ids[slot]] >= 0) return;
    visit(intersection(everywhere.indices(slot), cells), [&](const Index<D>& i) {
      bool any = false;
      for (int a = 0; a < D; ++a) any |= open[a](i) > 0 || open[a](i + Index<D>::unit(a)) > 0;
      label(i) = any ? Cell::air : Cell::solid;
    });
  });
}

#define GLUG_INSTANTIATE(D)                                                                               \
  template BubbleEvents inherit_volumes<D>(const std::vector<Bubble<D>>&, const std::vector<RegionPair>&, \
                                           double, std::int64_t&, std::vector<Bubble<D>>&);               \
  template void follow_bubbles<D>(const Exec&, const AirInput<D>&, Bubbles<D>&);                          \
  template void label_empty_blocks<D>(const Exec&, const BlocksView<D>&, const BlocksView<D>&,            \
                                      MacView<D, const float>, CellLabels<D>&);
GLUG_INSTANTIATE(2)
GLUG_INSTANTIATE(3)
#undef GLUG_INSTANTIATE

}  // namespace glug
