// bench_arguments.h: how `glug bench` is asked.
#pragma once

#include <CLI/CLI.hpp>

#include "bench/bench.h"

namespace glug {

void add_bench_arguments(CLI::App& app, BenchOptions& options);

}  // namespace glug
