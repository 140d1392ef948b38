#include "projection/device_pressure.h"

#include <algorithm>

#include "core/error.h"
#include "core/real.h"
#include "core/team.h"

namespace glug {
namespace {

template <int D>
void copy(const Vector<D>& from, Vector<D>& to) {
  copy_numbers(from.cells.values(), to.cells.values());
  if (from.extra.size() != to.extra.size())
    to.extra = Buffer<double>(from.extra.size(), to.cells.values().memory());
  copy_numbers(from.extra, to.extra);
}

}  // namespace

template <int D, class T>
DevicePressure<D, T>::DevicePressure(const Grid<D>& grid, int threads)
    : exec_{threads, Device::cuda},
      active_(grid),
      stencil_(grid, Memory::device),
      multigrid_(grid, Memory::device),
      rhs_(grid, Memory::device),
      pressure_(grid, Memory::device),
      work_{Vector<D>(grid, Memory::device), Vector<D>(grid, Memory::device), Vector<D>(grid, Memory::device),
            Vector<D>(grid, Memory::device)} {}

template <int D, class T>
void DevicePressure<D, T>::upload(const PressureSystem<D, T>& system) {
  if (!system.stiff.empty())
    throw SimulationError("the GPU's pressure solve knows no bodies this light: use the CPU");
  if (!system.movers.extras().empty())
    throw SimulationError("the GPU's pressure solve knows no bubbles that touch bodies: use the CPU");
  active_ = system.active;
  active_.publish(exec_);
  const BlocksView<D> blocks = active_.view(exec_);
  stencil_.copy_from(exec_, system.stencil, blocks);
  extras_ = system.bubbles;
  extras_.publish(exec_);
  movers_ = system.movers;
  constants_ = system.constants;
  constants_.publish(exec_);
  for (Vector<D>* v : {&rhs_, &pressure_, &work_.r, &work_.z, &work_.p, &work_.Ap})
    v->restrict_to(exec_, blocks, static_cast<std::size_t>(extras_.count()));
}

template <int D, class T>
void DevicePressure<D, T>::prepare() {
  // The CPU makes lists. More threads wait for its memory, and the device's driver needs a core.
  constexpr int enough = 8;
  with_team({std::min(exec_.threads, enough), exec_.device}, [&](const Exec& together) {
    stencil_.find_row_kinds(together);
    listed_movers_.assign(together, movers_, [](std::ptrdiff_t cell) { return cell; });
    listed_movers_.publish(together);
    multigrid_.prepare(together, stencil_, extras_, movers_, nullptr, &active_);
  });
}

template <int D, class T>
void DevicePressure<D, T>::upload_vectors(const Vector<D>& rhs, const Vector<D>& pressure) {
  copy(rhs, rhs_);
  copy(pressure, pressure_);
}

template <int D, class T>
double DevicePressure<D, T>::Operator::apply_dot(const Exec& exec, const Vector<D>& x, Vector<D>& y) const {
  double dot = stencil.apply_dot(exec, x, y);  // sets y; the others add to it
  dot += extras.apply(exec, x, y);
  dot += movers.apply(exec, x, y);
  return dot;
}

template <int D, class T>
SolveReport DevicePressure<D, T>::solve_there(const PcgOptions& options) {
  const CellSpace<D> space{exec_, active_.view(exec_)};
  return pcg(space, Operator{stencil_, extras_, listed_movers_}, multigrid_, constants_, rhs_, pressure_,
             work_, options);
}

template <int D, class T>
void DevicePressure<D, T>::download(Vector<D>& pressure) const {
  copy(pressure_, pressure);
}

template <int D, class T>
SolveReport DevicePressure<D, T>::solve(const Vector<D>& rhs, Vector<D>& pressure,
                                        const PcgOptions& options) {
  upload_vectors(rhs, pressure);
  const SolveReport report = solve_there(options);
  download(pressure);
  return report;
}

template class DevicePressure<2, Real>;
template class DevicePressure<3, Real>;

}  // namespace glug
