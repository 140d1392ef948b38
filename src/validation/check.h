// check.h: what a part of the suite `validation` finds: figures beside what they should be, and curves over
// time.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace glug {

enum class Judged {
  told,      // no answer to hold it against, or one that is not for us to meet
  near,      // |value / reference - 1| <= tolerance
  at_most,   // value <= reference
  at_least,  // value >= reference
};

struct Check {
  std::string name;  // flat: "hysing_1.128.rise_velocity"
  double value = 0;
  double reference = 0;  // 0 and told: there is none
  Judged how = Judged::told;
  double tolerance = 0;

  bool passed() const;
};

// A curve over time, to be drawn beside others.
struct Series {
  std::string name;
  std::vector<std::string> columns;
  std::vector<std::vector<double>> rows;
};

struct Found {
  std::vector<Check> checks;
  std::vector<Series> series;

  void tell(const std::string& name, double value, double reference = 0);
  void near(const std::string& name, double value, double reference, double tolerance);
  void at_most(const std::string& name, double value, double limit);
  void at_least(const std::string& name, double value, double limit);
};

// A line of the table.
std::string check_header(std::size_t name_width);
std::string check_row(const Check& check, std::size_t name_width);

// folder/<name>.csv. Throws SimulationError when it cannot be written.
void write_series(const std::filesystem::path& folder, const Series& series);

// A file of --series, its folder made where there is none. Throws as write_series does.
void write_text(const std::filesystem::path& file, const std::string& text);

}  // namespace glug
