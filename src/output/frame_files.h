// frame_files.h: what a frame leaves in a run's folder:
//   surface/surface.0001.vdb|.ply|.vtp  particles/particles.0001.vdb|.ply|.vtp  volume/volume.0001.vdb|.vti
//   preview/preview.0001.png
// and beside them a file that names them all with their times (frame_series.h).
#pragma once

#include <filesystem>
#include <string>

#include "output/frame.h"
#include "output/preview.h"
#include "scene/scene.h"

namespace glug {

// Where the file of a kind ("surface", "preview", ...) goes.
std::filesystem::path frame_path(const std::filesystem::path& run_folder, const std::string& kind, int number,
                                 const std::string& extension);

// Pictures are numbered as frames are, other files from output.first_frame on.
template <int D>
void write_frame(const Exec& exec, const Frame<D>& frame, const OutputOptions& output,
                 const PreviewOptions& preview, PreviewScene& scene, const std::filesystem::path& run_folder);

}  // namespace glug
