// The suite `gauntlet` of `glug bench`: prints a line per scene as it ends, then what failed.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "bench/figures.h"
#include "core/error.h"
#include "gauntlet/gauntlet.h"
#include "gauntlet/random_rooms.h"
#include "trials/trials.h"
#include "validation/check.h"

namespace glug {
namespace {

// What the judge sees of a scene, a row per substep.
Series series_of(const GauntletResult& result) {
  Series series{result.name,
                {"time", "frame_done", "liquid_volume", "spray_volume", "inflow_volume", "outflow_volume",
                 "kinetic_energy", "potential_energy", "surface_energy", "body_energy", "solid_work",
                 "speed_max", "bubble_error", "lost_air", "smoke", "fast_share"},
                {}};
  for (const GauntletSample& s : result.played.series)
    series.rows.push_back({s.time, s.frame_done ? 1.0 : 0.0, s.liquid_volume, s.spray_volume, s.inflow_volume,
                           s.outflow_volume, s.kinetic_energy, s.potential_energy, s.surface_energy,
                           s.body_energy, s.solid_work, s.speed_max, s.bubble_error, s.lost_air, s.smoke,
                           s.fast_share});
  return series;
}

std::vector<GauntletEntry> rooms(int count) {
  std::vector<GauntletEntry> entries;
  for (int i = 1; i <= count; ++i) entries.push_back(room_entry(static_cast<std::uint64_t>(i)));
  return entries;
}

}  // namespace

void gauntlet_command(const BenchOptions& bench) {
  if (bench.exec.device != Device::cpu)
    throw InputError("--device cuda: the suite gauntlet runs on the CPU alone");
  if (bench.resolution != 0)
    throw InputError(
        "--resolution: every scene of the gauntlet has a resolution of its own; --vary changes them");
  if (!bench.json.empty()) demand_writable(bench.json);
  std::vector<GauntletEntry> entries = bench.rooms > 0 ? rooms(bench.rooms) : chosen_entries(bench.only);
  for (GauntletEntry& e : entries) e.overrides.insert(e.overrides.end(), bench.set.begin(), bench.set.end());
  std::size_t width = 5;
  for (const GauntletEntry& e : entries) width = std::max(width, e.name.size());
  fmt::print("{}\n", gauntlet_header(width));
  std::vector<GauntletResult> results;
  std::string failed;
  bool unjudged = false;
  for (const GauntletEntry& e : entries) {
    try {
      results.push_back(run_entry(bench.exec, e, bench.vary.value_or(0)));
    } catch (const InputError& error) {
      if (bench.set.empty()) throw;
      fmt::print("{:<{}} left out: {}\n", e.name, width, error.what());
      continue;
    }
    const GauntletResult& r = results.back();
    fmt::print("{}\n", gauntlet_row(r, width));
    std::fflush(stdout);
    if (!bench.series.empty()) {
      write_series(bench.series, series_of(r));
      if (!e.text.empty()) write_text(bench.series / (e.name + ".toml"), e.text);
    }
    if (!r.passed()) failed += (failed.empty() ? "" : ", ") + r.name;
    unjudged = unjudged || !r.verdict.energy_judged;
    results.back().played.series = {};  // judged; some are long
  }
  fmt::print(
      "energy: largest rise over what was released, at most {:.0f}%{}; volume: largest error, at most 1% (2% "
      "in "
      "puddles, films and rain); speed: of what fall and solids can give, at most 1\n",
      100 * energy_limit,
      unjudged ? ", - where air has mass: the columns hold the liquid's energy alone" : "");
  std::fflush(stdout);
  Figures figures;
  for (const auto& [name, value] : gauntlet_figures(results)) figures.set(name, value);
  if (!bench.json.empty()) figures.write_json(bench.json, bench.suite);
  const std::size_t good = static_cast<std::size_t>(
      std::count_if(results.begin(), results.end(), [](const GauntletResult& r) { return r.passed(); }));
  if (!failed.empty())
    throw SimulationError(
        fmt::format("the gauntlet: {} of {} scenes passed; failed: {}", good, results.size(), failed));
  fmt::print("the gauntlet: all {} scenes passed\n", results.size());
}

}  // namespace glug
