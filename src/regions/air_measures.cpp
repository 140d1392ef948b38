#include "regions/air_measures.h"

#include "core/rows.h"
#include "geometry/volume.h"

namespace glug {
namespace {

// What one block adds.
template <int D>
struct Found {
  struct Sum {
    std::int32_t region;
    AirSums<D> sum;
  };
  struct Liquid {
    std::int32_t region;
    double cells;
  };
  std::vector<Sum> sums;
  std::vector<Liquid> liquid;
  std::vector<RegionPair> contacts;
  std::vector<std::int32_t> liquid_outside;

  AirSums<D>& of(std::int32_t region) {
    for (std::size_t k = sums.size(); k-- > 0;)
      if (sums[k].region == region) return sums[k].sum;
    return sums.emplace_back(Sum{region, {}}).sum;
  }
  void add_liquid(std::int32_t region, double cells) {
    if (region < 0 || cells == 0) return;
    for (std::size_t k = liquid.size(); k-- > 0;)
      if (liquid[k].region == region) {
        liquid[k].cells += cells;
        return;
      }
    liquid.push_back({region, cells});
  }
};

// Adds up cells one after the other; most follow one of the same row and region.
template <int D>
struct RowSum {
  Found<D>& found;
  Grid<D> grid;
  std::int32_t region = -1;
  Index<D> first{};
  double cells = 0, steps = 0;  // steps: sum of the parts times their distance from `first`, in cells

  GLUG_INLINE void add(std::int32_t to, const Index<D>& i, double part) {
    bool same = to == region;
    for (int a = 1; a < D; ++a) same = same && i[a] == first[a];
    if (!same) {
      flush();
      region = to;
      first = i;
    }
    cells += part;
    steps += part * (i[0] - first[0]);
  }
  void flush() {
    if (region < 0) return;
    AirSums<D>& sum = found.of(region);
    const Vec<D, double> x = grid.cell_center(first);
    sum.cells += cells;
    for (int a = 0; a < D; ++a) sum.moment[a] += cells * x[a];
    sum.moment[0] += steps * grid.h;
    region = -1;
    cells = steps = 0;
  }
};

template <int D>
struct MeasureBlock {
  AirInput<D> in;
  View<D, const std::int32_t> of;
  std::int32_t air;
  Range<D> cells;

  GLUG_INLINE double open_part(const Index<D>& i) const {
    return in.open_part.data ? static_cast<double>(in.open_part(i))
                             : cell_open_fraction<D>(in.solid, in.grid.h, i);
  }
  GLUG_INLINE double liquid_part(const Index<D>& i) const {
    return in.liquid_part.data ? static_cast<double>(in.liquid_part(i))
                               : cell_liquid_fraction<D>(in.active, in.grid, in.phi, in.solid, i);
  }

  void all_air(const Range<D>& block, std::int32_t region, Found<D>& found) const {
    AirSums<D>& sum = found.of(region);
    sum.cells = static_cast<double>(block.size());
    for (int a = 0; a < D; ++a) sum.moment[a] = sum.cells * in.grid.h * 0.5 * (block.lo[a] + block.hi[a]);
  }

  // No liquid here, nor across the borders, but for cells within solids that count as liquid for the step:
  // they have no room.
  void dry(const Range<D>& block, Found<D>& found) const {
    RowSum<D> sum{found, in.grid};
    visit_rows(block, [&](Index<D> i, int width) {
      const std::int32_t* region = &of(i);
      for (int k = 0; k < width; ++k, ++i[0])
        if (region[k] >= 0 && region[k] < air) sum.add(region[k], i, open_part(i));
    });
    sum.flush();
  }

  void near_liquid(const Range<D>& block, bool active, Found<D>& found) const {
    const float sure = static_cast<float>(2 * in.grid.h);
    RowSum<D> sum{found, in.grid};
    visit_rows(block, [&](Index<D> i, int width) {
      const Cell* label = &in.label(i);
      const float* phi = active ? &in.phi(i) : nullptr;
      const std::int32_t* own = &of(i);
      for (int k = 0; k < width; ++k, ++i[0]) {
        if (label[k] == Cell::solid) continue;
        if (label[k] == Cell::liquid && phi[k] < -sure) {
          found.add_liquid(own[k], open_part(i));
          continue;
        }
        if (label[k] == Cell::air && active && phi[k] > sure &&
            !(in.liquid_part.data && in.liquid_part(i) > 0)) {
          sum.add(own[k], i, open_part(i));
          continue;
        }
        const double open = open_part(i);
        const double liquid = open > 0 && active ? liquid_part(i) : 0;
        const std::int32_t beside = region_beside(i, label[k], found);
        found.add_liquid(label[k] == Cell::liquid ? own[k] : beside, liquid);
        const std::int32_t bubble = label[k] == Cell::air ? own[k] : beside;
        if (bubble >= 0) sum.add(bubble, i, open > liquid ? open - liquid : 0);
      }
    });
    sum.flush();
  }

  // The first region of the other kind beyond an open face, -1 = none: the air in a cell that counts as
  // liquid is a neighbour's, and so is the liquid in one that counts as air. Notes the faces between an air
  // cell and liquid.
  std::int32_t region_beside(const Index<D>& i, Cell label, Found<D>& found) const {
    std::int32_t first = -1;
    for (int a = 0; a < D; ++a)
      for (int high = 0; high < 2; ++high) {
        const Index<D> face = high ? i + Index<D>::unit(a) : i;
        const Index<D> other = high ? face : i - Index<D>::unit(a);
        if (in.label(other) == label || !(in.open[a](face) > 0) || !cells.contains(other)) continue;
        if (in.label(other) == Cell::solid) continue;
        if (first < 0) first = of(other);
        if (label == Cell::liquid) return first;
        found.of(of(i)).area += in.open[a](face);
        add_pair(found.contacts, of(i), of(other), 1);
      }
    return first;
  }

  // What reaches an open side of the domain.
  void at_sides(const Range<D>& block, Found<D>& found) const {
    for (int a = 0; a < D; ++a)
      for (int high = 0; high < 2; ++high) {
        if (!in.sides.open[a][high] || (high ? block.hi[a] < cells.hi[a] : block.lo[a] > cells.lo[a]))
          continue;
        Range<D> border = block;
        (high ? border.lo[a] : border.hi[a]) = high ? border.hi[a] - 1 : border.lo[a] + 1;
        visit(border, [&](const Index<D>& i) {
          const double open = in.open[a](high ? i + Index<D>::unit(a) : i);
          const std::int32_t region = of(i);
          if (region < 0 || !(open > 0)) return;
          if (region < air)
            found.of(region).outside += open;
          else if (found.liquid_outside.empty() || found.liquid_outside.back() != region)
            found.liquid_outside.push_back(region);
        });
      }
  }
};

}  // namespace

template <int D>
AirMeasures<D> measure_air(const Exec& exec, const AirInput<D>& in, const Components<D>& regions,
                           std::int32_t air, const BlockKinds<D>& kinds) {
  const MeasureBlock<D> measure{in, regions.of_cell.read(), air, in.grid.cell_range()};
  const BlocksView<D> all = in.everywhere;
  std::vector<Found<D>> lists(static_cast<std::size_t>(all.count));
  Found<D>* list = lists.data();
  const BlockKind* kind = kinds.of_block.data();
  const std::uint8_t* dry = kinds.dry.data();
  for_each_block(exec, all, [=](std::int32_t slot) {
    const std::int32_t id = all.ids[slot];
    const Range<D> block = intersection(all.indices(slot), measure.cells);
    if (block.size() == 0 || kind[id] == BlockKind::solid) return;
    if (kind[id] == BlockKind::air)
      measure.all_air(block, measure.of(block.lo), list[slot]);
    else if (dry[id])
      measure.dry(block, list[slot]);
    else if (kind[id] == BlockKind::mixed)
      measure.near_liquid(block, in.active.slots[id] >= 0, list[slot]);
    else if (kind[id] == BlockKind::liquid)
      list[slot].add_liquid(measure.of(block.lo), static_cast<double>(block.size()));
    measure.at_sides(block, list[slot]);
  });

  AirMeasures<D> measures;
  measures.sums.resize(static_cast<std::size_t>(air));
  measures.liquid.resize(static_cast<std::size_t>(regions.count - air), 0);
  for (const Found<D>& found : lists) {
    for (const auto& s : found.sums) {
      AirSums<D>& sum = measures.sums[static_cast<std::size_t>(s.region)];
      sum.cells += s.sum.cells;
      sum.moment += s.sum.moment;
      sum.area += s.sum.area;
      sum.outside += s.sum.outside;
    }
    for (const auto& l : found.liquid) measures.liquid[static_cast<std::size_t>(l.region - air)] += l.cells;
    measures.contacts.insert(measures.contacts.end(), found.contacts.begin(), found.contacts.end());
    measures.liquid_outside.insert(measures.liquid_outside.end(), found.liquid_outside.begin(),
                                   found.liquid_outside.end());
  }
  measures.contacts = merged(std::move(measures.contacts));
  return measures;
}

template AirMeasures<2> measure_air<2>(const Exec&, const AirInput<2>&, const Components<2>&, std::int32_t,
                                       const BlockKinds<2>&);
template AirMeasures<3> measure_air<3>(const Exec&, const AirInput<3>&, const Components<3>&, std::int32_t,
                                       const BlockKinds<3>&);

}  // namespace glug
