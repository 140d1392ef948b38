// kept_outputs.h: what a resumed run writes: what it wrote before, except where this command line says
// otherwise.
#pragma once

#include <string>
#include <vector>

namespace glug {

struct KeptOutputs {
  std::vector<std::string>
      overrides;  // for --set: the run's own output.* and camera.*, then those of the command
  std::vector<std::string> sentences;  // one for every key in which the run and the scene as asked for differ
};

// before, now: the resolved scenes of the run and of the command. overrides: the command's --set.
KeptOutputs keep_outputs(const std::string& before, const std::string& now,
                         const std::vector<std::string>& overrides);

}  // namespace glug
