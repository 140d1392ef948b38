#include "projection/device_pressure.h"

#include "core/error.h"

namespace glug {
namespace {

template <int D>
void copy_cells(const Field<D, double>& from, Field<D, double>& to) {
  copy_bytes(to.values().data(), to.values().memory(), from.values().data(), from.values().memory(),
             from.values().size() * sizeof(double));
}

}  // namespace

template <int D, class T>
DevicePressure<D, T>::DevicePressure(const Grid<D>& grid)
    : active_(grid),
      stencil_(grid, Memory::device),
      multigrid_(grid, Memory::device),
      rhs_(grid, Memory::device),
      pressure_(grid, Memory::device),
      work_{Vector<D>(grid, Memory::device), Vector<D>(grid, Memory::device), Vector<D>(grid, Memory::device),
            Vector<D>(grid, Memory::device)} {}

template <int D, class T>
void DevicePressure<D, T>::upload(const PressureSystem<D, T>& system) {
  if (system.bubbles.count() > 0)
    throw SimulationError("the GPU's pressure solve knows no bubbles: use the CPU");
  active_ = system.active;
  active_.publish(exec_);
  const BlocksView<D> blocks = active_.view(exec_);
  stencil_.copy_from(exec_, system.stencil, blocks);
  constants_ = system.constants;
  constants_.publish(exec_);
  for (Vector<D>* v : {&rhs_, &pressure_, &work_.r, &work_.z, &work_.p, &work_.Ap})
    v->restrict_to(exec_, blocks);
}

template <int D, class T>
void DevicePressure<D, T>::prepare() {
  stencil_.find_row_kinds(exec_);
  multigrid_.prepare(exec_, stencil_);
}

template <int D, class T>
void DevicePressure<D, T>::upload_vectors(const Vector<D>& rhs, const Vector<D>& pressure) {
  copy_cells(rhs.cells, rhs_.cells);
  copy_cells(pressure.cells, pressure_.cells);
}

template <int D, class T>
SolveReport DevicePressure<D, T>::solve_there(const PcgOptions& options) {
  const CellSpace<D> space{exec_, active_.view(exec_)};
  return pcg(space, stencil_, multigrid_, constants_, rhs_, pressure_, work_, options);
}

template <int D, class T>
void DevicePressure<D, T>::download(Vector<D>& pressure) const {
  copy_cells(pressure_.cells, pressure.cells);
}

template <int D, class T>
SolveReport DevicePressure<D, T>::solve(const Vector<D>& rhs, Vector<D>& pressure,
                                        const PcgOptions& options) {
  upload_vectors(rhs, pressure);
  const SolveReport report = solve_there(options);
  download(pressure);
  return report;
}

template class DevicePressure<2, float>;
template class DevicePressure<2, double>;
template class DevicePressure<3, float>;
template class DevicePressure<3, double>;

}  // namespace glug
