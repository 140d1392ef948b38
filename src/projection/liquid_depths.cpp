#include "projection/liquid_depths.h"

#include "core/for_each.h"
#include "core/real.h"
#include "regions/cell_pairs.h"

namespace glug {
namespace {

// Cells nearer to the surface than this, in cells, are at depth 0.
constexpr double surface_depth = 0.7;
constexpr std::int32_t unknown_depth = -1;

}  // namespace

// Cells with an unknown, in the order of blocks; those at the surface have depth 0 at once.
template <int D>
template <class T>
void LiquidDepths<D>::number_cells(const Exec& exec, const ViscosityInput<D, T>& input,
                                   const ViscositySystem<D, T>& system) {
  const BlocksView<D> blocks = system.cells();
  const View<D, std::int32_t> number = number_.view();
  for_each(exec, static_cast<std::ptrdiff_t>(cells_.size()),
           [=, cells = cells_.data()](std::ptrdiff_t n) { number.at(cells[n]) = 0; });
  std::array<View<D, const T>, D> anchor;
  for (int a = 0; a < D; ++a) anchor[a] = system.stencil(a).read().anchor;
  const auto visit_cells = [=, grid = input.grid](std::int32_t slot, auto f) {
    visit(intersection(blocks.indices(slot), grid.cell_range()), [&](const Index<D>& i) {
      bool any = false;
      for (int a = 0; a < D; ++a) any = any || anchor[a](i) > 0 || anchor[a](i + Index<D>::unit(a)) > 0;
      if (any) f(i);
    });
  };
  std::vector<std::int32_t> first(static_cast<std::size_t>(blocks.count) + 1, 0);
  for_each_block(exec, blocks, [=, count = first.data() + 1](std::int32_t slot) {
    visit_cells(slot, [&](const Index<D>&) { ++count[slot]; });
  });
  for (std::size_t slot = 1; slot < first.size(); ++slot) first[slot] += first[slot - 1];
  cells_.resize(static_cast<std::size_t>(first.back()));
  depth_.resize(cells_.size());
  const double surface = -surface_depth * input.grid.h;
  for_each_block(exec, blocks,
                 [=, begin = first.data(), cells = cells_.data(), depth = depth_.data(),
                  phi = input.phi](std::int32_t slot) {
                   std::int32_t n = begin[slot];
                   visit_cells(slot, [&](const Index<D>& i) {
                     cells[n] = number.offset(i);
                     depth[n] = phi(i) < surface ? unknown_depth : 0;
                     number(i) = ++n;
                   });
                 });
}

template <int D>
void LiquidDepths<D>::append_level(const Exec& exec, const std::vector<std::int32_t>& cells) {
  const std::int32_t level = levels();
  for_each(
      exec, static_cast<std::ptrdiff_t>(cells.size()),
      [depth = depth_.data(), cells = cells.data(), level](std::ptrdiff_t k) { depth[cells[k]] = level; });
  order_.insert(order_.end(), cells.begin(), cells.end());
  first_.push_back(static_cast<std::ptrdiff_t>(order_.size()));
}

// Level by level. Of all cells that lead to one of the next level, its first neighbour names it.
template <int D>
void LiquidDepths<D>::step_inwards(const Exec& exec) {
  order_.clear();
  first_.assign(1, 0);
  const std::int32_t* depth = depth_.data();
  const auto cells_with = [&](std::int32_t d) {
    return join_items<std::int32_t>(exec, static_cast<std::ptrdiff_t>(cells_.size()),
                                    [=](std::ptrdiff_t n, std::vector<std::int32_t>& list) {
                                      if (depth[n] == d) list.push_back(static_cast<std::int32_t>(n));
                                    });
  };
  std::vector<std::int32_t> found = cells_with(0);
  const NumberedCells<D> all = cells();
  while (!found.empty()) {
    const std::int32_t here = levels();
    append_level(exec, found);
    found = join_items<std::int32_t>(
        exec, level_size(here), [=, last = level(here)](std::ptrdiff_t k, std::vector<std::int32_t>& list) {
          all.visit_neighbours(last[k], [&](std::int32_t m) {
            if (depth[m] == unknown_depth &&
                all.first_neighbour(m, [=](std::int32_t q) { return depth[q] == here; }) == last[k])
              list.push_back(m);
          });
        });
  }
  if (order_.size() == cells_.size()) return;
  append_level(exec, cells_with(unknown_depth));
}

template <int D>
template <class T>
void LiquidDepths<D>::find(const Exec& exec, const ViscosityInput<D, T>& input,
                           const ViscositySystem<D, T>& system) {
  number_cells(exec, input, system);
  step_inwards(exec);
}

#define GLUG_INSTANTIATE(D, T)                                                     \
  template void LiquidDepths<D>::find<T>(const Exec&, const ViscosityInput<D, T>&, \
                                         const ViscositySystem<D, T>&);
template class LiquidDepths<2>;
template class LiquidDepths<3>;
GLUG_INSTANTIATE(2, Real)
GLUG_INSTANTIATE(3, Real)
#undef GLUG_INSTANTIATE

}  // namespace glug
