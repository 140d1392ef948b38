// glug_hypre: solves the bench system with hypre, under mpirun; a helper of `glug bench pressure`.
//
//   mpirun -np 2 glug_hypre RESOLUTION FOLDER TOLERANCE...
//
// Writes FOLDER/runs (method, tolerance, set-up and solve seconds, iterations, file) and one file of doubles
// per run: the pressure of every unknown in the order of numbered_system.h. Times are those of the slowest
// rank; filling the matrix is not counted.
#include <HYPRE.h>
#include <HYPRE_IJ_mv.h>
#include <HYPRE_krylov.h>
#include <HYPRE_parcsr_ls.h>
#include <HYPRE_struct_ls.h>
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "bench/numbered_system.h"
#include "projection/bench_problem.h"

namespace glug {
namespace {

constexpr int max_iterations = 500;
constexpr int repeats = 3;

struct Ranks {
  int rank = 0, count = 1;
  // This rank's share [begin, end) of n things.
  int begin(int n) const { return static_cast<int>(std::int64_t{n} * rank / count); }
  int end(int n) const { return static_cast<int>(std::int64_t{n} * (rank + 1) / count); }
};

struct Result {
  double setup = 0, solve = 0;
  int iterations = 0;
  std::vector<double> solution;  // this rank's unknowns
};

double barrier_time() {
  MPI_Barrier(MPI_COMM_WORLD);
  return MPI_Wtime();
}

// Conjugate gradients with PFMG, hypre's semicoarsening multigrid for boxes, red-black. It has no notion of
// cells that are no unknowns: inside the box around the liquid they get rows of the identity.
class Pfmg {
 public:
  Pfmg(const Ranks& ranks, const PressureSystem<3, float>& system, const Vector<3>& rhs) {
    const StencilView<3, const float> A = system.stencil.read();
    const Range<3> cells = system.active.view().grid.cell_range();
    double largest = 0;
    Range<3> used{cells.hi, cells.lo};
    visit(cells, [&](const Index<3>& i) {
      const double d = A.diagonal(i);
      if (!(d > 0)) return;
      largest = std::max(largest, d);
      used = {min(used.lo, i), max(used.hi, i + Index<3>::filled(1))};
    });
    box_ = used;
    const int planes = used.extent(2);
    box_.lo[2] = used.lo[2] + ranks.begin(planes);
    box_.hi[2] = used.lo[2] + ranks.end(planes);

    HYPRE_StructGridCreate(MPI_COMM_WORLD, 3, &grid_);
    int lo[3] = {box_.lo[0], box_.lo[1], box_.lo[2]},
        hi[3] = {box_.hi[0] - 1, box_.hi[1] - 1, box_.hi[2] - 1};
    HYPRE_StructGridSetExtents(grid_, lo, hi);
    HYPRE_StructGridAssemble(grid_);
    HYPRE_StructStencilCreate(3, 4, &stencil_);
    int offsets[4][3] = {{0, 0, 0}, {-1, 0, 0}, {0, -1, 0}, {0, 0, -1}};
    for (int e = 0; e < 4; ++e) HYPRE_StructStencilSetElement(stencil_, e, offsets[e]);
    HYPRE_StructMatrixCreate(MPI_COMM_WORLD, grid_, stencil_, &matrix_);
    HYPRE_StructMatrixSetSymmetric(matrix_, 1);
    HYPRE_StructMatrixInitialize(matrix_);
    HYPRE_StructVectorCreate(MPI_COMM_WORLD, grid_, &b_);
    HYPRE_StructVectorCreate(MPI_COMM_WORLD, grid_, &x_);
    HYPRE_StructVectorInitialize(b_);
    HYPRE_StructVectorInitialize(x_);
    std::vector<double> values, right;
    const View<3, const double> b = rhs.cells.read();
    visit(box_, [&](const Index<3>& i) {
      const double d = A.diagonal(i);
      unknown_.push_back(d > 0);
      values.push_back(d > 0 ? d : largest);
      for (int a = 0; a < 3; ++a) values.push_back(i[a] > used.lo[a] ? -A.coupling[a](i) : 0.0);
      right.push_back(d > 0 ? b(i) : 0.0);
    });
    int entries[4] = {0, 1, 2, 3};
    HYPRE_StructMatrixSetBoxValues(matrix_, lo, hi, 4, entries, values.data());
    HYPRE_StructMatrixAssemble(matrix_);
    HYPRE_StructVectorSetBoxValues(b_, lo, hi, right.data());
    HYPRE_StructVectorAssemble(b_);
    HYPRE_StructVectorAssemble(x_);
  }
  Pfmg(const Pfmg&) = delete;
  Pfmg& operator=(const Pfmg&) = delete;
  ~Pfmg() {
    HYPRE_StructVectorDestroy(b_);
    HYPRE_StructVectorDestroy(x_);
    HYPRE_StructMatrixDestroy(matrix_);
    HYPRE_StructStencilDestroy(stencil_);
    HYPRE_StructGridDestroy(grid_);
  }

  Result solve(double tolerance) {
    Result result;
    HYPRE_StructVectorSetConstantValues(x_, 0.0);
    HYPRE_StructSolver pcg = nullptr, pfmg = nullptr;
    HYPRE_StructPFMGCreate(MPI_COMM_WORLD, &pfmg);
    HYPRE_StructPFMGSetMaxIter(pfmg, 1);
    HYPRE_StructPFMGSetTol(pfmg, 0.0);
    HYPRE_StructPFMGSetZeroGuess(pfmg);
    HYPRE_StructPFMGSetRelaxType(pfmg, 2);
    HYPRE_StructPFMGSetRAPType(pfmg, 1);  // 7-point coarse grids: faster than Galerkin ones here
    HYPRE_StructPFMGSetNumPreRelax(pfmg, 1);
    HYPRE_StructPFMGSetNumPostRelax(pfmg, 1);
    HYPRE_StructPFMGSetSkipRelax(pfmg, 1);
    HYPRE_StructPCGCreate(MPI_COMM_WORLD, &pcg);
    HYPRE_StructPCGSetMaxIter(pcg, max_iterations);
    HYPRE_StructPCGSetTol(pcg, tolerance);
    HYPRE_StructPCGSetTwoNorm(pcg, 1);
    HYPRE_StructPCGSetPrecond(pcg, HYPRE_StructPFMGSolve, HYPRE_StructPFMGSetup, pfmg);
    const double start = barrier_time();
    HYPRE_StructPCGSetup(pcg, matrix_, b_, x_);
    const double ready = barrier_time();
    HYPRE_StructPCGSolve(pcg, matrix_, b_, x_);
    const double done = barrier_time();
    result.setup = ready - start;
    result.solve = done - ready;
    HYPRE_StructPCGGetNumIterations(pcg, &result.iterations);
    HYPRE_StructPCGDestroy(pcg);
    HYPRE_StructPFMGDestroy(pfmg);
    std::vector<double> values(unknown_.size());
    int lo[3] = {box_.lo[0], box_.lo[1], box_.lo[2]},
        hi[3] = {box_.hi[0] - 1, box_.hi[1] - 1, box_.hi[2] - 1};
    HYPRE_StructVectorGetBoxValues(x_, lo, hi, values.data());
    for (std::size_t k = 0; k < values.size(); ++k)
      if (unknown_[k]) result.solution.push_back(values[k]);
    return result;
  }

 private:
  Range<3> box_{};
  std::vector<bool> unknown_;
  HYPRE_StructGrid grid_ = nullptr;
  HYPRE_StructStencil stencil_ = nullptr;
  HYPRE_StructMatrix matrix_ = nullptr;
  HYPRE_StructVector b_ = nullptr, x_ = nullptr;
};

// Conjugate gradients with BoomerAMG, set up as its authors advise for the Laplacian in 3D.
class Boomer {
 public:
  Boomer(const Ranks& ranks, const NumberedSystem& system)
      : begin_(ranks.begin(system.unknowns())), end_(ranks.end(system.unknowns())) {
    HYPRE_IJMatrixCreate(MPI_COMM_WORLD, begin_, end_ - 1, begin_, end_ - 1, &matrix_);
    HYPRE_IJMatrixSetObjectType(matrix_, HYPRE_PARCSR);
    HYPRE_IJMatrixInitialize(matrix_);
    HYPRE_IJVectorCreate(MPI_COMM_WORLD, begin_, end_ - 1, &b_);
    HYPRE_IJVectorCreate(MPI_COMM_WORLD, begin_, end_ - 1, &x_);
    for (HYPRE_IJVector v : {b_, x_}) {
      HYPRE_IJVectorSetObjectType(v, HYPRE_PARCSR);
      HYPRE_IJVectorInitialize(v);
    }
    for (int row = begin_; row < end_; ++row) {
      rows_.push_back(row);
      const int first = system.row_start[row];
      int count = system.row_start[row + 1] - first;
      HYPRE_IJMatrixSetValues(matrix_, 1, &count, &rows_.back(), system.column.data() + first,
                              system.value.data() + first);
    }
    HYPRE_IJMatrixAssemble(matrix_);
    HYPRE_IJVectorSetValues(b_, end_ - begin_, rows_.data(), system.rhs.data() + begin_);
    HYPRE_IJVectorAssemble(b_);
  }
  Boomer(const Boomer&) = delete;
  Boomer& operator=(const Boomer&) = delete;
  ~Boomer() {
    HYPRE_IJVectorDestroy(b_);
    HYPRE_IJVectorDestroy(x_);
    HYPRE_IJMatrixDestroy(matrix_);
  }

  Result solve(double tolerance) {
    Result result;
    const std::vector<double> zeros(rows_.size(), 0.0);
    HYPRE_IJVectorSetValues(x_, end_ - begin_, rows_.data(), zeros.data());
    HYPRE_IJVectorAssemble(x_);
    HYPRE_ParCSRMatrix A = nullptr;
    HYPRE_ParVector b = nullptr, x = nullptr;
    HYPRE_IJMatrixGetObject(matrix_, reinterpret_cast<void**>(&A));
    HYPRE_IJVectorGetObject(b_, reinterpret_cast<void**>(&b));
    HYPRE_IJVectorGetObject(x_, reinterpret_cast<void**>(&x));
    HYPRE_Solver pcg = nullptr, amg = nullptr;
    HYPRE_BoomerAMGCreate(&amg);
    HYPRE_BoomerAMGSetCoarsenType(amg, 10);  // HMIS
    HYPRE_BoomerAMGSetInterpType(amg, 6);    // extended+i
    HYPRE_BoomerAMGSetPMaxElmts(amg, 4);
    HYPRE_BoomerAMGSetAggNumLevels(amg, 1);
    HYPRE_BoomerAMGSetStrongThreshold(amg, 0.5);
    HYPRE_BoomerAMGSetRelaxType(amg, 6);  // symmetric Gauss-Seidel
    HYPRE_BoomerAMGSetNumSweeps(amg, 1);
    HYPRE_BoomerAMGSetMaxIter(amg, 1);
    HYPRE_BoomerAMGSetTol(amg, 0.0);
    HYPRE_ParCSRPCGCreate(MPI_COMM_WORLD, &pcg);
    HYPRE_PCGSetMaxIter(pcg, max_iterations);
    HYPRE_PCGSetTol(pcg, tolerance);
    HYPRE_PCGSetTwoNorm(pcg, 1);
    HYPRE_PCGSetPrecond(pcg, reinterpret_cast<HYPRE_PtrToSolverFcn>(HYPRE_BoomerAMGSolve),
                        reinterpret_cast<HYPRE_PtrToSolverFcn>(HYPRE_BoomerAMGSetup), amg);
    const double start = barrier_time();
    HYPRE_ParCSRPCGSetup(pcg, A, b, x);
    const double ready = barrier_time();
    HYPRE_ParCSRPCGSolve(pcg, A, b, x);
    const double done = barrier_time();
    result.setup = ready - start;
    result.solve = done - ready;
    HYPRE_PCGGetNumIterations(pcg, &result.iterations);
    HYPRE_ParCSRPCGDestroy(pcg);
    HYPRE_BoomerAMGDestroy(amg);
    result.solution.resize(rows_.size());
    HYPRE_IJVectorGetValues(x_, end_ - begin_, rows_.data(), result.solution.data());
    return result;
  }

 private:
  int begin_, end_;
  std::vector<int> rows_;
  HYPRE_IJMatrix matrix_ = nullptr;
  HYPRE_IJVector b_ = nullptr, x_ = nullptr;
};

// The middle one of several runs, by total time; every rank picks the same one.
template <class Solver>
Result middle(Solver& solver, double tolerance) {
  std::vector<Result> results;
  for (int k = 0; k < repeats; ++k) {
    results.push_back(solver.solve(tolerance));
    double total = results.back().setup + results.back().solve;
    MPI_Bcast(&total, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    results.back().solve = total - results.back().setup;
    if (k == 0 && total > 5) break;
  }
  std::vector<std::pair<double, std::size_t>> order;
  for (std::size_t k = 0; k < results.size(); ++k) order.emplace_back(results[k].setup + results[k].solve, k);
  std::sort(order.begin(), order.end());
  std::size_t chosen = order[order.size() / 2].second;
  unsigned long agreed = chosen;
  MPI_Bcast(&agreed, 1, MPI_UNSIGNED_LONG, 0, MPI_COMM_WORLD);
  return results[agreed];
}

bool write(const Ranks& ranks, const std::string& folder, const std::string& method, double tolerance,
           const Result& result, std::FILE* runs) {
  int mine = static_cast<int>(result.solution.size());
  std::vector<int> counts(static_cast<std::size_t>(ranks.count)), starts(counts.size() + 1, 0);
  MPI_Gather(&mine, 1, MPI_INT, counts.data(), 1, MPI_INT, 0, MPI_COMM_WORLD);
  for (std::size_t r = 0; r < counts.size(); ++r) starts[r + 1] = starts[r] + counts[r];
  std::vector<double> all(static_cast<std::size_t>(ranks.rank == 0 ? starts.back() : 0));
  MPI_Gatherv(result.solution.data(), mine, MPI_DOUBLE, all.data(), counts.data(), starts.data(), MPI_DOUBLE,
              0, MPI_COMM_WORLD);
  if (ranks.rank != 0) return true;
  char name[64];
  std::snprintf(name, sizeof name, "%s.%g", method.c_str(), tolerance);
  std::FILE* file = std::fopen((folder + "/" + name).c_str(), "wb");
  if (!file) return false;
  const bool complete = std::fwrite(all.data(), sizeof(double), all.size(), file) == all.size();
  if (std::fclose(file) != 0 || !complete) return false;
  return std::fprintf(runs, "%s %.17g %.9g %.9g %d %s\n", method.c_str(), tolerance, result.setup,
                      result.solve, result.iterations, name) > 0;
}

int run(const Ranks& ranks, int argc, char** argv) {
  if (argc < 4) {
    if (ranks.rank == 0) std::fprintf(stderr, "usage: glug_hypre RESOLUTION FOLDER TOLERANCE...\n");
    return 2;
  }
  const Exec exec{1};
  const std::string folder = argv[2];
  const BenchProblem<3, float> problem(exec, std::atoi(argv[1]));
  PressureSystem<3, float> system(problem.grid);
  build_pressure_system(exec, problem.input(), system);
  Vector<3> rhs(problem.grid);
  random_rhs(exec, system, rhs);

  std::FILE* runs = ranks.rank == 0 ? std::fopen((folder + "/runs").c_str(), "w") : nullptr;
  if (ranks.rank == 0 && !runs) return 3;
  bool written = true;
  HYPRE_Init();
  {
    Pfmg pfmg(ranks, system, rhs);
    Boomer boomer(ranks, number_system(system.stencil, rhs));
    for (int k = 3; k < argc; ++k) {
      const double tolerance = std::atof(argv[k]);
      written &= write(ranks, folder, "pfmg", tolerance, middle(pfmg, tolerance), runs);
      written &= write(ranks, folder, "boomeramg", tolerance, middle(boomer, tolerance), runs);
    }
  }
  HYPRE_Finalize();
  if (runs && std::fclose(runs) != 0) written = false;
  return written ? 0 : 3;
}

}  // namespace
}  // namespace glug

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  glug::Ranks ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &ranks.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks.count);
  const int status = glug::run(ranks, argc, argv);
  MPI_Finalize();
  return status;
}
