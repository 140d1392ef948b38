#include "solvers/coupled_cells.h"

#include <algorithm>

#include "core/for_each.h"

namespace glug {

template <int D, class T>
std::vector<std::uint8_t> coupled_flags(const Exec& exec, const Stencil<D, T>& stencil,
                                        const std::vector<std::ptrdiff_t>& cells) {
  List<std::ptrdiff_t> list;
  list.host = cells;
  list.publish(exec);
  List<std::uint8_t> flags;
  flags.host.resize(cells.size());
  flags.publish(exec);
  const StencilView<D, const T> A = stencil.read();
  const std::ptrdiff_t* cell = list.data();
  std::uint8_t* flag = flags.data();
  for_each(exec, static_cast<std::ptrdiff_t>(cells.size()),
           [=] GLUG_FN(std::ptrdiff_t n) { flag[n] = is_coupled(A, A.anchor.range.at(cell[n])); });
  flags.fetch();
  return std::move(flags.host);
}

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
  return coupled_[static_cast<std::size_t>(found - cells_.begin())] != 0;
}

#define GLUG_INSTANTIATE(D, T)                                                                \
  template std::vector<std::uint8_t> coupled_flags<D, T>(const Exec&, const Stencil<D, T>&,   \
                                                         const std::vector<std::ptrdiff_t>&); \
  template class CoupledCells<D, T>;
GLUG_INSTANTIATE(2, float)
GLUG_INSTANTIATE(2, double)
GLUG_INSTANTIATE(3, float)
GLUG_INSTANTIATE(3, double)
#undef GLUG_INSTANTIATE

}  // namespace glug
