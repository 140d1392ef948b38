#include "suites/bench_arguments.h"

#include <algorithm>
#include <map>
#include <string>
#include <thread>

namespace glug {

void add_bench_arguments(CLI::App& app, BenchOptions& options, SuiteNeeds most) {
  std::string help = "What to measure:";
  std::vector<std::string> names;
  for (const BenchSuite& suite : bench_suites()) {
    if (suite.needs > most) continue;
    help += std::string("\n  ") + suite.name + ": " + suite.about;
    names.emplace_back(suite.name);
  }
  options.exec.threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  app.add_option("SUITE", options.suite, help)->required()->check(CLI::IsMember(names));
  app.add_option("--resolution", options.resolution, "Cells along a side (default: the suite's own)")
      ->check(CLI::Range(8, 2048));
  app.add_option("--threads", options.exec.threads, "Threads (default: all cores)")
      ->check(CLI::Range(1, 1024));
  app.add_option("--device", options.exec.device, "Where to compute: cpu or cuda (default: cpu)")
      ->transform(CLI::CheckedTransformer(
          std::map<std::string, Device>{{"cpu", Device::cpu}, {"cuda", Device::cuda}}, CLI::ignore_case));
  app.add_option("--json", options.json, "Also write the figures to this file");
  if (most < SuiteNeeds::scenes) return;
  app.add_option(
      "--vary", options.vary,
      "gauntlet: a seed; every scene a little turned, shifted and resized (default 0: as written)");
  app.add_option("--only", options.only,
                 "gauntlet: these scenes alone, NAME[,NAME], or rooms, room_7; validation: these parts")
      ->delimiter(',');
  app.add_option("--rooms", options.rooms,
                 "gauntlet: so many scenes drawn by chance instead of the list, room_1, room_2 and so on")
      ->check(CLI::Range(1, 1000000));
  app.add_option("--series", options.series,
                 "gauntlet, validation: a folder for curves over time, as .csv, and rooms as .toml");
  app.add_option("--set", options.set, "gauntlet: KEY=VALUE in every scene it goes with (again for more)")
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false);
}

}  // namespace glug
