#include "app/table_reference.h"

#include <fmt/format.h>

#include "app/body_table.h"
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
  text += heading(
      "bodies.csv",
      "A row per frame and solid that moves, `[[rigid]]` bodies among them. Each has coordinates of its own, "
      "those in which the scene gives its shape and in which solids/ has its mesh: what is at s there is at "
      "(x, y, z) + q s q* in the domain. So x, y and z are 0 at the start of a body that nothing has moved "
      "yet: they are where the origin of its own coordinates is, not its centre of mass. A point p of the "
      "domain that moves with it, as the centre of mass, has the velocity v + w × (p - (x, y, z)). "
      "With `output.up_axis = \"z\"` vectors and quaternions are turned as solids/ is.");
  for (const TableColumn& c : body_columns) text += line(c.name, c.unit, c.help);
  text += heading("probes.csv",
                  "A row per `[[probe]]` and substep. What a probe does not measure, or cannot just then, is "
                  "empty. Coordinates are the scene's, whatever `output.up_axis` says.");
  for (const TableColumn& c : probe_columns) text += line(c.name, c.unit, c.help);
  return text;
}

}  // namespace glug
