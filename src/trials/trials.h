// trials.h: the suites of `glug bench` that simulate. Each prints its lines as they come, writes
// options.json, and throws InputError for what it does not take, SimulationError for what was not reached.
#pragma once

#include "suites/suites.h"

namespace glug {

// Scenes as strangers write them, judged by what every scene must obey.
void gauntlet_command(const BenchOptions& options);
// A paddle that stirs smoke, timed.
void smoke_command(const BenchOptions& options);
// Slow answers beside what they should be.
void validation_command(const BenchOptions& options);

}  // namespace glug
