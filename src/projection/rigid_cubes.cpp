#include "projection/rigid_cubes.h"

#include "core/for_each.h"
#include "core/real.h"

namespace glug {
namespace {

constexpr int cube_width = 4;  // cells; with 8 a rope takes half as many iterations more

// Liquid is thin where cubes and their neighbours are at most this share of what there could be: ropes 5 and
// 7 cells thick have 0.5 and 0.7, a tank of 64 cells 0.9.
constexpr double thin_share = 0.8;

template <int D>
Index<D> cube_of(const Index<D>& face) {
  Index<D> c = face;
  for (int a = 0; a < D; ++a) c[a] /= cube_width;
  return c;
}

}  // namespace

// Only blocks near liquid are looked at. A cube lies in one block.
template <int D, class T>
void find_cubes(const Exec& exec, const ViscositySystem<D, T>& system, RigidParts<D>& parts) {
  Range<D> all{};
  for (int a = 0; a < D; ++a)  // the faces along an axis are one more than the cells
    all.hi[a] = system.blocks(a).grid.cells[a] / cube_width + 1;
  std::vector<std::int32_t> number_of(static_cast<std::size_t>(all.size()), -1);
  const View<D, std::int32_t> number = view_over<D, std::int32_t>(number_of.data(), all);
  for (int axis = 0; axis < D; ++axis) {
    const BlocksView<D> blocks = system.blocks(axis);
    const View<D, const T> anchor = system.stencil(axis).read().anchor;
    for_each_cell(exec, blocks, blocks.grid.cell_range(), [=](const Index<D>& i) {
      if (anchor(i) > 0) number(cube_of<D>(i)) = 0;
    });
  }
  std::vector<Index<D>> cubes;
  for (int axis = 0; axis < D; ++axis) {
    const BlocksView<D> blocks = system.blocks(axis);
    for (std::int32_t slot = 0; slot < blocks.count; ++slot) {
      const Range<D> faces = intersection(blocks.indices(slot), blocks.grid.cell_range());
      if (faces.size() == 0) continue;
      visit(Range<D>{cube_of<D>(faces.lo), cube_of<D>(faces.hi - Index<D>::filled(1)) + Index<D>::filled(1)},
            [&](const Index<D>& c) {
              if (number(c) != 0) return;
              cubes.push_back(c);
              number(c) = static_cast<std::int32_t>(cubes.size());  // from 1 while 0 means new
            });
    }
  }
  std::int64_t neighbours = 0;
  for (const Index<D>& c : cubes)
    visit(intersection(Range<D>{c - Index<D>::filled(1), c + Index<D>::filled(2)}, all),
          [&](const Index<D>& other) { neighbours += number(other) > 0; });
  parts.count = 0;
  if (static_cast<double>(neighbours) > thin_share * static_cast<double>(cubes.size()) * power(3, D)) return;
  parts.count = static_cast<std::int32_t>(cubes.size());
  for (int axis = 0; axis < D; ++axis) {
    const BlocksView<D> blocks = system.blocks(axis);
    const View<D, std::int32_t> part = parts.of_face[axis].view();
    for_each_cell(exec, blocks, blocks.grid.cell_range(),
                  [=](const Index<D>& i) { part(i) = number(cube_of<D>(i)) - 1; });
  }
}

#define GLUG_INSTANTIATE(D, T) \
  template void find_cubes<D, T>(const Exec&, const ViscositySystem<D, T>&, RigidParts<D>&);
GLUG_INSTANTIATE(2, Real)
GLUG_INSTANTIATE(3, Real)
#undef GLUG_INSTANTIATE

}  // namespace glug
