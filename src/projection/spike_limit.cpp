#include "projection/spike_limit.h"

#include <cmath>

#include "core/real.h"
#include "core/reduce.h"
#include "projection/face.h"

namespace glug {
namespace {

// What is squeezed through a gap within the liquid may be this times as fast as what is around it.
constexpr double squeeze = 2;

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

}  // namespace

template <int D, class T>
std::int64_t limit_spikes(const Exec& exec, const ProjectionInput<D, T>& input, MacView<D, const T> before,
                          MacView<D, T> velocity) {
  if (input.two_phase()) return 0;
  const double scale = coefficient_scale(input);
  std::int64_t slowed = 0;
  for (int a = 0; a < D; ++a)
    slowed += reduce_cells(
        exec, input.blocks, input.grid.face_range(a), std::int64_t{0}, Plus{}, [=](const Index<D>& i) {
          const T open = input.open[a](i);
          if (!(open > 0 && open < 1)) return std::int64_t{0};
          const Face<T> face = face_at(input, scale, a, i);
          if (!face.valid() || static_cast<double>(face.open) * face.mass >= least_surface_mass)
            return std::int64_t{0};
          double most = std::max(std::abs(static_cast<double>(before[a](i))),
                                 fastest_around<D, T>(input, scale, velocity, a, i));
          if (input.solid_velocity[0].data)
            most = std::max(most, std::abs(static_cast<double>(input.solid_velocity[a](i))));
          if (face.couples()) most *= squeeze;
          T& u = velocity[a](i);
          if (!(std::abs(static_cast<double>(u)) > most)) return std::int64_t{0};
          u = static_cast<T>(u < 0 ? -most : most);
          return std::int64_t{1};
        });
  return slowed;
}

#define GLUG_INSTANTIATE(D, T)                                                                             \
  template std::int64_t limit_spikes<D, T>(const Exec&, const ProjectionInput<D, T>&, MacView<D, const T>, \
                                           MacView<D, T>);
GLUG_INSTANTIATE(2, Real)
GLUG_INSTANTIATE(3, Real)
#undef GLUG_INSTANTIATE

}  // namespace glug
