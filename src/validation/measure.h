// measure.h: what the parts of the suite read off a simulation that runs, and off curves over time.
#pragma once

#include <string>
#include <vector>

#include "particles/visit_particles.h"
#include "simulation/advance.h"

namespace glug {

// A built-in scene with some of its keys changed, as --set does. Throws InputError.
template <int D>
Setup<D> scene_setup(const std::string& name, std::vector<std::string> overrides);

// The air inside the domain: its amount, centre, and the second moment of its places about that centre, of
// the first axis less the mean of the others.
template <int D>
struct AirMoments {
  double volume = 0;        // m^D
  Vec<D, double> centre{};  // m
  double stretch = 0;       // m^2
};
template <int D>
AirMoments<D> air_moments(const State<D>& state);

// Mean velocity of the air (air.model = two_phase), m/s.
template <int D>
Vec<D, double> air_velocity(const State<D>& state);

// Mean of f(place in metres) over the liquid's particles.
template <int D, class F>
double liquid_mean(const State<D>& state, F f) {
  double sum = 0;
  visit_particles(state.particles, state.setup.grid.h,
                  [&](const Vec<D, double>& x, std::uint32_t) { sum += f(x); });
  return sum / static_cast<double>(state.particles.count);
}

// Length of the line phi = 0 itself, straight across squares between the centres of cells, m: unlike (C4),
// which smooths, it has all that the surface shows, its grain included.
double contour_length(const State<2>& state);

// A value over time.
struct Curve {
  std::vector<double> time, value;

  void add(double t, double v) {
    time.push_back(t);
    value.push_back(v);
  }
  // Times at which it changes its sign.
  std::vector<double> crossings() const;
  // By straight lines between samples.
  double at(double t) const;
};

struct Extreme {
  double time = 0, value = 0;
};
// Of the parabola through the largest (smallest) sample until `end` and its neighbours a few samples away.
Extreme largest(const Curve& curve, double end);
Extreme smallest(const Curve& curve, double end);

}  // namespace glug
