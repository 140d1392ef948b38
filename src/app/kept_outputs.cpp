#include "app/kept_outputs.h"

#include <fmt/format.h>

#include <algorithm>

#include "scene/compare_scenes.h"

namespace glug {

KeptOutputs keep_outputs(const std::string& before, const std::string& now,
                         const std::vector<std::string>& overrides) {
  KeptOutputs kept;
  for (const SceneDifference& d : compare_scenes(before, now)) {
    const bool of_output = d.key.starts_with("output."), of_camera = d.key.starts_with("camera.");
    // A key that one of the two does not have is of another version: its default is what there was.
    if ((!of_output && !of_camera) || d.before.empty() || d.now.empty()) continue;
    const bool asked = std::any_of(overrides.begin(), overrides.end(),
                                   [&](const std::string& o) { return o.starts_with(d.key + "="); });
    if (asked) {
      kept.sentences.push_back(
          fmt::format("{} was {} and is {} from here on; files of earlier frames stay as they "
                      "are (glug export writes other formats of them)",
                      d.key, d.before, d.now));
    } else {
      kept.overrides.push_back(d.key + "=" + d.before);
      kept.sentences.push_back(
          fmt::format("{} stays {}, as the run began; the scene says {}: --set {}={} changes it", d.key,
                      d.before, d.now, d.key, d.now));
    }
  }
  kept.overrides.insert(kept.overrides.end(), overrides.begin(), overrides.end());
  return kept;
}

}  // namespace glug
