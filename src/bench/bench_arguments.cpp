#include "bench/bench_arguments.h"

#include <algorithm>
#include <map>
#include <string>
#include <thread>

namespace glug {

void add_bench_arguments(CLI::App& app, BenchOptions& options, const std::vector<BenchSuite>& more) {
  std::string help = "What to measure:";
  std::vector<std::string> names;
  std::vector<BenchSuite> suites = bench_suites();
  suites.insert(suites.end(), more.begin(), more.end());
  for (const BenchSuite& suite : suites) {
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
}

}  // namespace glug
