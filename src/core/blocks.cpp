#include "core/blocks.h"

namespace glug {

template <int D>
Blocks<D>::Blocks(const Grid<D>& grid) : grid_(grid) {
  std::size_t n = 1;
  for (int a = 0; a < D; ++a) {
    blocks_[a] = grid.cells[a] / block_edge<D> + 1;
    n *= static_cast<std::size_t>(blocks_[a]);
  }
  slots_.host.assign(n, -1);
}

template <int D>
void Blocks<D>::assign(const std::vector<std::uint8_t>& flags) {
  ids_.host.clear();
  for (std::size_t b = 0; b < slots_.size(); ++b) {
    slots_.host[b] = flags[b] ? count() : -1;
    if (flags[b]) ids_.host.push_back(static_cast<std::int32_t>(b));
  }
}

template <int D>
Blocks<D> Blocks<D>::dilated(int layers) const {
  std::vector<std::uint8_t> flags(slots_.size(), 0);
  const BlocksView<D> v = view();
  for (std::int32_t id : ids_.host) {
    const Index<D> b = v.coordinates(id);
    const Range<D> around =
        intersection(Range<D>{b, b + Index<D>::filled(1)}.grown(layers), Range<D>{Index<D>{}, blocks_});
    visit(around, [&](const Index<D>& n) { flags[v.linear(n)] = 1; });
  }
  Blocks result(grid_);
  result.assign(flags);
  return result;
}

template <int D>
Blocks<D> Blocks<D>::all(const Grid<D>& grid) {
  Blocks result(grid);
  result.assign(std::vector<std::uint8_t>(result.slots_.size(), 1));
  return result;
}

template <int D>
BlocksView<D> Blocks<D>::view() const {
  return {ids_.host.data(), slots_.host.data(), count(), blocks_, grid_, nullptr, 0};
}

template <int D>
BlocksView<D> Blocks<D>::view(const Exec& exec) const {
  if (exec.device == Device::cpu) return view();
  return {ids_.data(),
          slots_.data(),
          count(),
          blocks_,
          grid_,
          groups_.data(),
          static_cast<std::int32_t>(groups_.size())};
}

template <int D>
void Blocks<D>::publish(const Exec& exec) {
  groups_.host.clear();
  if (exec.device == Device::cpu) return glug::publish(exec, ids_, slots_);
  std::int32_t group = -1;  // number of the last one: its blocks' ids, along axis 0 first
  for (std::int32_t slot = 0; slot < count(); ++slot) {
    const std::int32_t id = ids_.host[static_cast<std::size_t>(slot)];
    const int x = id % blocks_[0], place = x % BlockGroup<D>::size;
    if (group != id - place) {
      group = id - place;
      BlockGroup<D> made;
      made.corner = view().indices(slot).lo;
      made.corner[0] -= place * block_edge<D>;
      for (std::int32_t& s : made.slot) s = -1;
      groups_.host.push_back(made);
    }
    groups_.host.back().slot[place] = slot;
  }
  glug::publish(exec, ids_, slots_, groups_);
}

template class Blocks<2>;
template class Blocks<3>;

}  // namespace glug
