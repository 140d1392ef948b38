// stats.h: StepReports as rows of stats.csv and back; the columns are those StepReport declares.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "simulation/report.h"

namespace glug {

std::string stats_header();
std::string stats_row(const StepReport& report);

// Rows of a stats.csv, also one that is being written: a torn last line is ignored. InputError if it is no
// such table.
std::vector<StepReport> read_stats(const std::filesystem::path& path);

}  // namespace glug
