#include "fuzz/player.h"

#include <algorithm>
#include <cmath>
#include <exception>

#include "app/stats.h"
#include "fuzz/files.h"
#include "scene/read_scene.h"

namespace glug::fuzz {
namespace {

namespace fs = std::filesystem;

// Whether its two frames end within seconds. The program has taken the scene, so reading it is safe.
bool is_short(const Scene& scene) {
  double cells = std::pow(scene.grid.resolution, scene.grid.dimension);
  const SolverOptions& s = scene.solver;
  const OutputOptions& out = scene.output;
  const bool pictures = out.preview != PreviewFormat::off;
  return cells * std::min(scene.time.max_substeps, 60) <= 60 * 14000 &&
         scene.liquid.particles_per_cell <= 27 &&
         std::max({s.sweeps, s.full_cycles, s.v_cycles, s.bubble_sweeps}) <= 20 && s.max_iterations <= 2000 &&
         (!pictures || out.preview_width * out.preview_height <= 200 * 200);
}

Verdict judge_run(const Command& command, const fs::path& folder, const std::string& said) {
  if (command.judged == Judged::words) return {};
  const std::vector<StepReport> steps = read_stats(folder / "run/stats.csv");
  if (command.judged == Judged::numbers) return judge_numbers(steps);
  return judge_physics(read_scene(folder / "scene.toml"), steps, said);
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    lines.push_back(text.substr(at, end - at));
    at = end;
  }
  return lines;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& l : lines) text += l;
  return text;
}

}  // namespace

void lay_out(const Case& c, const fs::path& folder) {
  fs::create_directories(folder);
  if (!c.run.empty()) fs::copy(c.run, folder / "run", fs::copy_options::recursive);
  for (const NamedBytes& file : c.files) write_bytes(folder / file.name, file.bytes);
}

Verdict play_case(const Case& c, const fs::path& program, const fs::path& scratch, const Limits& limits) {
  const ScratchFolder folder(scratch);
  lay_out(c, folder.path());
  Verdict last;
  try {
    for (const Command& command : c.commands) {
      if (command.if_short && !is_short(read_scene(folder.path() / "scene.toml"))) return last;
      const Ended ended = run_child(program, command.arguments, folder.path(), limits);
      last = judge_end(ended, {"scene.toml", "--set", "mesh", "run/", "run is"});
      if (last.outcome == Outcome::finished) last = judge_run(command, folder.path(), ended.err);
      if (last.outcome != Outcome::finished) return last;
    }
    if (c.twice)
      last = judge_sameness(read_stats(folder.path() / "run/stats.csv"),
                            read_stats(folder.path() / "again/stats.csv"));
  } catch (const std::exception& error) {
    return {Outcome::fault, std::string("reading: what it took or wrote is refused: ") + error.what()};
  }
  return last;
}

Case reduced(const Case& c, const std::string& why, const fs::path& program, const fs::path& scratch,
             const Limits& limits) {
  Case best = c;
  std::vector<std::string> lines = lines_of(c.files.front().bytes);
  for (std::size_t chunk = lines.size() / 2; chunk >= 1;) {
    bool smaller = false;
    for (std::size_t at = 0; at + chunk <= lines.size();) {
      std::vector<std::string> fewer = lines;
      const auto from = fewer.begin() + static_cast<std::ptrdiff_t>(at);
      fewer.erase(from, from + static_cast<std::ptrdiff_t>(chunk));
      Case tried = best;
      tried.files.front().bytes = joined(fewer);
      const Verdict v = play_case(tried, program, scratch, limits);
      if (v.outcome == Outcome::finished || kind_of(v.why) != kind_of(why)) {
        ++at;
        continue;
      }
      lines = fewer;
      best = tried;
      smaller = true;
    }
    if (chunk > 1 || !smaller) chunk /= 2;
  }
  return best;
}

std::string kind_of(const std::string& why) { return why.substr(0, why.find(':')); }

}  // namespace glug::fuzz
