#include "particles/seed.h"

#include <vector>

#include "core/random.h"
#include "core/reduce.h"
#include "particles/collide.h"
#include "particles/sort.h"

namespace glug {
namespace {

// Gaps narrower than this (in cells) between liquid and a wall are poured full: no grid could see them, and
// what it cannot see would be counted as liquid first and missed later.
inline constexpr double narrow_gap = 0.5;

// The direction that leads away from a shape.
template <int D>
GLUG_INLINE Vec<D, double> away_from(const ShapeView& shape, const Vec<D, double>& x, double step) {
  Vec<D, double> slope{};
  for (int a = 0; a < D; ++a) {
    Vec<D, double> to = x, from = x;
    to[a] += step;
    from[a] -= step;
    slope[a] = shape.distance(embed<D>(to)) - shape.distance(embed<D>(from));
  }
  const double length = norm(slope);
  return length > 0 ? slope * (1 / length) : slope;
}

// The body of liquid at a place, or that reaches it over a gap; -1 = none.
template <int D>
GLUG_INLINE int body_at(const Grid<D>& grid, const View<D, const float>& solid, const SeedShapes& shapes,
                        const Index<D>& cell, const Vec<D, float>& offset) {
  const Vec<D, double> x = (cell.template as<double>() + offset.template as<double>()) * grid.h;
  for (int k = 0; k < shapes.air_count; ++k)
    if (shapes.air[k].distance(embed<D>(x)) < 0) return -1;
  int beyond_gap = -1;
  for (int b = 0; b < shapes.body_count; ++b) {
    const double distance = shapes.bodies[b].shape.distance(embed<D>(x));
    if (distance < 0) return b;
    const double left = narrow_gap - distance / grid.h;  // cells
    if (beyond_gap >= 0 || !(left > 0)) continue;
    // Half a cell from the body the wall begins.
    const Vec<D, double> ahead = away_from(shapes.bodies[b].shape, x, 0.05 * grid.h) * left;
    if (solid_distance_at<D>(solid, 1, cell, offset + ahead.template as<float>()) <= 0) beyond_gap = b;
  }
  return beyond_gap;
}

// Visits the jittered candidates of a cell that belong to the phase and lie outside solids: f(offset, body).
template <int D, class F>
GLUG_INLINE void visit_seeds(const Grid<D>& grid, const View<D, const float>& solid, const SeedShapes& shapes,
                             SeedPhase phase, int per_axis, const Index<D>& cell, std::uint64_t number, F f) {
  // Lipschitz: a cell farther from every body than its half diagonal holds none; a gap is half a cell.
  const Vec3 middle = embed<D>(grid.cell_center(cell));
  bool near = phase == SeedPhase::gas;
  for (int b = 0; b < shapes.body_count; ++b)
    near = near || shapes.bodies[b].shape.distance(middle) < grid.h * (0.9 + narrow_gap);
  if (!near) return;
  Rng rng(0x5eed, number);
  const float part = 1.f / static_cast<float>(per_axis);
  visit(Range<D>{Index<D>{}, Index<D>::filled(per_axis)}, [&](const Index<D>& sub) {
    Vec<D, float> offset{};
    for (int a = 0; a < D; ++a)
      offset[a] = clamp((static_cast<float>(sub[a]) + rng.uniform()) * part, 0.f, 1 - 0x1p-24f);
    if (solid_distance_at<D>(solid, 1, cell, offset) <= 0) return;
    const int body = body_at(grid, solid, shapes, cell, offset);
    if ((body >= 0) == (phase == SeedPhase::liquid)) f(offset, body);
  });
}

}  // namespace

template <int D>
Particles<D> seed_particles(const Exec& exec, const Grid<D>& grid, const BlocksView<D>& blocks,
                            View<D, const float> solid, const SeedShapes& shapes, SeedPhase phase,
                            int per_axis, bool affine, const CellMark<D>& left_out) {
  const Range<D> cells = grid.cell_range();
  std::vector<std::int64_t> first(static_cast<std::size_t>(blocks.count) + 1, 0);
  std::int64_t* begin = first.data();
  const auto number = [=](std::int32_t slot, int c) {
    return static_cast<std::uint64_t>(blocks.ids[slot]) * block_volume<D> + static_cast<std::uint64_t>(c);
  };
  for_each_block(exec, blocks, [=](std::int32_t slot) {
    const Range<D> block = blocks.indices(slot);
    std::int64_t n = 0;
    visit(intersection(block, cells), [&](const Index<D>& cell) {
      if (left_out(cell)) return;
      visit_seeds(grid, solid, shapes, phase, per_axis, cell, number(slot, cell_in_block<D>(cell, block.lo)),
                  [&](const Vec<D, float>&, int) { ++n; });
    });
    begin[slot] = n;
  });
  Particles<D> particles;
  particles.count = exclusive_scan(exec, begin, blocks.count);
  particles.arrays = ParticleArrays<D>(particles.count, affine);
  particles.key = Buffer<std::uint32_t>(static_cast<std::size_t>(particles.count));
  particles.occupied = Blocks<D>(grid);
  particles.next_id = static_cast<std::uint32_t>(particles.count);
  const ParticleViewOf<D, float> p = particles.arrays.view();
  std::uint32_t* id = particles.arrays.id.data();
  std::uint32_t* key = particles.key.data();
  for_each_block(exec, blocks, [=](std::int32_t slot) {
    const Range<D> block = blocks.indices(slot);
    std::int64_t i = begin[slot];
    visit(intersection(block, cells), [&](const Index<D>& cell) {
      if (left_out(cell)) return;
      const int c = cell_in_block<D>(cell, block.lo);
      visit_seeds(grid, solid, shapes, phase, per_axis, cell, number(slot, c),
                  [&](const Vec<D, float>& offset, int body) {
                    for (int a = 0; a < D; ++a) {
                      p.offset[a][i] = offset[a];
                      p.velocity[a][i] = body < 0 ? 0.f : static_cast<float>(shapes.bodies[body].velocity[a]);
                    }
                    id[i] = static_cast<std::uint32_t>(i);
                    key[i] = static_cast<std::uint32_t>(blocks.ids[slot]) * block_volume<D> +
                             static_cast<std::uint32_t>(c);
                    ++i;
                  });
    });
  });
  sort_particles<D>(exec, grid, nullptr, particles);
  return particles;
}

template Particles<2> seed_particles<2>(const Exec&, const Grid<2>&, const BlocksView<2>&,
                                        View<2, const float>, const SeedShapes&, SeedPhase, int, bool,
                                        const CellMark<2>&);
template Particles<3> seed_particles<3>(const Exec&, const Grid<3>&, const BlocksView<3>&,
                                        View<3, const float>, const SeedShapes&, SeedPhase, int, bool,
                                        const CellMark<3>&);

}  // namespace glug
