// Depths below the surface against a search cell by cell; lumps with any number of threads.
#include <gtest/gtest.h>

#include <cmath>
#include <deque>
#include <map>
#include <random>

#include "dimensions.h"
#include "projection/liquid_lumps.h"
#include "test_problem.h"

namespace glug {
namespace {

template <int D>
ViscosityInput<D, double> stiff(const TestProblem<D, double>& p) {
  ViscosityInput<D, double> in;
  in.grid = p.grid;
  in.blocks = p.blocks.view();
  in.sides = p.sides;
  in.phi = p.phi.read();
  in.solid = p.nodal.read();
  in.sticky = p.nodal.read();
  in.velocity = p.velocity.read();
  in.dt = p.dt;
  in.density = p.density;
  in.viscosity = 1e4 * p.density * p.grid.h * p.grid.h / p.dt;
  return in;
}

// Balls that touch, or nearly, with rough surfaces.
template <int D>
TestProblem<D, double> heap_of_balls(int n, double roughness) {
  TestProblem<D, double> p(Index<D>::filled(n), 1.0 / n);
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> any(-1, 1);
  std::vector<std::pair<Point<D>, double>> balls;
  for (int k = 0; k < 9; ++k) {
    Point<D> x = Point<D>::filled(0.5);
    for (int a = 0; a < D; ++a) x[a] += 0.3 * any(random);
    balls.emplace_back(x, 0.1 + 0.04 * any(random));
  }
  p.set_liquid([&](const Point<D>& x) {
    double d = HUGE_VAL;
    for (const auto& [middle, radius] : balls) d = std::min(d, norm(x - middle) - radius);
    return d + roughness / n * any(random);
  });
  return p;
}

template <class Dimension>
class Lumps : public testing::Test {};
TYPED_TEST_SUITE(Lumps, Dimensions);

TYPED_TEST(Lumps, LieAsDeepAsASearchFromTheSurfaceFindsThem) {
  constexpr int D = TypeParam::D;
  const TestProblem<D, double> p = heap_of_balls<D>(32, 0.3);
  const ViscosityInput<D, double> in = stiff(p);
  ViscositySystem<D, double> system(p.grid);
  system.build(Exec{}, in);
  LiquidDepths<D> depths(p.grid);
  depths.find(Exec{2}, in, system);
  ASSERT_GT(depths.count(), 100u);
  const NumberedCells<D> cells = depths.cells();
  std::vector<std::int32_t> found(depths.count(), -1);
  std::deque<std::int32_t> queue;
  visit(p.grid.cell_range(), [&](const Index<D>& i) {
    const std::int32_t n = cells.of(i);
    if (n < 0 || p.phi(i) < -0.7 * p.grid.h) return;
    found[static_cast<std::size_t>(n)] = 0;
    queue.push_back(n);
  });
  for (; !queue.empty(); queue.pop_front())
    cells.visit_neighbours(queue.front(), [&](std::int32_t m) {
      if (found[static_cast<std::size_t>(m)] >= 0) return;
      found[static_cast<std::size_t>(m)] = found[static_cast<std::size_t>(queue.front())] + 1;
      queue.push_back(m);
    });
  std::ptrdiff_t listed = 0;
  for (std::int32_t d = 0; d < depths.levels(); ++d) {
    for (std::ptrdiff_t k = 0; k < depths.level_size(d); ++k)
      ASSERT_EQ(found[static_cast<std::size_t>(depths.level(d)[k])], d);
    listed += depths.level_size(d);
  }
  EXPECT_EQ(listed, static_cast<std::ptrdiff_t>(depths.count()));
}

TYPED_TEST(Lumps, AreTheSameForOneTwoAndFiveThreads) {
  constexpr int D = TypeParam::D;
  const TestProblem<D, double> p = heap_of_balls<D>(32, 0.3);
  const ViscosityInput<D, double> in = stiff(p);
  ViscositySystem<D, double> system(p.grid);
  system.build(Exec{}, in);
  RigidParts<D> one(p.grid);
  LiquidLumps<D>(p.grid).find(Exec{1}, in, system, one);
  ASSERT_GT(one.count, 3);
  list_faces(Exec{1}, system, one);
  for (int threads : {2, 5}) {
    RigidParts<D> more(p.grid);
    LiquidLumps<D>(p.grid).find(Exec{threads}, in, system, more);
    list_faces(Exec{threads}, system, more);
    ASSERT_EQ(more.count, one.count);
    ASSERT_EQ(more.faces.size(), one.faces.size());
    for (std::size_t n = 0; n < one.faces.size(); ++n) {
      ASSERT_EQ(more.faces[n].axis, one.faces[n].axis);
      ASSERT_EQ(more.faces[n].at, one.faces[n].at);
    }
    for (std::size_t k = 0; k < one.middle.size(); ++k)
      for (int a = 0; a < D; ++a) ASSERT_EQ(more.middle[k][a], one.middle[k][a]);
  }
}

// Each ball has a face in one part alone, and no part has faces of two that lie apart.
TYPED_TEST(Lumps, AreBallsThatLieApart) {
  constexpr int D = TypeParam::D;
  TestProblem<D, double> p(Index<D>::filled(40), 1.0 / 40);
  std::vector<Point<D>> middles;
  for (double x : {0.25, 0.75})
    for (double y : {0.25, 0.75}) {
      middles.push_back(Point<D>::filled(0.5));
      middles.back()[0] = x;
      middles.back()[1] = y;
    }
  const auto nearest = [&](const Point<D>& x) {
    std::size_t best = 0;
    for (std::size_t k = 1; k < middles.size(); ++k)
      if (norm(x - middles[k]) < norm(x - middles[best])) best = k;
    return best;
  };
  p.set_liquid([&](const Point<D>& x) { return norm(x - middles[nearest(x)]) - 0.2; });
  const ViscosityInput<D, double> in = stiff(p);
  ViscositySystem<D, double> system(p.grid);
  system.build(Exec{}, in);
  RigidParts<D> parts(p.grid);
  LiquidLumps<D>(p.grid).find(Exec{2}, in, system, parts);
  ASSERT_EQ(parts.count, 4);
  list_faces(Exec{2}, system, parts);
  for (const auto& chunk : parts.chunks) {
    const std::size_t ball = nearest(p.grid.h * parts.middle[static_cast<std::size_t>(chunk.part)]);
    for (std::size_t n = chunk.begin; n < chunk.end; ++n) {
      Point<D> x{};
      for (int a = 0; a < D; ++a)
        x[a] = p.grid.h * (parts.faces[n].at[a] + (a == parts.faces[n].axis ? 0.0 : 0.5));
      ASSERT_EQ(nearest(x), ball);
    }
  }
}

}  // namespace
}  // namespace glug
