// solid_velocity_test.cpp: what velocity the faces of solids take.
#include "bodies/solid_body.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/for_each.h"
#include "geometry/face_fractions.h"

namespace glug {
namespace {

Shape box(const Vec3& low, const Vec3& high) {
  Shape s;
  s.kind = ShapeKind::box;
  s.size = high - low;
  s.translation = 0.5 * (low + high);
  return s;
}

SolidBody body(const Shape& shape, const Motion& motion, double time) {
  return {ShapeSdf(shape), motion, pose_at(motion, time), time};
}

template <int D>
struct Faces {
  Grid<D> grid;
  Field<D, float> nodal;
  MacField<D, float> open, velocity;

  Faces(int n, const std::vector<SolidBody>& bodies, double interval = 0)
      : grid{Index<D>::filled(n), 1.0 / n}, nodal(grid.node_range().grown(1)), open(grid), velocity(grid) {
    const Blocks<D> blocks = Blocks<D>::all(grid);
    const std::vector<SolidInstance> solids = instances_of(bodies, interval);
    const int count = static_cast<int>(solids.size());
    solid_distance<D, float>(Exec{2}, blocks.view(), grid, Sides<D>{}, solids.data(), count, nodal.view());
    face_fractions<D, float>(Exec{2}, blocks.view(), grid, Sides<D>{}, nodal.read(), open.view());
    solid_velocity<D>(Exec{2}, grid, blocks.view(), solids.data(), count, open.read(), velocity.view());
  }
};

// A piston that slides between two walls at rest, all of them off the grid.
template <int D>
void expect_swept_area_of_a_piston() {
  const int n = D == 2 ? 32 : 16;
  const double h = 1.0 / n, speed = 1.7;
  Motion slide;
  slide.keys = {{0, {}, {}}, {1, {speed, 0, 0}, {}}};
  for (double low : {3.3 * h, 3.5 * h, 3.9 * h})
    for (double high : {8.2 * h, 8.6 * h}) {
      const std::vector<SolidBody> bodies = {body(box({-1, -1, -1}, {2, low, 2}), {}, 0),
                                             body(box({-1, high, -1}, {2, 2, 2}), {}, 0),
                                             body(box({-1, low, -1}, {0.6, high, 2}), slide, 0)};
      const Faces<D> f(n, bodies);
      Range<D> section = f.grid.face_range(0);
      section.lo[0] = n / 4;
      section.hi[0] = n / 4 + 1;
      double flux = 0;
      visit(section, [&](const Index<D>& i) {
        flux += (1 - static_cast<double>(f.open[0](i))) * static_cast<double>(f.velocity[0](i)) *
                std::pow(h, D - 1);
      });
      EXPECT_NEAR(flux, speed * (high - low), 1e-5 * speed * (high - low));
    }
}

TEST(SolidVelocity, APistonAlongWallsSweepsItsOwnAreaTimesItsSpeed) {
  expect_swept_area_of_a_piston<2>();
  expect_swept_area_of_a_piston<3>();
}

Motion tumble() {
  Motion m;
  m.interpolation = Interpolation::smooth;
  m.pivot = {0.5, 0.45, 0.5};
  m.keys = {{0, {}, {}}, {0.5, {0.1, 0.02, 0}, {0, 0, 1.3}}, {1, {-0.1, 0.1, 0}, {0, 0, 4}}};
  return m;
}

// Over an interval, coming or just passed, the middle of the box goes its way; all else moves rigidly with
// it.
void expect_the_way_of_the_middle(double interval) {
  const double time = 0.31;
  const std::vector<SolidBody> bodies = {body(box({0.3, 0.3, -1}, {0.7, 0.6, 1}), tumble(), time)};
  const Pose now = pose_at(tumble(), time), then = pose_at(tumble(), time + interval);
  const Pose moving = instances_of(bodies, interval)[0].pose;
  const auto way = [&](const Vec3& body) {
    return (then.to_world(body) - now.to_world(body)) * (1 / interval);
  };
  const Vec3 middle{0.5, 0.45, 0}, corner{0.7, 0.6, 0};
  const double turn = std::abs(moving.angular_velocity[2] * interval);
  for (int a = 0; a < 2; ++a) {
    EXPECT_NEAR(moving.velocity_at(now.to_world(middle))[a], way(middle)[a], 1e-12);
    // Elsewhere they differ by the chord of the turn and its arc.
    EXPECT_NEAR(moving.velocity_at(now.to_world(corner))[a], way(corner)[a],
                0.6 * turn * turn / std::abs(interval) * norm(corner - middle));
  }
  const Rotation turned = rotation_from_vector(moving.angular_velocity * interval) * now.world_from_body;
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) EXPECT_NEAR(turned.m[i][j], then.world_from_body.m[i][j], 1e-12);
  EXPECT_GT(norm(moving.velocity_at({0.62, 0.5, 0}) - now.velocity_at({0.62, 0.5, 0})), 0.005);
}

TEST(SolidVelocity, OverAnIntervalTakesTheMiddleAsFarAsItGoes) { expect_the_way_of_the_middle(0.04); }

TEST(SolidVelocity, OverAnIntervalBelowZeroIsTheWayThatTheMiddleHasCome) {
  expect_the_way_of_the_middle(-0.04);
}

TEST(SolidVelocity, OfWhatTurnsFarInAStepHasNoNetFluxOutOfACellThatItFills) {
  const std::vector<SolidBody> bodies = {body(box({0.3, 0.3, -1}, {0.7, 0.6, 1}), tumble(), 0.31)};
  const Faces<2> f(32, bodies, 0.2);  // by nearly a radian
  int filled = 0;
  double fastest = 0;
  visit(f.grid.cell_range(), [&](const Index<2>& i) {
    double net = 0;
    for (int a = 0; a < 2; ++a) {
      const Index<2> high = i + Index<2>::unit(a);
      if (f.open[a](i) > 0 || f.open[a](high) > 0) return;
      net += static_cast<double>(f.velocity[a](high)) - f.velocity[a](i);
      fastest = std::max(fastest, std::abs(static_cast<double>(f.velocity[a](i))));
    }
    EXPECT_NEAR(net, 0, 1e-6);
    ++filled;
  });
  EXPECT_GT(filled, 60);
  EXPECT_GT(fastest, 0.3);
}

TEST(SolidVelocity, IsExactlyZeroForSolidsAtRestOverAnyInterval) {
  Motion later = tumble();
  for (MotionKey& key : later.keys) key.time += 2;
  const std::vector<SolidBody> bodies = {body(box({0.3, 0.3, -1}, {0.7, 0.6, 1}), later, 1.0)};
  const Faces<2> resting(24, bodies, 0.5), starting(24, bodies, 1.2);
  double most = 0;
  for (int a = 0; a < 2; ++a)
    visit(resting.grid.face_range(a), [&](const Index<2>& i) {
      EXPECT_EQ(resting.velocity[a](i), 0.f);
      most = std::max(most, std::abs(static_cast<double>(starting.velocity[a](i))));
    });
  EXPECT_GT(most, 0.01);
}

}  // namespace
}  // namespace glug
