// find_scene.h: the scenes that come with Glug, by name.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace glug {

// Where the built-in scenes lie: $GLUG_SCENES, or share/glug/scenes where Glug is installed, or the folder of
// the checkout this program was built from.
std::filesystem::path scenes_folder();

// Names of the built-in scenes, sorted: those that `glug list` shows, or those of a group, which is a folder
// among them ("gauntlet": "gauntlet/beach", ...).
std::vector<std::string> scene_names(const std::string& group = "");

// A path ending in .toml as it is, a name as the file of that built-in scene. InputError lists near names.
std::filesystem::path find_scene(const std::string& path_or_name);

}  // namespace glug
