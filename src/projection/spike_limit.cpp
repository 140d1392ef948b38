#include "projection/spike_limit.h"

#include <cmath>

#include "core/real.h"
#include "core/runs.h"
#include "projection/face.h"

namespace glug {
namespace {

// What is squeezed through a gap within the liquid may be this times as fast as what is around it.
constexpr double squeeze = 2;

// Cells a step that a face beside a moving solid may gain, whatever mass is there: waves gain a hundredth.
constexpr double calm_gain = 0.05;

// The fastest of the faces with enough mass that share a cell or an edge with this one.
template <int D, class T>
GLUG_INLINE double fastest_around(const ProjectionInput<D, T>& input, double scale,
                                  const MacView<D, T>& velocity, int axis, const Index<D>& face) {
  double fastest = 0;
  const auto look = [&](int a, const Index<D>& i) {
    if (!input.grid.face_range(a).contains(i)) return;
    const Face<T> f = face_at(input, scale, a, i);
    if (!f.valid() || static_cast<double>(f.open) * f.mass < least_surface_mass) return;
    fastest = std::max(fastest, std::abs(static_cast<double>(velocity[a](i))));
  };
  for (int a = 0; a < D; ++a) {
    look(axis, face - Index<D>::unit(a));
    look(axis, face + Index<D>::unit(a));
    if (a == axis) continue;
    for (const Index<D>& cell : {face - Index<D>::unit(axis), face}) {
      look(a, cell);
      look(a, cell + Index<D>::unit(a));
    }
  }
  return fastest;
}

// Whether a solid that moves closes a part of a face of the cells on both sides.
template <int D, class T>
GLUG_INLINE bool moves_beside(const ProjectionInput<D, T>& input, int axis, const Index<D>& face) {
  for (const Index<D>& cell : {face - Index<D>::unit(axis), face})
    for (int a = 0; a < D; ++a)
      if (input.solid_velocity[a](cell) != 0 || input.solid_velocity[a](cell + Index<D>::unit(a)) != 0)
        return true;
  return false;
}

// What was there before, is around or comes with the solid; between two cells of liquid twice that.
template <int D, class T>
GLUG_INLINE double most_of_slit(const ProjectionInput<D, T>& input, double scale, const Face<T>& own,
                                const MacView<D, T>& velocity, double before, int axis,
                                const Index<D>& face) {
  double most = std::max(before, fastest_around<D, T>(input, scale, velocity, axis, face));
  if (input.solid_velocity[0].data)
    most = std::max(most, std::abs(static_cast<double>(input.solid_velocity[axis](face))));
  return own.couples() ? squeeze * most : most;
}

// The speed at which the particles around a face, `share` of whose mass the grid sees there, gain what the
// grid's mass does; little is free.
GLUG_INLINE double most_of_gap(double before, double after, double share, double free) {
  const double gained = after * after - before * before;
  return std::max(std::sqrt(before * before + std::min(1.0, share) * std::max(0.0, gained)), before + free);
}

// Slows the faces that solids partly close to most(face, mass, axis, index, speed). It may read velocities of
// other faces only where it slows none.
template <int D, class T, class F>
std::int64_t slow_down(const Exec& exec, const ProjectionInput<D, T>& input, MacView<D, T> velocity, F most) {
  const double scale = coefficient_scale(input);
  std::int64_t slowed = 0;
  for (int a = 0; a < D; ++a)
    slowed += reduce_runs(
        exec, input.blocks, input.grid.face_range(a), std::int64_t{0}, Plus{}, [=](const Range<D>& run) {
          std::int64_t count = 0;
          const auto slow_face = [&](const Index<D>& i) {
            const Face<T> face = face_at(input, scale, a, i);
            if (!face.valid()) return;
            T& u = velocity[a](i);
            const double now = std::abs(static_cast<double>(u));
            const double allowed = most(face, static_cast<double>(face.open) * face.mass, a, i, now);
            if (!(now > allowed)) return;
            u = static_cast<T>(u < 0 ? -allowed : allowed);
            ++count;
          };
          visit_rows(run, [&](const Index<D>& first, int n) {
            const T* open = &input.open[a](first);
            int partly = 0;
            for (int k = 0; k < n; ++k) partly += (open[k] > 0) & (open[k] < 1);
            if (partly == 0) return;
            for (int k = 0; k < n; ++k) {
              if (!(open[k] > 0 && open[k] < 1)) continue;
              Index<D> i = first;
              i[0] += k;
              slow_face(i);
            }
          });
          return count;
        });
  return slowed;
}

}  // namespace

template <int D, class T>
std::int64_t limit_spikes(const Exec& exec, const ProjectionInput<D, T>& input,
                          const ParticleWeights<D, T>& particles, MacView<D, const T> before,
                          MacView<D, T> velocity) {
  const double scale = coefficient_scale(input), free = calm_gain * input.grid.h / input.dt;
  std::int64_t slowed = 0;
  // Gaps first: slits read the faces around them, which must not change meanwhile.
  if (input.solid_velocity[0].data)
    slowed += slow_down<D, T>(
        exec, input, velocity, [=](const Face<T>& face, double mass, int a, const Index<D>& i, double now) {
          const double was = std::abs(static_cast<double>(before[a](i)));
          if (!face.couples() || !(now > was + free) || !moves_beside<D, T>(input, a, i)) return now;
          const double around = static_cast<double>(particles.at[a](i)) / particles.full;
          const double driven = std::abs(static_cast<double>(input.solid_velocity[a](i)));
          return most_of_gap(std::max(was, driven), now, around > mass ? mass / around : 1.0, free);
        });
  return slowed +
         slow_down<D, T>(exec, input, velocity,
                         [=](const Face<T>& face, double mass, int a, const Index<D>& i, double now) {
                           if (mass >= least_surface_mass) return now;
                           const double was = std::abs(static_cast<double>(before[a](i)));
                           return most_of_slit<D, T>(input, scale, face, velocity, was, a, i);
                         });
}

#define GLUG_INSTANTIATE(D, T)                                                                \
  template std::int64_t limit_spikes<D, T>(const Exec&, const ProjectionInput<D, T>&,         \
                                           const ParticleWeights<D, T>&, MacView<D, const T>, \
                                           MacView<D, T>);
GLUG_INSTANTIATE(2, Real)
GLUG_INSTANTIATE(3, Real)
#undef GLUG_INSTANTIATE

}  // namespace glug
