// frame_series.h: a file that names all frames of a kind with their times, so that a viewer plays them at the
// right speed: NAME.pvd for VTK's formats, NAME.ply.series for meshes and points in PLY. Programs that read
// VDB number frames themselves.
#pragma once

#include <filesystem>
#include <string>

namespace glug {

// Of the frames up to `last` whose files are there. Frame n is at n / fps seconds, its file has the number
// first_frame + n.
void write_frame_series(const std::filesystem::path& run_folder, const std::string& kind,
                        const std::string& extension, int first_frame, int last, double fps);

}  // namespace glug
