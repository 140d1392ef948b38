// check_smoke.h: what a scene may not combine with smoke, and what smoke itself must have.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scene/scene.h"

namespace glug {

struct SmokeProblem {
  std::string key;  // whose place in the file is told, unless `where` is
  std::optional<SourceLocation> where;
  std::string message;
};

std::vector<SmokeProblem> smoke_problems(const Scene& scene);

}  // namespace glug
