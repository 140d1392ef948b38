// suites.h: one function per suite. Each prints its tables and returns its figures.
#pragma once

#include "bench/bench.h"
#include "bench/figures.h"

namespace glug {

Figures pressure_bench(const BenchOptions& options);
// The same suites on a GPU.
Figures pressure_bench_on_device(const BenchOptions& options);
Figures bandwidth_bench_on_device(const BenchOptions& options);
Figures bubbles_bench_on_device(const BenchOptions& options);
Figures affine_bench_on_device(const BenchOptions& options);
Figures maze_bench(const BenchOptions& options);
Figures bandwidth_bench(const BenchOptions& options);
Figures bubbles_bench(const BenchOptions& options);
Figures affine_bench(const BenchOptions& options);
Figures stream_bench(const BenchOptions& options);
// The second half of the suite `affine`: two fluids.
void sinking_tables(const BenchOptions& options, Figures& figures);

}  // namespace glug
