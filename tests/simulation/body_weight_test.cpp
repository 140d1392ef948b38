// body_weight_test.cpp: bodies are weighed between the cells (R12).
#include "simulation/body_weight.h"

#include <gtest/gtest.h>

#include "setups.h"
#include "simulation/bodies.h"
#include "simulation/rigid_stage.h"

namespace glug {
namespace {

// The mass that the pressure system gives a box with an empty inside (or none), over that of its shape.
template <int D>
double weighed(double shift, double hollow) {
  Index<D> cells = Index<D>::filled(24);
  auto s = empty_tank<D>(cells, 1.0 / 24);
  s.bodies.push_back({box_shape({-1, -1, -1}, {2, 0.2, 2}), {}});
  const Vec3 middle{0.5 + shift, 0.55 - 0.7 * shift, D == 2 ? 0.0 : 0.5 + 0.4 * shift};
  Shape body = box_shape({-0.3, -0.2, D == 2 ? -1 : -0.25}, {0.3, 0.2, D == 2 ? 1 : 0.25});
  if (hollow > 0) {
    Shape both;
    both.kind = ShapeKind::difference_of;
    both.children = {body, box_shape({-0.3 + hollow, -0.2 + hollow, D == 2 ? -2 : -0.25 + hollow},
                                     {0.3 - hollow, 0.2 - hollow, D == 2 ? 2 : 0.25 - hollow})};
    body = both;
  }
  body.translation = body.translation + middle;
  add_body(s, body, RigidSetup{});
  State<D> state = initialise(Exec{}, s);
  list_bodies(Exec{}, state);
  refine_weights(Exec{}, state, 0.01);
  return 1 / ((*state.bodies[0].yield)[0] * state.solids[0].mass());
}

// By distances at nodes a box lacks its edges and corners: 0.8% of it in space.
TEST(BodyWeight, ABoxHasTheMassOfItsShapeWhereverItLies) {
  for (double shift : {0.0, 0.011, 0.023, 0.037})
    for (double hollow : {0.0, 0.1}) {
      EXPECT_NEAR((weighed<2>(shift, hollow)), 1, 0.002) << shift << " " << hollow;
      EXPECT_NEAR((weighed<3>(shift, hollow)), 1, 0.002) << shift << " " << hollow;
    }
}

}  // namespace
}  // namespace glug
