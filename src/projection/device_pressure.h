// device_pressure.h: the pressure solve on a GPU, for a system that lies with the CPU: its coefficients and
// right-hand side go over, the multigrid is built and the conjugate gradients run there, the pressure comes
// back.
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
  explicit DevicePressure(const Grid<D>& grid);

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
  Exec exec_{1, Device::cuda};
  Blocks<D> active_;
  Stencil<D, T> stencil_;
  ComponentMeans<D> constants_;
  Multigrid<D, T> multigrid_;
  Vector<D> rhs_, pressure_;
  PcgWork<Vector<D>> work_;
};

}  // namespace glug
