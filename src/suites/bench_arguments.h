// bench_arguments.h: how `glug bench` is asked: declared once, for the help and the completions of `glug` and
// for the program that measures.
#pragma once

#include <CLI/CLI.hpp>

#include "suites/suites.h"

namespace glug {

// Asks for one of the suites that need no more than `most`, with the options that those take.
void add_bench_arguments(CLI::App& app, BenchOptions& options, SuiteNeeds most = SuiteNeeds::scenes);

}  // namespace glug
