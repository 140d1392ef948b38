#include "projection/liquid_lumps.h"

#include <algorithm>

#include "core/for_each.h"
#include "core/real.h"
#include "core/reduce.h"
#include "regions/cell_pairs.h"

namespace glug {
namespace {

// Two lumps are one if they meet deeper than at this share of the shallower one's depth.
constexpr double neck_share = 0.5;
// A smaller one is a bump of a rough surface.
constexpr std::int64_t least_cells = 8;
// Softer liquid moves by its mass: nothing is gained by lumps.
constexpr double least_stiffness = 10;

std::ptrdiff_t length(const auto& list) { return static_cast<std::ptrdiff_t>(list.size()); }

}  // namespace

// Two lumps touch at this depth.
template <int D>
void LiquidLumps<D>::meet(std::int32_t a, std::int32_t b, std::int32_t depth) {
  const std::int32_t ra = sets_.root(a), rb = sets_.root(b);
  if (ra == rb) return;
  const Lump x = lumps_[static_cast<std::size_t>(ra)], y = lumps_[static_cast<std::size_t>(rb)];
  const Lump& small = x.peak < y.peak || (x.peak == y.peak && x.cells < y.cells) ? x : y;
  if (depth <= neck_share * small.peak && small.cells >= least_cells) return;
  lumps_[static_cast<std::size_t>(sets_.join(ra, rb))] = {std::max(x.peak, y.peak), x.cells + y.cells};
}

// Cells become part of lumps, all at once; then lumps that they brought together meet.
template <int D>
void LiquidLumps<D>::join(const Exec& exec, const std::vector<Joining>& cells, std::int32_t depth) {
  const NumberedCells<D> all = depths_.cells();
  std::int32_t* lump = lump_.data();
  const std::int32_t* root = root_.data();
  const Joining* joining = cells.data();
  for_each(exec, length(cells), [=](std::ptrdiff_t k) { lump[joining[k].cell] = joining[k].lump; });
  // A pair of one lump twice counts the cells that joined it.
  const std::vector<RegionPair> pairs = merged(
      join_items<RegionPair>(exec, length(cells), [=](std::ptrdiff_t k, std::vector<RegionPair>& list) {
        const std::int32_t own = root[joining[k].lump];
        add_pair(list, own, own, 1);
        all.visit_neighbours(joining[k].cell, [&](std::int32_t m) {
          const std::int32_t other = lump[m] < 0 ? own : root[lump[m]];
          if (other != own) add_pair(list, std::min(own, other), std::max(own, other), 0);
        });
      }));
  for (const RegionPair& p : pairs)
    if (p.first == p.second) lumps_[static_cast<std::size_t>(sets_.root(p.first))].cells += p.count;
  for (const RegionPair& p : pairs) meet(p.first, p.second, depth);
  for (std::size_t n = 0; n < root_.size(); ++n) root_[n] = sets_.root(static_cast<std::int32_t>(n));
}

// Cells of this depth that touch a lump, then those that touch these, and so on.
template <int D>
void LiquidLumps<D>::spread(const Exec& exec, std::int32_t depth) {
  const NumberedCells<D> all = depths_.cells();
  const std::int32_t *level = depths_.level(depth), *lump = lump_.data(), *deep = depths_.depth();
  const auto has_lump = [=](std::int32_t m) { return lump[m] >= 0; };
  std::vector<Joining> cells =
      join_items<Joining>(exec, depths_.level_size(depth), [=](std::ptrdiff_t k, std::vector<Joining>& list) {
        const std::int32_t by = all.first_neighbour(level[k], has_lump);
        if (by >= 0) list.push_back({level[k], lump[by]});
      });
  while (!cells.empty()) {
    join(exec, cells, depth);
    // Of all that lead to a cell its first neighbour names it.
    cells = join_items<Joining>(
        exec, length(cells), [=, last = cells.data()](std::ptrdiff_t k, std::vector<Joining>& list) {
          all.visit_neighbours(last[k].cell, [&](std::int32_t m) {
            if (lump[m] < 0 && deep[m] == depth && all.first_neighbour(m, has_lump) == last[k].cell)
              list.push_back({m, last[k].lump});
          });
        });
  }
}

// What no lump has reached is a deepest place: each of its pieces begins a lump. A piece is known by its
// least cell, which all of its cells hear of from their neighbours and from whom these name.
template <int D>
void LiquidLumps<D>::begin_lumps(const Exec& exec, std::int32_t depth) {
  const NumberedCells<D> all = depths_.cells();
  const std::int32_t *level = depths_.level(depth), *deep = depths_.depth();
  std::int32_t *lump = lump_.data(), *label = label_.data(), *lesser = lesser_.data();
  const std::vector<std::int32_t> cells = join_items<std::int32_t>(
      exec, depths_.level_size(depth), [=](std::ptrdiff_t k, std::vector<std::int32_t>& list) {
        if (lump[level[k]] < 0) list.push_back(level[k]);
      });
  const std::int32_t* cell = cells.data();
  for_each(exec, length(cells), [=](std::ptrdiff_t k) { label[cell[k]] = cell[k]; });
  for (bool changed = !cells.empty(); changed;) {
    for_each(exec, length(cells), [=](std::ptrdiff_t k) {
      std::int32_t least = label[cell[k]];
      all.visit_neighbours(cell[k], [&](std::int32_t m) {
        if (lump[m] < 0 && deep[m] == depth) least = std::min(least, label[m]);
      });
      lesser[cell[k]] = least;
    });
    changed = reduce(exec, length(cells), 0, Maximum{}, [=](std::ptrdiff_t k) {
      const std::int32_t before = label[cell[k]];
      label[cell[k]] = lesser[lesser[cell[k]]];
      return label[cell[k]] != before ? 1 : 0;
    });
  }
  const std::vector<std::int32_t> least =
      join_items<std::int32_t>(exec, length(cells), [=](std::ptrdiff_t k, std::vector<std::int32_t>& list) {
        if (label[cell[k]] == cell[k]) list.push_back(cell[k]);
      });
  for (const std::int32_t first : least) {
    lesser[first] = sets_.add();
    lumps_.push_back({depth, 0});
    root_.push_back(lesser[first]);
  }
  join(exec,
       join_items<Joining>(exec, length(cells),
                           [=](std::ptrdiff_t k, std::vector<Joining>& list) {
                             list.push_back({cell[k], lesser[label[cell[k]]]});
                           }),
       depth);
}

template <int D>
void LiquidLumps<D>::flood(const Exec& exec) {
  lumps_.clear();
  root_.clear();
  sets_ = UnionFind(0);
  lump_.assign(depths_.count(), -1);
  label_.resize(depths_.count());
  lesser_.resize(depths_.count());
  for (std::int32_t depth = depths_.levels() - 1; depth >= 0; --depth) {
    spread(exec, depth);
    begin_lumps(exec, depth);
  }
  for_each(exec, length(lump_),
           [lump = lump_.data(), root = root_.data()](std::ptrdiff_t n) { lump[n] = root[lump[n]]; });
}

template <int D>
bool LiquidLumps<D>::is_piece(std::int32_t lump) const {
  return root_[static_cast<std::size_t>(lump)] == lump &&
         lumps_[static_cast<std::size_t>(lump)].cells >= least_cells;
}

template <int D>
template <class T>
void LiquidLumps<D>::find(const Exec& exec, const ViscosityInput<D, T>& input,
                          const ViscositySystem<D, T>& system, RigidParts<D>& parts) {
  parts.count = 0;
  const double stiffness = system.stiffness();
  if (input.gas_density > 0 || !(stiffness > least_stiffness)) return;
  depths_.find(exec, input, system);
  flood(exec);
  const std::int32_t count = static_cast<std::int32_t>(lumps_.size());
  std::int32_t pieces = 0;
  for (std::int32_t n = 0; n < count; ++n) pieces += is_piece(n);
  if (pieces < 2) return;
  // How much walls hold each, in faces of full stress.
  std::vector<double> held(lumps_.size(), 0);
  const NumberedCells<D> all = depths_.cells();
  for (int axis = 0; axis < D; ++axis) {
    const View<D, const T> anchor = system.stencil(axis).read().anchor;
    // A face goes with the deeper one of its cells.
    const auto lump_of = [=, phi = input.phi, lump = lump_.data()](const Index<D>& i) {
      if (!(anchor(i) > 0)) return std::int32_t{-1};
      const Index<D> below = i - Index<D>::unit(axis);
      const std::int32_t low = all.of(below), high = all.of(i);
      const std::int32_t cell = low < 0 || (high >= 0 && phi(i) <= phi(below)) ? high : low;
      return cell < 0 ? -1 : lump[cell];
    };
    const BlocksView<D> blocks = system.blocks(axis);
    for_each_cell(exec, blocks, blocks.grid.cell_range(),
                  [=, of_face = parts.of_face[axis].view()](const Index<D>& i) { of_face(i) = lump_of(i); });
    const auto sums = region_sums<D, 1>(
        exec, blocks, count,
        [=, of_face = parts.of_face[axis].read()](const Index<D>& i) { return of_face(i); },
        [=](const Index<D>& i) {
          const double pull = static_cast<double>(anchor(i));
          return std::array<double, 1>{pull > 1 ? (pull - 1) / stiffness : 0};
        });
    for (std::size_t n = 0; n < held.size(); ++n) held[n] += sums[n][0];
  }
  std::vector<std::int32_t> part(lumps_.size(), RigidParts<D>::none);
  for (std::int32_t n = 0; n < count; ++n) {
    const std::size_t k = static_cast<std::size_t>(n);
    if (is_piece(n) && held[k] < power(std::max(1, lumps_[k].peak), D - 1)) part[k] = parts.count++;
  }
  if (parts.count == 0) return;
  for (int axis = 0; axis < D; ++axis) {
    const BlocksView<D> blocks = system.blocks(axis);
    for_each_cell(exec, blocks, blocks.grid.cell_range(),
                  [of_face = parts.of_face[axis].view(), part = part.data()](const Index<D>& i) {
                    of_face(i) = of_face(i) < 0 ? RigidParts<D>::none : part[of_face(i)];
                  });
  }
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
