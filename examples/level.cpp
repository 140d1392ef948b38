// level.cpp: a drop falls into a pool; how high does the water stand afterwards?
//   cmake -S examples -B build/examples -DCMAKE_PREFIX_PATH=<where Glug is installed> && cmake --build
//   build/examples
#include <glug/glug.h>

#include <cstdio>

int main() try {
  using glug::Table, glug::Values;
  const Table pool{{"shape", Table{{"type", "box"}, {"min", Values{0, 0}}, {"max", Values{1, 0.3}}}}};
  const Table drop{{"shape", Table{{"type", "sphere"}, {"center", Values{0.5, 0.7}}, {"radius", 0.1}}}};
  glug::Simulation water(Table{{"grid", Table{{"dimension", 2}, {"resolution", 32}}},
                               {"liquid", Table{{"body", Values{pool, drop}}}}});
  while (water.frame() < 12) water.advance_frame();

  const glug::Array x = water.positions();  // metres, a row per particle
  double height = 0;
  for (int n = 0; n < x.shape[0]; ++n) height += x.at<float>(n, 1);
  std::printf("%lld particles, mean height %.4f m, volume %.4f m^2\n", static_cast<long long>(x.shape[0]),
              height / static_cast<double>(x.shape[0]),
              water.report()["liquid_volume"] + water.report()["spray_volume"]);
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
