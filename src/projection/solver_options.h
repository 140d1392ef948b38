// solver_options.h: how the velocity is made free of divergence, as a scene sets it.
#pragma once

#include "core/options.h"

namespace glug {

enum class Preconditioner { multigrid, geometric, incomplete_cholesky, diagonal };
template <>
struct EnumNames<Preconditioner> {
  static constexpr EnumName<Preconditioner> names[] = {
      {Preconditioner::multigrid, "multigrid"},
      {Preconditioner::geometric, "geometric"},
      {Preconditioner::incomplete_cholesky, "incomplete_cholesky"},
      {Preconditioner::diagonal, "diagonal"}};
};

enum class Iteration { pcg, multigrid };
template <>
struct EnumNames<Iteration> {
  static constexpr EnumName<Iteration> names[] = {{Iteration::pcg, "pcg"},
                                                  {Iteration::multigrid, "multigrid"}};
};

enum class SolverMethod { pressure, stream_function };
template <>
struct EnumNames<SolverMethod> {
  static constexpr EnumName<SolverMethod> names[] = {{SolverMethod::pressure, "pressure"},
                                                     {SolverMethod::stream_function, "stream_function"}};
};

struct SolverOptions {
  Preconditioner preconditioner = Preconditioner::multigrid;
  double tolerance = 1e-5;  // |b - A p| / |b|
  int max_iterations = 2000;
  Iteration iteration = Iteration::pcg;
  int full_cycles = 4;
  int v_cycles = 4;
  int sweeps = 10;
  int bubble_band = 3;
  int bubble_sweeps = 10;
  bool wall_separation = false;
  SolverMethod method = SolverMethod::pressure;
  bool harmonic = true;

  template <class Self, class Visitor>
  static void declare(Self& s, Visitor& v) {
    v.option("method", s.method,
             {.help = "pressure: finds the pressure that takes the divergence from the velocity. "
                      "stream_function: the velocity is a curl, free of divergence however roughly it is "
                      "solved for, and all air keeps its volume; it costs more."});
    v.option("harmonic", s.harmonic,
             {.help = "Whether liquid may flow round handles of the solids, through ducts and holes; false "
                      "forbids any net flow there, as document 001 does (stream_function in 3D only)."});
    v.option("preconditioner", s.preconditioner,
             {.help = "What speeds up the conjugate gradients. multigrid needs about ten iterations at any "
                      "resolution; the others are yardsticks."});
    v.option(
        "iteration", s.iteration,
        {.help = "pcg: preconditioned conjugate gradients. multigrid: geometric multigrid cycles alone; "
                 "where they stall, conjugate gradients go on with solver.preconditioner, and the run says "
                 "so."});
    v.option("full_cycles", s.full_cycles,
             {.at_least = 0, .at_most = 1000, .help = "Full cycles of a solve (multigrid alone only)."});
    v.option("v_cycles", s.v_cycles,
             {.at_least = 0,
              .at_most = 1000,
              .help = "V-cycles after them (multigrid alone only). Too few leave divergence: liquid loses "
                      "volume."});
    v.option(
        "sweeps", s.sweeps,
        {.at_least = 1,
         .help = "Red-black Gauss-Seidel sweeps on each level, down and again up (multigrid alone only)."});
    v.option(
        "bubble_band", s.bubble_band,
        {.unit = "cells",
         .at_least = 1,
         .at_most = 64,
         .help = "Liquid this near a bubble is smoothed together with it (geometric with bubbles only)."});
    v.option("bubble_sweeps", s.bubble_sweeps,
             {.at_least = 1,
              .help = "Damped Jacobi sweeps of bubbles and that liquid before a V-cycle, and again after it "
                      "(geometric with bubbles only). More take fewer iterations."});
    v.option("tolerance", s.tolerance,
             {.above = 0, .at_most = 0.1, .help = "Residual of the solve relative to its right-hand side."});
    v.option(
        "wall_separation", s.wall_separation,
        {.help = "Whether liquid may leave walls, ceilings and bodies: they push it and never pull. Without "
                 "it liquid clings until it runs out along them."});
    v.option("max_iterations", s.max_iterations,
             {.at_least = 1, .help = "Conjugate gradients that need more have failed and end the run."});
  }
};

}  // namespace glug
