// setups.h: small simulations that several tests share, and that their bits are the same however they are
// run.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "particles/visit_particles.h"
#include "simulation/advance.h"
#include "simulation/snapshot.h"

namespace glug {

inline Shape box_shape(Vec3 low, Vec3 high) {
  Shape s;
  s.kind = ShapeKind::box;
  s.size = high - low;
  s.translation = 0.5 * (low + high);
  return s;
}

inline Shape ball_shape(double radius, Vec3 center) {
  Shape s;
  s.kind = ShapeKind::sphere;
  s.radius = radius;
  s.translation = center;
  return s;
}

// A closed box, `cells` along x, with gravity along -y.
template <int D>
Setup<D> empty_tank(const Index<D>& cells, double h) {
  Setup<D> s;
  s.grid.cells = cells;
  s.grid.h = h;
  s.gravity[1] = -9.81;
  return s;
}

template <int D>
Setup<D> dam(int n) {
  Index<D> cells = Index<D>::filled(n);
  if (D == 3) cells[0] = 2 * n;
  Setup<D> s = empty_tank<D>(cells, 1.0 / n);
  s.bodies.push_back({box_shape({-1, -1, -1}, {0.4, 0.6, 2}), {}});
  return s;
}

// f(position in metres, particle number) for each particle.
template <int D, class F>
void visit_particles(const State<D>& state, F f) {
  visit_particles(state.particles, state.setup.grid.h, f);
}

template <int D>
Vec<D, double> centre_of_mass(const State<D>& state) {
  Vec<D, double> sum{};
  visit_particles(state, [&](const Vec<D, double>& x, std::uint32_t) { sum += x; });
  double count = static_cast<double>(state.particles.count);
  if (!state.deep.empty()) sum += state.deep.beside * state.setup.grid.h;
  if (!state.deep.empty())
    visit(state.setup.grid.cell_range(), [&](const Index<D>& i) {
      if (state.deep.mark(i) != is_deep) return;
      sum += state.setup.grid.cell_center(i) * static_cast<double>(state.deep.stock(i));
      count += static_cast<double>(state.deep.stock(i));
    });
  return sum * (1.0 / count);
}

// All that the next step depends on.
template <int D>
std::string bits_of(const Exec& exec, const State<D>& state) {
  Snapshot<D> s = take_snapshot(exec, state);
  std::string all(reinterpret_cast<const char*>(&s.scalars), sizeof s.scalars);
  const auto add = [&](const auto* data, std::size_t count) {
    all.append(reinterpret_cast<const char*>(data), count * sizeof(*data));
  };
  visit_snapshot<D>(s, state.particles.arrays, state.gas.particles.arrays,
                    [&](const char*, const auto& buffer, std::int64_t count) {
                      add(buffer.data(),
                          count == whole_array ? buffer.size() : static_cast<std::size_t>(count));
                    });
  return all;
}

// All that a step tells, but for what it took.
inline std::string bits_of(const StepReport& report) {
  std::string all;
  const auto add = [&](const std::string& name, const auto& value, const OptionInfo&) {
    if (!name.starts_with("seconds_") && name != "memory_mb")
      all.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  StepReport::columns(report, add);
  return all;
}

// A state that goes on from another's snapshot.
template <int D>
State<D> resumed_from(const Exec& exec, const State<D>& state) {
  State<D> resumed = initialise(exec, state.setup);
  const Snapshot<D> snapshot = take_snapshot(exec, state);
  resumed.particles.arrays = state.particles.arrays;
  resumed.gas.particles.arrays = state.gas.particles.arrays;
  restore_snapshot(exec, snapshot, resumed);
  return resumed;
}

// The same bits with 1, 2 and 7 threads, in what steps tell too, with and without a snapshot after `before`
// of the steps. check(state, report) after each step before it.
template <int D, class F>
void expect_same_bits(const Setup<D>& setup, int before, int after, F check) {
  std::string reference, told;
  for (int threads : {1, 2, 7}) {
    const Exec exec{threads};
    State<D> state = initialise(exec, setup);
    std::string tells;
    for (int n = 0; n < before; ++n) {
      const StepReport report = advance(exec, state);
      check(state, report);
      tells += bits_of(report);
    }
    State<D> resumed = resumed_from(exec, state);
    EXPECT_TRUE(bits_of(exec, resumed) == bits_of(exec, state)) << threads << " threads, at the snapshot";
    for (int n = 0; n < after; ++n) {
      const std::string report = bits_of(advance(exec, state));
      EXPECT_TRUE(bits_of(advance(exec, resumed)) == report) << threads << " threads, resumed, step " << n;
      tells += report;
    }
    const std::string bits = bits_of(exec, state);
    EXPECT_TRUE(bits_of(exec, resumed) == bits) << threads << " threads, resumed";
    if (threads == 1) reference = bits;
    if (threads == 1) told = tells;
    EXPECT_TRUE(bits == reference) << threads << " threads";
    EXPECT_TRUE(tells == told) << threads << " threads, what steps told";
  }
}
template <int D>
void expect_same_bits(const Setup<D>& setup, int before, int after) {
  expect_same_bits(setup, before, after, [](const State<D>&, const StepReport&) {});
}

}  // namespace glug
