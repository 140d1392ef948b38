#include "bench/numbered_system.h"

namespace glug {

template <int D, class T>
NumberedSystem number_system(const Stencil<D, T>& stencil, const Vector<D>& rhs) {
  NumberedSystem system;
  const StencilView<D, const T> A = stencil.read();
  const View<D, const double> b = rhs.cells.read();
  const Range<D> cells = stencil.blocks().grid.cell_range();
  Field<D, std::int32_t> numbers(b.range);
  const View<D, std::int32_t> number = numbers.view();  // 1 + the unknown's number
  visit(cells, [&](const Index<D>& i) {
    if (!(A.diagonal(i) > 0)) return;
    system.cell.push_back(b.offset(i));
    system.rhs.push_back(b(i));
    number(i) = system.unknowns();
  });
  const auto add = [&](std::int32_t column, double value) {
    system.column.push_back(column);
    system.value.push_back(value);
  };
  visit(cells, [&](const Index<D>& i) {
    if (number(i) == 0) return;
    for (int a = D - 1; a >= 0; --a)
      if (A.coupling[a](i) > 0) add(number(i - Index<D>::unit(a)) - 1, -A.coupling[a](i));
    add(number(i) - 1, A.diagonal(i));
    for (int a = 0; a < D; ++a) {
      const Index<D> high = i + Index<D>::unit(a);
      if (A.coupling[a](high) > 0) add(number(high) - 1, -A.coupling[a](high));
    }
    system.row_start.push_back(static_cast<std::int32_t>(system.column.size()));
  });
  return system;
}

template NumberedSystem number_system<2, float>(const Stencil<2, float>&, const Vector<2>&);
template NumberedSystem number_system<3, float>(const Stencil<3, float>&, const Vector<3>&);

}  // namespace glug
