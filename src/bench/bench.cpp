#include "bench/bench.h"

#include <fmt/format.h>

#include "bench/suites.h"
#include "core/error.h"
#include "core/memory.h"

namespace glug {
namespace {

struct Suite {
  const char* name;
  Figures (*run)(const BenchOptions&);
  Figures (*run_on_device)(const BenchOptions&);  // null: there is nothing to measure there
};
const Suite suites[] = {
    {"pressure", pressure_bench, pressure_bench_on_device},
    {"maze", maze_bench, nullptr},
    {"bubbles", bubbles_bench, bubbles_bench_on_device},
    {"affine", affine_bench, affine_bench_on_device},
    {"stream", stream_bench, nullptr},
    {"bandwidth", bandwidth_bench, bandwidth_bench_on_device},
};

}  // namespace

void run_bench(const BenchOptions& options) {
  for (const Suite& suite : suites)
    if (options.suite == suite.name) {
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
  for (const Suite& suite : suites) known += fmt::format("{}{}", known.empty() ? "" : ", ", suite.name);
  throw InputError(fmt::format("there is no bench suite '{}': choose one of {}", options.suite, known));
}

}  // namespace glug
