// glug_bench of machines without the packages that pictures and files need: the suites without scenes. Where
// there are scenes it is trials/main.cpp.
#include <fmt/format.h>

#include <exception>

#include "bench/bench.h"
#include "suites/bench_arguments.h"

int main(int argc, char** argv) {
  CLI::App app("Glug's performance suites.");
  app.name("glug_bench");
  glug::BenchOptions options;
  glug::add_bench_arguments(app, options, glug::SuiteNeeds::solvers);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  try {
    options.program = argv[0];
    glug::run_bench(options);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 3;
  }
  return 0;
}
