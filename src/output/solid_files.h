// solid_files.h: solids/NAME.ply: the solids of a run as meshes, once. Those at rest stand where they are;
// those that move are in their own coordinates, and bodies.csv says for every frame where these are.
#pragma once

#include <filesystem>

#include "output/frame.h"
#include "scene/scene.h"

namespace glug {

// As .vtp where surfaces are, else as .ply; nothing where surfaces are off.
template <int D>
void write_solids(const Exec& exec, const Frame<D>& frame, const OutputOptions& output,
                  const std::filesystem::path& run_folder);

}  // namespace glug
