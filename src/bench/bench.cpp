#include "bench/bench.h"

#include <fmt/format.h>

#include "bench/suites.h"
#include "core/error.h"

namespace glug {
namespace {

struct Suite {
  BenchSuite what;
  Figures (*run)(const BenchOptions&);
};
const Suite suites[] = {
    {{"pressure", "one liquid's pressure system by our solver, the papers' and the libraries'"},
     pressure_bench},
    {{"maze", "a serpentine duct, where coarse grids see through walls"}, maze_bench},
    {{"bandwidth", "copy and triad of this machine, and the share of it the smoother reaches"},
     bandwidth_bench},
};

}  // namespace

const std::vector<BenchSuite>& bench_suites() {
  static const std::vector<BenchSuite> all = [] {
    std::vector<BenchSuite> list;
    for (const Suite& suite : suites) list.push_back(suite.what);
    return list;
  }();
  return all;
}

void run_bench(const BenchOptions& options) {
  for (const Suite& suite : suites)
    if (options.suite == suite.what.name) {
      const Figures figures = suite.run(options);
      if (!options.json.empty()) figures.write_json(options.json, options.suite);
      return;
    }
  std::string known;
  for (const Suite& suite : suites) known += fmt::format("{}{}", known.empty() ? "" : ", ", suite.what.name);
  throw InputError(fmt::format("there is no bench suite '{}': choose one of {}", options.suite, known));
}

}  // namespace glug
