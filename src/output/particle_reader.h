// particle_reader.h: particles of a frame from the file that was written of them.
#pragma once

#include <filesystem>

#include "simulation/recall.h"

namespace glug {

// .ply or .vdb. InputError when the file is none of ours, or broken.
template <int D>
KnownParticles<D> read_particles(const std::filesystem::path& path);

}  // namespace glug
