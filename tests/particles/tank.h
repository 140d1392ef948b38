// tank.h: a closed box with particles that tests of single stages share.
#pragma once

#include <vector>

#include "core/mac_field.h"
#include "geometry/solid_distance.h"
#include "particles/seed.h"
#include "particles/visit_particles.h"

namespace glug {

// A closed box full (or part full) of particles.
template <int D>
struct Tank {
  Exec exec{2};
  Grid<D> grid;
  Sides<D> sides;
  Blocks<D> all;
  Field<D, float> solid;
  Particles<D> particles;
  std::vector<ShapeSdf> solids;

  Tank(int n, const Shape& liquid, int per_axis = 2, bool affine = false,
       const std::vector<Shape>& obstacles = {}) {
    grid.cells = Index<D>::filled(n);
    grid.h = 1.0 / n;
    all = Blocks<D>::all(grid);
    solid = Field<D, float>(grid.node_range().grown(1));
    std::vector<SolidInstance> instances;
    for (const Shape& s : obstacles) solids.emplace_back(s);
    for (const ShapeSdf& s : solids) instances.push_back({s.view(), Pose{}});
    solid_distance<D, float>(exec, all.view(), grid, sides, instances.data(),
                             static_cast<int>(instances.size()), solid.view());
    const ShapeSdf shape(liquid);
    const SeedBody body{shape.view(), {}};
    particles = seed_particles<D>(exec, grid, all.view(), solid.read(), {&body, 1, nullptr, 0},
                                  SeedPhase::liquid, per_axis, affine);
  }
  MacField<D, float> faces() const { return MacField<D, float>(grid); }

  // f(i, position in metres) for every particle.
  template <class F>
  void visit_particles(F f) const {
    glug::visit_particles(particles, grid.h, [&](const Vec<D, double>& x, std::uint32_t i) { f(i, x); });
  }
  template <class F>
  void set_faces(MacField<D, float>& u, F f) const {
    for (int a = 0; a < D; ++a) {
      visit(grid.face_range(a),
            [&](const Index<D>& i) { u[a](i) = static_cast<float>(f(a, grid.face_center(i, a))); });
    }
  }
};

inline Shape box(Vec3 low, Vec3 high) {
  Shape s;
  s.kind = ShapeKind::box;
  s.size = high - low;
  s.translation = 0.5 * (low + high);
  return s;
}
inline Shape everything() { return box({-9, -9, -9}, {9, 9, 9}); }

}  // namespace glug
