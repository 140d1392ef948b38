#include "output/checkpoint_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/error.h"
#include "output/checkpoint.h"

namespace glug {
namespace {

constexpr std::string_view checkpoint_prefix = "checkpoint.";
constexpr std::string_view checkpoint_suffix = ".glug";
constexpr std::size_t kept = 2;

// The step in a checkpoint's name, or -1 for any other file.
std::int64_t step_of(const std::string& name) {
  if (!name.starts_with(checkpoint_prefix) || !name.ends_with(checkpoint_suffix) ||
      name.size() <= checkpoint_prefix.size() + checkpoint_suffix.size())
    return -1;
  const char* first = name.data() + checkpoint_prefix.size();
  const char* last = name.data() + name.size() - checkpoint_suffix.size();
  std::int64_t step = -1;
  const auto [end, error] = std::from_chars(first, last, step);
  return error == std::errc{} && end == last ? step : -1;
}

struct Found {
  std::int64_t step;
  std::filesystem::path path;
};

// Newest first.
std::vector<Found> checkpoints_in(const std::filesystem::path& folder) {
  std::vector<Found> found;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::int64_t step = step_of(entry.path().filename().string());
    if (step >= 0) found.push_back({step, entry.path()});
  }
  std::sort(found.begin(), found.end(), [](const Found& a, const Found& b) { return a.step > b.step; });
  return found;
}

}  // namespace

std::filesystem::path checkpoint_path(const std::filesystem::path& folder, std::int64_t step) {
  return folder / fmt::format("{}{:08}{}", checkpoint_prefix, step, checkpoint_suffix);
}

std::vector<std::filesystem::path> checkpoint_files(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> paths;
  for (const Found& f : checkpoints_in(folder)) paths.push_back(f.path);
  return paths;
}

CheckpointChoice latest_valid_checkpoint(const std::filesystem::path& folder) {
  CheckpointChoice choice;
  for (const Found& f : checkpoints_in(folder)) {
    try {
      const CheckpointReader whole(f.path);
      choice.path = f.path;
      choice.step = f.step;
      return choice;
    } catch (const InputError& error) {
      choice.skipped.push_back(error.what());
    }
  }
  return choice;
}

void prune_checkpoints(const std::filesystem::path& folder) {
  // Failing to remove an old checkpoint costs disk space, not data: the next call tries again.
  std::error_code ignored;
  const std::vector<Found> found = checkpoints_in(folder);
  for (std::size_t n = kept; n < found.size(); ++n) std::filesystem::remove(found[n].path, ignored);
  std::vector<std::filesystem::path> leftovers;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored))
    if (entry.path().filename().string().starts_with(checkpoint_prefix) &&
        entry.path().extension() == ".partial")
      leftovers.push_back(entry.path());
  for (const auto& path : leftovers) std::filesystem::remove(path, ignored);
}

}  // namespace glug
