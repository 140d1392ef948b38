#include "projection/liquid_lumps.h"

#include <algorithm>

#include "core/for_each.h"
#include "core/real.h"

namespace glug {
namespace {

// Cells nearer to the surface than this, in cells, are at depth 0.
constexpr double surface_depth = 0.7;
// Two lumps are one if they meet deeper than at this share of the shallower one's depth.
constexpr double neck_share = 0.5;
// A smaller one is a bump of a rough surface.
constexpr std::int32_t least_cells = 8;
// Softer liquid moves by its mass: nothing is gained by lumps.
constexpr double least_stiffness = 10;
constexpr std::int32_t unknown_depth = -1;

}  // namespace

template <int D>
template <class F>
void LiquidLumps<D>::visit_neighbours(std::int32_t n, F&& f) const {
  const View<D, const std::int32_t> number = number_.read();
  const std::int32_t* here = number.data + cells_[static_cast<std::size_t>(n)];
  for (int a = 0; a < D; ++a) {
    if (const std::int32_t low = here[-number.stride[a]]; low > 0) f(low - 1);
    if (const std::int32_t high = here[number.stride[a]]; high > 0) f(high - 1);
  }
}

// Cells with an unknown, in the order of blocks; those at the surface have depth 0 at once.
template <int D>
template <class T>
void LiquidLumps<D>::number_cells(const Exec& exec, const ViscosityInput<D, T>& input,
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
void LiquidLumps<D>::find_depths() {
  std::vector<std::int32_t> queue;
  const std::int32_t count = static_cast<std::int32_t>(cells_.size());
  for (std::int32_t n = 0; n < count; ++n)
    if (depth_[static_cast<std::size_t>(n)] != unknown_depth) queue.push_back(n);
  std::int32_t deepest = 0;
  for (std::size_t k = 0; k < queue.size(); ++k) {
    const std::int32_t next = depth_[static_cast<std::size_t>(queue[k])] + 1;
    visit_neighbours(queue[k], [&](std::int32_t m) {
      if (depth_[static_cast<std::size_t>(m)] != unknown_depth) return;
      depth_[static_cast<std::size_t>(m)] = deepest = next;
      queue.push_back(m);
    });
  }
  for (std::int32_t& d : depth_)  // no way leads to a surface
    if (d == unknown_depth) d = deepest + 1;
}

template <int D>
std::int32_t LiquidLumps<D>::root(std::int32_t lump) {
  while (lumps_[static_cast<std::size_t>(lump)].into != lump) {
    std::int32_t& into = lumps_[static_cast<std::size_t>(lump)].into;
    lump = into = lumps_[static_cast<std::size_t>(into)].into;
  }
  return lump;
}

// Two lumps touch at this depth.
template <int D>
void LiquidLumps<D>::meet(std::int32_t a, std::int32_t b, std::int32_t depth) {
  Lump* large = &lumps_[static_cast<std::size_t>(a)];
  Lump* small = &lumps_[static_cast<std::size_t>(b)];
  if (small->peak > large->peak || (small->peak == large->peak && small->cells > large->cells))
    std::swap(large, small);
  if (depth <= neck_share * small->peak && small->cells >= least_cells) return;
  small->into = large->into;
  large->cells += small->cells;
}

// Cells of this depth, outwards from those in the queue, which touch a lump or have one.
template <int D>
void LiquidLumps<D>::flood_from(std::vector<std::int32_t>& queue, std::int32_t depth) {
  for (std::size_t k = 0; k < queue.size(); ++k) {
    const std::int32_t n = queue[k];
    std::int32_t own = lump_[static_cast<std::size_t>(n)];
    visit_neighbours(n, [&](std::int32_t m) {
      if (own < 0) own = lump_[static_cast<std::size_t>(m)];
    });
    if (lump_[static_cast<std::size_t>(n)] < 0) {
      lump_[static_cast<std::size_t>(n)] = own = root(own);
      ++lumps_[static_cast<std::size_t>(own)].cells;
    }
    visit_neighbours(n, [&](std::int32_t m) {
      const std::int32_t other = lump_[static_cast<std::size_t>(m)];
      if (other >= 0) {
        if (root(other) != root(own)) meet(root(own), root(other), depth);
      } else if (other == -1 && depth_[static_cast<std::size_t>(m)] == depth) {
        lump_[static_cast<std::size_t>(m)] = -2;  // waits
        queue.push_back(m);
      }
    });
  }
  queue.clear();
}

template <int D>
void LiquidLumps<D>::flood() {
  const std::int32_t count = static_cast<std::int32_t>(cells_.size());
  lumps_.clear();
  lump_.assign(cells_.size(), -1);
  const std::int32_t deepest = depth_.empty() ? 0 : *std::max_element(depth_.begin(), depth_.end());
  std::vector<std::size_t> next(static_cast<std::size_t>(deepest) + 2, 0);
  for (std::int32_t d : depth_) ++next[static_cast<std::size_t>(deepest - d) + 1];
  for (std::size_t k = 1; k < next.size(); ++k) next[k] += next[k - 1];
  const std::vector<std::size_t> first = next;
  std::vector<std::int32_t> order(cells_.size());  // the deepest first
  for (std::int32_t n = 0; n < count; ++n)
    order[next[static_cast<std::size_t>(deepest - depth_[static_cast<std::size_t>(n)])]++] = n;
  std::vector<std::int32_t> queue;
  for (std::int32_t depth = deepest; depth >= 0; --depth) {
    const std::size_t begin = first[static_cast<std::size_t>(deepest - depth)];
    const std::size_t end = first[static_cast<std::size_t>(deepest - depth) + 1];
    for (std::size_t k = begin; k < end; ++k) {
      bool touches = false;
      visit_neighbours(order[k],
                       [&](std::int32_t m) { touches = touches || lump_[static_cast<std::size_t>(m)] >= 0; });
      if (!touches) continue;
      lump_[static_cast<std::size_t>(order[k])] = -2;
      queue.push_back(order[k]);
    }
    flood_from(queue, depth);
    for (std::size_t k = begin; k < end; ++k) {
      if (lump_[static_cast<std::size_t>(order[k])] >= 0) continue;
      const std::int32_t lump = static_cast<std::int32_t>(lumps_.size());
      lumps_.push_back({lump, depth, 1});
      lump_[static_cast<std::size_t>(order[k])] = lump;
      queue.push_back(order[k]);
      flood_from(queue, depth);
    }
  }
  for (std::int32_t& l : lump_) l = root(l);
}

template <int D>
template <class T>
void LiquidLumps<D>::find(const Exec& exec, const ViscosityInput<D, T>& input,
                          const ViscositySystem<D, T>& system, RigidParts<D>& parts) {
  parts.count = 0;
  const double stiffness = system.stiffness();
  if (input.gas_density > 0 || !(stiffness > least_stiffness)) return;
  number_cells(exec, input, system);
  find_depths();
  flood();
  std::int32_t pieces = 0;
  for (std::size_t n = 0; n < lumps_.size(); ++n)
    pieces += lumps_[n].into == static_cast<std::int32_t>(n) && lumps_[n].cells >= least_cells;
  if (pieces < 2) return;
  // How much walls hold each, in faces of full stress.
  std::vector<double> held(lumps_.size(), 0);
  const View<D, const std::int32_t> number = number_.read();
  visit_unknowns(system, [&](int axis, const Index<D>& i) {
    // It goes with the deeper one of its cells.
    const Index<D> below = i - Index<D>::unit(axis);
    const std::int32_t low = number(below) - 1, high = number(i) - 1;
    const std::int32_t cell = low < 0 || (high >= 0 && input.phi(i) <= input.phi(below)) ? high : low;
    const std::int32_t lump = cell < 0 ? -1 : lump_[static_cast<std::size_t>(cell)];
    parts.of_face[axis](i) = lump;
    if (lump < 0) return;
    const double anchor = system.stencil(axis).read().anchor(i);
    if (anchor > 1) held[static_cast<std::size_t>(lump)] += (anchor - 1) / stiffness;
  });
  std::vector<std::int32_t> part(lumps_.size(), RigidParts<D>::none);
  for (std::size_t n = 0; n < lumps_.size(); ++n) {
    const double cross_section = power(std::max(1, lumps_[n].peak), D - 1);
    if (lumps_[n].into == static_cast<std::int32_t>(n) && lumps_[n].cells >= least_cells &&
        held[n] < cross_section)
      part[n] = parts.count++;
  }
  if (parts.count == 0) return;
  visit_unknowns(system, [&](int axis, const Index<D>& i) {
    std::int32_t& p = parts.of_face[axis](i);
    p = p < 0 ? RigidParts<D>::none : part[static_cast<std::size_t>(p)];
  });
}

#define GLUG_INSTANTIATE(D, T)                                                    \
  template void LiquidLumps<D>::find<T>(const Exec&, const ViscosityInput<D, T>&, \
                                        const ViscositySystem<D, T>&, RigidParts<D>&);
template class LiquidLumps<2>;
template class LiquidLumps<3>;
GLUG_INSTANTIATE(2, Real)
GLUG_INSTANTIATE(3, Real)
#undef GLUG_INSTANTIATE

}  // namespace glug
