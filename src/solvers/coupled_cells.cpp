#include "solvers/coupled_cells.h"

#include <algorithm>

#include "core/real.h"

namespace glug {
namespace {

template <int D, class T>
std::vector<std::uint8_t> coupled_flags(const Exec& exec, const Stencil<D, T>& stencil,
                                        const std::vector<std::ptrdiff_t>& cells) {
  List<std::ptrdiff_t> list;
  list.host = cells;
  const StencilView<D, const T> A = stencil.read();
  return ask<std::uint8_t>(exec, list, [=] GLUG_FN(std::ptrdiff_t cell) -> std::uint8_t {
    return is_coupled(A, A.anchor.range.at(cell));
  });
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
  coupled_ = coupled_flags(exec, stencil, cells_);
}

template <int D, class T>
bool CoupledCells<D, T>::operator()(std::ptrdiff_t offset, const Index<D>& i) const {
  if (here_) return is_coupled(A_, i);
  const auto found = std::lower_bound(cells_.begin(), cells_.end(), offset);
  return coupled_[found - cells_.begin()] != 0;
}

template class CoupledCells<2, Real>;
template class CoupledCells<3, Real>;

}  // namespace glug
