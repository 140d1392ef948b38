#include "bodies/solid_body.h"

#include <cmath>

#include "core/for_each.h"

namespace glug {

std::vector<SolidInstance> instances_of(const std::vector<SolidBody>& bodies) {
  std::vector<SolidInstance> instances;
  for (const SolidBody& b : bodies) instances.push_back({b.shape.view(), b.pose});
  return instances;
}

WorldBox world_box(const SolidBody& body) {
  const Vec3 low = body.shape.low(), high = body.shape.high();
  const Vec3 centre = body.pose.to_world(0.5 * (low + high));
  const Vec3 half = 0.5 * (high - low);
  WorldBox box;
  for (int i = 0; i < 3; ++i) {
    double reach = 0;
    for (int j = 0; j < 3; ++j) reach += std::abs(body.pose.world_from_body.m[i][j]) * half[j];
    // An unbounded shape (a plane) has no centre: inf - inf.
    const bool bounded = std::isfinite(reach) && std::isfinite(centre[i]);
    box.low[i] = bounded ? centre[i] - reach : -HUGE_VAL;
    box.high[i] = bounded ? centre[i] + reach : HUGE_VAL;
  }
  return box;
}

template <int D>
void solid_velocity(const Exec& exec, const Grid<D>& grid, const BlocksView<D>& blocks,
                    const SolidInstance* solids, int count, MacView<D, const float> open,
                    MacView<D, float> velocity) {
  for (int a = 0; a < D; ++a) {
    const View<D, const float> w = open[a];
    const View<D, float> u = velocity[a];
    for_each_cell(exec, blocks, grid.face_range(a), [=](const Index<D>& i) {
      float value = 0;
      if (w(i) < 1 && i[a] > 0 && i[a] < grid.cells[a]) {
        const Vec3 x = embed<D>(grid.face_center(i, a));
        double nearest = HUGE_VAL;
        for (int s = 0; s < count; ++s) {
          const double d = solids[s].shape.distance(solids[s].pose.to_body(x));
          if (!(d < nearest)) continue;
          nearest = d;
          value = static_cast<float>(solids[s].pose.velocity_at(x)[a]);
        }
      }
      u(i) = value;
    });
  }
}

template void solid_velocity<2>(const Exec&, const Grid<2>&, const BlocksView<2>&, const SolidInstance*, int,
                                MacView<2, const float>, MacView<2, float>);
template void solid_velocity<3>(const Exec&, const Grid<3>&, const BlocksView<3>&, const SolidInstance*, int,
                                MacView<3, const float>, MacView<3, float>);

}  // namespace glug
