// stacked_edges.h: the edges of all kinds in one grid, so that one stencil, one vector and one multigrid hold
// them all. In 3D the kinds stand on top of each other along the last axis. Nothing couples them there, and
// between two of them lies a plane without edges.
#pragma once

#include <cstdint>
#include <vector>

#include "core/blocks.h"
#include "projection/stream_curl.h"

namespace glug {

template <int D>
struct StackedEdges {
  // Coarser grids by up to this keep kinds apart as well (beyond, multigrid splits what does not hang
  // together).
  static constexpr int unit = 32;

  Grid<D> grid{};  // of all edges
  int storey = 0;  // planes from a kind to the next

  StackedEdges() = default;
  explicit StackedEdges(const Grid<D>& cells) : grid{cells.node_range().hi, cells.h} {
    if (D == 2) return;
    storey = (grid.cells[D - 1] / unit + 1) * unit;
    grid.cells[D - 1] += (stream_kinds<D> - 1) * storey;
  }
  GLUG_INLINE Index<D> offset(int kind) const { return Index<D>::unit(D - 1) * (kind * storey); }
  GLUG_INLINE int kind_of(const Index<D>& stacked) const { return D == 2 ? 0 : stacked[D - 1] / storey; }

  // The blocks of all kinds that lie where the listed ones of the domain do.
  Blocks<D> blocks(const BlocksView<D>& of, const std::vector<std::int32_t>& ids) const {
    static_assert(unit % block_edge<D> == 0);
    Blocks<D> list(grid);
    const BlocksView<D> all = list.view();
    std::vector<std::uint8_t> flags(static_cast<std::size_t>(list.total()), 0);
    for (std::int32_t id : ids)
      for (int kind = 0; kind < stream_kinds<D>; ++kind) {
        const Index<D> first = of.coordinates(id) * block_edge<D> + offset(kind);
        flags[static_cast<std::size_t>(all.linear(all.block_of(first)))] = 1;
      }
    list.assign(flags);
    return list;
  }
};

}  // namespace glug
