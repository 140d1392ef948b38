// The suite `validation` of `glug bench`: slow answers that the tests have no time for, a table of figures
// beside what they should be.
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <exception>

#include "bench/figures.h"
#include "core/error.h"
#include "trials/trials.h"
#include "validation/parts.h"

namespace glug {
namespace {

constexpr std::size_t name_width = 46;

// What the simulation throws is a result.
std::string run_part(const Exec& exec, const ValidationPart& part, int cells, Found& found) {
  try {
    part.run(exec, cells, found);
  } catch (const SimulationError& error) {
    return error.what();
  }
  return {};
}

}  // namespace

void validation_command(const BenchOptions& bench) {
  if (bench.exec.device != Device::cpu)
    throw InputError("--device cuda: the suite validation runs on the CPU alone");
  if (!bench.json.empty()) demand_writable(bench.json);
  const std::vector<ValidationPart> parts = chosen_parts(bench.only);
  fmt::print("{}\n", check_header(name_width));
  Figures figures;
  std::string failed;
  int judged = 0, reached = 0;
  for (const ValidationPart& part : parts) {
    const int cells = bench.resolution > 0 ? bench.resolution : part.cells;
    fmt::print("{}: {}; {} cells along {}\n", part.name, part.about, cells, part.unit);
    std::fflush(stdout);
    const auto start = std::chrono::steady_clock::now();
    Found found;
    const std::string error = run_part(bench.exec, part, cells, found);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    for (const Check& c : found.checks) {
      fmt::print("{}\n", check_row(c, name_width));
      figures.set(c.name, c.value);
      if (c.reference != 0) figures.set(c.name + ".reference", c.reference);
      if (c.how == Judged::told) continue;
      figures.set(c.name + ".pass", c.passed() ? 1 : 0);
      ++judged;
      reached += c.passed() ? 1 : 0;
      if (!c.passed()) failed += (failed.empty() ? "" : ", ") + c.name;
    }
    if (!error.empty()) {
      fmt::print("{} DID NOT FINISH: {}\n", part.name, error);
      failed += (failed.empty() ? "" : ", ") + std::string(part.name);
      ++judged;
    }
    figures.set(std::string(part.name) + ".seconds", seconds);
    std::fflush(stdout);
    for (const Series& s : found.series)
      if (!bench.series.empty()) write_series(bench.series, s);
    if (!bench.json.empty()) figures.write_json(bench.json, bench.suite);  // what there is: parts are long
  }
  if (!failed.empty())
    throw SimulationError(
        fmt::format("validation: {} of {} figures reached; not reached: {}", reached, judged, failed));
  fmt::print("validation: all {} figures reached\n", judged);
}

}  // namespace glug
