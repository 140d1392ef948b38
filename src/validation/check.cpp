#include "validation/check.h"

#include <fmt/format.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>

#include "core/error.h"

namespace glug {

bool Check::passed() const {
  switch (how) {
    case Judged::told:
      return true;
    case Judged::near:
      return std::abs(value / reference - 1) <= tolerance;
    case Judged::at_most:
      return value <= reference;
    case Judged::at_least:
      return value >= reference;
  }
  return false;
}

void Found::tell(const std::string& name, double value, double reference) {
  checks.push_back({name, value, reference, Judged::told, 0});
}
void Found::near(const std::string& name, double value, double reference, double tolerance) {
  checks.push_back({name, value, reference, Judged::near, tolerance});
}
void Found::at_most(const std::string& name, double value, double limit) {
  checks.push_back({name, value, limit, Judged::at_most, 0});
}
void Found::at_least(const std::string& name, double value, double limit) {
  checks.push_back({name, value, limit, Judged::at_least, 0});
}

std::string check_header(std::size_t name_width) {
  return fmt::format("{:<{}} {:>10} {:>12} {:>8} {:>10}", "figure", name_width, "found", "answer", "off",
                     "asked");
}

std::string check_row(const Check& c, std::size_t name_width) {
  std::string row = fmt::format("{:<{}} {:>10.5g} ", c.name, name_width, c.value);
  if (c.how == Judged::told && c.reference == 0) return row;
  const char* sign = c.how == Judged::at_most ? "<= " : c.how == Judged::at_least ? ">= " : "";
  row += fmt::format("{:>12} ", fmt::format("{}{:.5g}", sign, c.reference));
  if (c.how == Judged::told || c.how == Judged::near)
    row += fmt::format("{:>7.2f}% ", 100 * (c.value / c.reference - 1));
  else
    row += fmt::format("{:>8} ", "");
  if (c.how == Judged::told) return row;
  row += c.how == Judged::near ? fmt::format("{:>9.3g}% ", 100 * c.tolerance) : fmt::format("{:>10} ", "");
  return row + (c.passed() ? " ok" : " NOT REACHED");
}

void write_series(const std::filesystem::path& folder, const Series& series) {
  std::string text;
  for (std::size_t k = 0; k < series.columns.size(); ++k) text += (k ? "," : "") + series.columns[k];
  text += '\n';
  for (const std::vector<double>& row : series.rows) {
    for (std::size_t k = 0; k < row.size(); ++k) text += (k ? "," : "") + fmt::format("{:.7g}", row[k]);
    text += '\n';
  }
  write_text(folder / (series.name + ".csv"), text);
}

void write_text(const std::filesystem::path& file, const std::string& text) {
  std::error_code ignored;
  std::filesystem::create_directories(file.parent_path(), ignored);
  std::ofstream out(file);
  out << text;
  out.flush();
  if (!out)
    throw SimulationError(file.string() + ": cannot be written (" + std::strerror(errno) +
                          "): give --series a folder you may write to");
}

}  // namespace glug
