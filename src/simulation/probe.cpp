#include "simulation/probe.h"

#include <cmath>

#include "core/reduce.h"
#include "geometry/sample.h"
#include "projection/pressure_slope.h"

namespace glug {
namespace {

template <int D>
struct PressureField {
  Grid<D> grid;
  View<D, const double> p;  // Pa
  View<D, const Cell> label;
  BlocksView<D> blocks;
  bool of_gas;  // whether air has a pressure in every cell too
  // Of trapped air; null where there is none.
  View<D, const std::int32_t> region{};
  const double* region_pressure = nullptr;
  std::int32_t regions = 0;

  GLUG_INLINE bool is_known(const Index<D>& i) const {
    if (!grid.cell_range().contains(i) || blocks.slot_of_cell(i) < 0) return false;
    return label(i) == Cell::liquid || (of_gas && label(i) == Cell::air);
  }
  // Of air in a pocket; 0 in free air.
  GLUG_INLINE double of_air(const Index<D>& i) const {
    if (!region.data) return 0;
    const std::int32_t r = region(i);
    return r >= 0 && r < regions ? region_pressure[r] : 0;
  }
  // (L1): linear, from a cell that has a pressure.
  GLUG_INLINE double from_cell(const Index<D>& i, const Vec<D, double>& x) const {
    double value = p(i);
    const Vec<D, double> centre = grid.cell_center(i);
    for (int a = 0; a < D; ++a) {
      const double slope =
          pressure_slope(p, i, a, [&](const Index<D>& beside, const Index<D>&) { return is_known(beside); });
      value += slope * (x[a] - centre[a]) / grid.h;
    }
    return value;
  }
};

template <int D>
struct PressureKept {
  PressureField<D> field;
  std::vector<double> of_region;
};

template <int D>
PressureKept<D> pressure_of(const State<D>& state) {
  PressureKept<D> kept;
  PressureField<D>& f = kept.field;
  f.grid = state.setup.grid;
  f.p = state.pressure.cells.read();
  f.label = state.labels.read();
  f.blocks = state.active.view();
  f.of_gas = state.setup.has_gas();
  if (!f.of_gas && !state.bubbles.list.empty()) {
    for (const Bubble<D>& b : state.bubbles.list) kept.of_region.push_back(b.free ? 0 : b.pressure);
    f.region = state.bubbles.regions.of_cell.read();
    f.region_pressure = kept.of_region.data();
    f.regions = static_cast<std::int32_t>(kept.of_region.size());
  }
  return kept;
}

template <int D>
Index<D> cell_at(const Grid<D>& grid, const Vec<D, double>& x) {
  Index<D> cell{};
  for (int a = 0; a < D; ++a)
    cell[a] = clamp(static_cast<int>(std::floor(x[a] / grid.h)), 0, grid.cells[a] - 1);
  return cell;
}

// The liquid's signed distance; as far as it is known, outside that there is air.
template <int D>
double level_set_at(const State<D>& state, const Vec<D, double>& x) {
  const Grid<D>& grid = state.setup.grid;
  const BlocksView<D> blocks = state.active.view();
  Index<D> base{};
  Vec<D, double> t{};
  for (int a = 0; a < D; ++a) {
    const double s = clamp(x[a] / grid.h - 0.5, 0.0, grid.cells[a] - 1.0);
    base[a] = std::min(static_cast<int>(s), std::max(0, grid.cells[a] - 2));
    t[a] = s - base[a];
  }
  double value = 0;
  for (int corner = 0; corner < 1 << D; ++corner) {
    Index<D> i = base;
    double w = 1;
    for (int a = 0; a < D; ++a) {
      const int up = corner >> a & 1;
      i[a] = std::min(i[a] + up, grid.cells[a] - 1);
      w *= up ? t[a] : 1 - t[a];
    }
    value += w * (blocks.slot_of_cell(i) >= 0 ? static_cast<double>(state.phi(i)) : 3 * grid.h);
  }
  return value;
}

// (L2): up through the liquid to its surface; from air down to it.
template <int D>
std::optional<double> level_at(const State<D>& state, const Vec<D, double>& x) {
  const Grid<D>& grid = state.setup.grid;
  const double top = grid.cells[1] * grid.h;
  const double start = level_set_at(state, x);
  const double step = start < 0 ? grid.h : -grid.h;
  // From centre to centre: between those the distance is linear.
  Vec<D, double> here = x;
  double value = start;
  for (;;) {
    Vec<D, double> next = here;
    const double row = here[1] / grid.h - 0.5;
    next[1] = (step > 0 ? std::floor(row + 1e-9) + 1.5 : std::ceil(row - 1e-9) - 0.5) * grid.h;
    if (next[1] > top - 0.25 * grid.h) return step > 0 ? std::optional<double>(top) : std::nullopt;
    if (next[1] < 0.25 * grid.h) return std::nullopt;
    const double beyond = level_set_at(state, next);
    if ((beyond < 0) != (value < 0)) return here[1] + (next[1] - here[1]) * value / (value - beyond);
    here = next;
    value = beyond;
  }
}

template <int D>
void read_point(const State<D>& state, const Probe& probe, ProbeReading& reading) {
  const Grid<D>& grid = state.setup.grid;
  Vec<D, double> x{};
  for (int a = 0; a < D; ++a) x[a] = (*probe.at)[a];
  const PressureKept<D> kept = pressure_of(state);
  const PressureField<D>& f = kept.field;
  const Index<D> cell = cell_at(grid, x);
  const bool wet = level_set_at(state, x) < 0;
  reading.level = level_at(state, x);
  if (!f.of_gas && !wet) {
    reading.pressure = f.of_air(cell);
    return;
  }
  // The nearest cell around that has a pressure: near the surface and in cut cells it need not be the own.
  std::optional<Index<D>> nearest;
  double distance = HUGE_VAL;
  visit(Range<D>{cell - Index<D>::filled(1), cell + Index<D>::filled(2)}, [&](const Index<D>& i) {
    if (!f.is_known(i)) return;
    const Vec<D, double> away = grid.cell_center(i) - x;
    if (const double d = dot(away, away); d < distance) distance = d, nearest = i;
  });
  if (nearest) reading.pressure = f.from_cell(*nearest, x);
  if (!wet) return;
  Vec<D, float> offset{};
  for (int a = 0; a < D; ++a) offset[a] = static_cast<float>(clamp(x[a] / grid.h - cell[a], 0.0, 1.0 - 1e-6));
  const Vec<D, float> u = sample_mac<D, float>(state.velocity.read(), cell, offset);
  Vec3 velocity{};
  for (int a = 0; a < D; ++a) velocity[a] = static_cast<double>(u[a]);
  reading.velocity = velocity;
}

struct Load {
  Vec3 force{}, torque{};
  friend Load operator+(const Load& a, const Load& b) { return {a.force + b.force, a.torque + b.torque}; }
};

struct LoadedSolids {
  const SolidInstance* list = nullptr;
  int count = 0, wanted = -1;  // -1: a side
};

// (L3), of the cells of one block.
template <int D>
Load load_of_block(const PressureField<D>& f, const MacView<D, const float>& open, const Sides<D>& sides,
                   const LoadedSolids& solids, const DomainSide& wall, const Vec3& about,
                   const Range<D>& cells) {
  Load load;
  const Grid<D> grid = f.grid;
  visit(intersection(cells, grid.cell_range()), [&](const Index<D>& i) {
    const bool known = f.is_known(i);
    if (!known && !(f.label(i) == Cell::air && f.of_air(i) != 0)) return;
    // Area towards solids, pointing into them, per face area; walls of the domain apart.
    Vec3 area{};
    double of_wall = 0;
    bool cut = false;
    for (int a = 0; a < D; ++a) {
      const double low = static_cast<double>(open[a](i)),
                   high = static_cast<double>(open[a](i + Index<D>::unit(a)));
      const bool at_low = i[a] == 0 && !sides.open[a][0],
                 at_high = i[a] == grid.cells[a] - 1 && !sides.open[a][1];
      if (at_low || at_high) {
        if (wall.axis == a && (wall.side ? at_high : at_low)) of_wall = wall.side ? low : high;
        continue;
      }
      area[a] = low - high;
      cut = cut || low != high;
    }
    const Vec3 centre = embed<D>(grid.cell_center(i));
    const auto push = [&](const Vec3& towards, const Vec3& where) {
      Vec<D, double> x{};
      for (int a = 0; a < D; ++a) x[a] = where[a];
      const double p = known ? f.from_cell(i, x) : f.of_air(i);
      const Vec3 force = towards * (p * grid.face_area());
      load.force += force;
      load.torque += cross(where - about, force);
    };
    if (solids.wanted < 0) {
      if (!(of_wall > 0)) return;
      Vec3 towards{}, where = centre;
      towards[wall.axis] = wall.side ? of_wall : -of_wall;
      where[wall.axis] += (wall.side ? 0.5 : -0.5) * grid.h;
      push(towards, where);
      return;
    }
    if (!cut) return;
    // The nearest solid is the one that the cell meets.
    int nearest = 0;
    double distance = HUGE_VAL;
    for (int n = 0; n < solids.count; ++n) {
      const double d = solids.list[n].shape.distance(solids.list[n].pose.to_body(centre));
      if (d < distance) distance = d, nearest = n;
    }
    if (nearest != solids.wanted) return;
    const double length = norm(area);
    push(area, centre + area * (clamp(distance, -0.9 * grid.h, 0.9 * grid.h) / length));
  });
  return load;
}

template <int D>
void read_load(const Exec& exec, const State<D>& state, const Probe& probe, ProbeReading& reading) {
  LoadedSolids solids;
  const std::vector<SolidInstance> instances = instances_of(state.solids);
  solids.list = instances.data();
  solids.count = static_cast<int>(instances.size());
  Vec3 about{};
  for (int n = 0; n < solids.count; ++n)
    if (state.setup.solids[static_cast<std::size_t>(n)].name == probe.on) {
      solids.wanted = n;
      const SolidBody& body = state.solids[static_cast<std::size_t>(n)];
      if (body.rigid) about = body.centre();
    }
  if (probe.about) about = *probe.about;
  const DomainSide wall = solids.wanted < 0 ? *side_called(probe.on) : DomainSide{-1, 0};
  const PressureKept<D> kept = pressure_of(state);
  const PressureField<D> f = kept.field;
  const MacView<D, const float> open = state.open.read();
  const Sides<D> sides = state.setup.sides;
  // Air presses in all blocks, water in those it is in.
  const BlocksView<D> blocks = f.region.data ? state.everywhere.view() : state.active.view();
  const Load load = reduce_blocks(exec, blocks, Load{}, Plus{}, [=](std::int32_t slot) {
    return load_of_block<D>(f, open, sides, solids, wall, about, blocks.indices(slot));
  });
  reading.force = load.force;
  reading.torque = load.torque;
}

}  // namespace

std::optional<DomainSide> side_called(const std::string& name) {
  static constexpr const char* names[3][2] = {{"left", "right"}, {"bottom", "top"}, {"back", "front"}};
  for (int a = 0; a < 3; ++a)
    for (int s = 0; s < 2; ++s)
      if (name == names[a][s]) return DomainSide{a, s};
  return {};
}

template <int D>
ProbeReading read_probe(const Exec& exec, const State<D>& state, const Probe& probe) {
  ProbeReading reading;
  if (probe.on.empty())
    read_point(state, probe, reading);
  else
    read_load(exec, state, probe, reading);
  return reading;
}

template ProbeReading read_probe<2>(const Exec&, const State<2>&, const Probe&);
template ProbeReading read_probe<3>(const Exec&, const State<3>&, const Probe&);

}  // namespace glug
