// bench.h: the suites of `glug bench` that need no scenes. Every figure that matters is a ratio of times
// taken in one run on the same threads, so that it means the same on a slow or busy machine.
#pragma once

#include "suites/suites.h"

namespace glug {

// Prints tables to stdout and writes options.json. Throws InputError or SimulationError.
void run_bench(const BenchOptions& options);

}  // namespace glug
