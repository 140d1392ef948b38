// read_scene.h: a TOML file (and --set values) to a checked Scene. Everything that is wrong with it is found
// here, before the first step, and thrown as one InputError with a place in the file for each problem.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "scene/scene.h"

namespace glug {

// What the scene is going to run on.
struct Machine {
  std::int64_t memory_bytes = 0;  // 0 = unknown: not checked
  bool openvdb = true;            // .vdb files can be written
  bool embree = true;             // 3D previews can be drawn
};

// `overrides` are texts as --set takes them: "grid.resolution=64".
Scene read_scene(const std::filesystem::path& path, const std::vector<std::string>& overrides = {},
                 const Machine& machine = {});

// The same from text; `name` stands for the file in messages, `folder` is where meshes are looked for.
Scene parse_scene(const std::string& text, const std::string& name, const std::filesystem::path& folder,
                  const std::vector<std::string>& overrides = {}, const Machine& machine = {});

}  // namespace glug
