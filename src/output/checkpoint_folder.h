// checkpoint_folder.h: the checkpoints of a run: the last two are kept, the newest whole one is used.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace glug {

// checkpoint.<8-digit step>.glug
std::filesystem::path checkpoint_path(const std::filesystem::path& folder, std::int64_t step);

struct CheckpointChoice {
  std::optional<std::filesystem::path> path;  // the newest whole checkpoint, if any
  std::int64_t step = -1;
  std::vector<std::string> skipped;  // one sentence for each newer one that is broken
};
CheckpointChoice latest_valid_checkpoint(const std::filesystem::path& folder);

// All of them, newest first, whole or not.
std::vector<std::filesystem::path> checkpoint_files(const std::filesystem::path& folder);

// Keeps the two newest checkpoints and removes the others and any leftover partial file.
void prune_checkpoints(const std::filesystem::path& folder);

}  // namespace glug
