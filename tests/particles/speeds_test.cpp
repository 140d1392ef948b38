#include "particles/speeds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/random.h"
#include "dimensions.h"
#include "particles/tank.h"

namespace glug {
namespace {

template <class T>
struct ParticleSpeeds : testing::Test {};
TYPED_TEST_SUITE(ParticleSpeeds, Dimensions);

TYPED_TEST(ParticleSpeeds, LeaveOutAsManyAsToldAndNoMore) {
  constexpr int D = TypeParam::D;
  Tank<D> tank(D == 2 ? 64 : 24, everything());
  const ParticleViewOf<D, float> p = tank.particles.arrays.view();
  std::vector<double> speeds;
  for (std::int64_t i = 0; i < tank.particles.count; ++i) {
    Rng rng(2, static_cast<std::uint64_t>(i));
    double square = 0;
    const float size = std::pow(10.f, 4 * rng.uniform() - 2);
    for (int a = 0; a < D; ++a) {
      p.velocity[a][i] = size * (rng.uniform() - 0.5f);
      square += static_cast<double>(p.velocity[a][i]) * static_cast<double>(p.velocity[a][i]);
    }
    speeds.push_back(std::sqrt(square));
  }
  std::sort(speeds.rbegin(), speeds.rend());
  double above = 0;
  for (std::int64_t few : {0, 1, 2, 5, 20, 100, 1000, 5000}) {
    const Speeds found = particle_speeds(tank.exec, tank.particles, few);
    EXPECT_NEAR(found.largest, speeds[0], 1e-6 * speeds[0]);
    // The fastest that is not left out.
    const double exact = speeds[static_cast<std::size_t>(few)];
    EXPECT_GE(found.most, exact * (1 - 1e-6)) << few;
    above = std::max(above, found.most / exact - 1);
  }
  std::printf("at most %.3f above\n", above);
  EXPECT_LE(above, 0.061);  // bins are an eighth of an octave of squares: sqrt(9/8)
}

TYPED_TEST(ParticleSpeeds, OfOneFastParticleAreTheOthers) {
  constexpr int D = TypeParam::D;
  Tank<D> tank(16, everything());
  const ParticleViewOf<D, float> p = tank.particles.arrays.view();
  EXPECT_EQ(particle_speeds(tank.exec, tank.particles, 0).most, 0);
  p.velocity[1][17] = 1e4f;
  EXPECT_EQ(particle_speeds(tank.exec, tank.particles, 0).most, 1e4);
  EXPECT_LT(particle_speeds(tank.exec, tank.particles, 1).most, 1e-15);
  EXPECT_EQ(particle_speeds(tank.exec, tank.particles, 1).largest, 1e4);
}

TYPED_TEST(ParticleSpeeds, AreNotANumberIfOneIs) {
  constexpr int D = TypeParam::D;
  Tank<D> tank(16, everything());
  tank.particles.arrays.view().velocity[1][17] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_FALSE(std::isfinite(particle_speeds(tank.exec, tank.particles, 1).largest));
  EXPECT_FALSE(std::isfinite(particle_speeds(tank.exec, tank.particles, 1).most));
}

}  // namespace
}  // namespace glug
