#include "simulation/smoke_extend.h"

#include "core/for_each.h"
#include "core/reduce.h"

namespace glug {

template <int D>
void extend_cells(const Exec& exec, const Grid<D>& grid, View<D, const Cell> label, int layers,
                  View<D, float> density, View<D, float> temperature, View<D, std::uint8_t> layer) {
  const Range<D> cells = grid.cell_range();
  const bool any_solid = reduce(exec, cells.size(), 0, Maximum{}, [=](std::ptrdiff_t n) {
                           const Index<D> i = cells.at(n);
                           const bool fluid = label(i) == Cell::liquid;
                           layer(i) = fluid ? 1 : 0;
                           return fluid ? 0 : 1;
                         }) > 0;
  if (!any_solid) return;
  for (int k = 1; k <= layers; ++k)
    for_each(exec, cells, [=](const Index<D>& i) {
      if (layer(i) != 0) return;
      double d = 0, t = 0;  // sums of equal numbers are exact: what is constant stays so
      int count = 0;
      for (int a = 0; a < D; ++a)
        for (int side = -1; side <= 1; side += 2) {
          Index<D> n = i;
          n[a] += side;
          // Neighbours of this pass carry k + 1, or 0 still: neither is read.
          if (!cells.contains(n) || layer(n) == 0 || layer(n) > k) continue;
          d += density(n);
          t += temperature(n);
          ++count;
        }
      if (count == 0) return;
      density(i) = static_cast<float>(d / count);
      temperature(i) = static_cast<float>(t / count);
      layer(i) = static_cast<std::uint8_t>(k + 1);
    });
}

#define GLUG_INSTANTIATE(D)                                                                            \
  template void extend_cells<D>(const Exec&, const Grid<D>&, View<D, const Cell>, int, View<D, float>, \
                                View<D, float>, View<D, std::uint8_t>);
GLUG_INSTANTIATE(2)
GLUG_INSTANTIATE(3)
#undef GLUG_INSTANTIATE

}  // namespace glug
