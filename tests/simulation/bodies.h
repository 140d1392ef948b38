// bodies.h: rigid bodies for the tests of steps.
#pragma once

#include <string>

#include "simulation/setup.h"

namespace glug {

template <int D>
void add_body(Setup<D>& s, const Shape& shape, const RigidSetup& rigid) {
  SolidSetup solid;
  solid.shape = shape;
  solid.name = "body_" + std::to_string(s.solids.size());
  solid.rigid = rigid;
  s.solids.push_back(solid);
}

}  // namespace glug
