#include "projection/surface_tension.h"

#include "core/for_each.h"
#include "core/real.h"
#include "projection/face.h"

namespace glug {

template <int D, class T>
void add_surface_tension(const Exec& exec, const ProjectionInput<D, T>& input, double tension,
                         const CurvatureView<D>& curvature, MacView<D, T> velocity) {
  const double scale = coefficient_scale(input), h = input.grid.h;
  const Range<D> cells = input.grid.cell_range();
  for (int a = 0; a < D; ++a)
    for_each_row(exec, input.blocks, input.grid.face_range(a), [=](const Index<D>& first, int n) {
      const Cell* label = &input.label(first);
      const Cell* label_low = label - input.label.stride[a];
      for (int k = 0; k < n; ++k) {
        const bool rising = label_low[k] == Cell::liquid && label[k] == Cell::air;
        const bool falling = label_low[k] == Cell::air && label[k] == Cell::liquid;
        if (!rising && !falling) continue;
        Index<D> i = first;
        i[0] += k;
        const Index<D> low = i - Index<D>::unit(a);
        const Index<D> liquid = rising ? low : i, air = rising ? i : low;
        if (!cells.contains(air)) continue;  // an open side is no surface of the liquid
        const Face<T> face = face_at(input, scale, a, i);
        if (!face.valid()) continue;
        Vec<D, double> x = input.grid.cell_center(liquid);
        const double way = surface_distance(input, liquid, air) * h;
        x[a] += rising ? way : -way;
        const double jump = tension * curvature.at(x) * (rising ? 1 : -1);
        velocity[a](i) =
            static_cast<T>(velocity[a](i) - static_cast<double>(face.coefficient) / face.open * jump);
      }
    });
}

#define GLUG_INSTANTIATE(D, T)                                                               \
  template void add_surface_tension<D, T>(const Exec&, const ProjectionInput<D, T>&, double, \
                                          const CurvatureView<D>&, MacView<D, T>);
GLUG_INSTANTIATE(2, Real)
GLUG_INSTANTIATE(3, Real)
#undef GLUG_INSTANTIATE

}  // namespace glug
