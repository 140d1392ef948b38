// The commands that only look at scenes: check, list, options.
#include <fmt/format.h>

#include <cstdio>

#include "app/commands.h"
#include "app/table_reference.h"
#include "core/error.h"
#include "scene/file_sizes.h"
#include "scene/find_scene.h"
#include "scene/reference.h"
#include "scene/remarks.h"

namespace glug {

void check_command(const std::string& name, const std::vector<std::string>& overrides) {
  const Scene scene = read_scene(find_scene(name), overrides, this_machine());
  const Estimate estimate = estimate_scene(scene);
  std::string cells;
  for (int n : estimate.cells) cells += (cells.empty() ? "" : " x ") + fmt::format("{}", n);
  for (const std::string& remark : scene_remarks(scene)) fmt::print("# {}\n", remark);
  fmt::print("# {} cells; about {:.3g} particles; memory: about {} ({} available)\n", cells,
             estimate.particles, bytes_text(estimate.bytes), bytes_text(available_memory()));
  const FileSizes files = expected_file_sizes(scene, estimate);
  const auto text = [](double bytes) { return bytes_text(static_cast<std::int64_t>(bytes)); };
  std::string kinds;
  for (const FileSize& k : files.kinds)
    kinds += fmt::format("{}{} {}", kinds.empty() ? "" : ", ", k.kind, text(k.frame_bytes));
  fmt::print("# files: about {} a frame{}, {} for {} frames with two checkpoints\n{}",
             text(files.frame_bytes()), kinds.empty() ? "" : " (" + kinds + ")", text(files.total()),
             files.frames, scene.source);
}

void list_command() {
  std::size_t width = 0;
  const std::vector<std::string> names = scene_names();
  for (const std::string& n : names) width = std::max(width, n.size());
  std::vector<Problem> broken;  // of scenes that somebody put beside ours; the others are listed all the same
  for (const std::string& name : names) {
    try {
      const Scene scene = read_scene(find_scene(name));
      fmt::print("{:<{}}  {}D  {}{}\n", name, width, scene.grid.dimension, scene.shows,
                 scene.paper.empty() ? "" : "  [" + scene.paper + "]");
    } catch (const InputError& error) {
      broken.insert(broken.end(), error.problems().begin(), error.problems().end());
    }
  }
  if (!broken.empty()) throw InputError(broken);
}

void options_command() { fmt::print("{}{}", scene_reference(), table_reference()); }

}  // namespace glug
