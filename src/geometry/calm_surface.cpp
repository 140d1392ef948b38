#include "geometry/calm_surface.h"

#include <cmath>
#include <utility>
#include <vector>

#include "core/mac_field.h"
#include "core/reduce.h"
#include "core/runs.h"
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

// A cell with a neighbour on one side alone, along some axes.
template <int D>
struct CellBesideWall {
  std::ptrdiff_t offset;
  std::int8_t way[D];      // to that neighbour, -1 or 1; 0 = along this axis there are two, or none
  std::uint8_t moving[D];  // does that neighbour move?
};

// What is held follows the cell beside it: as far from it as phi says, or as far as it is itself, so that
// nothing holds the field back.
enum class Held : std::uint8_t { as_phi, level };

// Steps of diffusion. Cells that move exchange through the open faces between them; all faces of others are
// shut. So a step is the same sum everywhere, by long rows; what walls make of it is put right afterwards, in
// the few cells beside them.
template <int D>
struct Diffusion {
  static constexpr float rate = 0.75f / (2 * D);
  const Exec& exec;
  Grid<D> grid;
  View<D, const float> phi;
  Blocks<D> near;                           // that hold cells that move
  Field<D, float> open[D];                  // of the low faces of cells, along each axis: 1 or 0
  Field<D, float> held_pull;                // of held neighbours, as phi has them
  std::vector<CellBesideWall<D>> at_walls;  // all fields lie alike

  // Of `field`, with `other` as room: both hold the same to begin with.
  void operator()(int steps, Field<D, float>& field, Field<D, float>& other, Held held) const {
    for (int step = 0; step < steps; ++step) {
      exchange(field.read(), held, other.view());
      yield_to_walls(field.read(), held, other.view());
      std::swap(field, other);
    }
  }

 private:
  void exchange(const View<D, const float>& from, Held held, const View<D, float>& to) const {
    MacView<D, const float> faces;
    for (int a = 0; a < D; ++a) faces.axis[a] = open[a].read();
    const View<D, const float> pull = held_pull.read();
    const float pulls = held == Held::as_phi ? 1.0f : 0.0f;
    for_each_long_row(exec, near.view(), grid.cell_range(), [=](const Index<D>& first, int n) {
      const std::ptrdiff_t at = from.offset(first);
      const float *here = from.data + at, *outer = pull.data + at;
      float* __restrict out = to.data + at;
      for (int i = 0; i < n; ++i) {
        const float v = here[i];
        float change = pulls * outer[i];
        for (int a = 0; a < D; ++a) {
          const std::ptrdiff_t step = from.stride[a];
          const float* face = faces[a].data + at;
          change += face[i] * (here[i - step] - v) + face[i + step] * (here[i + step] - v);
        }
        out[i] = v + rate * change;
      }
    });
  }
  void yield_to_walls(const View<D, const float>& from, Held held, const View<D, float>& to) const {
    const CellBesideWall<D>* cells = at_walls.data();
    const float h = static_cast<float>(grid.h);
    const View<D, const float> shape = phi;
    const std::ptrdiff_t count = static_cast<std::ptrdiff_t>(at_walls.size());
    for_each(exec, count, [=](std::ptrdiff_t k) {
      const std::ptrdiff_t n = cells[k].offset;
      float change = 0;
      for (int a = 0; a < D; ++a) {
        if (cells[k].way[a] == 0) continue;
        const std::ptrdiff_t beside = n + cells[k].way[a] * from.stride[a];
        const float pull = cells[k].moving[a]     ? from.at(beside) - from.at(n)
                           : held == Held::as_phi ? shape.at(beside) - shape.at(n)
                                                  : 0.0f;
        change += beside_wall(pull, h) - pull;
      }
      if (change != 0) to.at(n) += rate * change;
    });
  }
};

// `phi` lies as all fields of the diffusion do.
template <int D>
Diffusion<D> diffusion_near(const Exec& exec, const BlocksView<D>& blocks, const Grid<D>& grid,
                            const View<D, const float>& phi, const View<D, const float>& solid) {
  Diffusion<D> diffusion{exec, grid, phi, Blocks<D>(grid), {}, Field<D, float>(phi.range), {}};
  for (Field<D, float>& f : diffusion.open) f = Field<D, float>(phi.range);
  std::vector<std::uint8_t> flags(static_cast<std::size_t>(diffusion.near.total()), 0);
  std::uint8_t* flag = flags.data();
  Field<D, std::uint8_t> standing(phi.range);
  const View<D, std::uint8_t> at = standing.view();
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
  const BlocksView<D> near = diffusion.near.view();

  // Count, then list, the cells beside walls.
  const auto beside = [=](std::ptrdiff_t n, CellBesideWall<D>& cell) {
    bool any = false;
    cell = {n, {}, {}};
    for (int a = 0; a < D; ++a) {
      const std::uint8_t low = at.at(n - at.stride[a]), high = at.at(n + at.stride[a]);
      if ((low == unknown) == (high == unknown)) continue;
      cell.way[a] = low == unknown ? 1 : -1;
      cell.moving[a] = (low == unknown ? high : low) == moving;
      any = true;
    }
    return any;
  };
  MacView<D, float> open;
  for (int a = 0; a < D; ++a) open.axis[a] = diffusion.open[a].view();
  const View<D, float> pull = diffusion.held_pull.view();
  std::vector<int> starts(static_cast<std::size_t>(near.count) + 1, 0);
  int* start = starts.data();
  for_each_block(exec, near, [=](std::int32_t slot) {
    visit(intersection(near.indices(slot), grid.cell_range()), [&](const Index<D>& i) {
      const std::ptrdiff_t n = at.offset(i);
      if (at.at(n) != moving) return;
      for (int a = 0; a < D; ++a)
        for (int side = -1; side <= 1; side += 2) {
          const std::ptrdiff_t m = n + side * at.stride[a];
          if (side < 0 && at.at(m) == moving) open[a].at(n) = 1;
          if (at.at(m) == held) pull.at(n) += phi.at(m) - phi.at(n);
        }
      CellBesideWall<D> cell;
      if (beside(n, cell)) ++start[slot];
    });
  });
  diffusion.at_walls.resize(static_cast<std::size_t>(exclusive_scan(exec, start, near.count + 1)));
  CellBesideWall<D>* list = diffusion.at_walls.data();
  for_each_block(exec, near, [=](std::int32_t slot) {
    if (start[slot] == start[slot + 1]) return;
    int next = start[slot];
    visit(intersection(near.indices(slot), grid.cell_range()), [&](const Index<D>& i) {
      const std::ptrdiff_t n = at.offset(i);
      CellBesideWall<D> cell;
      if (at.at(n) == moving && beside(n, cell)) list[next++] = cell;
    });
  });
  return diffusion;
}

}  // namespace

template <int D>
Field<D, float> calm_surface(const Exec& exec, const BlocksView<D>& blocks, const Grid<D>& grid,
                             ReadView<D, float> given, ReadView<D, float> solid) {
  const Range<D> cells = grid.cell_range(), around = cells.grown(1);
  Field<D, float> smooth(around), own(around), spare(around);
  {
    const View<D, float> to = smooth.view(), as_well = own.view();
    for_each_cell(exec, blocks, cells, [=](const Index<D>& i) { to(i) = as_well(i) = given(i); });
  }
  const View<D, const float> phi = own.read();
  const Diffusion<D> diffuse = diffusion_near<D>(exec, blocks, grid, phi, solid);
  const BlocksView<D> near = diffuse.near.view();
  diffuse(diffusion_steps, smooth, spare, Held::as_phi);

  // What was lost, smoothed, comes back, again and again.
  Field<D, float> lost(around), room(around);
  for (int n = 0; n < restorations; ++n) {
    const View<D, float> s = smooth.view(), l = lost.view(), r = room.view();
    for_each_cell(exec, near, cells, [=](const Index<D>& i) { l(i) = r(i) = phi(i) - s(i); });
    diffuse(diffusion_steps, lost, room, Held::level);
    const View<D, const float> back = lost.read();
    for_each_cell(exec, near, cells, [=](const Index<D>& i) { s(i) += back(i); });
  }
  {
    const View<D, float> l = lost.view(), r = room.view();
    const View<D, const float> s = smooth.read();
    for_each_cell(exec, near, cells, [=](const Index<D>& i) { l(i) = r(i) = std::abs(s(i) - phi(i)); });
  }
  diffuse(spread_steps, lost, room, Held::level);

  const View<D, float> s = smooth.view();
  const View<D, const float> moved = lost.read();
  const float h = static_cast<float>(grid.h);
  for_each_cell(exec, near, cells, [=](const Index<D>& i) {
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
