// contact_work_test.cpp: what driven solids work on free bodies through contacts (theory, R19). Some water
// lies in a corner, far from everything.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "setups.h"
#include "simulation/bodies.h"

namespace glug {
namespace {

Setup<2> dry_tank(double width, double height) {
  constexpr double h = 0.02;
  Setup<2> s = empty_tank<2>({static_cast<int>(width / h + 0.5), static_cast<int>(height / h + 0.5)}, h);
  s.time.fps = 48;
  s.bodies.push_back({box_shape({width - 0.2, -1, -1}, {width + 1, 0.04, 1}), {}});
  return s;
}

SolidSetup moved(const Shape& shape, std::vector<MotionKey> keys) {
  SolidSetup solid;
  solid.shape = shape;
  solid.motion.interpolation = Interpolation::smooth;
  solid.motion.keys = std::move(keys);
  return solid;
}

RigidSetup slippery() {
  RigidSetup r;
  r.density = 1000;
  r.friction = 0;
  return r;
}

struct Book {
  double worked = 0, gained = 0;  // J; the latter by the body
  double rise = 0;                // the largest of what all have less the work
};
Book book_of(const Setup<2>& s, double seconds) {
  const Exec exec{1};
  State<2> state = initialise(exec, s);
  Book book;
  double least = HUGE_VAL, first = 0;
  while (state.time < seconds) {
    const StepReport r = advance(exec, state);
    if (state.step == 1) first = r.body_energy;
    const double left = r.kinetic_energy + r.potential_energy + r.body_energy - r.solid_work;
    least = std::min(least, left);
    book.rise = std::max(book.rise, left - least);
    book.gained = r.body_energy - first;
    book.worked = r.solid_work;
  }
  return book;
}

// A piston that stands at a block on a smooth floor, and starts from rest: what it works is what the block
// has.
TEST(ContactWork, OfAPistonIsTheKineticEnergyOfWhatItPushes) {
  auto s = dry_tank(1.6, 0.5);
  s.solids.push_back(
      moved(box_shape({0.2, 0.02, -1}, {0.4, 0.15, 1}), {{0.1, {}, {}}, {1.1, {0.25, 0, 0}, {}}}));
  add_body(s, box_shape({0.4, 0, -1}, {0.6, 0.2, 1}), slippery());
  const Book book = book_of(s, 0.8);
  EXPECT_NEAR(book.gained, 0.5 * 40 * 0.375 * 0.375, 0.02);  // it leaves at the piston's fastest
  EXPECT_NEAR(book.worked, book.gained, 0.01 * book.gained);
}

// Jaws come to rest where they touch the block: the first to touch strikes it, at less than half of its
// largest speed V, and the other stops it. M v^2 of each, at most.
TEST(ContactWork, OfJawsThatStopAtABlockIsThatOfTheirBlows) {
  auto s = dry_tank(1.6, 0.5);
  for (int side : {-1, 1})
    s.solids.push_back(
        moved(box_shape({0.5 + 0.2 * side - 0.05, 0.05, -1}, {0.5 + 0.2 * side + 0.05, 0.3, 1}),
              {{0.1, {}, {}}, {0.6, {-0.05 * side, 0, 0}, {}}}));
  add_body(s, box_shape({0.4, 0, -1}, {0.6, 0.2, 1}), slippery());
  const Book book = book_of(s, 0.8);
  EXPECT_GE(book.worked, -1e-6);
  EXPECT_LT(book.worked, 2 * 40 * 0.075 * 0.075);
  EXPECT_LT(book.rise, 0.05);
}

// A wedge slides in below a block between two guides, all smooth, and lifts it: its work is the potential
// energy and what many small impacts take. It was told 1.9 times as much: pushes of guides and wedge against
// each other.
TEST(ContactWork, OfAWedgeThatLiftsABlockIsItsPotentialEnergy) {
  auto s = dry_tank(1.8, 0.8);
  Shape wedge = box_shape({-0.5, -0.4, -1}, {0.5, 0.4, 1});
  wedge.translation = {0.5, -0.25, 0};
  wedge.rotation_vector = {0, 0, -14 * std::numbers::pi / 180};
  Shape block;
  block.kind = ShapeKind::difference_of;
  block.children = {box_shape({0.6, 0, -1}, {0.8, 0.4, 1}), wedge};
  s.solids.push_back(moved(wedge, {{0.1, {}, {}}, {1.1, {0.25, 0, 0}, {}}}));
  s.solids.push_back({box_shape({0.5, 0.24, -1}, {0.6, 0.8, 1}), {}});
  s.solids.push_back({box_shape({0.8, 0.24, -1}, {0.9, 0.8, 1}), {}});
  add_body(s, block, slippery());
  const Book book = book_of(s, 1.2);
  const double lifted = 0.25 * std::tan(14 * std::numbers::pi / 180), mass = 1000 * 0.2 * (0.4 - 0.1124);
  EXPECT_NEAR(book.gained, 9.81 * mass * lifted, 0.02 * 9.81 * mass * lifted);
  EXPECT_GT(book.worked, 0.99 * book.gained);
  EXPECT_LT(book.worked, 1.12 * book.gained);
  EXPECT_LT(book.rise, 0.02 * book.gained);
}

// A block stands at a wall and a paddle is driven three cells into it: no motion does what both ask for. What
// they threw it with, 14 J, was in no book.
TEST(ContactWork, OfWhatCrushesABlockIsNoLessThanTheBlockGets) {
  auto s = dry_tank(1.0, 0.5);
  s.bodies.clear();
  s.bodies.push_back({box_shape({-1, -1, -1}, {0.1, 0.04, 1}), {}});
  s.solids.push_back(
      moved(box_shape({0.2, 0.05, -1}, {0.35, 0.3, 1}), {{0.1, {}, {}}, {0.6, {0.5, 0, 0}, {}}}));
  RigidSetup r;
  r.density = 1000;
  add_body(s, box_shape({0.8, 0, -1}, {1.0, 0.2, 1}), r);
  const Book book = book_of(s, 0.8);
  EXPECT_GT(book.worked, 1);
  EXPECT_LT(book.rise, 0.03 * book.worked);
}

// Bars are driven into a box that turns about its middle: pushes on either side of the hinge ask for turns
// that exclude each other, and hold each other without bound. They were told to work 13 kJ on a box that had
// next to nothing.
TEST(ContactWork, OfWhatIsPressedAgainstItsHingeIsWhatTheBodyGets) {
  for (double turn : {0.3, 0.5, 0.8}) {
    auto s = dry_tank(1.2, 0.8);
    for (double angle : {0.0, 0.5 * std::numbers::pi}) {
      Shape bar = box_shape({-0.19, -0.03, -1}, {0.19, 0.03, 1});
      bar.translation = {0.31, 0.42, 0};
      bar.rotation_vector = {0, 0, turn + angle};
      s.solids.push_back(moved(bar, {{0, {}, {}}, {1, {0.15, 0, 0}, {0, 0, -1.2}}}));
      s.solids.back().motion.pivot = bar.translation;
    }
    Shape box = box_shape({-0.08, -0.08, -1}, {0.08, 0.08, 1});
    box.translation = {0.55, 0.4, 0};
    box.rotation_vector = {0, 0, 0.48};
    RigidSetup hung;
    hung.density = 440;
    hung.hinge = Hinge{box.translation, {0, 0, 1}};
    add_body(s, box, hung);
    const Book book = book_of(s, 0.6);
    EXPECT_LT(std::abs(book.worked), 60) << turn;
    EXPECT_LT(book.rise, 1) << turn;
  }
}

}  // namespace
}  // namespace glug
