// device_bench.cpp: the pressure system on a GPU, compared with the CPU's answer.
#include <fmt/format.h>

#include <algorithm>

#include "bench/device_measure.h"
#include "bench/methods.h"
#include "bench/suites.h"
#include "core/error.h"
#include "core/stopwatch.h"
#include "projection/bench_problem.h"
#include "solvers/row_kinds.h"

namespace glug {
namespace {

constexpr int device_repeats = 7;

// Seconds, the best of several runs of f, the device's work included.
template <class F>
double best_time(const Exec& exec, F f) {
  f();
  double best = 1e30;
  for (int k = 0; k < device_repeats; ++k) {
    finish(exec);
    const Stopwatch watch;
    f();
    finish(exec);
    best = std::min(best, watch.seconds());
  }
  return best;
}

struct DeviceRun {
  double upload = 0, setup = 0, solve = 0;
  int iterations = 0;
  double total() const { return setup + solve; }
};

DeviceRun run_once(DevicePressure<3, float>& device, const PressureSystem<3, float>& system,
                   const Vector<3>& rhs, Vector<3>& x, double tolerance) {
  DeviceRun run;
  std::fill(x.cells.values().begin(), x.cells.values().end(), 0.0);
  std::fill(x.extra.begin(), x.extra.end(), 0.0);
  const Stopwatch upload;
  device.upload(system);
  device.upload_vectors(rhs, x);
  finish(device.exec());
  run.upload = upload.seconds();
  const Stopwatch setup;
  device.prepare();
  finish(device.exec());
  run.setup = setup.seconds();
  const Stopwatch solve;
  const SolveReport report = device.solve_there({tolerance, 1000});
  finish(device.exec());
  run.solve = solve.seconds();
  run.iterations = report.iterations;
  device.download(x);
  return run;
}

// |x - y| / |y|.
double difference(const Vector<3>& x, const Vector<3>& y) {
  double sum = 0, size = 0;
  for (std::size_t k = 0; k < x.cells.values().size(); ++k) {
    const double d = x.cells.values()[k] - y.cells.values()[k];
    sum += d * d;
    size += y.cells.values()[k] * y.cells.values()[k];
  }
  for (std::size_t k = 0; k < x.extra.size(); ++k) {
    const double d = x.extra[k] - y.extra[k];
    sum += d * d;
    size += y.extra[k] * y.extra[k];
  }
  return std::sqrt(sum / size);
}

// The fewest bytes that a sweep can move there, where couplings are read unless all of a row's are alike.
double device_sweep_bytes(const Exec& cpu, const Stencil<3, float>& stencil) {
  const StencilView<3, const float> A = stencil.read();
  const BlocksView<3>& blocks = stencil.blocks();
  return sizeof(float) *
         sum_marked_rows(cpu, blocks, blocks.grid.cell_range(), stencil.row_kinds(),
                         [=](const Index<3>& first, int n, const RowMarks<3>& marks, PackSum<double>& words) {
                           visit_stretches<3>(n, marks, [&](int begin, int length, auto uniform) {
                             Index<3> i = first + Index<3>::unit(0) * begin;
                             for (int k = 0; k < length; ++k, ++i[0])
                               if (A.diagonal(i) > 0) words.add(uniform ? 3.0 : 7.0);
                           });
                         });
}

}  // namespace

void measure_on_device(const Exec& cpu, const PressureSystem<3, float>& system, const Vector<3>& rhs,
                       const std::string& prefix, Figures& figures) {
  const Grid<3> grid = system.active.view().grid;
  const std::size_t extras = static_cast<std::size_t>(system.bubbles.count());
  fmt::print("                  set-up ms   solve ms  iterations  together ms  off the CPU by\n");
  DevicePressure<3, float> device(grid, cpu.threads);
  for (double tolerance : {1e-5, 1e-10}) {
    Vector<3> there(grid), here(grid);
    there.restrict_to(cpu, system.active.view(), extras);
    std::vector<DeviceRun> runs;
    for (int k = 0; k < device_repeats; ++k) runs.push_back(run_once(device, system, rhs, there, tolerance));
    std::sort(runs.begin(), runs.end(),
              [](const DeviceRun& a, const DeviceRun& b) { return a.total() < b.total(); });
    const DeviceRun middle = runs[runs.size() / 2];

    SolverOptions how;
    how.tolerance = tolerance;
    const Stopwatch watch;
    const SolveReport report = solve_pressure(cpu, how, system, rhs, here);
    const double cpu_seconds = watch.seconds();
    const double off = difference(there, here);
    fmt::print("  cuda, to {:.0e}   {:>9.2f}  {:>9.2f} {:>11}  {:>11.2f}  {:>14.1e}\n", tolerance,
               middle.setup * 1e3, middle.solve * 1e3, middle.iterations, middle.total() * 1e3, off);
    fmt::print("  cpu, {:>2} threads                       {:>11}  {:>11.2f}\n", cpu.threads,
               report.iterations, cpu_seconds * 1e3);
    std::fflush(stdout);
    if (!(off <= 1e3 * tolerance))
      throw SimulationError(fmt::format("the GPU's pressure is off the CPU's by {:.1e}", off));
    const std::string name = prefix + (tolerance > 1e-6 ? "ours." : "ours.tight_");
    figures.set(name + "iterations", middle.iterations);
    figures.set(name + "setup_seconds", middle.setup);
    figures.set(name + "solve_seconds", middle.solve);
    figures.set(name + "upload_seconds", middle.upload);
    figures.set(name + "off_cpu", off);
    figures.set(name + "cpu_iterations", report.iterations);
    figures.set(name + "unknowns", static_cast<double>(system.unknowns));
  }
}

Figures pressure_bench_on_device(const BenchOptions& options) {
  std::vector<int> resolutions = {64, 128, 256};
  if (options.resolution > 0) resolutions = {options.resolution};
  Figures figures;
  fmt::print("{}\n", cuda_name());
  for (int n : resolutions) {
    const Exec cpu{options.exec.threads};
    const BenchProblem<3, float> problem(cpu, n);
    PressureSystem<3, float> system(problem.grid);
    build_pressure_system(cpu, problem.input(), system);
    Vector<3> rhs(problem.grid);
    random_rhs(cpu, system, rhs);
    fmt::print("\nHalf-full tank, {}^3 cells, {:.3f} M unknowns\n", n,
               static_cast<double>(system.unknowns) * 1e-6);
    measure_on_device(cpu, system, rhs, fmt::format("{}.", n), figures);
    if (n == resolutions.back()) {  // by the names that the CPU's figures have
      const auto all = figures.all();
      const std::string prefix = fmt::format("{}.", n);
      for (const auto& [name, value] : all)
        if (name.rfind(prefix, 0) == 0) figures.set(name.substr(prefix.size()), value);
    }
  }
  return figures;
}

Figures bandwidth_bench_on_device(const BenchOptions& options) {
  const Exec exec{1, Device::cuda};
  const Exec cpu{options.exec.threads};
  const int n = options.resolution > 0 ? options.resolution : 256;
  Figures figures;
  constexpr std::size_t bytes = std::size_t{1} << 31;
  double copy = 0;
  {
    const Buffer<char> from(bytes, Memory::device);
    Buffer<char> to(bytes, Memory::device);
    copy = 2.0 * bytes / best_time(exec, [&] {
             copy_bytes(to.data(), Memory::device, from.data(), Memory::device, bytes);
           });
  }
  fmt::print("{}: copy {:.0f} GB/s\n", cuda_name(), copy * 1e-9);
  figures.set("copy_gb_per_second", copy * 1e-9);

  const BenchProblem<3, float> problem(cpu, n);
  PressureSystem<3, float> system(problem.grid);
  build_pressure_system(cpu, problem.input(), system);
  DevicePressure<3, float> device(problem.grid);
  device.upload(system);
  device.prepare();
  constexpr int sweeps = 4;
  const double moved = sweeps * device_sweep_bytes(cpu, system.stencil);
  const double reached = moved / best_time(exec, [&] { device.multigrid().smooth(exec, sweeps); });
  const double unknowns = sweeps * static_cast<double>(system.unknowns);
  fmt::print(
      "Red-black sweep of {}^3 cells: {:.4f} ns/unknown, the fewest bytes {:.1f}/unknown, {:.0f} GB/s, "
      "{:.0f}% of copy\n",
      n, moved / reached / unknowns * 1e9, moved / unknowns, reached * 1e-9, 100 * reached / copy);
  figures.set("smoother.marked_gb_per_second", reached * 1e-9);
  figures.set("smoother.marked_share_of_copy", reached / copy);
  figures.set("smoother.marked_ns_per_unknown", moved / reached / unknowns * 1e9);
  return figures;
}

}  // namespace glug
