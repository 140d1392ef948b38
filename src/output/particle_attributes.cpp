#include "output/particle_attributes.h"

#include <cmath>

#include "geometry/sample.h"
#include "output/particle_places.h"

namespace glug {
namespace {

template <int D>
GLUG_INLINE Vec<D, float> velocity_at(const MacView<D, const float>& u, const Grid<D>& grid,
                                      const Vec<D, double>& x) {
  Index<D> cell{};
  Vec<D, float> offset{};
  for (int a = 0; a < D; ++a) {
    const double s = clamp(x[a] / grid.h, 0.0, static_cast<double>(grid.cells[a]));
    cell[a] = std::min(static_cast<int>(s), grid.cells[a] - 1);
    offset[a] = static_cast<float>(s - cell[a]);
  }
  return sample_mac<D, float>(u, cell, offset);
}

// Of differences over a cell around the point; at a side of the domain over what lies within.
template <int D>
GLUG_INLINE float curl_at(const MacView<D, const float>& u, const Grid<D>& grid, const Vec<D, double>& x) {
  Vec<D, float> slope[D];  // slope[b][a] = d u_a / d x_b
  for (int b = 0; b < D; ++b) {
    Vec<D, double> low = x, high = x;
    // Velocities along the other axes lie half a cell inside.
    low[b] = clamp(x[b] - 0.5 * grid.h, 0.5 * grid.h, (grid.cells[b] - 1.5) * grid.h);
    high[b] = low[b] + grid.h;
    slope[b] = (velocity_at<D>(u, grid, high) - velocity_at<D>(u, grid, low)) *
               static_cast<float>(1 / (high[b] - low[b]));
  }
  if constexpr (D == 2) {
    return slope[0][1] - slope[1][0];
  } else {
    const float a = slope[1][2] - slope[2][1], b = slope[2][0] - slope[0][2], c = slope[0][1] - slope[1][0];
    return std::sqrt(a * a + b * b + c * c);
  }
}

}  // namespace

template <int D>
void add_attributes(const Exec& exec, const State<D>& state, const Formats<ParticleAttribute>& asked,
                    const ParticleOrigins<D>* origins, FrameData<D>& data) {
  const std::uint32_t* id = state.particles.arrays.id.data();
  const double now = state.time;
  const Grid<D> grid = state.setup.grid;
  const MacView<D, const float> u = state.velocity.read();
  const View<D, const std::uint8_t> kind = state.thickness.read();
  data.frame.attributes.clear();
  for (const ParticleAttribute attribute : asked.list) {
    Buffer<float>& values = data.attributes.emplace_back(static_cast<std::size_t>(state.particles.count));
    float* out = values.data();
    for_each_particle(exec, state, [=](std::uint32_t i, const Index<D>& cell, const Vec<D, double>& x) {
      switch (attribute) {
        case ParticleAttribute::off:
          break;
        case ParticleAttribute::age:
          out[i] = static_cast<float>(now - origins->birth(id[i]));
          break;
        case ParticleAttribute::source:
          out[i] = static_cast<float>(origins->source(id[i]));
          break;
        case ParticleAttribute::vorticity:
          out[i] = curl_at<D>(u, grid, x);
          break;
        case ParticleAttribute::spray:
          out[i] = kind(cell) == spray_liquid ? 1.0f : 0.0f;
          break;
      }
    });
    data.frame.attributes.push_back({name_of(attribute), out});
  }
}

template void add_attributes<2>(const Exec&, const State<2>&, const Formats<ParticleAttribute>&,
                                const ParticleOrigins<2>*, FrameData<2>&);
template void add_attributes<3>(const Exec&, const State<3>&, const Formats<ParticleAttribute>&,
                                const ParticleOrigins<3>*, FrameData<3>&);

}  // namespace glug
