#include "app/accounted_volume.h"

#include <gtest/gtest.h>

namespace glug {
namespace {

StepReport holding(double liquid, double spray, double came, double left) {
  StepReport s;
  s.liquid_volume = liquid;
  s.spray_volume = spray;
  s.inflow_volume = came;
  s.outflow_volume = left;
  return s;
}

TEST(AccountedVolume, CountsSprayAndWhatCameAndLeft) {
  const StepReport first = holding(7, 1, 0, 0);
  EXPECT_EQ(volume_error(first, holding(6, 2, 0, 0)), 0);
  EXPECT_EQ(volume_error(first, holding(8, 2, 4, 2)), 0);
  EXPECT_EQ(volume_error(first, holding(8, 4, 0, 0)), 0.5);
  EXPECT_EQ(volume_error(first, holding(0, 0, 0, 8)), 0);
}

TEST(AccountedVolume, IsWorstWhereItIsFarthestOff) {
  const std::vector<StepReport> steps{holding(8, 0, 0, 0), holding(9, 0, 0, 0), holding(4, 2, 0, 0),
                                      holding(12, 0, 4, 0)};
  EXPECT_EQ(&worst_volume(steps), &steps[2]);
}

}  // namespace
}  // namespace glug
