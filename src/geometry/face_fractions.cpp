#include "geometry/face_fractions.h"

#include "core/for_each.h"
#include "core/real.h"
#include "geometry/high_sides.h"

namespace glug {
namespace {

template <int D, class T>
struct Fractions {
  Grid<D> grid;
  Sides<D> sides;
  View<D, const T> nodal;
  MacView<D, T> open;

  GLUG_INLINE T of_face(const Index<D>& f, int axis) const {
    if (f[axis] == 0 && !sides.open[axis][0]) return T(0);
    if (f[axis] == grid.cells[axis] && !sides.open[axis][1]) return T(0);
    const std::ptrdiff_t n = nodal.offset(f);
    T w;
    if constexpr (D == 2) {
      w = open_part_of_segment(nodal.at(n), nodal.at(n + nodal.stride[1 - axis]));
    } else {
      const std::ptrdiff_t b = nodal.stride[(axis + 1) % 3], c = nodal.stride[(axis + 2) % 3];
      const T corner[4] = {nodal.at(n), nodal.at(n + b), nodal.at(n + b + c), nodal.at(n + c)};
      w = open_part_of_square(corner);
    }
    if (w < T(smallest_open_fraction)) return T(0);
    if (w > T(fully_open_fraction)) return T(1);
    return w;
  }
  GLUG_INLINE void write(const Range<D>& range, int axis) const {
    visit(intersection(range, grid.face_range(axis)),
          [&](const Index<D>& f) { open[axis](f) = of_face(f, axis); });
  }
};

}  // namespace

template <int D, class T>
void face_fractions(const Exec& exec, const BlocksView<D>& blocks, const Grid<D>& grid, const Sides<D>& sides,
                    ReadView<D, T> nodal, MacView<D, T> open) {
  const Fractions<D, T> fractions{grid, sides, nodal, open};
  for_each_block(exec, blocks, [=](std::int32_t slot) {
    for (int axis = 0; axis < D; ++axis) fractions.write(blocks.indices(slot), axis);
  });

  const std::vector<HighSide> extra = high_sides(blocks);
  const HighSide* sides_of = extra.data();
  for_each_task(exec, static_cast<std::ptrdiff_t>(extra.size()), [=](std::ptrdiff_t n) {
    const Index<D> lo = blocks.coordinates(sides_of[n].block) * block_edge<D>;
    for (int axis = 0; axis < D; ++axis) {
      if (!(sides_of[n].sides >> (1 << axis) & 1)) continue;
      Range<D> r{lo, lo + Index<D>::filled(block_edge<D>)};
      r.hi[axis] = lo[axis] + 1;
      fractions.write(r, axis);
    }
  });
}

template void face_fractions<2, Real>(const Exec&, const BlocksView<2>&, const Grid<2>&, const Sides<2>&,
                                      View<2, const Real>, MacView<2, Real>);
template void face_fractions<3, Real>(const Exec&, const BlocksView<3>&, const Grid<3>&, const Sides<3>&,
                                      View<3, const Real>, MacView<3, Real>);

}  // namespace glug
