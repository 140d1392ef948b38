// Waves in a box: a ripple that surface tension drives and viscosity ends, a long wave under gravity.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include "validation/measure.h"
#include "validation/parts.h"

namespace glug {
namespace {

// Of the free waves exp(s t) on deep viscous liquid (Lamb 1932, art. 349):
// (s + 2 nu k^2)^2 + omega^2 = 4 nu^2 k^4 sqrt(1 + s / (nu k^2)), by Newton's method.
std::complex<double> viscous_wave(double omega, double nu, double k) {
  const double rate = nu * k * k;
  std::complex<double> s(-2 * rate, omega);
  for (int n = 0; n < 50; ++n) {
    const std::complex<double> root = std::sqrt(1.0 + s / rate);
    const std::complex<double> f = (s + 2 * rate) * (s + 2 * rate) + omega * omega - 4 * rate * rate * root;
    const std::complex<double> slope = 2.0 * (s + 2 * rate) - 2 * rate / root;
    s -= f / slope;
  }
  return s;
}

}  // namespace

void run_capillary_decay(const Exec& exec, int cells, Found& found) {
  const Setup<2> setup =
      scene_setup<2>("validation/capillary_decay", {fmt::format("grid.resolution={}", 3 * cells / 2)});
  const double width = 0.02, depth = 0.02, k = std::numbers::pi / width;
  const double omega =
      std::sqrt(setup.liquid.surface_tension * k * k * k / setup.liquid.density * std::tanh(k * depth));
  const std::complex<double> exact = viscous_wave(omega, setup.liquid.viscosity / setup.liquid.density, k);
  State<2> state = initialise(exec, setup);
  Curve height;  // of the longest wave, m
  const double end = 4.6 * 2 * std::numbers::pi / exact.imag();
  while (state.time < end) {
    (void)advance(exec, state);
    const double wave = liquid_mean(state, [=](const Vec<2, double>& x) { return std::cos(k * x[0]); });
    height.add(state.time, 2 / width * state.target_volume * wave);
  }
  // The first crests hold shorter waves as well.
  const std::vector<double> zero = height.crossings();
  double count = 0, t = 0, y = 0, tt = 0, ty = 0;
  for (std::size_t n = 1; n + 1 < zero.size(); ++n) {
    double top = 0, when = 0;
    for (std::size_t m = 0; m < height.time.size(); ++m)
      if (height.time[m] > zero[n] && height.time[m] < zero[n + 1] && std::abs(height.value[m]) > top) {
        top = std::abs(height.value[m]);
        when = height.time[m];
      }
    ++count;
    t += when;
    y += std::log(top);
    tt += when * when;
    ty += when * std::log(top);
  }
  const double rate = -(count * ty - t * y) / (count * tt - t * t);
  const double period =
      zero.size() < 3 ? 0 : 2 * (zero.back() - zero[1]) / static_cast<double>(zero.size() - 2);
  found.near("capillary_decay.rate", rate, -exact.real(), 0.1);
  found.near("capillary_decay.period", period, 2 * std::numbers::pi / exact.imag(), 0.03);
  Series series{fmt::format("capillary_decay.{}", cells), {"time", "height"}, {}};
  for (std::size_t n = 0; n < height.time.size(); ++n)
    series.rows.push_back({height.time[n], height.value[n]});
  found.series.push_back(series);
}

// Tilted water in a box of 1 m, half full: half a wave, whose period linear theory gives.
void run_standing_wave(const Exec& exec, int cells, Found& found) {
  const double pi = std::numbers::pi, exact = 2 * pi / std::sqrt(9.81 * pi * std::tanh(0.5 * pi));
  for (int n : {cells / 2, cells}) {
    const Setup<2> setup = scene_setup<2>("gauntlet/standing_wave", {fmt::format("grid.resolution={}", n)});
    State<2> state = initialise(exec, setup);
    Curve side;
    std::vector<double> peaks;
    double first = 0, worst = 0;
    while (state.frame < setup.time.frames) {
      const StepReport report = advance(exec, state);
      side.add(state.time, liquid_mean(state, [](const Vec<2, double>& x) { return x[0] - 0.5; }));
      const std::size_t half = static_cast<std::size_t>(state.time / (0.5 * exact));
      if (half >= peaks.size()) peaks.push_back(0);
      peaks[half] = std::max(peaks[half], report.kinetic_energy);
      const double energy = report.kinetic_energy + report.potential_energy;
      if (first == 0) first = energy;
      worst = std::max(worst, std::abs(energy / first - 1));
    }
    const std::vector<double> zero = side.crossings();
    const std::string name = fmt::format("standing_wave.{}.", n);
    found.near(name + "period", 2 * (zero[15] - zero[0]) / 15, exact, 0.01);
    if (n == cells)
      found.at_least(name + "peak_energy_kept", peaks[15] / peaks[0], cells >= 192 ? 0.95 : 0.8);
    else
      found.tell(name + "peak_energy_kept", peaks[15] / peaks[0]);
    found.at_most(name + "energy_error", worst, 0.005);
  }
}

}  // namespace glug
