// file_sizes.h: how much a run will write, before it does. Meant to tell megabytes from terabytes: within a
// factor of two where the liquid stays about as it was poured (docs/performance.md).
#pragma once

#include <string>
#include <vector>

#include "scene/estimate.h"

namespace glug {

struct FileSize {
  std::string kind;        // "surface", "particles", "volume", "preview"
  double frame_bytes = 0;  // of all its formats
};
struct FileSizes {
  std::vector<FileSize> kinds;
  double checkpoint_bytes = 0;  // of one; two are kept
  int frames = 0;               // with frame 0
  double frame_bytes() const;
  double total() const;  // with two checkpoints
};

FileSizes expected_file_sizes(const Scene& scene, const Estimate& estimate);

}  // namespace glug
