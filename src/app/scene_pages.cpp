#include "app/scene_pages.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "output/atomic_file.h"
#include "scene/compare_scenes.h"
#include "scene/estimate.h"
#include "scene/find_scene.h"
#include "scene/read_scene.h"

namespace glug {
namespace {

constexpr std::array<std::pair<const char*, const char*>, 5> papers = {{
    {"000", "Goldade, Aanjaneya and Batty, Constraint bubbles and affine regions, 2020"},
    {"001", "Ando, Thuerey and Wojtan, A stream function solver for liquid simulations, 2015"},
    {"002", "a thesis on multigrid in FLIP simulations of liquids"},
    {"003",
     "Goldade and Batty, Constraint bubbles: adding efficient zero-density bubbles to incompressible free "
     "surface flow, 2017"},
    {"004",
     "Batty, Bertails and Bridson, A fast variational framework for accurate solid-fluid coupling, 2007"},
}};

bool has_picture(const std::string& name) {
  return std::filesystem::exists(scenes_folder() / "../docs/scenes" / (name + ".jpg"));
}

std::string joined(const auto& values, const char* between) {
  std::string text;
  for (const auto& v : values) text += fmt::format("{}{}", text.empty() ? "" : between, v);
  return text;
}

// What it is made of: "a body of liquid, 2 solids (one moves), ...".
std::string contents_of(const Scene& scene) {
  std::vector<std::string> parts;
  const auto add = [&](std::size_t n, const char* one, const char* many) {
    if (n > 0) parts.push_back(n == 1 ? one : fmt::format("{} {}", n, many));
  };
  add(scene.bodies.size(), "a body of liquid", "bodies of liquid");
  add(scene.air_bodies.size(), "a body of air", "bodies of air");
  add(scene.smoke_bodies.size(), "a body of smoke", "bodies of smoke");
  add(scene.smoke_sources.size(), "a source of smoke", "sources of smoke");
  add(scene.solids.size(), "a solid", "solids");
  const auto moving = std::count_if(scene.solids.begin(), scene.solids.end(),
                                    [](const Solid& s) { return s.motion.moves(); });
  if (moving > 0)
    parts.back() +=
        moving == 1 && scene.solids.size() == 1 ? " that moves" : fmt::format(", {} moving", moving);
  add(scene.rigids.size(), "a rigid body", "rigid bodies");
  add(scene.emitters.size(), "an emitter", "emitters");
  add(scene.drains.size(), "a drain", "drains");
  add(scene.probes.size(), "a probe", "probes");
  return joined(parts, "; ");
}

// Keys of the physics and of how it is solved that the scene sets to something else than a scene would have
// by itself.
std::vector<std::string> keys_of(const Scene& scene) {
  const Scene bare = parse_scene(
      scene.grid.dimension == 2
          ? "[grid]\ndimension = 2\n[[liquid.body]]\nshape = { type = \"box\", min = [0, 0], max = [1, 1] }\n"
          : "[grid]\ndimension = 3\n[[liquid.body]]\nshape = { type = \"box\", min = [0, 0, 0], max = [1, 1, "
            "1] }\n",
      "plain", ".");
  std::vector<std::string> keys;
  for (const SceneDifference& d : compare_scenes(bare.source, scene.source)) {
    const std::string section = d.key.substr(0, d.key.find('.'));
    const bool of_a_list = d.key.find_first_of("0123456789") != std::string::npos || d.now.empty();
    const bool told = section == "gravity" || section == "liquid" || section == "air" ||
                      section == "adaptivity" || section == "smoke" || section == "solver" ||
                      d.key == "grid.slip" || d.key == "time.cfl";
    if (told && !of_a_list) keys.push_back(fmt::format("`{} = {}`", d.key, d.now));
  }
  return keys;
}

std::string page_of(const std::string& name, const Scene& scene) {
  std::string page =
      fmt::format("# {}\n\n{} ({}D): {}.\n\n", name, scene.title, scene.grid.dimension, scene.shows);
  if (has_picture(name)) page += fmt::format("![{}]({}.jpg)\n\n", scene.title, name);
  page += fmt::format("    glug run {}\n\n", name);
  if (!scene.paper.empty()) {
    page += fmt::format("Follows {}.\n\n", scene.paper);
    for (const auto& [number, title] : papers)
      if (scene.paper.find(number) != std::string::npos) page += fmt::format("- {}: {}\n", number, title);
    page += "\n";
  }
  const Estimate estimate = estimate_scene(scene);
  page += fmt::format("| | |\n| --- | --- |\n| domain | {} m, {} cells{} |\n", joined(scene.grid.size, " x "),
                      joined(estimate.cells, " x "),
                      scene.grid.open.empty() ? ", closed" : ", open: " + joined(scene.grid.open, ", "));
  page += fmt::format("| time | {} frames, {} a second |\n", scene.time.frames, scene.time.fps);
  page += fmt::format("| holds | {} |\n", contents_of(scene));
  if (const auto keys = keys_of(scene); !keys.empty())
    page += fmt::format("| set | {} |\n", joined(keys, ", "));
  page += fmt::format("\n[{0}.toml](../../scenes/{0}.toml) | [all scenes](../scenes.md)\n", name);
  return page;
}

std::string index_of(const std::vector<std::string>& names) {
  std::string page =
      "# The scenes\n\n`glug run NAME` simulates one; the file is `scenes/NAME.toml`. Each has a page of its "
      "own, with "
      "its paper and figure. Papers:\n\n";
  for (const auto& [number, title] : papers) page += fmt::format("- {}: {}\n", number, title);
  for (const int dimension : {3, 2}) {
    page += fmt::format("\n## In {}D\n\n| | | |\n| --- | --- | --- |\n", dimension);
    int column = 0;
    for (const std::string& name : names) {
      const Scene scene = read_scene(find_scene(name));
      if (scene.grid.dimension != dimension) continue;
      if (has_picture(name))
        page += fmt::format("| [![{0}](scenes/{0}.jpg)](scenes/{0}.md)<br>", name);
      else
        page += "| ";
      page += fmt::format("[{0}](scenes/{0}.md): {1}{2} ", name, scene.shows,
                          scene.paper.empty() ? "" : " [" + scene.paper + "]");
      if (++column % 3 == 0) page += "|\n";
    }
    if (column % 3 != 0) page += fmt::format("{:|>{}}\n", "", 4 - column % 3);
  }
  page += "\nThese pages are written by `glug list --pages docs`, pictures by `docs/make_scene_pictures`.\n";
  return page;
}

}  // namespace

void write_scene_pages(const std::filesystem::path& docs) {
  make_folder(docs / "scenes");
  const std::vector<std::string> names = scene_names();
  write_file(docs / "scenes.md", index_of(names));
  for (const std::string& name : names)
    write_file(docs / "scenes" / (name + ".md"), page_of(name, read_scene(find_scene(name))));
}

}  // namespace glug
