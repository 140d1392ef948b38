// fixtures.h: small grids and functions on them, shared by the tests of this room.
#pragma once

#include <cstring>
#include <vector>

#include "core/blocks.h"
#include "core/field.h"
#include "core/for_each.h"
#include "geometry/shape.h"

namespace glug::testing_fixtures {

template <int D>
Grid<D> grid_of(int cells, double size = 1) {
  return {Index<D>::filled(cells), size / cells};
}

// Field over cells with a ghost layer, set to f(centre) in the domain.
template <int D, class T, class F>
Field<D, T> cell_field(const Grid<D>& grid, F f) {
  Field<D, T> field(grid.cell_range().grown(1));
  visit(grid.cell_range(), [&](const Index<D>& i) { field(i) = static_cast<T>(f(grid.cell_center(i))); });
  return field;
}
template <int D, class T, class F>
Field<D, T> node_field(const Grid<D>& grid, F f) {
  Field<D, T> field(grid.node_range().grown(1));
  visit(grid.node_range().grown(1), [&](const Index<D>& i) { field(i) = static_cast<T>(f(grid.node(i))); });
  return field;
}

template <int D, class T>
bool same_bits(const Field<D, T>& x, const Field<D, T>& y) {
  return x.values().size() == y.values().size() &&
         std::memcmp(x.values().data(), y.values().data(), x.values().size() * sizeof(T)) == 0;
}

// The blocks that touch cells within `reach` (m) of the surface f = 0 or where f < 0.
template <int D, class F>
Blocks<D> blocks_where(const Grid<D>& grid, F wanted) {
  Blocks<D> blocks = Blocks<D>::all(grid);
  const BlocksView<D> all = blocks.view();
  std::vector<std::uint8_t> flags(static_cast<std::size_t>(blocks.total()), 0);
  visit(grid.cell_range(), [&](const Index<D>& i) {
    if (wanted(grid.cell_center(i))) flags[static_cast<std::size_t>(all.linear(all.block_of(i)))] = 1;
  });
  blocks.assign(flags);
  return blocks;
}

template <int D>
double distance_to_ball(const Vec<D, double>& x, double centre, double radius) {
  return norm(x - Vec<D, double>::filled(centre)) - radius;
}

}  // namespace glug::testing_fixtures
