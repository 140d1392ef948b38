// A standing wave of small height in a box: the linear theory's period, hardly any damping, no energy from
// nowhere, and particles that stay evenly spread. The scene is scenes/gauntlet/standing_wave.toml.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "simulation/setups.h"

namespace glug {
namespace {

constexpr double g = 9.81, depth = 0.5, slope = 0.08;

Setup<2> tilted_box(int n) {
  Setup<2> s = empty_tank<2>({n, n}, 1.0 / n);
  Shape below;
  below.kind = ShapeKind::plane;
  below.rotation_vector = {0, 0, -std::atan(slope)};
  below.translation = {0.5, depth, 0};
  s.bodies.push_back({below, {}});
  return s;
}

// What is kept of a run, a value for every substep.
struct Wave {
  std::vector<double> time, kinetic, total, side;  // s, J, J, m: centre of mass beside the box's middle
  std::map<std::int32_t, double> fill;             // by block: particles over those that fill it, mean
};

// start: where stock is first laid out as particles, with a narrow band.
Wave run_wave(int n, double until, int narrow_band = 0, int start = 0) {
  const Exec exec{1};
  Setup<2> setup = tilted_box(n);
  setup.liquid.narrow_band = narrow_band;
  State<2> state = initialise(exec, setup);
  state.step = start;
  Wave run;
  const double whole = block_volume<2> * particles_per_cell<2>(state.setup.liquid);
  int samples = 0;
  while (state.time < until - 1e-9) {
    const StepReport r = advance(exec, state);
    run.time.push_back(r.time);
    run.kinetic.push_back(r.kinetic_energy);
    run.total.push_back(r.kinetic_energy + r.potential_energy);
    run.side.push_back(centre_of_mass(state)[0] - 0.5);
    if (state.time < until - 2.4) continue;  // two periods
    ++samples;
    const BlocksView<2> all = state.active.view(), b = state.particles.occupied.view();
    for (std::int32_t k = 0; k < all.count; ++k) {
      const Range<2> cells = all.indices(k);
      // Wholly inside the box and two cells below the lowest trough.
      if (cells.hi[0] > n || cells.hi[1] + 2 > n * (depth - 0.5 * slope)) continue;
      double held = 0;
      if (const std::int32_t slot = b.slots[all.ids[k]]; slot >= 0) {
        const std::uint32_t* begin =
            state.particles.cell_begin.data() + static_cast<std::size_t>(slot) * block_volume<2>;
        held = begin[block_volume<2>] - begin[0];
      }
      if (!state.deep.empty())
        visit(cells, [&](const Index<2>& i) {
          if (state.deep.mark(i) == is_deep) held += static_cast<double>(state.deep.stock(i));
        });
      run.fill[all.ids[k]] += held / whole;
    }
  }
  for (auto& [block, fill] : run.fill) fill /= samples;
  return run;
}

// Where the centre of mass crosses the middle.
std::vector<double> crossings(const Wave& run) {
  std::vector<double> at;
  for (std::size_t n = 1; n < run.time.size(); ++n)
    if (run.side[n - 1] * run.side[n] < 0) {
      const double f = run.side[n - 1] / (run.side[n - 1] - run.side[n]);
      at.push_back(run.time[n - 1] + f * (run.time[n] - run.time[n - 1]));
    }
  return at;
}

// The largest kinetic energy between two turns; two a period.
std::vector<double> peaks(const Wave& run, double theory) {
  std::vector<double> all;
  for (std::size_t n = 0; n < run.time.size(); ++n) {
    const std::size_t half = static_cast<std::size_t>(run.time[n] / (0.5 * theory));
    if (half >= all.size()) all.push_back(0);
    all[half] = std::max(all[half], run.kinetic[n]);
  }
  return all;
}

void report(int n, const Wave& run, double theory) {
  const std::vector<double> at = crossings(run), top = peaks(run, theory);
  const auto [low, high] = std::minmax_element(run.total.begin(), run.total.end());
  std::printf("%d cells: period %.4f s, linear theory %.4f; energy %.2f J at first, %.2f to %.2f\n", n,
              2 * (at.back() - at.front()) / static_cast<double>(at.size() - 1), theory, run.total.front(),
              *low, *high);
  std::printf("peaks of kinetic energy:");
  for (double e : top) std::printf(" %.3f", e);
  std::printf("\nfill of blocks:");
  for (const auto& [block, fill] : run.fill) std::printf(" %.3f", fill);
  std::printf("\n");
}

// Of linear theory: half a wave in the box.
double period() {
  const double k = std::numbers::pi;
  return 2 * std::numbers::pi / std::sqrt(g * k * std::tanh(k * depth));
}

// Largest kinetic energies of linear theory, as `peaks` finds them. The tilted plane is a sum of odd modes,
// a_n = 4 slope / (n pi)^2; the third has 1.2% of the first one's energy and another period, so the peaks
// themselves rise by up to 1.2% and fall again.
std::vector<double> linear_peaks(std::size_t halves) {
  Wave exact;
  const double pi = std::numbers::pi;
  for (double t = 0; t < static_cast<double>(halves) * 0.5 * period(); t += 0.001) {
    double energy = 0;
    for (int n = 1; n < 20; n += 2) {
      const double a = 4 * slope / (n * n * pi * pi), w = std::sqrt(g * n * pi * std::tanh(n * pi * depth));
      energy += 0.25 * 1000 * g * a * a * std::sin(w * t) * std::sin(w * t);
    }
    exact.time.push_back(t);
    exact.kinetic.push_back(energy);
  }
  return peaks(exact, period());
}

// Over eight periods, against linear theory: no peak has more of it than the first by 0.5%, and the last
// keeps at least `kept` of the first.
void expect_slow_decay(const Wave& run, double kept) {
  const std::vector<double> top = peaks(run, period()), exact = linear_peaks(16);
  ASSERT_GE(top.size(), 16u);
  EXPECT_NEAR(top[0] / exact[0], 1, 0.02);
  for (std::size_t n = 1; n < 16; ++n)
    EXPECT_LT(top[n] / exact[n], 1.005 * top[0] / exact[0]) << "half period " << n;
  EXPECT_GT(top[15], kept * top[0]);
}

void expect_period(const Wave& run) {
  const std::vector<double> at = crossings(run);
  ASSERT_GE(at.size(), 16u);
  EXPECT_NEAR(2 * (at[15] - at[0]) / 15 / period(), 1, 0.01);
}

void expect_energy_kept(const Wave& run, double gain) {
  const double start = run.total.front();
  double lowest = start;
  for (std::size_t n = 0; n < run.time.size(); ++n) {
    ASSERT_NEAR(run.total[n] / start, 1, 0.005) << "t = " << run.time[n];
    // Half a per cent of all potential energy is twice the wave's own, 2.6 J: this is what it must not gain.
    lowest = std::min(lowest, run.total[n]);
    ASSERT_LT(run.total[n], lowest + gain) << "t = " << run.time[n];
  }
}

void expect_evenly_spread(const Wave& run) {
  ASSERT_GE(run.fill.size(), 6u);
  for (const auto& [block, fill] : run.fill) EXPECT_NEAR(fill, 1, 0.02) << "block " << block;
}

struct StandingWave : testing::Test {
  static const Wave& run() {
    static const Wave all = run_wave(96, 10);
    return all;
  }
};

TEST_F(StandingWave, HasThePeriodOfLinearTheory) {
  report(96, run(), period());
  expect_period(run());
}

TEST_F(StandingWave, NeverGrowsAndKeepsNineTenthsOfItsPeakEnergyOverEightPeriods) {
  expect_slow_decay(run(), 0.9);
}

TEST_F(StandingWave, KeepsItsEnergyWithinHalfAPerCentForTenSeconds) { expect_energy_kept(run(), 0.02 * 2.6); }

TEST_F(StandingWave, KeepsItsParticlesEvenlySpread) { expect_evenly_spread(run()); }

// Where liquid comes out of the deep is a matter of chance: several beginnings of it.
TEST(BandedStandingWave, DoesAllThisWithParticlesWithinFourCellsOfItsSurfaceWhereverTheyRise) {
  for (int start : {0, 1000, 2000, 3000}) {
    SCOPED_TRACE(start);
    const Wave run = run_wave(96, 10, 4, start);
    report(96, run, period());
    expect_period(run);
    expect_slow_decay(run, 0.8);
    // A twentieth of the wave's energy, or the weight of one particle in a thousand moved by three cells.
    expect_energy_kept(run, 0.05 * 2.6);
    expect_evenly_spread(run);
  }
}

TEST(FineStandingWave, KeepsNineteenTwentiethsOfItsPeakEnergyOverEightPeriods) {
  const Wave run = run_wave(192, 9.6);
  report(192, run, period());
  expect_slow_decay(run, 0.95);
  for (const auto& [block, fill] : run.fill) EXPECT_NEAR(fill, 1, 0.02) << "block " << block;
}

}  // namespace
}  // namespace glug
