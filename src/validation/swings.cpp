// Drops and bubbles that swing without gravity. Mode 2 of a round one of radius R: omega^2 = c sigma / (rho
// R^3), c = 6 in the plane; in space 8 for a drop and 12 for a bubble (Rayleigh; Lamb 1932, art. 275).
#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "validation/measure.h"
#include "validation/parts.h"

namespace glug {
namespace {

// As of the air, of the liquid's particles.
template <int D>
double liquid_stretch(const State<D>& state) {
  double sum = 0;
  for (int a = 0; a < D; ++a) {
    const double mean = liquid_mean(state, [=](const Vec<D, double>& x) { return x[a]; });
    const double second =
        liquid_mean(state, [=](const Vec<D, double>& x) { return (x[a] - mean) * (x[a] - mean); });
    sum += second * (a == 0 ? 1.0 : -1.0 / (D - 1));
  }
  return sum;
}

enum class Swinging { drop, bubble };

// omega^2 of mode 2 of a bubble in the middle of a closed box of side L, over that in liquid without end.
// Walls mirror the flow: the box is a cell of a lattice of bubbles. To the potential P2 / r^3 of one (cos 2
// theta / r^2 in the plane) the others add c r^2 P2 / R^5, c = 6 S (R/L)^5 with S = sum of P4(x/|w|) / |w|^5
// over the lattice w (3 S (R/L)^4, S = sum of 1/w^4): more pressure for the same motion of the surface, which
// their flow opposes besides.
template <int D>
double in_a_box(double radius, double side) {
  const double q = radius / side;
  const double c = D == 2 ? 3 * 3.15121 * std::pow(q, 4) : 6 * 3.10822 * std::pow(q, 5);
  return (1 - 2 * c / D) / (1 + c);
}

// The time between the first and the third moment at which it is round. Half of that would not do: its mean
// is a little long (by 5% of the swing for the drop in space), so it is flat for a shorter time than long.
template <int D>
void swing(const Exec& exec, const std::string& name, const std::string& scene, Swinging what, int resolution,
           double factor, Found& found) {
  const Setup<D> setup = scene_setup<D>(scene, {fmt::format("grid.resolution={}", resolution)});
  State<D> state = initialise(exec, setup);
  const double volume = what == Swinging::drop ? state.target_volume : air_moments(state).volume;
  const double radius =
      D == 2 ? std::sqrt(volume / std::numbers::pi) : std::cbrt(volume * 3 / (4 * std::numbers::pi));
  const double box = what == Swinging::drop ? 1.0 : in_a_box<D>(radius, setup.grid.cells[0] * setup.grid.h);
  const double exact = 2 * std::numbers::pi /
                       std::sqrt(factor * box * setup.liquid.surface_tension /
                                 (setup.liquid.density * radius * radius * radius));
  Curve stretch;
  while (stretch.crossings().size() < 3 && state.time < 3 * exact) {
    (void)advance(exec, state);
    stretch.add(state.time, what == Swinging::drop ? liquid_stretch(state) : air_moments(state).stretch);
  }
  const std::vector<double> round = stretch.crossings();
  const double period = round.size() < 3 ? 0 : round[2] - round[0];
  found.near(name + ".period", period, exact, 0.03);
  Series series{name, {"time", "stretch"}, {}};
  for (std::size_t n = 0; n < stretch.time.size(); ++n)
    series.rows.push_back({stretch.time[n], stretch.value[n]});
  found.series.push_back(series);
}

// Root mean square of the speed from 0.4 to 0.8 s over sqrt(sigma / (rho R)), and the pressure inside.
void still_disk(const Exec& exec, int cells, double& currents, double& pressure) {
  const Setup<2> setup =
      scene_setup<2>("validation/still_disk", {fmt::format("grid.resolution={}", 3 * cells)});
  State<2> state = initialise(exec, setup);
  double squares = 0, count = 0;
  pressure = 0;
  while (state.frame < setup.time.frames) {
    const StepReport report = advance(exec, state);
    if (state.time < 0.4) continue;
    squares += 2 * report.kinetic_energy / (setup.liquid.density * state.target_volume);
    pressure += state.pressure.cells({3 * cells / 2, 3 * cells / 2});
    ++count;
  }
  currents =
      std::sqrt(squares / count) / std::sqrt(setup.liquid.surface_tension / (setup.liquid.density * 0.02));
  pressure /= count;
}

}  // namespace

void run_drop_2d(const Exec& exec, int cells, Found& found) {
  swing<2>(exec, "drop_2d", "oscillating_drop", Swinging::drop, 16 * cells / 5, 6, found);
}
void run_drop_3d(const Exec& exec, int cells, Found& found) {
  swing<3>(exec, "drop_3d", "validation/drop_3d", Swinging::drop, 3 * cells, 8, found);
}
void run_bubble_2d(const Exec& exec, int cells, Found& found) {
  swing<2>(exec, "bubble_2d", "validation/bubble_2d", Swinging::bubble, 8 * cells, 6, found);
}
// The box is 4 radii wide, which slows it by 1.5%. It starts less long than the others: large swings of
// bubbles are slow, by 1.0% if it were as long.
void run_bubble_3d(const Exec& exec, int cells, Found& found) {
  swing<3>(exec, "bubble_3d", "validation/bubble_3d", Swinging::bubble, 4 * cells, 12, found);
}

void run_still_disk(const Exec& exec, int cells, Found& found) {
  double coarse = 0, fine = 0, pressure = 0;
  still_disk(exec, cells / 4, coarse, pressure);
  found.tell(fmt::format("still_disk.{}.currents", cells / 4), coarse);
  still_disk(exec, cells, fine, pressure);
  found.near(fmt::format("still_disk.{}.pressure", cells), pressure, 0.072 / 0.02, 0.02);
  found.at_most(fmt::format("still_disk.{}.currents", cells), fine, 0.02);
  found.at_most("still_disk.converges", fine / coarse, 1);
}

}  // namespace glug
