#include "gauntlet/gauntlet.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "gauntlet/random_rooms.h"
#include "gauntlet/vary.h"
#include "scene/find_scene.h"
#include "scene/read_scene.h"

namespace glug {
namespace {

std::string names_of(const std::vector<GauntletEntry>& entries) {
  std::string names;
  for (const GauntletEntry& e : entries) names += (names.empty() ? "" : ", ") + e.name;
  return names;
}

std::string cells_text(const std::vector<int>& cells) {
  std::string text;
  for (int n : cells) text += (text.empty() ? "" : "x") + fmt::format("{}", n);
  return text;
}

std::string words(const std::vector<std::string>& list) {
  std::string text;
  for (const std::string& w : list) text += (text.empty() ? "" : ", ") + w;
  return text;
}

int frames_of(const Played& played) {
  return static_cast<int>(std::count_if(played.series.begin(), played.series.end(),
                                        [](const GauntletSample& s) { return s.frame_done; })) -
         1;
}

}  // namespace

std::vector<GauntletEntry> chosen_entries(const std::vector<std::string>& only) {
  const std::vector<GauntletEntry>& all = gauntlet_entries();
  if (only.empty()) return all;
  std::vector<GauntletEntry> rooms;
  for (const std::string& name : only) {
    if (std::any_of(all.begin(), all.end(), [&](const GauntletEntry& e) { return e.name == name; })) continue;
    const std::optional<GauntletEntry> room = room_called(name);
    if (!room)
      throw InputError(
          fmt::format("--only {}: the gauntlet has no such scene; it has {}, and room_N of any number N",
                      name, names_of(all)));
    rooms.push_back(*room);
  }
  std::vector<GauntletEntry> chosen;
  for (const GauntletEntry& e : all)
    if (std::find(only.begin(), only.end(), e.name) != only.end()) chosen.push_back(e);
  chosen.insert(chosen.end(), rooms.begin(), rooms.end());
  return chosen;
}

GauntletResult run_entry(const Exec& exec, const GauntletEntry& entry, std::uint64_t vary) {
  // No frame is written, so what the writers need is not asked for.
  Scene scene = entry.text.empty() ? read_scene(find_scene(entry.scene), entry.overrides)
                                   : parse_scene(entry.text, entry.name, {}, entry.overrides);
  vary_scene(vary, entry.name, scene);
  GauntletResult result;
  result.name = entry.name;
  result.played = play(exec, scene, entry.terms);
  result.verdict = judge(result.played.terms, result.played.series, result.played.hovering);
  return result;
}

std::string gauntlet_header(std::size_t name_width) {
  return fmt::format("{:<{}} {:>10} {:>6} {:>8} {:>8} {:>8} {:>6} {:>7} {:>6} {:>6} {:>7}", "scene",
                     name_width, "cells", "frames", "steps/fr", "energy", "volume", "speed", "bubbles",
                     "hover", "spray", "seconds");
}

std::string gauntlet_row(const GauntletResult& r, std::size_t name_width) {
  const GauntletVerdict& v = r.verdict;
  const GauntletTerms& t = r.played.terms;
  std::string row = fmt::format("{:<{}} {:>10} {:>6} {:>8.1f} ", r.name, name_width,
                                cells_text(r.played.cells), frames_of(r.played), v.substeps);
  row += v.energy_judged ? fmt::format("{:>7.2f}% ", 100 * v.energy_rise) : fmt::format("{:>8} ", "-");
  row += fmt::format("{:>7.2f}% {:>6.2f} ", 100 * v.volume_error, v.speed_excess);
  row += t.has_bubbles ? fmt::format("{:>6.1f}% ", 100 * v.bubble_error) : fmt::format("{:>7} ", "-");
  row += fmt::format("{:>6} {:>5.1f}% {:>7.1f}  ", v.hovering, 100 * v.spray_share, r.played.seconds);
  if (r.passed()) return row + "ok";
  if (!r.played.error.empty()) return row + "DID NOT FINISH: " + r.played.error;
  return row + "FAILED: " + words(v.failed);
}

std::vector<std::pair<std::string, double>> gauntlet_figures(const std::vector<GauntletResult>& results) {
  std::vector<std::pair<std::string, double>> figures;
  int passed = 0;
  for (const GauntletResult& r : results) {
    const GauntletVerdict& v = r.verdict;
    const auto set = [&](const char* figure, double value) {
      figures.emplace_back(r.name + "." + figure, value);
    };
    passed += r.passed() ? 1 : 0;
    set("pass", r.passed() ? 1 : 0);
    if (v.energy_judged) set("energy_rise", v.energy_rise);
    set("volume_error", v.volume_error);
    set("speed_excess", v.speed_excess);
    set("fast_share", v.fast_share);
    set("fast_seconds", v.fast_seconds);
    set("hovering", v.hovering);
    set("substeps", v.substeps);
    if (r.played.terms.has_bubbles) {
      set("bubble_error", v.bubble_error);
      set("lost_air", v.lost_air);
    }
    set("spray_share", v.spray_share);
    set("seconds", r.played.seconds);
  }
  figures.emplace_back("passed", passed);
  figures.emplace_back("scenes", static_cast<double>(results.size()));
  return figures;
}

}  // namespace glug
