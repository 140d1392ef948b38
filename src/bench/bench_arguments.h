// bench_arguments.h: how `glug bench` is asked.
#pragma once

#include <CLI/CLI.hpp>

#include "bench/bench.h"

namespace glug {

// `more`: suites that the caller runs itself, listed like the others.
void add_bench_arguments(CLI::App& app, BenchOptions& options, const std::vector<BenchSuite>& more = {});

}  // namespace glug
