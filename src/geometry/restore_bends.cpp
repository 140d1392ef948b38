#include "geometry/restore_bends.h"

#include <limits>

#include "core/for_each.h"
#include "core/real.h"
#include "geometry/block_neighbours.h"
#include "geometry/solid_extension.h"

namespace glug {
namespace {

// Cells: those of the second derivatives along one axis and along two. At three a wave of six cells is raised
// most, by 3% with what smoothing takes off; at two by a sixth.
constexpr int wide = 3, slant = 2;

// The bend of phi along its surface, h^2 kappa; NaN where it is not known. value(i): phi, NaN = not known. An
// axis on which the domain ends counts as flat.
template <int D, class T, class Value>
GLUG_INLINE T bend_along_surface(const Range<D>& domain, const Index<D>& i, T h, Value&& value) {
  const T c = value(i);
  T slope[D], steep = 0, bend = 0, across = 0;
  for (int a = 0; a < D; ++a) {
    slope[a] = (value(i + Index<D>::unit(a)) - value(i - Index<D>::unit(a))) / 2;
    steep += slope[a] * slope[a];
  }
  const auto reaches = [&](int a, int far) {
    return i[a] - far >= domain.lo[a] && i[a] + far < domain.hi[a];
  };
  for (int a = 0; a < D; ++a) {
    if (!reaches(a, slant)) continue;
    for (int b = 0; b < a; ++b) {
      if (!reaches(b, slant)) continue;
      const Index<D> up = Index<D>::unit(a) * slant, side = Index<D>::unit(b) * slant;
      const T mixed =
          (value(i + up + side) - value(i + up - side) - value(i - up + side) + value(i - up - side)) /
          T(4 * slant * slant);
      across += 2 * slope[a] * slope[b] * mixed;
    }
    if (!reaches(a, wide)) continue;
    const Index<D> far = Index<D>::unit(a) * wide;
    const T own = (value(i - far) - 2 * c + value(i + far)) / T(wide * wide);
    bend += own;
    across += slope[a] * slope[a] * own;
  }
  // Where phi folds, in the middle of a sheet or of a film of air, nothing is known of either surface.
  if (!(steep > T(0.25) * h * h)) return std::numeric_limits<T>::quiet_NaN();
  return bend - across / steep;
}

}  // namespace

template <int D, class T>
void restore_bends(const Exec& exec, const BlocksView<D>& blocks, const Grid<D>& grid, double share,
                   ReadView<D, T> nodal, View<D, T> phi) {
  const Range<D> domain = grid.cell_range();
  const T h = static_cast<T>(grid.h), near = T(1.5) * h, most = T(0.5) * h, least = T(0.02) * h;
  Buffer<T> moved(static_cast<std::size_t>(blocks.count) * block_volume<D>);
  Buffer<std::uint8_t> any_moved(static_cast<std::size_t>(blocks.count));
  T* by = moved.data();
  std::uint8_t* any = any_moved.data();
  for_each_block(exec, blocks, [=](std::int32_t slot) {
    const BlockNeighbours<D> around(blocks, slot);
    const Range<D> own = intersection(around.own, domain);
    const auto is_near = [&](const Index<D>& i) { return phi(i) < near && phi(i) > -near; };
    bool found = false;
    visit(own, [&](const Index<D>& i) { found = found || is_near(i); });
    any[slot] = found ? 1 : 0;
    if (!found) return;
    const Range<D> reach = own.grown(wide);
    bool plain = intersection(reach, domain).size() == reach.size();
    for (const std::int32_t s : around.slots) plain = plain && s >= 0;
    if (plain) {
      T closest = T(1);
      visit(Range<D>{reach.lo, reach.hi + Index<D>::filled(1)},
            [&](const Index<D>& i) { closest = nodal(i) < closest ? nodal(i) : closest; });
      plain = !(closest < 0);
    }
    visit(own, [&](const Index<D>& i) {
      T& mine = by[static_cast<std::ptrdiff_t>(slot) * block_volume<D> + position_in_block(i)];
      mine = 0;
      if (!is_near(i)) return;
      T bend = plain ? bend_along_surface<D, T>(domain, i, h, [&](const Index<D>& n) { return phi(n); })
                     : bend_along_surface<D, T>(domain, i, h, [&](const Index<D>& n) {
                         return domain.contains(n) && around.listed(n) && !solid_centred<D, T>(nodal, n)
                                    ? phi(n)
                                    : std::numeric_limits<T>::quiet_NaN();
                       });
      if (!(bend == bend)) return;
      bend = bend > most ? most : bend < -most ? -most : bend;
      mine = static_cast<T>(share) * bend;
    });
  });
  for_each_block(exec, blocks, [=](std::int32_t slot) {
    if (!any[slot]) return;
    visit(intersection(blocks.indices(slot), domain), [&](const Index<D>& i) {
      const T was = phi(i),
              shift = by[static_cast<std::ptrdiff_t>(slot) * block_volume<D> + position_in_block(i)];
      if (shift == 0) return;
      const T v = was - shift;
      phi(i) = was < 0 ? (v < -least ? v : -least) : (v > least ? v : least);
    });
  });
}

#define GLUG_INSTANTIATE(D, T)                                                                 \
  template void restore_bends<D, T>(const Exec&, const BlocksView<D>&, const Grid<D>&, double, \
                                    ReadView<D, T>, View<D, T>);
GLUG_INSTANTIATE(2, Real)
GLUG_INSTANTIATE(3, Real)
#undef GLUG_INSTANTIATE

}  // namespace glug
