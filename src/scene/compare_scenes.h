// compare_scenes.h: in which keys two resolved scenes differ: whether a run may go on with a changed scene.
#pragma once

#include <string>
#include <vector>

namespace glug {

struct SceneDifference {
  std::string key;          // "liquid.density", "solid.0.shape.radius"
  std::string before, now;  // as TOML; empty = absent there
};

// Both texts as Scene::source gives them. `name`: what a message calls the first, which may come from a file
// that was edited.
std::vector<SceneDifference> compare_scenes(const std::string& before, const std::string& now,
                                            const std::string& name = "the scene before");

// Keys that say nothing about the liquid's motion: how long, what is written, what it is called.
bool may_change_on_resume(const std::string& key);

}  // namespace glug
