#include "app/table_reference.h"

#include <fmt/format.h>

#include "app/bubble_table.h"
#include "app/probe_table.h"
#include "simulation/report.h"

namespace glug {
namespace {

std::string heading(const char* table, const char* rows) {
  return fmt::format("\n## `{}`\n\n{}\n\n| column | unit | |\n| --- | --- | --- |\n", table, rows);
}

std::string line(const char* name, const char* unit, const char* help) {
  return fmt::format("| `{}` | {} | {} |\n", name, unit, help);
}

}  // namespace

std::string table_reference() {
  std::string text = heading("stats.csv", "A row per substep; m^D is m² in 2D, m³ in 3D.");
  StepReport report;
  auto add = [&](const char* name, auto&, const OptionInfo& info) {
    text += line(name, info.unit, info.help);
  };
  StepReport::columns(report, add);
  text += heading("bubbles.csv",
                  "A row per bubble that touches liquid or is open to the outside, and frame; with every "
                  "`air.model` but \"void\".");
  for (const TableColumn& c : bubble_columns) text += line(c.name, c.unit, c.help);
  text += heading("probes.csv",
                  "A row per `[[probe]]` and substep. What a probe does not measure, or cannot just then, is "
                  "empty. Coordinates are the scene's, whatever `output.up_axis` says.");
  for (const TableColumn& c : probe_columns) text += line(c.name, c.unit, c.help);
  return text;
}

}  // namespace glug
