// `glug bench stream`: one liquid's velocity made free of divergence by the pressure and by a stream
// function, both from scratch: matrix, preconditioner, right-hand side, solve and new velocity.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bench/suites.h"
#include "core/error.h"
#include "core/reduce.h"
#include "core/stopwatch.h"
#include "projection/bench_problem.h"
#include "projection/project.h"
#include "projection/stream_solver.h"

namespace glug {
namespace {

constexpr double tolerance = 1e-5, loose_tolerance = 1e-4;  // the second is document 001's
constexpr int stream_repeats = 3;

struct Run {
  double setup = 0, solve = 0, unknowns = 0, divergence = 0;
  int iterations = 0;
  MacField<3, float> velocity;
  MacField<3, std::uint8_t> layer;

  double total() const { return setup + solve; }
};

// 0 again, in memory that is there, as in a run from step to step.
void forget(Vector<3>& v) { std::fill(v.cells.values().begin(), v.cells.values().end(), 0.0); }

// A projection by the pressure.
class ByPressure {
 public:
  explicit ByPressure(const Grid<3>& grid) : system_(grid), solver_(grid), rhs_(grid), pressure_(grid) {}

  Run run(const Exec& exec, const BenchProblem<3, float>& problem) {
    Run out;
    out.velocity = problem.velocity;
    out.layer = MacField<3, std::uint8_t>(problem.grid);
    ProjectionInput<3, float> in = problem.input();
    forget(pressure_);
    const Stopwatch setup;
    build_pressure_system(exec, in, system_);
    solver_.prepare(exec, {.tolerance = tolerance}, system_);
    (void)velocity_rhs(exec, in, system_, rhs_);
    out.setup = setup.seconds();
    const Stopwatch solve;
    out.iterations = solver_.solve(exec, system_, rhs_, pressure_).iterations;
    subtract_pressure_gradient<3, float>(exec, in, pressure_.cells.read(), out.velocity.view(),
                                         out.layer.view());
    out.solve = solve.seconds();
    out.unknowns = static_cast<double>(system_.unknowns);
    in.velocity = out.velocity.read();
    out.divergence = divergence_max(exec, in);
    return out;
  }

 private:
  PressureSystem<3, float> system_;
  PressureSolver<3, float> solver_;
  Vector<3> rhs_, pressure_;
};

// The same by a stream function.
class ByStream {
 public:
  explicit ByStream(const Grid<3>& grid) : solids_(grid), system_(grid), solver_(grid), psi_(grid) {}

  double find_solids(const Exec& exec, const BenchProblem<3, float>& problem) {
    const Stopwatch watch;
    const Blocks<3> all = Blocks<3>::all(problem.grid);
    StreamSolidsInput<3, float> in;
    in.grid = problem.grid;
    in.everywhere = all.view();
    in.open = problem.open.read();
    solids_.find(exec, in);
    return watch.seconds();
  }
  Run run(const Exec& exec, const BenchProblem<3, float>& problem, const SolverOptions& how) {
    Run out;
    out.velocity = problem.velocity;
    out.layer = MacField<3, std::uint8_t>(problem.grid);
    ProjectionInput<3, float> in = problem.input();
    forget(psi_.edges);
    const Stopwatch setup;
    system_.build(exec, in, solids_);
    solver_.prepare(exec, how, system_);
    system_.find_rhs(exec, in, solver_.rhs());
    out.setup = setup.seconds();
    const Stopwatch solve;
    out.iterations = solver_.solve(exec, system_, psi_).iterations;
    (void)write_stream_velocity<3, float>(exec, in, system_, psi_.read(), out.velocity.view(),
                                          out.layer.view());
    out.solve = solve.seconds();
    out.unknowns = static_cast<double>(system_.unknowns());
    in.velocity = out.velocity.read();
    out.divergence = divergence_max(exec, in);
    return out;
  }

 private:
  StreamSolids<3> solids_;
  StreamSystem<3, float> system_;
  StreamSolver<3, float> solver_;
  StreamFunction<3> psi_;
};

// |x - y| / |y| over the faces that both determine.
double difference(const Exec& exec, const BenchProblem<3, float>& problem, const Run& x, const Run& y) {
  double apart = 0, size = 0;
  for (int a = 0; a < 3; ++a) {
    const View<3, const float> u = x.velocity[a].read(), v = y.velocity[a].read();
    const View<3, const std::uint8_t> layer = y.layer[a].read();
    const auto sum = [&](auto f) {
      return reduce_cells(exec, problem.blocks.view(), problem.grid.face_range(a), 0.0, Plus{},
                          [=](const Index<3>& i) { return layer(i) ? f(u(i), v(i)) : 0.0; });
    };
    apart += sum([](double p, double q) { return (p - q) * (p - q); });
    size += sum([](double, double q) { return q * q; });
  }
  return std::sqrt(apart / size);
}

}  // namespace

Figures stream_bench(const BenchOptions& options) {
  const Exec exec = options.exec;
  const int n = options.resolution > 0 ? options.resolution : 96;
  const BenchProblem<3, float> problem(exec, n);
  ByPressure by_pressure(problem.grid);
  ByStream by_stream(problem.grid);
  const double solids = by_stream.find_solids(exec, problem);
  struct StreamMethod {
    const char* name;
    SolverOptions how;
  };
  const StreamMethod methods[] = {
      {"ours", {}},
      {"stream_function", {.tolerance = tolerance}},
      {"stream_function_loose", {.tolerance = loose_tolerance}},
      {"stream_mic0", {.preconditioner = Preconditioner::incomplete_cholesky, .tolerance = tolerance}},
  };
  fmt::print("\nHalf-full tank, {0}^3 cells, {1} threads: divergence removed to {2:.0e}\n", n, exec.threads,
             tolerance);
  fmt::print("{:<22} {:>10} {:>6} {:>9} {:>9} {:>7} {:>11} {:>10}\n", "method", "unknowns", "iter",
             "set-up s", "solve s", "ratio", "divergence", "from ours");
  Figures figures;
  Run ours;
  for (const StreamMethod& method : methods) {
    const bool is_ours = &method == methods;
    std::vector<Run> runs;
    for (int k = 0; k < stream_repeats; ++k) {
      runs.push_back(is_ours ? by_pressure.run(exec, problem) : by_stream.run(exec, problem, method.how));
      if (runs.back().total() > 5) break;
    }
    std::sort(runs.begin(), runs.end(), [](const Run& x, const Run& y) { return x.total() < y.total(); });
    const Run& middle = runs[runs.size() / 2];
    if (is_ours) ours = middle;
    const double off = difference(exec, problem, middle, ours), ratio = middle.total() / ours.total();
    fmt::print("{:<22} {:>10.0f} {:>6} {:>9.4f} {:>9.4f} {:>7.2f} {:>11.2e} {:>10.1e}\n", method.name,
               middle.unknowns, middle.iterations, middle.setup, middle.solve, ratio, middle.divergence, off);
    std::fflush(stdout);
    if (off > 1e-2)
      throw SimulationError(
          fmt::format("{} found another velocity at {}^3: its times say nothing", method.name, n));
    const std::string name = method.name;
    figures.set(name + ".unknowns", middle.unknowns);
    figures.set(name + ".iterations", middle.iterations);
    figures.set(name + ".setup_seconds", middle.setup);
    figures.set(name + ".solve_seconds", middle.solve);
    figures.set(name + ".divergence", middle.divergence);
    if (!is_ours) figures.set("ratio." + name, ratio);
  }
  fmt::print("(handles of the solids, found once while they stand still: {:.3f} s)\n", solids);
  figures.set("stream_function.solids_seconds", solids);
  figures.set("resolution", n);
  return figures;
}

}  // namespace glug
