#include "particles/reseed.h"

#include <algorithm>
#include <cstdlib>

#include "core/random.h"
#include "core/reduce.h"
#include "particles/collide.h"
#include "particles/joined_cells.h"
#include "particles/lumps.h"
#include "particles/spills.h"

namespace glug {
namespace {

// Reseeding looks at least this deep below the surface (in cells). The surface it knows is the last step's:
// the liquid has moved up to a cell or two since, and cells that it is leaving look sparse. Filling those
// (1.5 cells) held a falling drop back.
inline constexpr float reseed_depth = 3;
inline constexpr float urgent_depth = 1;

// Cells this deep (in cells) inside the liquid and clear of solids.
template <int D>
GLUG_INLINE bool may_reseed(const Reseed<D>& r, const Grid<D>& grid, const Index<D>& cell, float depth) {
  const float h = static_cast<float>(grid.h);
  if (!grid.cell_range().contains(cell) || r.known.slot_of_cell(cell) < 0) return false;
  if (!(r.phi(cell) < -depth * h) || r.deep(cell)) return false;
  return solid_distance_in<D>(r.solid, 1 / h, cell, Vec<D, float>::filled(0.5f)) > 0.25f;
}

template <int D>
GLUG_INLINE bool is_void(const Reseed<D>& r, const Grid<D>& grid, const Index<D>& cell) {
  return grid.cell_range().contains(cell) && !r.deep(cell) &&
         std::binary_search(r.voids, r.voids + r.void_count, grid.cell_range().number_of(cell));
}

template <int D>
GLUG_INLINE bool holds_void(const Reseed<D>& r, const Grid<D>& grid, const Range<D>& block) {
  for (std::int64_t k = 0; k < r.void_count; ++k)
    if (block.contains(grid.cell_range().at(r.voids[k]))) return true;
  return false;
}

// Cells of a block that give, and how many more each can.
template <int D>
struct Givers {
  std::int16_t cell[block_volume<D>];
  std::int16_t spare[block_volume<D>];
  int count = 0;
  int rows = 0;  // how far up the particles moved so far were carried, net

  // How far a particle is carried, squared, in cells. Within its row first: going up or down outweighs any
  // way along it, and what was carried up is to be carried down again.
  GLUG_INLINE int cost(int giver, int to, int vertical) const {
    const Index<D> way = cell_of_number<D>(to, Index<D>{}) - cell_of_number<D>(cell[giver], Index<D>{});
    int sum = 0;
    for (int a = 0; a < D; ++a)
      sum += a == vertical ? 1000 * (way[a] + rows) * (way[a] + rows) : way[a] * way[a];
    return sum;
  }
  GLUG_INLINE bool climbs(int giver, int to, int vertical) const {
    return cell_of_number<D>(to, Index<D>{})[vertical] !=
           cell_of_number<D>(cell[giver], Index<D>{})[vertical];
  }
  // The cheapest on this side of walls, -1 = there is none; among equals chance decides, or mass would drift
  // to one side.
  GLUG_INLINE int nearest(int to, const JoinedCells<D>& sides, int vertical, std::uint64_t chance) const {
    int g = static_cast<int>(chance % static_cast<std::uint64_t>(count));
    int best = -1;
    for (int k = 0; k < count; ++k, g = g + 1 < count ? g + 1 : 0)
      if (sides.joined(cell[g], to) && (best < 0 || cost(g, to, vertical) < cost(best, to, vertical)))
        best = g;
    return best;
  }
  GLUG_INLINE int rows_with(int giver, int to, int vertical) const {
    return rows + cell_of_number<D>(to, Index<D>{})[vertical] -
           cell_of_number<D>(cell[giver], Index<D>{})[vertical];
  }
  GLUG_INLINE void take(int giver, int to, int vertical) {
    rows = rows_with(giver, to, vertical);
    if (--spare[giver] > 0) return;
    cell[giver] = cell[count - 1];
    spare[giver] = spare[count - 1];
    --count;
  }
};

template <int D>
float interpolate_face(const Grid<D>& grid, const View<D, const float>& u, int axis, const Index<D>& cell,
                       const Vec<D, float>& offset) {
  const Range<D> faces = grid.face_range(axis);
  float value = 0;
  for (int c = 0; c < (1 << D); ++c) {
    Index<D> i{};
    float w = 1;
    for (int b = 0; b < D; ++b) {
      const float s = offset[b] + (b == axis ? 0.f : 0.5f);
      const int whole = static_cast<int>(s);
      const float f = s - static_cast<float>(whole);
      i[b] = cell[b] + whole - (b == axis ? 0 : 1) + (c >> b & 1);
      w *= (c >> b & 1) ? f : 1 - f;
    }
    value += w * u(faces.clamped(i));
  }
  return value;
}

// Where solids are farthest, of the corners of a cell: 0 or 1 along each axis. No cell has corners on both
// sides of a wall (thin_solids.h), so what is open there lies on the cell's own side.
template <int D>
GLUG_INLINE Index<D> most_open_corner(const View<D, const float>& solid, const Index<D>& cell) {
  Index<D> best{};
  visit(Range<D>{Index<D>{}, Index<D>::filled(2)}, [&](const Index<D>& corner) {
    if (solid(cell + corner) > solid(cell + best)) best = corner;
  });
  return best;
}

// The plan of a block: move(giver, taker), cell numbers, for each particle that is moved.
template <int D, class F>
GLUG_INLINE void plan_block(const Grid<D>& grid, const Reseed<D>& r, const Range<D>& block,
                            std::int32_t block_id, const std::uint32_t* begin, F move) {
  const auto count = [=](int c) { return static_cast<int>(begin[c + 1] - begin[c]); };
  bool any_empty = false;
  for (int c = 0; c < block_volume<D> && !any_empty; ++c) any_empty = count(c) < r.limits.minimum;
  if (!any_empty) return;
  // A void must be filled now, so there cells give that are not over-full, and nearer the surface: it has
  // made one itself. None is left emptier than the void will be, or that would be the next.
  const bool urgent = holds_void(r, grid, block);
  const int full = urgent ? r.limits.fill + 1 : r.limits.full;
  Givers<D> givers;
  bool wanted[block_volume<D>];
  bool any_wanted = false;
  for (int c = 0; c < block_volume<D>; ++c) {
    wanted[c] = false;
    const bool empty = count(c) < r.limits.minimum;
    if (!empty && count(c) < full) continue;
    const Index<D> cell = cell_of_number<D>(c, block.lo);
    if (!(urgent && empty && is_void(r, grid, cell)) &&
        !may_reseed(r, grid, cell, urgent && !empty ? urgent_depth : reseed_depth))
      continue;
    if (empty) {
      wanted[c] = any_wanted = true;
    } else {
      givers.cell[givers.count] = static_cast<std::int16_t>(c);
      givers.spare[givers.count++] = static_cast<std::int16_t>(
          std::min((count(c) - full + 1) / (is_lump(grid, r, cell, count(c)) ? 2 : 1), 1000));
    }
  }
  if (!any_wanted || givers.count == 0) return;
  const JoinedCells<D> sides(grid, r, block);
  // The emptiest are filled first, from a cell that wanders with the seed.
  const std::uint64_t chance = mix_bits(r.seed ^ mix_bits(static_cast<std::uint64_t>(block_id)));
  const int start = static_cast<int>(chance % static_cast<std::uint64_t>(block_volume<D>));
  for (int level = 0; level < r.limits.minimum; ++level)
    for (int k = 0; k < block_volume<D>; ++k) {
      const int c = (start + k) % block_volume<D>;
      if (!wanted[c] || count(c) != level) continue;
      for (int n = level; n < r.limits.fill && givers.count > 0; ++n) {
        const int giver =
            givers.nearest(c, sides, r.vertical, mix_bits(chance ^ static_cast<std::uint64_t>(c + n)));
        if (giver < 0) break;
        if (!urgent && n > 0 && givers.climbs(giver, c, r.vertical)) break;
        // A void at the top of the liquid fills from below, a little in each step: nothing pays for the lift.
        if (r.limits.seeded > 0 && std::abs(givers.rows_with(giver, c, r.vertical)) > r.limits.seeded) break;
        move(givers.cell[giver], c);
        givers.take(giver, c, r.vertical);
      }
    }
}

}  // namespace

// Only what is nearly empty is filled, and only what is half as full again gives.
ReseedLimits reseed_limits(int dimension, int particles_per_cell) {
  const int n = particles_per_cell;
  if (dimension == 2) return {(n + 1) / 2, (3 * n + 3) / 4, (3 * n + 1) / 2, n};
  return {(n + 1) / 2, (5 * n + 7) / 8, (5 * n + 3) / 4, n};
}

template <int D>
PlacedParticle<D> place_particle(const Grid<D>& grid, const Reseed<D>& r, const Index<D>& cell,
                                 std::uint64_t key, int kept, float offset) {
  Rng rng(r.seed, key);
  Vec<D, float> place{};
  for (int a = 0; a < D; ++a) {
    const float drawn = rng.uniform();
    place[a] = a == kept ? offset : drawn;
  }
  return settle_particle(grid, r, cell, place);
}

template <int D>
PlacedParticle<D> settle_particle(const Grid<D>& grid, const Reseed<D>& r, const Index<D>& cell,
                                  const Vec<D, float>& offset) {
  PlacedParticle<D> p;
  p.offset = offset;
  const float per_cell = static_cast<float>(1 / grid.h);
  const auto wall = [&] { return solid_distance_at<D>(r.solid, per_cell, cell, p.offset); };
  const auto stay_in_cell = [&] {
    for (int a = 0; a < D; ++a) p.offset[a] = clamp(p.offset[a], 0.f, 1 - 0x1p-24f);
  };
  if (const float away = collision_gap - wall(); away > 0)
    p.offset += solid_gradient_at<D>(r.solid, per_cell, cell, p.offset) * away;
  stay_in_cell();
  // Beyond the middle of a thin wall its way out led to the other side.
  const Index<D> corner = most_open_corner<D>(r.solid, cell);
  const bool any_room = r.solid(cell + corner) * per_cell > collision_gap;
  for (int k = 1; k <= 4 && any_room && !(wall() > 0); ++k) {
    p.offset += (corner.template as<float>() - p.offset) * (1.f / static_cast<float>(5 - k));
    stay_in_cell();
  }
  for (int a = 0; a < D; ++a) p.velocity[a] = interpolate_face(grid, r.velocity[a], a, cell, p.offset);
  return p;
}

template <int D>
std::int64_t reseed_liquid(const Exec& exec, const Grid<D>& grid, const Reseed<D>& reseed,
                           Particles<D>& particles) {
  const BlocksView<D> occupied = particles.occupied.view();
  std::uint32_t* cell_begin = particles.cell_begin.data();
  const int floats = particles.arrays.float_count();
  struct Arrays {
    float* own[2 * D + D * D];
    float* spare[2 * D + D * D];
    std::uint32_t *id, *spare_id;
  } arrays{};
  reserve_spare(particles, particles.count);
  for (int n = 0; n < floats; ++n) {
    arrays.own[n] = particles.arrays.floats(n).data();
    arrays.spare[n] = particles.spare.floats(n).data();
  }
  arrays.id = particles.arrays.id.data();
  arrays.spare_id = particles.spare.id.data();
  const Reseed<D> r = reseed;
  const std::int64_t lumpy = reduce_blocks(exec, occupied, std::int64_t{0}, Plus{}, [=](std::int32_t slot) {
    const std::uint32_t* begin = cell_begin + static_cast<std::size_t>(slot) * block_volume<D>;
    return static_cast<std::int64_t>(holds_lump(grid, r, occupied.indices(slot), begin));
  });
  constexpr double enough_rows = 1000;
  const int lump_rows =
      r.limits.seeded +
      static_cast<int>(
          std::min(enough_rows, r.lump_lift / static_cast<double>(std::max<std::int64_t>(lumpy, 1))));
  // Where each block's particles begin: the cell lists of neighbours change meanwhile.
  return reduce_blocks(exec, occupied, std::int64_t{0}, Plus{}, [=](std::int32_t slot) {
    std::uint32_t* begin = cell_begin + static_cast<std::size_t>(slot) * block_volume<D>;
    const Range<D> block = occupied.indices(slot);
    std::int16_t change[block_volume<D>];
    for (int c = 0; c < block_volume<D>; ++c) change[c] = 0;
    std::int64_t moves = 0;
    const auto note_move = [&](int giver, int taker) {
      --change[giver];
      ++change[taker];
      ++moves;
    };
    plan_block(grid, r, block, occupied.ids[slot], begin, note_move);
    // Not cells that reseeding may take from or fill as well.
    const float reseeded = holds_void(r, grid, block) ? urgent_depth : reseed_depth;
    const auto may_spill = [=](const Index<D>& cell) { return !may_reseed(r, grid, cell, reseeded); };
    plan_spills(grid, r, block, begin, arrays.own + D, may_spill, note_move);
    // Nor those that reseeding fills.
    const auto may_take = [=](int c) {
      return static_cast<int>(begin[c + 1] - begin[c]) >= r.limits.minimum ||
             !may_reseed(r, grid, cell_of_number<D>(c, block.lo), reseed_depth);
    };
    plan_lumps(grid, r, block, begin, lump_rows, may_take, note_move);
    if (moves == 0) return moves;
    // Those a cell gives away are some in a row, from a place that chance chooses: its last ones, say, would
    // be those that came from above, and mass would sink. Where each of them lies, in the order of the plan:
    const auto first_given = [=](int c) {
      const std::uint32_t kept = begin[c + 1] - begin[c] + static_cast<std::uint32_t>(change[c]);
      return static_cast<std::uint32_t>(mix_bits(r.seed ^ mix_bits(static_cast<std::uint64_t>(c) + 77)) %
                                        (kept + 1));
    };
    const std::uint32_t low = begin[0], high = begin[block_volume<D>];
    // Particles side by side, all of an array at once.
    const auto copy = [=](float* const* from, float* const* to, const std::uint32_t* id_from,
                          std::uint32_t* id_to, std::uint32_t first, std::uint32_t at, std::uint32_t many) {
      for (int n = 0; n < floats; ++n) std::copy_n(from[n] + first, many, to[n] + at);
      std::copy_n(id_from + first, many, id_to + at);
    };
    copy(arrays.own, arrays.spare, arrays.id, arrays.spare_id, low, low, high - low);
    // Back in the new order: what stays, then room for what comes. What need not move stays as it is.
    std::uint32_t next[block_volume<D>];  // where the next newcomer of a cell goes
    std::uint32_t first = low, many = 0, to = low;
    const auto put_back = [&] {
      if (first != to - many)
        copy(arrays.spare, arrays.own, arrays.spare_id, arrays.id, first, to - many, many);
    };
    const auto keep = [&](std::uint32_t from, std::uint32_t end) {
      if (from != first + many) {
        put_back();
        first = from;
        many = 0;
      }
      many += end - from;
      to += end - from;
    };
    for (int c = 0; c < block_volume<D>; ++c) {
      const std::uint32_t from = begin[c], end = begin[c + 1];
      const std::uint32_t given = change[c] < 0 ? static_cast<std::uint32_t>(-change[c]) : 0;
      const std::uint32_t hole = given > 0 ? from + first_given(c) : end;
      keep(from, hole);
      if (given > 0) keep(hole + given, end);
      next[c] = to;
      if (change[c] <= 0) continue;
      put_back();
      first = end;
      many = 0;
      to += static_cast<std::uint32_t>(change[c]);
    }
    put_back();
    std::int16_t gave[block_volume<D>];
    for (int c = 0; c < block_volume<D>; ++c) gave[c] = 0;
    const auto carry = [&](int giver, int taker) {
      const std::uint32_t i = begin[giver] + first_given(giver) + static_cast<std::uint32_t>(gave[giver]++);
      const std::uint32_t j = next[taker]++;
      const PlacedParticle<D> placed =
          place_particle(grid, r, cell_of_number<D>(taker, block.lo), arrays.spare_id[i], r.vertical,
                         arrays.spare[r.vertical][i]);
      for (int a = 0; a < D; ++a) {
        arrays.own[a][j] = placed.offset[a];
        arrays.own[D + a][j] = placed.velocity[a];
      }
      for (int n = 2 * D; n < floats; ++n) arrays.own[n][j] = 0;
      arrays.id[j] = arrays.spare_id[i];
      return std::pair{i, j};
    };
    plan_block(grid, r, block, occupied.ids[slot], begin, carry);
    // What is spilled keeps its velocity.
    plan_spills(grid, r, block, begin, arrays.spare + D, may_spill, [&](int giver, int taker) {
      const auto [i, j] = carry(giver, taker);
      for (int a = 0; a < D; ++a) arrays.own[D + a][j] = arrays.spare[D + a][i];
    });
    plan_lumps(grid, r, block, begin, lump_rows, may_take, [&](int giver, int taker) {
      const auto [i, j] = carry(giver, taker);
      for (int a = 0; a < D; ++a) arrays.own[D + a][j] = arrays.spare[D + a][i];
    });
    // The block's last end is its neighbour's first beginning: the sums stay, so neither writes the other's.
    std::uint32_t at = low;
    for (int c = 0; c < block_volume<D>; ++c) {
      const std::uint32_t n = begin[c + 1] - begin[c] + static_cast<std::uint32_t>(change[c]);
      change[c] = static_cast<std::int16_t>(n);
    }
    for (int c = 0; c + 1 < block_volume<D>; ++c) {
      at += static_cast<std::uint32_t>(change[c]);
      begin[c + 1] = at;
    }
    return moves;
  });
}

#define GLUG_INSTANTIATE(D)                                                                             \
  template std::int64_t reseed_liquid<D>(const Exec&, const Grid<D>&, const Reseed<D>&, Particles<D>&); \
  template PlacedParticle<D> place_particle<D>(const Grid<D>&, const Reseed<D>&, const Index<D>&,       \
                                               std::uint64_t, int, float);                              \
  template PlacedParticle<D> settle_particle<D>(const Grid<D>&, const Reseed<D>&, const Index<D>&,      \
                                                const Vec<D, float>&);
GLUG_INSTANTIATE(2)
GLUG_INSTANTIATE(3)
#undef GLUG_INSTANTIATE

}  // namespace glug
