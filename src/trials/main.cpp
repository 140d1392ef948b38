// glug_bench: what `glug bench` becomes.
#include <filesystem>

#include "bench/bench.h"
#include "core/guarded.h"
#include "suites/bench_arguments.h"
#include "trials/trials.h"

namespace {

void run_suite(const glug::BenchOptions& options) {
  glug::demand_fitting(options);
  if (options.suite == "gauntlet") return glug::gauntlet_command(options);
  if (options.suite == "smoke") return glug::smoke_command(options);
  if (options.suite == "validation") return glug::validation_command(options);
  glug::run_bench(options);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Glug's suites: performance, the gauntlet, known answers.");
  app.name("glug bench");
  app.failure_message(CLI::FailureMessage::simple);
  glug::BenchOptions options;
  glug::add_bench_arguments(app, options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? glug::exit_done : glug::exit_bad_input;
  }
  std::error_code unknown;
  options.program = std::filesystem::read_symlink("/proc/self/exe", unknown);
  if (unknown) options.program = argv[0];
  return glug::guarded([&] { run_suite(options); });
}
