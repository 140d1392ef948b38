#include "scene/check_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "scene/estimate.h"
#include "scene/suggest.h"

#include "scene/make_setup.h"

namespace glug {

void side_names(const SceneCheck& c, const char* key, const std::vector<std::string>& given) {
  static const std::vector<std::string> names = {"left", "right", "bottom", "top", "back", "front"};
  for (auto side = given.begin(); side != given.end(); ++side)
    if (std::find(given.begin(), side, *side) != side)
      c.say(key, fmt::format("{} names \"{}\" twice", key, *side));
  for (const std::string& side : given) {
    if (std::find(names.begin(), names.end(), side) == names.end()) {
      const std::string meant = nearest(side, names);
      c.say(key, fmt::format("{} must name sides among {}, got \"{}\"{}", key, quoted_list(names), side,
                             side == "closed" ? ": leave it out for a box with walls all round"
                             : meant.empty()  ? std::string()
                                              : ": did you mean \"" + meant + "\"?"));
    } else if (c.scene.grid.dimension == 2 && (side == "back" || side == "front")) {
      c.say(key, fmt::format("{}: there is no side \"{}\" in 2D", key, side));
    }
  }
}

void check_open_sides(const SceneCheck& c) { side_names(c, "grid.open", c.scene.grid.open); }

void check_thin_sides(const SceneCheck& c) {
  const double h = spacing(c.scene.grid);
  for (std::size_t a = 0; a < c.scene.grid.size.size(); ++a)
    if (c.scene.grid.size[a] < 2 * h)
      c.say("grid.size",
            fmt::format("grid.size[{}] = {} m is less than 2 cells of {:.4g} m: make it longer or raise "
                        "grid.resolution",
                        a, c.scene.grid.size[a], h));
}

std::string extent_text(const Scene& scene) {
  std::string text;
  for (double x : scene.grid.size) text += (text.empty() ? "" : " x ") + fmt::format("{}", x);
  return text;
}

void check_memory(const SceneCheck& c) {
  const Estimate estimate = estimate_scene(c.scene);
  if (estimate.bytes <= c.machine.memory_bytes) return;
  const double shrink =
      std::pow(static_cast<double>(c.machine.memory_bytes) / static_cast<double>(estimate.bytes),
               1.0 / c.scene.grid.dimension);
  c.say("grid.resolution",
        fmt::format("grid.resolution = {} needs about {}, and {} are available: {} would fit",
                    c.scene.grid.resolution, bytes_text(estimate.bytes), bytes_text(c.machine.memory_bytes),
                    static_cast<int>(c.scene.grid.resolution * shrink)));
}

}  // namespace glug
