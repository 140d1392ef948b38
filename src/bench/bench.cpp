#include "bench/bench.h"

#include <fmt/format.h>

#include "bench/suites.h"
#include "core/error.h"
#include "core/memory.h"

namespace glug {
namespace {

struct Suite {
  BenchSuite what;
  Figures (*run)(const BenchOptions&);
  Figures (*run_on_device)(const BenchOptions&);  // null: there is nothing to measure there
};
const Suite suites[] = {
    {{"pressure", "one liquid's pressure system by our solver, the papers' and the libraries'"},
     pressure_bench,
     pressure_bench_on_device},
    {{"maze", "a serpentine duct, where coarse grids see through walls"}, maze_bench, nullptr},
    {{"bubbles", "tanks with 8 and hundreds of bubbles, one unknown each"},
     bubbles_bench,
     bubbles_bench_on_device},
    {{"affine",
      "a splash and a sinking bubble whose calm fluid moves by the tile, against all cells as unknowns"},
     affine_bench,
     affine_bench_on_device},
    {{"stream", "a velocity made free of divergence by a stream function, against the pressure"},
     stream_bench,
     nullptr},
    {{"bandwidth", "copy and triad of this machine, and the share of it the smoother reaches"},
     bandwidth_bench,
     bandwidth_bench_on_device},
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
      const bool device = options.exec.device == Device::cuda;
      if (device && !suite.run_on_device)
        throw InputError(fmt::format("--device cuda: the suite {} runs on the CPU alone", options.suite));
      if (device && !why_no_cuda().empty()) throw InputError("--device cuda: " + why_no_cuda());
      if (!options.json.empty()) demand_writable(options.json);
      const Figures figures = device ? suite.run_on_device(options) : suite.run(options);
      if (!options.json.empty()) figures.write_json(options.json, options.suite);
      return;
    }
  std::string known;
  for (const Suite& suite : suites) known += fmt::format("{}{}", known.empty() ? "" : ", ", suite.what.name);
  throw InputError(fmt::format("there is no bench suite '{}': choose one of {}", options.suite, known));
}

}  // namespace glug
