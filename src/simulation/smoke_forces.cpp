#include "simulation/smoke_forces.h"

#include <algorithm>
#include <cmath>

#include "core/for_each.h"
#include "core/reduce.h"
#include "simulation/smoke_sides.h"

namespace glug {
namespace {

// The share of a cell around x that a shape covers, as far as the distance at its middle tells.
GLUG_INLINE float coverage(const ShapeView& shape, const Vec3& own, double h) {
  return static_cast<float>(clamp(0.5 - shape.distance(own) / h, 0.0, 1.0));
}

struct Lightness {
  float buoyancy = 0, weight = 0;
  // Acceleration along gravity over gravity.
  GLUG_INLINE float of(float density, float temperature) const {
    return weight * density - buoyancy * temperature;
  }
};

// Sum of value(face, axis) over open faces, by their open parts.
template <int D, class F>
double sum_over_faces(const Exec& exec, const State<D>& state, F value) {
  double sum = 0;
  for (int a = 0; a < D; ++a) {
    const Range<D> faces = state.setup.grid.face_range(a);
    const View<D, const float> open = state.open[a].read();
    sum += reduce(exec, faces.size(), 0.0, Plus{}, [=](std::ptrdiff_t n) {
      const Index<D> i = faces.at(n);
      return open(i) > 0 ? static_cast<double>(open(i)) * value(i, a) : 0.0;
    });
  }
  return sum;
}

}  // namespace

template <int D>
double add_buoyancy(const Exec& exec, const State<D>& state, double dt, MacView<D, float> velocity) {
  const Setup<D>& s = state.setup;
  const SmokeOptions& options = s.smoke.options;
  const Lightness light{static_cast<float>(options.buoyancy), static_cast<float>(options.weight)};
  const View<D, const float> density = state.smoke.density.read(),
                             temperature = state.smoke.temperature.read();
  const View<D, const Cell> label = state.labels.read();
  const Range<D> cells = s.grid.cell_range();
  float level = 0;
  if (state.smoke.sealed) {
    const auto of = [=](std::ptrdiff_t n, float otherwise) {
      const Index<D> i = cells.at(n);
      return label(i) == Cell::liquid ? light.of(density(i), temperature(i)) : otherwise;
    };
    const float none = HUGE_VALF;
    const float least =
        reduce(exec, cells.size(), none, Minimum{}, [=](std::ptrdiff_t n) { return of(n, none); });
    const float most =
        reduce(exec, cells.size(), -none, Maximum{}, [=](std::ptrdiff_t n) { return of(n, -none); });
    if (least <= most) level = least + 0.5f * (most - least);
  }
  for (int a = 0; a < D; ++a) {
    const float kick = static_cast<float>(s.gravity[a] * dt);
    if (kick == 0) continue;
    const View<D, float> u = velocity[a];
    const View<D, const float> open = state.open[a].read();
    for_each(exec, s.grid.face_range(a), [=](const Index<D>& i) {
      if (!(open(i) > 0)) return;
      const Index<D> low = i - Index<D>::unit(a);
      const Index<D> below = cells.contains(low) ? low : i, above = cells.contains(i) ? i : low;
      const float sum =
          light.of(density(below), temperature(below)) + light.of(density(above), temperature(above));
      u(i) += kick * (0.5f * sum - level);
    });
  }
  return level;
}

template <int D>
void fade(const Exec& exec, State<D>& state, double dt) {
  const SmokeOptions& options = state.setup.smoke.options;
  const auto scale = [&](View<D, float> field, double rate) {
    if (rate == 0) return;
    const float keep = static_cast<float>(std::exp(-rate * dt));
    for_each(exec, state.setup.grid.cell_range(), [=](const Index<D>& i) { field(i) *= keep; });
  };
  scale(state.smoke.density.view(), options.dissipation);
  scale(state.smoke.temperature.view(), options.cooling);
}

template <int D>
void apply_sources(const Exec& exec, State<D>& state) {
  const Setup<D>& s = state.setup;
  const Grid<D> grid = s.grid;
  for (std::size_t n = 0; n < state.smoke.sources.size(); ++n) {
    const SmokeSourceSetup& source = s.smoke.sources[n];
    Tap& tap = state.smoke.sources[n];
    const double rate = source.hours.opening(state.time);
    if (!(rate > 0)) continue;
    tap.body.pose = pose_at(source.motion, state.time);
    tap.body.time = state.time;
    const ShapeView shape = tap.body.shape.view();
    const Pose pose = tap.body.pose;
    const double h = grid.h;
    const View<D, float> density = state.smoke.density.view(), temperature = state.smoke.temperature.view();
    const float given = static_cast<float>(rate * source.density),
                heat = static_cast<float>(rate * source.temperature);
    for_each(exec, grid.cell_range(), [=](const Index<D>& i) {
      const float c = coverage(shape, pose.to_body(embed<D>(grid.cell_center(i))), h);
      if (c <= 0) return;
      density(i) += c * (given - density(i));
      temperature(i) += c * (heat - temperature(i));
    });
    if (norm(source.velocity) == 0) continue;
    const Vec3 velocity = pose.world_from_body * source.velocity * rate + pose.velocity;
    for (int a = 0; a < D; ++a) {
      const View<D, float> u = state.velocity[a].view();
      const float wanted = static_cast<float>(velocity[a]);
      for_each(exec, grid.face_range(a), [=](const Index<D>& i) {
        const float c = coverage(shape, pose.to_body(embed<D>(grid.face_center(i, a))), h);
        if (c > 0) u(i) += c * (wanted - u(i));
      });
    }
  }
}

template <int D>
double smeared_energy(const Exec& exec, const State<D>& state, double dt) {
  if (state.setup.smoke.options.vorticity == 0) return 0;
  const Grid<D>& grid = state.setup.grid;
  const MacView<D, const float> before = state.velocity_before.read(), after = state.velocity.read();
  const double lost = sum_over_faces(exec, state, [=](const Index<D>& i, int a) {
    const double u = before[a](i), v = after[a](i);
    return 0.5 * (u * u - v * v);
  });
  double out = 0;
  visit_open_sides(
      grid, state.setup.sides, [&](const Index<D>& face, int a, double outwards, const Index<D>& cell) {
        double squares = 0;
        for (int b = 0; b < D; ++b) {
          const double u = 0.5 * static_cast<double>(before[b](cell) + before[b](cell + Index<D>::unit(b)));
          squares += u * u;
        }
        const double flux = outwards * static_cast<double>(before[a](face) * state.open[a](face));
        out += 0.5 * squares * std::max(0.0, flux);
      });
  return lost * grid.cell_volume() - out * grid.face_area() * dt;
}

template <int D>
void confine_eddies(const Exec& exec, State<D>& state, double dt, double smeared) {
  const Setup<D>& s = state.setup;
  const double strength = s.smoke.options.vorticity;
  if (strength == 0 || !(smeared > 0)) return;
  const Range<D> cells = s.grid.cell_range();
  const float h = static_cast<float>(s.grid.h);
  const MacView<D, const float> u = state.velocity.read();
  const View<D, const Cell> label = state.labels.read();
  // Velocity at the centre of a cell, or of the nearest one inside.
  const auto at_center = [=](int a, const Index<D>& i) {
    const Index<D> c = cells.clamped(i);
    return 0.5f * (u[a](c) + u[a](c + Index<D>::unit(a)));
  };
  const auto slope = [=](int of, int along, const Index<D>& i) {
    return (at_center(of, i + Index<D>::unit(along)) - at_center(of, i - Index<D>::unit(along))) / (2 * h);
  };
  constexpr int kinds = D == 3 ? 3 : 1;
  View<D, float> eddy[kinds];
  for (int k = 0; k < kinds; ++k) eddy[k] = state.smoke.eddies[k].view();
  for_each(exec, cells, [=](const Index<D>& i) {
    const bool fluid = label(i) == Cell::liquid;
    if constexpr (D == 2) {
      eddy[0](i) = fluid ? slope(1, 0, i) - slope(0, 1, i) : 0.0f;
    } else {
      for (int k = 0; k < 3; ++k) {
        const int b = (k + 1) % 3, c = (k + 2) % 3;
        eddy[k](i) = fluid ? slope(c, b, i) - slope(b, c, i) : 0.0f;
      }
    }
  });
  const auto size = [=](const Index<D>& i) {
    const Index<D> c = cells.clamped(i);
    float sum = 0;
    for (int k = 0; k < kinds; ++k) sum += eddy[k](c) * eddy[k](c);
    return std::sqrt(sum);
  };
  View<D, float> force[D];
  for (int a = 0; a < D; ++a) force[a] = state.smoke.eddy_force[a].view();
  const float factor = static_cast<float>(strength) * h;
  for_each(exec, cells, [=](const Index<D>& i) {
    Vec<D, float> towards{};
    for (int a = 0; a < D; ++a) towards[a] = size(i + Index<D>::unit(a)) - size(i - Index<D>::unit(a));
    const float steep = norm(towards), here = size(i);
    const float scale = steep > 1e-6f * here && steep > 0 ? factor * here / steep : 0.0f;
    if constexpr (D == 2) {
      force[0](i) = scale * towards[1] * eddy[0](i);
      force[1](i) = -scale * towards[0] * eddy[0](i);
    } else {
      for (int a = 0; a < 3; ++a) {
        const int b = (a + 1) % 3, c = (a + 2) % 3;
        force[a](i) = scale * (towards[b] * eddy[c](i) - towards[c] * eddy[b](i));
      }
    }
  });
  const float half = static_cast<float>(0.5 * dt);
  const auto push = [=](const Index<D>& i, int a) {
    const Index<D> low = i - Index<D>::unit(a);
    return half * ((cells.contains(low) ? force[a](low) : 0.0f) + (cells.contains(i) ? force[a](i) : 0.0f));
  };
  // k of the push adds k linear + k^2 square.
  const double volume = s.grid.cell_volume();
  const double linear = volume * sum_over_faces(exec, state, [=](const Index<D>& i, int a) {
                          return static_cast<double>(u[a](i)) * static_cast<double>(push(i, a));
                        });
  const double square = volume * sum_over_faces(exec, state, [=](const Index<D>& i, int a) {
                          return 0.5 * static_cast<double>(push(i, a)) * static_cast<double>(push(i, a));
                        });
  if (!(square > 0)) return;
  const double whole = std::sqrt(linear * linear + 4 * square * smeared);
  const float share = static_cast<float>(std::min(1.0, (whole - linear) / (2 * square)));
  for (int a = 0; a < D; ++a) {
    const View<D, float> velocity = state.velocity[a].view();
    const View<D, const float> open = state.open[a].read();
    for_each(exec, s.grid.face_range(a), [=](const Index<D>& i) {
      if (open(i) > 0) velocity(i) += share * push(i, a);
    });
  }
}

#define GLUG_INSTANTIATE(D)                                                                 \
  template double add_buoyancy<D>(const Exec&, const State<D>&, double, MacView<D, float>); \
  template double smeared_energy<D>(const Exec&, const State<D>&, double);                  \
  template void confine_eddies<D>(const Exec&, State<D>&, double, double);                  \
  template void fade<D>(const Exec&, State<D>&, double);                                    \
  template void apply_sources<D>(const Exec&, State<D>&);
GLUG_INSTANTIATE(2)
GLUG_INSTANTIATE(3)
#undef GLUG_INSTANTIATE

}  // namespace glug
