// build_scene.h: a scene from values of a program, checked as a file is; places in messages are names of
// keys.
#pragma once

#include "scene/read_scene.h"
#include "scene/value.h"

namespace glug {

// `folder` is where meshes are looked for.
Scene build_scene(const Table& values, const std::filesystem::path& folder,
                  const std::vector<std::string>& overrides = {}, const Machine& machine = {});

// A value as --set takes it.
std::string override_text(const Value& value);

}  // namespace glug
