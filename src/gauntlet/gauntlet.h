// gauntlet.h: `glug bench gauntlet`: everyday scenes, as strangers write them, each simulated to its end and
// held against what every liquid must obey (judge.h). No pictures and no reference solutions.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/exec.h"
#include "gauntlet/entries.h"
#include "gauntlet/judge.h"
#include "gauntlet/play.h"

namespace glug {

struct GauntletOptions {
  std::uint64_t vary = 0;         // 0 = scenes as written; else a seed (vary.h)
  std::vector<std::string> only;  // names; empty = all
  Exec exec{};
};

struct GauntletResult {
  std::string name;
  Played played;
  GauntletVerdict verdict;
  bool passed() const { return played.error.empty() && verdict.failed.empty(); }
};

// The entries that were asked for, in the order of the list, then rooms drawn by chance (random_rooms.h).
// Throws InputError for a name that neither has.
std::vector<GauntletEntry> chosen_entries(const std::vector<std::string>& only);

// Throws InputError where the scene cannot be read: that is a mistake of ours, not of the simulation.
GauntletResult run_entry(const Exec& exec, const GauntletEntry& entry, std::uint64_t vary);

// Lines of the table.
std::string gauntlet_header(std::size_t name_width);
std::string gauntlet_row(const GauntletResult& result, std::size_t name_width);

// `<scene>.pass`, `<scene>.energy_rise` and so on, then `passed` and `scenes`.
std::vector<std::pair<std::string, double>> gauntlet_figures(const std::vector<GauntletResult>& results);

}  // namespace glug
