// scene_pages.h: docs/scenes.md and docs/scenes/*.md: a page for every built-in scene, from what its file
// says, with the picture that docs/make_scene_pictures made of it.
#pragma once

#include <filesystem>

namespace glug {

// Writes scenes.md and scenes/NAME.md into a folder of documents.
void write_scene_pages(const std::filesystem::path& docs);

}  // namespace glug
