// liquid_over_floor.h: particles that end a gap above a level floor; heights in cells.
#pragma once

#include "particles/seed.h"

namespace glug {

template <int D>
struct LiquidOverFloor {
  static constexpr int n = D == 2 ? 64 : 16;  // cells along a side
  Grid<D> grid{Index<D>::filled(n), 0.1};
  Blocks<D> blocks = Blocks<D>::all(grid);
  Field<D, float> solid{grid.node_range().grown(1)};
  Particles<D> particles;

  LiquidOverFloor(double floor, double gap) {
    Field<D, float> end(grid.node_range().grown(1));
    visit(solid.range(), [&](const Index<D>& i) {
      solid(i) = static_cast<float>((i[1] - floor) * grid.h);
      end(i) = static_cast<float>((i[1] - floor - gap) * grid.h);
    });
    Shape everywhere;
    everywhere.kind = ShapeKind::box;
    everywhere.size = {20, 20, 20};
    const ShapeSdf shape(everywhere);
    const SeedBody body{shape.view(), {}};
    const SeedShapes seeds{&body, 1, nullptr, 0};
    particles =
        seed_particles<D>(Exec{2}, grid, blocks.view(), end.read(), seeds, SeedPhase::liquid, 2, false);
  }
};

}  // namespace glug
