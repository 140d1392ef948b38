// coupled_cells.h: whether cells have a coupling within a stencil, for lists that the CPU makes. A stencil on
// a device is asked once for all cells that will be named.
#pragma once

#include <vector>

#include "core/for_each.h"
#include "core/list.h"
#include "solvers/stencil.h"

namespace glug {

// Whether a cell has a coupling within the stencil.
template <int D, class T>
GLUG_INLINE bool is_coupled(const StencilView<D, const T>& A, const Index<D>& i) {
  for (int a = 0; a < D; ++a)
    if (A.coupling[a](i) > 0 || A.coupling[a](i + Index<D>::unit(a)) > 0) return true;
  return false;
}

// What f(item) says of each item of a list, asked where the coefficients lie.
template <class Answer, class Item, class F>
std::vector<Answer> ask(const Exec& exec, List<Item>& items, F f) {
  items.publish(exec);
  List<Answer> answers;
  answers.host.resize(items.size());
  answers.publish(exec);
  const Item* item = items.data();
  Answer* out = answers.data();
  for_each(exec, static_cast<std::ptrdiff_t>(items.size()),
           [=] GLUG_FN(std::ptrdiff_t n) { out[n] = f(item[n]); });
  answers.fetch();
  return std::move(answers.host);
}

// The same, to be asked in any order by their offsets as in solvers/layout.h.
template <int D, class T>
class CoupledCells {
 public:
  // Only these may be asked for, if it is on a device. The stencil must outlive its use.
  CoupledCells(const Exec& exec, const Stencil<D, T>& stencil, std::vector<std::ptrdiff_t> offsets);

  bool operator()(std::ptrdiff_t offset, const Index<D>& i) const;

 private:
  StencilView<D, const T> A_;
  bool here_;                          // with the CPU
  std::vector<std::ptrdiff_t> cells_;  // ascending
  std::vector<std::uint8_t> coupled_;
};

}  // namespace glug
