// The commands that look at a run: info and render.
#include <fmt/format.h>

#include <toml++/toml.h>
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "app/accounted_volume.h"
#include "app/advice.h"
#include "app/commands.h"
#include "app/progress.h"
#include "app/run_folder.h"
#include "app/stats.h"
#include "core/error.h"
#include "output/frame_files.h"
#include "output/movie.h"
#include "scene/estimate.h"

namespace glug {
namespace {

struct Stage {
  const char* name;
  double StepReport::*seconds;
};
constexpr Stage stages[] = {
    {"advect", &StepReport::seconds_advect},     {"transfer", &StepReport::seconds_transfer},
    {"surface", &StepReport::seconds_surface},   {"regions", &StepReport::seconds_regions},
    {"assemble", &StepReport::seconds_assemble}, {"solve", &StepReport::seconds_solve},
    {"output", &StepReport::seconds_output}};

void row(const char* name, const std::string& text) { fmt::print("{:<12}{}\n", name, text); }

toml::table scene_of(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / "scene.toml";
  if (!std::filesystem::exists(path))
    throw InputError(folder.string() + " is not the folder of a run: it has no scene.toml");
  try {
    return toml::parse(read_text(path), path.string());
  } catch (const toml::parse_error& error) {
    throw InputError({path.string(), static_cast<int>(error.source().begin.line), 1},
                     "is not TOML: " + std::string(error.description()));
  }
}

double number(const toml::table& scene, const char* key) { return scene.at_path(key).value_or(0.0); }

// Cells of the domain, as make_grid counts them.
double cells_of(const toml::table& scene, std::string& text) {
  double longest = 0, cells = 1;
  const toml::array* size = scene.at_path("grid.size").as_array();
  if (!size) return 0;
  for (const toml::node& side : *size) longest = std::max(longest, side.value_or(0.0));
  for (const toml::node& side : *size) {
    const double n =
        std::max(1.0, std::round(side.value_or(0.0) * number(scene, "grid.resolution") / longest));
    cells *= n;
    text += (text.empty() ? "" : " x ") + fmt::format("{}", n);
  }
  return cells;
}

// Of smoke there is an amount, and no volume.
bool print_smoke(const std::vector<StepReport>& steps, const char* unit) {
  const StepReport& now = steps.back();
  if (steps.front().smoke == 0 && now.smoke_inflow == 0) return false;
  row("smoke", fmt::format("{:.4g} {} at the start, {:.4g} now; {:.4g} came in, {:.4g} left, {:.1e} by error",
                           steps.front().smoke, unit, now.smoke, now.smoke_inflow, now.smoke_outflow,
                           now.smoke_error));
  return true;
}

void print_volumes(const std::vector<StepReport>& steps, const char* unit) {
  const StepReport &first = steps.front(), &now = steps.back(), &worst = worst_volume(steps);
  double peak = 0;
  for (const StepReport& s : steps) peak = std::max(peak, s.kinetic_energy);
  std::string moved;
  if (now.inflow_volume > 0 || now.outflow_volume > 0)
    moved = fmt::format("; {:.4g} came in, {:.4g} left", now.inflow_volume, now.outflow_volume);
  row("volume",
      fmt::format("{:.6g} {} at the start, {:.6g} now, {:.1f}% of it spray{}", accounted_volume(first), unit,
                  accounted_volume(now),
                  100 * std::max(0.0, now.spray_volume) / std::max(accounted_volume(now), 1e-300), moved));
  row("off by", fmt::format("{:+.3f}% of what should be there, at worst {:+.3f}% at frame {}",
                            100 * volume_error(first, now), 100 * volume_error(first, worst), worst.frame));
  row("kinetic", fmt::format("{:.4g} J now, {:.4g} J at its peak", now.kinetic_energy, peak));
}

void print_timings(const std::vector<StepReport>& steps) {
  double total = 0, particles = 0;
  for (const StepReport& s : steps) {
    total += s.seconds_total;
    particles += static_cast<double>(s.particles);
  }
  fmt::print("\n{:<12}{:>10}{:>9}{:>26}\n", "stage", "seconds", "share", "ns/particle/substep");
  const auto print = [&](const char* name, double seconds) {
    fmt::print("{:<12}{:>10.2f}{:>8.1f}%{:>26.1f}\n", name, seconds, total > 0 ? 100 * seconds / total : 0,
               particles > 0 ? 1e9 * seconds / particles : 0);
  };
  double solve = 0, output = 0, named = 0, most = -1;
  const char* slowest = "";
  for (const Stage& stage : stages) {
    double seconds = 0;
    for (const StepReport& s : steps) seconds += s.*stage.seconds;
    print(stage.name, seconds);
    named += seconds;
    if (stage.seconds == &StepReport::seconds_solve) solve = seconds;
    if (stage.seconds == &StepReport::seconds_output) output = seconds;
    if (seconds > most) most = seconds, slowest = stage.name;
  }
  print("other", total - named);
  print("total", total);
  print("no solve", total - solve - output);
  fmt::print("{:<12}everything but the pressure solve and the writing of files\n\n", "");
  row("slowest", fmt::format("{} ({:.0f}% of the time; the pressure solve takes {:.0f}%)", slowest,
                             total > 0 ? 100 * most / total : 0, total > 0 ? 100 * solve / total : 0));
}

void print_solver(const std::vector<StepReport>& steps) {
  double iterations = 0, divergence = 0;
  int most = 0;
  std::int64_t substeps = 0;
  for (const StepReport& s : steps) {
    if (s.step == 0) continue;
    ++substeps;
    iterations += s.iterations;
    most = std::max(most, s.iterations);
    divergence = std::max(divergence, s.divergence_max);
  }
  if (substeps > 0)
    row("solver", fmt::format("{:.1f} iterations on average, {} at most; divergence at most {:.2g} m/s",
                              iterations / static_cast<double>(substeps), most, divergence));
}

void print_memory(const std::vector<StepReport>& steps, double cells) {
  double peak = 0, particles = 0;
  for (const StepReport& s : steps) {
    peak = std::max(peak, s.memory_mb);
    particles = std::max(particles, static_cast<double>(s.particles));
  }
  const double plan = bytes_per_particle * particles + bytes_per_cell * cells;
  row("memory",
      fmt::format("{:.0f} MB at its peak: {:.0f} bytes per particle, or {:.0f} per cell of the domain", peak,
                  particles > 0 ? peak * 1e6 / particles : 0, cells > 0 ? peak * 1e6 / cells : 0));
  row("", fmt::format("planned: {} = {} bytes per particle + {} per cell",
                      bytes_text(static_cast<std::int64_t>(plan)), bytes_per_particle, bytes_per_cell));
}

std::string state_text(const RunStatus& status, const std::filesystem::path& folder) {
  if (status.state == "failed") return "failed: " + status.message;
  if (status.state == "running") return is_held(folder) ? "running" : "killed (--resume goes on)";
  return status.state.empty() ? "unknown" : status.state;
}

// What lies in the run's folder, and how much of it a frame takes.
void print_files(const std::filesystem::path& folder, int frames) {
  double total = 0;
  std::string kinds;
  std::error_code error;
  for (const char* kind : {"surface", "particles", "volume", "preview", "solids", "checkpoint"}) {
    double bytes = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder / kind, error))
      if (entry.is_regular_file(error)) bytes += static_cast<double>(entry.file_size(error));
    total += bytes;
    const auto text = [](double b) { return bytes_text(static_cast<std::int64_t>(b)); };
    const bool of_frames = std::string(kind) != "solids" && std::string(kind) != "checkpoint";
    if (bytes > 0)
      kinds += fmt::format("{}{} {}{}", kinds.empty() ? "" : ", ", kind, text(bytes),
                           of_frames ? fmt::format(" ({} a frame)", text(bytes / (frames + 1))) : "");
  }
  if (total > 0) row("files", fmt::format("{}: {}", bytes_text(static_cast<std::int64_t>(total)), kinds));
}

RunFacts facts_of(const toml::table& scene, double cells_along_longest) {
  RunFacts facts;
  double longest = 0;
  if (const toml::array* size = scene.at_path("grid.size").as_array())
    for (const toml::node& side : *size) longest = std::max(longest, side.value_or(0.0));
  facts.cell = cells_along_longest > 0 ? longest / cells_along_longest : 0;
  facts.fps = number(scene, "time.fps");
  facts.cfl = number(scene, "time.cfl");
  facts.max_substeps = static_cast<int>(number(scene, "time.max_substeps"));
  facts.tolerance = number(scene, "solver.tolerance");
  if (const double tension = number(scene, "liquid.surface_tension"); tension > 0)
    facts.capillary_dt = std::sqrt(number(scene, "liquid.density") * std::pow(facts.cell, 3) / tension);
  const auto written = [&](const char* key) {
    const toml::array* list = scene.at_path(key).as_array();
    return list ? !list->empty() : scene.at_path(key).value_or(std::string("off")) != "off";
  };
  facts.pictures = written("output.preview");
  facts.other_files = written("output.surface") || written("output.particles") || written("output.volume");
  facts.corrects_volume = scene.at_path("liquid.volume_correction").value_or(true);
  facts.has_emitters = scene.contains("emitter");
  facts.has_solids_that_move = scene.contains("rigid");
  if (const toml::array* solids = scene.get_as<toml::array>("solid"))
    for (const toml::node& solid : *solids)
      if (const toml::table* table = solid.as_table())
        facts.has_solids_that_move = facts.has_solids_that_move || table->contains("motion");
  facts.preconditioner = scene.at_path("solver.preconditioner").value_or(facts.preconditioner);
  return facts;
}

}  // namespace

void info_command(const std::filesystem::path& folder) {
  const toml::table scene = scene_of(folder);
  const std::vector<StepReport> steps = read_stats(folder / "stats.csv");
  const RunStatus status = read_status(folder);
  const int dimension = static_cast<int>(number(scene, "grid.dimension"));
  std::string grid;
  const double cells = cells_of(scene, grid);
  row("scene", fmt::format("{} ({}D, {} cells)", scene.at_path("title").value_or(std::string("untitled")),
                           dimension, grid));
  row("run", fmt::format("{}, {} thread{}", state_text(status, folder), status.threads,
                         status.threads == 1 ? "" : "s"));
  if (steps.empty()) return;
  const StepReport& last = steps.back();
  // The row of a substep names the frame it leads to.
  const int frames = static_cast<int>(number(scene, "time.frames"));
  const bool complete = std::abs(last.time * number(scene, "time.fps") - last.frame) < 1e-6;
  const int done = complete ? last.frame : last.frame - 1;
  row("progress",
      fmt::format(
          "frame {} of {}, {} substeps ({:.1f} a frame), {:.3g} s simulated in {}", done, frames, last.step,
          last.time > 0 ? static_cast<double>(last.step) / (last.time * number(scene, "time.fps")) : 0,
          last.time, duration_text(status.seconds)));
  row("particles", fmt::format("{} now", count_text(static_cast<double>(last.particles))));
  if (last.deep_cells > 0)
    row("", fmt::format("{} of {} cells of liquid have none (liquid.narrow_band)",
                        count_text(static_cast<double>(last.deep_cells)),
                        count_text(static_cast<double>(last.liquid_cells))));
  const char* unit = dimension == 2 ? "m^2" : "m^3";
  if (!print_smoke(steps, unit)) print_volumes(steps, unit);
  print_solver(steps);
  print_timings(steps);
  print_memory(steps, cells);
  print_files(folder, done);
  const std::vector<std::string> advice = advice_on(steps, facts_of(scene, number(scene, "grid.resolution")));
  fmt::print("\n");
  if (advice.empty()) row("unusual", "nothing");
  for (std::size_t n = 0; n < advice.size(); ++n) row(n == 0 ? "unusual" : "", advice[n]);
}

void render_command(const RenderOptions& options) {
  const std::filesystem::path& folder = options.folder;
  const toml::table scene = scene_of(folder);
  const std::filesystem::path pictures = folder / "preview";
  const auto there = [&](int n) { return std::filesystem::exists(frame_path(folder, "preview", n, "png")); };
  // A run that goes on draws its own.
  const int frames = is_held(folder) ? -1 : read_status(folder).frame;
  for (int n = 0; n <= frames; ++n) {
    if (there(n)) continue;
    ExportOptions drawn;
    drawn.folder = folder;
    drawn.preview = "png";
    drawn.threads = options.threads;
    export_command(drawn);
    break;
  }
  const std::filesystem::path file = options.movie.empty() ? folder / "movie.mp4" : options.movie;
  make_movie(pictures, number(scene, "time.fps"), file);
  fmt::print("pictures: {}\nmovie: {}\n", pictures.string(), file.string());
}

}  // namespace glug
