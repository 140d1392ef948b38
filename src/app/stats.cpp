#include "app/stats.h"

#include <fmt/format.h>

#include <charconv>
#include <fstream>

#include "core/error.h"

namespace glug {
namespace {

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells(1);
  for (char c : line)
    if (c == ',')
      cells.emplace_back();
    else
      cells.back() += c;
  return cells;
}

}  // namespace

std::string stats_header() {
  std::string header;
  StepReport report;
  auto add = [&](const char* name, auto&, const OptionInfo&) {
    header += (header.empty() ? "" : ",") + std::string(name);
  };
  StepReport::columns(report, add);
  return header;
}

std::string stats_row(const StepReport& report) {
  std::string row;
  // Shortest text that reads back as the same number.
  auto add = [&](const char*, const auto& value, const OptionInfo&) {
    row += fmt::format("{}{}", row.empty() ? "" : ",", value);
  };
  StepReport::columns(report, add);
  return row;
}

std::vector<StepReport> read_stats(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string line;
  if (!file || !std::getline(file, line))
    throw InputError({path.string(), 0, 0}, "cannot be read as a table of substeps");
  const std::vector<std::string> names = cells_of(line);
  std::vector<StepReport> rows;
  while (std::getline(file, line)) {
    if (file.eof()) break;  // no line end: torn
    const std::vector<std::string> cells = cells_of(line);
    if (cells.size() != names.size())
      throw InputError({path.string(), static_cast<int>(rows.size()) + 2, 1},
                       "has another number of columns than the header");
    StepReport report;
    auto take = [&](const char* name, auto& value, const OptionInfo&) {
      for (std::size_t n = 0; n < names.size(); ++n)
        if (names[n] == name) std::from_chars(cells[n].data(), cells[n].data() + cells[n].size(), value);
    };
    StepReport::columns(report, take);
    rows.push_back(report);
  }
  return rows;
}

}  // namespace glug
