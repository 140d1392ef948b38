// solver_options.h: how the pressure system is solved, as a scene sets it.
#pragma once

#include "core/options.h"

namespace glug {

enum class Preconditioner { multigrid, incomplete_cholesky, diagonal };
template <>
struct EnumNames<Preconditioner> {
  static constexpr EnumName<Preconditioner> names[] = {
      {Preconditioner::multigrid, "multigrid"},
      {Preconditioner::incomplete_cholesky, "incomplete_cholesky"},
      {Preconditioner::diagonal, "diagonal"}};
};

struct SolverOptions {
  Preconditioner preconditioner = Preconditioner::multigrid;
  double tolerance = 1e-5;  // |b - A p| / |b|
  int max_iterations = 2000;

  template <class Self, class Visitor>
  static void declare(Self& s, Visitor& v) {
    v.option("preconditioner", s.preconditioner,
             {.help = "What speeds up the conjugate gradients. multigrid needs about ten iterations at any "
                      "resolution; the others are yardsticks."});
    v.option("tolerance", s.tolerance,
             {.above = 0,
              .at_most = 0.1,
              .help = "Residual of the pressure solve relative to its right-hand side."});
    v.option("max_iterations", s.max_iterations,
             {.at_least = 1, .help = "A solve that needs more has failed and ends the run."});
  }
};

}  // namespace glug
