// device_pressure.h: the pressure solve on a GPU, for a system that lies with the CPU: its coefficients and
// right-hand side go over, the multigrid is built and the conjugate gradients run there, the pressure comes
// back. Bubbles and movers go along; what the GPU does not know yet is refused (upload).
//
//   DevicePressure<D, T> device(grid);
//   device.upload(system);
//   device.prepare();
//   SolveReport report = device.solve(rhs, pressure, options);
#pragma once

#include "projection/pressure_system.h"
#include "solvers/multigrid.h"
#include "solvers/pcg.h"

namespace glug {

template <int D, class T>
class DevicePressure {
 public:
  // threads: of the CPU, which makes the lists of movers.
  explicit DevicePressure(const Grid<D>& grid, int threads = 1);

  // Throws SimulationError for bubbles that touch bodies and for bodies that are too light for the smoother.
  void upload(const PressureSystem<D, T>& system);
  // Builds the multigrid for what was uploaded.
  void prepare();
  // As PressureSolver::solve.
  SolveReport solve(const Vector<D>& rhs, Vector<D>& pressure, const PcgOptions& options);

  // The parts of solve(): to time them apart.
  void upload_vectors(const Vector<D>& rhs, const Vector<D>& pressure);
  SolveReport solve_there(const PcgOptions& options);
  void download(Vector<D>& pressure) const;

  const Exec& exec() const { return exec_; }
  const Multigrid<D, T>& multigrid() const { return multigrid_; }

 private:
  // A x there.
  struct Operator {
    const Stencil<D, T>& stencil;
    const ExtraUnknowns<T>& extras;
    const ListedMovers<D>& movers;
    void apply(const Exec& exec, const Vector<D>& x, Vector<D>& y) const { (void)apply_dot(exec, x, y); }
    double apply_dot(const Exec& exec, const Vector<D>& x, Vector<D>& y) const;
  };
  Exec exec_;
  Blocks<D> active_;
  Stencil<D, T> stencil_;
  ExtraUnknowns<T> extras_;
  Movers<D> movers_;  // as the CPU has them
  ListedMovers<D> listed_movers_;
  ComponentMeans<D> constants_;
  Multigrid<D, T> multigrid_;
  Vector<D> rhs_, pressure_;
  PcgWork<Vector<D>> work_;
};

}  // namespace glug
