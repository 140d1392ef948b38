// movie.h: the pictures of a run as a film, made by ffmpeg (H.264 in .mp4, plays in browsers and slides).
#pragma once

#include <filesystem>

namespace glug {

// Strings preview.0000.png, preview.0001.png, ... of the folder together. InputError: no pictures, a gap in
// their numbers, or no ffmpeg; SimulationError: ffmpeg failed (with its last words).
void make_movie(const std::filesystem::path& preview_folder, double fps,
                const std::filesystem::path& out_file);

}  // namespace glug
