#include "bodies/solid_body.h"

#include <algorithm>
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

namespace {

// The solids that may be nearest to some point of a block: distances change by at most the way walked.
// Sampled meshes keep to that only within their spacing: the slack of a cell.
template <int D>
struct NearSolids {
  static constexpr int most = 8;
  int number[most];
  int count = 0;  // > most: too many to list

  NearSolids(const Grid<D>& grid, const Range<D>& block, const SolidInstance* solids, int total) {
    Vec<D, double> centre{};
    for (int a = 0; a < D; ++a) centre[a] = 0.5 * (block.lo[a] + block.hi[a]) * grid.h;
    const double reach = (0.5 * std::sqrt(static_cast<double>(D)) * block_edge<D> + 1) * grid.h;
    const auto distance = [&](int s) {
      return solids[s].shape.distance(solids[s].pose.to_body(embed(centre)));
    };
    double nearest = HUGE_VAL;
    for (int s = 0; s < total; ++s) nearest = std::min(nearest, distance(s));
    for (int s = 0; s < total; ++s) {
      if (!(distance(s) <= nearest + 2 * reach)) continue;
      if (count < most) number[count] = s;
      ++count;
    }
  }
};

}  // namespace

template <int D>
void solid_velocity(const Exec& exec, const Grid<D>& grid, const BlocksView<D>& blocks,
                    const SolidInstance* solids, int count, MacView<D, const float> open,
                    MacView<D, float> velocity) {
  for_each_block(exec, blocks, [=](std::int32_t slot) {
    const NearSolids<D> near(grid, blocks.indices(slot), solids, count);
    const bool listed = near.count <= NearSolids<D>::most;
    const int candidates = listed ? near.count : count;
    for (int a = 0; a < D; ++a) {
      const View<D, const float> w = open[a];
      const View<D, float> u = velocity[a];
      visit(intersection(blocks.indices(slot), grid.face_range(a)), [&](const Index<D>& i) {
        float value = 0;
        if (w(i) < 1 && i[a] > 0 && i[a] < grid.cells[a]) {
          const Vec3 x = embed<D>(grid.face_center(i, a));
          double nearest = HUGE_VAL;
          for (int k = 0; k < candidates; ++k) {
            const SolidInstance& solid = solids[listed ? near.number[k] : k];
            // One alone needs no comparison.
            const double d = candidates == 1 ? 0 : solid.shape.distance(solid.pose.to_body(x));
            if (!(d < nearest)) continue;
            nearest = d;
            value = static_cast<float>(solid.pose.velocity_at(x)[a]);
          }
        }
        u(i) = value;
      });
    }
  });
}

template void solid_velocity<2>(const Exec&, const Grid<2>&, const BlocksView<2>&, const SolidInstance*, int,
                                MacView<2, const float>, MacView<2, float>);
template void solid_velocity<3>(const Exec&, const Grid<3>&, const BlocksView<3>&, const SolidInstance*, int,
                                MacView<3, const float>, MacView<3, float>);

}  // namespace glug
