#include "simulation/film_filling.h"

#include <algorithm>

#include "geometry/volume.h"
#include "particles/spills.h"
#include "regions/cell_pairs.h"

namespace glug {
namespace {

constexpr int reach = 4;  // cells beyond a film that heaps are looked for

struct Going {
  std::uint32_t key = 0;
  std::uint32_t particle = 0;
};

// The particles that go to the cells of a box, by cells.
template <int D>
struct Heaps {
  BlocksView<D> blocks;
  std::vector<Going> going;  // by keys

  Heaps(const Exec& exec, const BlocksView<D>& list, const Range<D>& box, const Particles<D>& particles)
      : blocks(list) {
    const std::uint32_t* key = particles.key.data();
    const BlocksView<D> all = list;
    going = join_items<Going>(exec, particles.count, [=](std::ptrdiff_t p, std::vector<Going>& found) {
      if (key[p] != particle_gone && box.contains(cell_of_key<D>(all, key[p])))
        found.push_back({key[p], static_cast<std::uint32_t>(p)});
    });
    std::stable_sort(going.begin(), going.end(),
                     [](const Going& x, const Going& y) { return x.key < y.key; });
  }
  int count(const Index<D>& cell) const {
    const auto [first, last] =
        std::equal_range(going.begin(), going.end(), Going{key_of_cell<D>(blocks, cell)},
                         [](const Going& x, const Going& y) { return x.key < y.key; });
    return static_cast<int>(last - first);
  }
};

// A cell with more particles than it has room for; `last` is the end of them in the heaps' list.
template <int D>
struct Giver {
  Index<D> cell{};
  int spare = 0;
  std::size_t last = 0;
};

// Within a row first: nothing pays for a lift.
template <int D>
int way(const Index<D>& from, const Index<D>& to, int vertical) {
  int sum = 0;
  for (int a = 0; a < D; ++a) sum += (a == vertical ? 1000 : 1) * (to[a] - from[a]) * (to[a] - from[a]);
  return sum;
}

// In the deep heaps are what cells hold beyond being full.
template <int D>
void fill_from_stock(const Grid<D>& grid, const Reseed<D>& reseed, const std::vector<Index<D>>& opened,
                     const Range<D>& box, DeepLiquid<D>& deep) {
  const auto beyond_full = [&](const Index<D>& i) {
    const double full = reseed.limits.seeded * cell_open_fraction<D>(reseed.solid, grid.h, i);
    return static_cast<float>(static_cast<double>(deep.stock(i)) - full);
  };
  std::vector<Index<D>> givers;
  visit(intersection(box, grid.cell_range()), [&](const Index<D>& i) {
    if (deep.mark(i) == is_deep && beyond_full(i) > 0) givers.push_back(i);
  });
  for (const Index<D>& to : opened) {
    if (deep.mark(to) != turns_deep) continue;
    std::stable_sort(givers.begin(), givers.end(), [&](const Index<D>& x, const Index<D>& y) {
      return way(x, to, reseed.vertical) < way(y, to, reseed.vertical);
    });
    for (const Index<D>& from : givers) {
      const float moved = std::min(beyond_full(from), -beyond_full(to));
      if (!(moved > 0)) continue;
      deep.stock(from) -= moved;
      deep.stock(to) += moved;
    }
  }
}

}  // namespace

template <int D>
void fill_opened_films(const Exec& exec, const Reseed<D>& reseed, State<D>& state) {
  const Grid<D>& grid = state.setup.grid;
  const float per_cell = static_cast<float>(1 / grid.h);
  std::vector<Index<D>> opened;
  Range<D> box{grid.cells, Index<D>{}};
  for (const Index<D>& i : state.film_cells) {
    for (int a = 0; a < D; ++a) {
      box.lo[a] = std::min(box.lo[a], i[a] - reach);
      box.hi[a] = std::max(box.hi[a], i[a] + reach + 1);
    }
    if (solid_distance_at<D>(reseed.solid, per_cell, i, Vec<D, float>::filled(0.5f)) > 0) opened.push_back(i);
  }
  if (opened.empty()) return;
  if (!state.deep.empty()) fill_from_stock(grid, reseed, opened, box, state.deep);
  const BlocksView<D> blocks = state.particles.occupied.view();
  const Heaps<D> heaps(exec, blocks, box, state.particles);
  std::vector<Giver<D>> givers;
  for (std::size_t k = 0, end = 0; k < heaps.going.size(); k = end) {
    while (end < heaps.going.size() && heaps.going[end].key == heaps.going[k].key) ++end;
    const Index<D> cell = cell_of_key<D>(blocks, heaps.going[k].key);
    const int spare = static_cast<int>(end - k) - (3 * particles_that_fit(reseed, per_cell, cell) + 1) / 2;
    if (spare > 0) givers.push_back({cell, spare, end});
  }
  ParticleArrays<D>& arrays = state.particles.arrays;
  for (const Index<D>& to : opened)
    for (int n = heaps.count(to); n < reseed.limits.seeded; ++n) {
      Giver<D>* best = nullptr;
      for (Giver<D>& g : givers)
        if (g.spare > 0 && (!best || way(g.cell, to, reseed.vertical) < way(best->cell, to, reseed.vertical)))
          best = &g;
      if (!best) return;
      --best->spare;
      const std::uint32_t p = heaps.going[--best->last].particle;
      const PlacedParticle<D> placed =
          place_particle(grid, reseed, to, arrays.id[p], reseed.vertical, arrays.floats(reseed.vertical)[p]);
      for (int a = 0; a < D; ++a) {
        arrays.floats(a)[p] = placed.offset[a];
        arrays.floats(D + a)[p] = placed.velocity[a];
      }
      for (int m = 2 * D; m < arrays.float_count(); ++m) arrays.floats(m)[p] = 0;
      state.particles.key[p] = key_of_cell<D>(blocks, to);
    }
}

#define GLUG_INSTANTIATE(D) template void fill_opened_films<D>(const Exec&, const Reseed<D>&, State<D>&);
GLUG_INSTANTIATE(2)
GLUG_INSTANTIATE(3)
#undef GLUG_INSTANTIATE

}  // namespace glug
