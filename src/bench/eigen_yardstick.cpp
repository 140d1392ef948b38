#include <Eigen/Core>
#include <Eigen/IterativeLinearSolvers>
#include <Eigen/SparseCore>

#include "bench/yardsticks.h"
#include "core/stopwatch.h"

namespace glug {

Outcome solve_with_eigen(const NumberedSystem& system, double tolerance, int threads) {
  using Matrix = Eigen::SparseMatrix<double, Eigen::RowMajor>;
  // The natural order is kinder to Eigen here than its default: the factor stays as sparse and is found
  // sooner.
  using Factor = Eigen::IncompleteCholesky<double, Eigen::Lower, Eigen::NaturalOrdering<int>>;
  Eigen::setNbThreads(threads);
  const Eigen::Map<const Matrix> A(system.unknowns(), system.unknowns(),
                                   static_cast<Eigen::Index>(system.value.size()), system.row_start.data(),
                                   system.column.data(), system.value.data());
  const Matrix matrix = A;
  const Eigen::Map<const Eigen::VectorXd> b(system.rhs.data(), system.unknowns());
  Outcome outcome;
  Eigen::ConjugateGradient<Matrix, Eigen::Lower | Eigen::Upper, Factor> solver;
  solver.setTolerance(tolerance);
  solver.setMaxIterations(20000);
  const Stopwatch setup;
  solver.compute(matrix);
  outcome.setup = setup.seconds();
  const Stopwatch solve;
  const Eigen::VectorXd x = solver.solve(b);
  outcome.solve = solve.seconds();
  outcome.iterations = static_cast<int>(solver.iterations());
  outcome.solution.assign(x.data(), x.data() + x.size());
  return outcome;
}

}  // namespace glug
