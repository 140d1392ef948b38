#include <fmt/format.h>

#include <algorithm>

#include "bench/suites.h"
#include "core/buffer.h"
#include "core/for_each.h"
#include "core/stopwatch.h"
#include "projection/bench_problem.h"
#include "solvers/multigrid.h"

namespace glug {
namespace {

constexpr int bandwidth_repeats = 9;

// Bytes per second of the best of several calls of f, which moves `bytes`.
template <class F>
double rate(double bytes, F f) {
  f();  // pages are touched, threads awake
  double best = 1e30;
  for (int k = 0; k < bandwidth_repeats; ++k) {
    const Stopwatch watch;
    f();
    best = std::min(best, watch.seconds());
  }
  return bytes / best;
}

// Copy and triad after McCalpin's STREAM: doubles, arrays far beyond the caches, bytes named by the program.
struct Stream {
  double copy = 0, triad = 0;
};
Stream measure_stream(const Exec& exec) {
  constexpr std::ptrdiff_t n = std::ptrdiff_t{1} << 25, chunk = 1 << 14;
  Buffer<double> first(n), second(n), third(n);
  double* a = first.data();
  double* b = second.data();
  double* c = third.data();
  // Each page is written first by the thread that will use it.
  for_each_task(exec, n / chunk, [=](std::ptrdiff_t piece) {
    for (std::ptrdiff_t i = piece * chunk; i < (piece + 1) * chunk; ++i) {
      a[i] = 1;
      b[i] = 2;
      c[i] = 3;
    }
  });
  Stream result;
  result.copy = rate(16.0 * n, [&] {
    for_each_task(exec, n / chunk, [=](std::ptrdiff_t piece) {
      for (std::ptrdiff_t i = piece * chunk; i < (piece + 1) * chunk; ++i) c[i] = a[i];
    });
  });
  result.triad = rate(24.0 * n, [&] {
    for_each_task(exec, n / chunk, [=](std::ptrdiff_t piece) {
      for (std::ptrdiff_t i = piece * chunk; i < (piece + 1) * chunk; ++i) a[i] = b[i] + 3 * c[i];
    });
  });
  return result;
}

// The fewest bytes that a sweep can move.
double sweep_bytes(const Exec& exec, const Stencil<3, float>& stencil) {
  PackedStencil<3, float> packed;
  packed.assign(exec, stencil);
  double words = 0;
  for (std::size_t n = 0; n < packed.segment_count(); ++n) {
    const PackedSegment<3, float>& s = packed.segments()[n];
    words += s.count * (s.is_even() ? 3.0 : 7.0);
  }
  return words * sizeof(float);
}

}  // namespace

Figures bandwidth_bench(const BenchOptions& options) {
  const Exec exec = options.exec;
  const int n = options.resolution > 0 ? options.resolution : 256;
  const Stream stream = measure_stream(exec);
  fmt::print("\n{} threads: copy {:.1f} GB/s, triad {:.1f} GB/s\n", exec.threads, stream.copy * 1e-9,
             stream.triad * 1e-9);
  Figures figures;
  figures.set("copy_gb_per_second", stream.copy * 1e-9);
  figures.set("triad_gb_per_second", stream.triad * 1e-9);

  const BenchProblem<3, float> problem(exec, n);
  PressureSystem<3, float> system(problem.grid);
  build_pressure_system(exec, problem.input(), system);
  Multigrid<3, float> multigrid(problem.grid);
  fmt::print(
      "\nOne red-black sweep of the finest level, {}^3 cells, {:.2f} M unknowns. The fewest bytes it can "
      "move:\n"
      "b, x, x back; the inverse diagonal and D couplings too where they are not all alike.\n\n"
      "coefficients                       ns/unknown  bytes/unknown      GB/s  of triad\n",
      n, static_cast<double>(system.unknowns) * 1e-6);
  const auto report = [&](const char* what, const char* name) {
    multigrid.prepare(exec, system.stencil);
    constexpr int sweeps = 4;
    const double bytes = sweeps * sweep_bytes(exec, system.stencil);
    const double reached = rate(bytes, [&] { multigrid.smooth(exec, sweeps); });
    const double unknowns = sweeps * static_cast<double>(system.unknowns);
    fmt::print("{:<34} {:>10.3f}  {:>13.1f}  {:>8.1f}  {:>7.0f}%\n", what, bytes / reached / unknowns * 1e9,
               bytes / unknowns, reached * 1e-9, 100 * reached / stream.triad);
    figures.set(fmt::format("smoother.{}_share_of_triad", name), reached / stream.triad);
    figures.set(fmt::format("smoother.{}_gb_per_second", name), reached * 1e-9);
    figures.set(fmt::format("smoother.{}_ns_per_unknown", name), bytes / reached / unknowns * 1e9);
  };
  report("read where they differ (as we run)", "marked");
  return figures;
}

}  // namespace glug
