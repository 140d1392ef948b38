#include "gauntlet/hovering.h"

#include <algorithm>
#include <iterator>

namespace glug {
namespace {

bool wet(Cell cell) { return cell == Cell::liquid || cell == Cell::affine; }

// No liquid in the cell and around it, no solid and no closed side within 1.5 cells.
template <int D>
bool is_alone(const State<D>& state, const Index<D>& cell) {
  const Setup<D>& s = state.setup;
  const View<D, const Cell> label = state.labels.read();
  bool alone = true;
  visit(Range<D>{cell - Index<D>::filled(1), cell + Index<D>::filled(2)},
        [&](const Index<D>& i) { alone = alone && !wet(label(i)); });
  const View<D, const float> solid = state.solid.read();
  const float reach = static_cast<float>(1.5 * s.grid.h);
  visit(Range<D>{cell, cell + Index<D>::filled(2)},
        [&](const Index<D>& node) { alone = alone && solid(node) > reach; });
  for (int a = 0; a < D; ++a)
    alone = alone && (s.sides.open[a][0] || cell[a] >= 2) &&
            (s.sides.open[a][1] || cell[a] < s.grid.cells[a] - 2);
  return alone;
}

}  // namespace

// One thread: few particles are alone, and it is asked a few times in a run.
template <int D>
std::vector<std::uint32_t> alone_and_slow(const State<D>& state) {
  std::vector<std::uint32_t> found;
  const double slow = 0.05 * norm(state.setup.gravity);
  const BlocksView<D> occupied = state.particles.occupied.view();
  const std::uint32_t* begin = state.particles.cell_begin.data();
  const ParticleViewOf<D, const float> p = state.particles.arrays.view();
  for (std::int32_t slot = 0; slot < occupied.count; ++slot) {
    const Index<D> lo = occupied.indices(slot).lo;
    const std::uint32_t* cells = begin + static_cast<std::size_t>(slot) * block_volume<D>;
    for (int c = 0; c < block_volume<D>; ++c) {
      if (cells[c] == cells[c + 1] || !is_alone(state, cell_of_number<D>(c, lo))) continue;
      for (std::uint32_t i = cells[c]; i < cells[c + 1]; ++i) {
        double square = 0;
        for (int a = 0; a < D; ++a)
          square += static_cast<double>(p.velocity[a][i]) * static_cast<double>(p.velocity[a][i]);
        if (square < slow * slow) found.push_back(state.particles.arrays.id[i]);
      }
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<std::uint32_t> still_there(const std::vector<std::uint32_t>& before,
                                       const std::vector<std::uint32_t>& now) {
  std::vector<std::uint32_t> both;
  std::set_intersection(before.begin(), before.end(), now.begin(), now.end(), std::back_inserter(both));
  return both;
}

template std::vector<std::uint32_t> alone_and_slow<2>(const State<2>&);
template std::vector<std::uint32_t> alone_and_slow<3>(const State<3>&);

}  // namespace glug
