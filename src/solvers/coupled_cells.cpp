#include "solvers/coupled_cells.h"

#include <algorithm>

#include "core/for_each.h"

namespace glug {
namespace {

// Of each cell, asked where the stencil lies.
template <int D, class T>
std::vector<std::uint8_t> fetch_flags(const Exec& exec, const StencilView<D, const T>& A,
                                      const std::vector<std::ptrdiff_t>& offsets) {
  List<std::ptrdiff_t> cells;
  cells.host = offsets;
  cells.publish(exec);
  List<std::uint8_t> flags;
  flags.host.resize(cells.size());
  flags.publish(exec);
  const std::ptrdiff_t* cell = cells.data();
  std::uint8_t* flag = flags.data();
  for_each(exec, static_cast<std::ptrdiff_t>(cells.size()),
           [=] GLUG_FN(std::ptrdiff_t n) { flag[n] = is_coupled(A, A.anchor.range.at(cell[n])); });
  flags.fetch();
  return std::move(flags.host);
}

}  // namespace

template <int D, class T>
CoupledCells<D, T>::CoupledCells(const Exec& exec, const Stencil<D, T>& stencil,
                                 std::vector<std::ptrdiff_t> offsets)
    : A_(stencil.read()), here_(exec.device == Device::cpu) {
  if (here_) return;
  std::sort(offsets.begin(), offsets.end());
  offsets.erase(std::unique(offsets.begin(), offsets.end()), offsets.end());
  cells_ = std::move(offsets);
  coupled_ = fetch_flags<D, T>(exec, A_, cells_);
}

template <int D, class T>
bool CoupledCells<D, T>::operator()(std::ptrdiff_t offset, const Index<D>& i) const {
  if (here_) return is_coupled(A_, i);
  const auto found = std::lower_bound(cells_.begin(), cells_.end(), offset);
  return coupled_[static_cast<std::size_t>(found - cells_.begin())] != 0;
}

template class CoupledCells<2, float>;
template class CoupledCells<2, double>;
template class CoupledCells<3, float>;
template class CoupledCells<3, double>;

}  // namespace glug
