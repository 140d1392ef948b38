#include "particles/seed.h"

#include <cmath>
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

// Whom a place belongs to: a body's number, or one of these.
inline constexpr int in_gas = -1, in_solid = -2;

template <int D>
struct Ground {
  Grid<D> grid;
  View<D, const float> solid;
  SeedShapes shapes;

  GLUG_INLINE Vec<D, double> position(const Index<D>& cell, const Vec<D, float>& offset) const {
    return (cell.template as<double>() + offset.template as<double>()) * grid.h;
  }
  // Lipschitz: a cell farther from every body than its half diagonal holds none; a gap is half a cell.
  GLUG_INLINE bool may_hold_liquid(const Index<D>& cell) const {
    const Vec3 middle = embed<D>(grid.cell_center(cell));
    for (int b = 0; b < shapes.body_count; ++b)
      if (shapes.bodies[b].shape.distance(middle) < grid.h * (0.9 + narrow_gap)) return true;
    return false;
  }

  // The body of liquid at a place outside solids, or that reaches it over a gap.
  GLUG_INLINE int body_at(const Index<D>& cell, const Vec<D, float>& offset) const {
    const Vec<D, double> x = position(cell, offset);
    for (int k = 0; k < shapes.air_count; ++k)
      if (shapes.air[k].distance(embed<D>(x)) < 0) return in_gas;
    int beyond_gap = in_gas;
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
  GLUG_INLINE int owner_at(const Index<D>& cell, const Vec<D, float>& offset) const {
    return solid_distance_at<D>(solid, 1, cell, offset) <= 0 ? in_solid : body_at(cell, offset);
  }

  // Whether a part of a cell may have several owners. `reach`: half of its diagonal, in cells.
  GLUG_INLINE bool may_be_shared(const Index<D>& cell, const Vec<D, float>& middle, double reach) const {
    const double wall = static_cast<double>(solid_distance_at<D>(solid, 1, cell, middle)) / grid.h;
    if (std::abs(wall) < reach) return true;
    const Vec3 x = embed<D>(position(cell, middle));
    for (int k = 0; k < shapes.air_count; ++k)
      if (std::abs(shapes.air[k].distance(x)) < reach * grid.h) return true;
    const double gap = wall < narrow_gap + reach ? narrow_gap : 0.0;  // that liquid may be poured over
    for (int b = 0; b < shapes.body_count; ++b) {
      const double distance = shapes.bodies[b].shape.distance(x) / grid.h;
      if (-reach < distance && distance < reach + gap) return true;
    }
    return false;
  }
};

// A place in a part of a cell, jittered.
template <int D>
GLUG_INLINE Vec<D, float> place_within(Rng& rng, const Vec<D, float>& low, float size) {
  Vec<D, float> offset{};
  for (int a = 0; a < D; ++a) offset[a] = clamp(low[a] + rng.uniform() * size, 0.f, 1 - 0x1p-24f);
  return offset;
}

// (T12) What liquid and gas own of the shared parts of a block so far, less what they were given, in places
// of which places_of_part are worth a particle. Where no solid takes part they add up to one particle.
template <int D>
inline constexpr int places_along = D == 2 ? 4 : 3;
template <int D>
inline constexpr int places_of_part = power(places_along<D>, D);
struct Owed {
  int liquid = 0, gas = 0;
};
template <int D>
GLUG_INLINE Owed owed_at_first(std::int32_t block) {
  Rng rng(0x5ea3d, static_cast<std::uint64_t>(block));
  const int drawn = static_cast<int>(rng.uniform() * static_cast<float>(places_of_part<D>));
  return {drawn, places_of_part<D> - drawn};
}

// (T12) Gives the particle of a shared part to one of its owners, where it lies if that is the owner's, else
// at a place that is. Returns whose it is.
template <int D>
GLUG_INLINE int share_part(const Ground<D>& ground, const Index<D>& cell, const Vec<D, float>& low,
                           float size, Rng& rng, Owed& owed, Vec<D, float>& offset) {
  const float step = size / static_cast<float>(places_along<D>);
  Owed found;
  int body = in_gas;
  Vec<D, float> in_liquid{}, in_air{};
  visit(Range<D>{Index<D>{}, Index<D>::filled(places_along<D>)}, [&](const Index<D>& n) {
    const Vec<D, float> place = place_within(rng, low + n.template as<float>() * step, step);
    const float drawn = rng.uniform();
    const int owner = ground.owner_at(cell, place);
    if (owner == in_solid) return;
    int& before = owner >= 0 ? found.liquid : found.gas;
    // Each of those found is taken with the same chance.
    if (!(drawn * static_cast<float>(++before) < 1)) return;
    if (owner >= 0) body = owner;
    (owner >= 0 ? in_liquid : in_air) = place;
  });
  owed.liquid += found.liquid;
  owed.gas += found.gas;
  const int own = ground.owner_at(cell, offset);
  if (found.liquid > 0 && owed.liquid >= places_of_part<D>) {
    owed.liquid -= places_of_part<D>;
    if (own < 0) offset = in_liquid;
    return own < 0 ? body : own;
  }
  if (found.gas == 0 || owed.gas < places_of_part<D>) return in_solid;
  owed.gas -= places_of_part<D>;
  if (own != in_gas) offset = in_air;
  return in_gas;
}

// Visits the seeds of a cell that belong to the phase: f(offset, body).
template <int D, class F>
GLUG_INLINE void visit_seeds(const Ground<D>& ground, SeedPhase phase, int per_axis, const Index<D>& cell,
                             std::uint64_t number, Owed& owed, F f) {
  if (phase == SeedPhase::liquid && !ground.may_hold_liquid(cell)) return;
  Rng rng(0x5eed, number), shared(0x5ea3d, number);
  const float size = 1.f / static_cast<float>(per_axis);
  const double reach = 0.5 * std::sqrt(D) * static_cast<double>(size);
  visit(Range<D>{Index<D>{}, Index<D>::filled(per_axis)}, [&](const Index<D>& part) {
    const Vec<D, float> low = part.template as<float>() * size;
    Vec<D, float> offset = place_within(rng, low, size);
    const int owner = ground.may_be_shared(cell, low + Vec<D, float>::filled(0.5f * size), reach)
                          ? share_part(ground, cell, low, size, shared, owed, offset)
                          : ground.owner_at(cell, offset);
    if (owner != in_solid && (owner >= 0) == (phase == SeedPhase::liquid)) f(offset, owner);
  });
}

}  // namespace

template <int D>
Particles<D> seed_particles(const Exec& exec, const Grid<D>& grid, const BlocksView<D>& blocks,
                            View<D, const float> solid, const SeedShapes& shapes, SeedPhase phase,
                            int per_axis, bool affine, const CellMark<D>& left_out) {
  const Range<D> cells = grid.cell_range();
  const Ground<D> ground{grid, solid, shapes};
  std::vector<std::int64_t> first(static_cast<std::size_t>(blocks.count) + 1, 0);
  std::int64_t* begin = first.data();
  const auto number = [=](std::int32_t slot, int c) {
    return static_cast<std::uint64_t>(blocks.ids[slot]) * block_volume<D> + static_cast<std::uint64_t>(c);
  };
  for_each_block(exec, blocks, [=](std::int32_t slot) {
    const Range<D> block = blocks.indices(slot);
    std::int64_t n = 0;
    Owed owed = owed_at_first<D>(blocks.ids[slot]);
    visit(intersection(block, cells), [&](const Index<D>& cell) {
      if (left_out(cell)) return;
      visit_seeds(ground, phase, per_axis, cell, number(slot, cell_in_block<D>(cell, block.lo)), owed,
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
    Owed owed = owed_at_first<D>(blocks.ids[slot]);
    visit(intersection(block, cells), [&](const Index<D>& cell) {
      if (left_out(cell)) return;
      const int c = cell_in_block<D>(cell, block.lo);
      visit_seeds(ground, phase, per_axis, cell, number(slot, c), owed,
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
