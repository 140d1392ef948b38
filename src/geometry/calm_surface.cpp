#include "geometry/calm_surface.h"

#include <cmath>
#include <utility>
#include <vector>

#include "core/for_each.h"
#include "geometry/solid_extension.h"

namespace glug {
namespace {

constexpr int diffusion_steps = 56;
constexpr int restorations = 2;
constexpr int spread_steps = 6;        // of how far the surface moved, so that neighbours agree
constexpr float reach = 4;             // cells from the surface
constexpr float calm = 0.12f;          // cells that a calm surface moves at most
constexpr float rough = 0.3f;          // cells from which on phi stays as it was
constexpr int layers_into_solids = 3;  // as the simulation continues it

// Cells inside solids, and where nothing is listed, are unknown; known ones far from the surface are held.
enum Standing : std::uint8_t { unknown, held, moving };

// The pull of a cell's one neighbour along an axis: that of a mirrored one if the surface stands nearly
// upright on what is beyond, none if it is steep, so that a plane stays a plane.
GLUG_INLINE float beside_wall(float difference, float h) {
  constexpr float upright = 0.06f, steep = 0.15f;  // slopes
  return difference * clamp((steep - std::abs(difference) / h) / (steep - upright), 0.0f, 1.0f);
}

template <int D>
struct Diffusion {
  const Exec& exec;
  Blocks<D> near;
  Grid<D> grid;
  Field<D, std::uint8_t> standing;

  // Steps of `field`, with `other` as room: both hold the same to begin with. What is held follows the cell
  // beside it, as far from it as `shape` says (data null: as far as it is itself), so that nothing holds the
  // field back.
  void operator()(int steps, Field<D, float>& field, Field<D, float>& other,
                  View<D, const float> shape) const {
    const View<D, const std::uint8_t> at = standing.read();
    constexpr float rate = 0.75f / (2 * D);
    const float h = static_cast<float>(grid.h);
    for (int step = 0; step < steps; ++step) {
      const View<D, const float> from = field.read();
      const View<D, float> to = other.view();
      for_each_cell(exec, near.view(), grid.cell_range(), [=](const Index<D>& i) {
        const std::ptrdiff_t n = from.offset(i), m = at.offset(i);
        if (at.at(m) != moving) return;
        float change = 0;
        for (int a = 0; a < D; ++a) {
          float pull[2];
          bool known[2];
          for (int side = 0; side < 2; ++side) {
            const std::ptrdiff_t way = side ? 1 : -1;
            const std::uint8_t there = at.at(m + way * at.stride[a]);
            known[side] = there != unknown;
            const std::ptrdiff_t beside = n + way * from.stride[a];
            pull[side] = there == moving ? from.at(beside) - from.at(n)
                         : shape.data    ? shape.at(beside) - shape.at(n)
                                         : 0.0f;
          }
          if (known[0] && known[1])
            change += pull[0] + pull[1];
          else if (known[0] || known[1])
            change += beside_wall(known[0] ? pull[0] : pull[1], h);
        }
        to.at(n) = from.at(n) + rate * change;
      });
      std::swap(field, other);
    }
  }
};

template <int D>
Diffusion<D> diffusion_near(const Exec& exec, const BlocksView<D>& blocks, const Grid<D>& grid,
                            const View<D, const float>& phi, const View<D, const float>& solid) {
  Diffusion<D> diffusion{exec, Blocks<D>(grid), grid, Field<D, std::uint8_t>(grid.cell_range().grown(1))};
  std::vector<std::uint8_t> flags(static_cast<std::size_t>(diffusion.near.total()), 0);
  std::uint8_t* flag = flags.data();
  const View<D, std::uint8_t> at = diffusion.standing.view();
  const float far = reach * static_cast<float>(grid.h);
  for_each_block(exec, blocks, [=](std::int32_t slot) {
    visit(intersection(blocks.indices(slot), grid.cell_range()), [&](const Index<D>& i) {
      if (solid_centred<D, float>(solid, i)) return;
      const bool moves = std::abs(phi(i)) < far;
      at(i) = moves ? moving : held;
      if (moves) flag[blocks.ids[slot]] = 1;
    });
  });
  diffusion.near.assign(flags);
  return diffusion;
}

}  // namespace

template <int D>
Field<D, float> calm_surface(const Exec& exec, const BlocksView<D>& blocks, const Grid<D>& grid,
                             ReadView<D, float> phi, ReadView<D, float> solid) {
  const Diffusion<D> diffuse = diffusion_near<D>(exec, blocks, grid, phi, solid);
  const Range<D> cells = grid.cell_range();
  const auto copy = [&] {
    Field<D, float> field(phi.range);
    const View<D, float> to = field.view();
    for_each_cell(exec, blocks, cells, [=](const Index<D>& i) { to(i) = phi(i); });
    return field;
  };
  Field<D, float> smooth = copy(), spare = copy();
  diffuse(diffusion_steps, smooth, spare, phi);

  // What was lost, smoothed, comes back, again and again.
  Field<D, float> lost(phi.range), room(phi.range);
  for (int n = 0; n < restorations; ++n) {
    const View<D, float> s = smooth.view(), l = lost.view(), r = room.view();
    for_each_cell(exec, blocks, cells, [=](const Index<D>& i) { l(i) = r(i) = phi(i) - s(i); });
    diffuse(diffusion_steps, lost, room, {});
    const View<D, const float> back = lost.read();
    for_each_cell(exec, blocks, cells, [=](const Index<D>& i) { s(i) += back(i); });
  }
  {
    const View<D, float> l = lost.view(), r = room.view();
    const View<D, const float> s = smooth.read();
    for_each_cell(exec, blocks, cells, [=](const Index<D>& i) { l(i) = r(i) = std::abs(s(i) - phi(i)); });
  }
  diffuse(spread_steps, lost, room, {});

  const View<D, float> s = smooth.view();
  const View<D, const float> moved = lost.read();
  const float h = static_cast<float>(grid.h);
  for_each_cell(exec, blocks, cells, [=](const Index<D>& i) {
    const float share = clamp((rough * h - moved(i)) / ((rough - calm) * h), 0.0f, 1.0f);
    s(i) = phi(i) + share * (s(i) - phi(i));
  });
  extend_into_solids<D, float>(exec, blocks, grid, layers_into_solids, solid, s);
  return smooth;
}

#define GLUG_INSTANTIATE(D)                                                                   \
  template Field<D, float> calm_surface<D>(const Exec&, const BlocksView<D>&, const Grid<D>&, \
                                           View<D, const float>, View<D, const float>);
GLUG_INSTANTIATE(2)
GLUG_INSTANTIATE(3)
#undef GLUG_INSTANTIATE

}  // namespace glug
