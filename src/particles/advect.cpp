#include "particles/advect.h"

#include <algorithm>
#include <cmath>

#include "core/reduce.h"
#include "core/rows.h"
#include "particles/batch.h"
#include "particles/collide.h"
#include "particles/path.h"
#include "particles/swept_start.h"

namespace glug {
namespace {

// Where a solid or wall is near enough to matter for any particle of the block. Distance has slope 1, so the
// middle mostly tells.
template <int D>
GLUG_INLINE bool near_solid(const Grid<D>& grid, const View<D, const float>& solid, const Range<D>& block,
                            float reach) {
  const Range<D> nodes = intersection(Range<D>{block.lo, block.hi + Index<D>::filled(1)}, solid.range);
  const Index<D> middle = nodes.clamped(block.lo + Index<D>::filled(block_edge<D> / 2));
  const float half = static_cast<float>(0.5 * 1.7321 * block_edge<D> * grid.h);
  if (solid(middle) < reach) return true;
  if (solid(middle) > reach + half) return false;
  bool near = false;
  visit_rows(nodes, [&](const Index<D>& first, int width) {
    const float* row = &solid(first);
    for (int i = 0; i < width && !near; ++i) near = row[i] < reach;
  });
  return near;
}

// Displacements in cells of a batch, for a step of `step` cells per (m/s). Stage by stage: the fours of a
// stage do not wait for each other, while the stages of one four would.
template <int D>
GLUG_INLINE void runge_kutta(const WideTile<D>& velocity, float step, const Batch<D>& batch,
                             float (&move)[D][Batch<D>::capacity]) {
  alignas(16) float stage[D][Batch<D>::capacity];  // velocity of the stage before
  Places<D, WideTile<D>::halo, Batch<D>::capacity> places;
  const auto place_at = [&](int n, float along) {
    Float4 x[D];
    for (int a = 0; a < D; ++a)
      x[a] = in_reach<D>(load4(batch.position[a] + n) + splat(along * step) * load4(stage[a] + n));
    places.set4(n, x);
  };
  for (int n = 0; n < batch.count; n += 4) {
    Float4 x[D];
    for (int a = 0; a < D; ++a) x[a] = load4(batch.position[a] + n);
    places.set4(n, x);
  }
  for (int n = 0; n < batch.count; n += 4) {
    Float4 k[D];
    sample4(velocity, places, n, k);
    for (int a = 0; a < D; ++a) {
      store4(move[a] + n, splat(2) * k[a]);
      store4(stage[a] + n, k[a]);
    }
  }
  for (int n = 0; n < batch.count; n += 4) place_at(n, 0.5f);
  for (int n = 0; n < batch.count; n += 4) {
    Float4 k[D];
    sample4(velocity, places, n, k);
    for (int a = 0; a < D; ++a) {
      store4(move[a] + n, load4(move[a] + n) + splat(3) * k[a]);
      store4(stage[a] + n, k[a]);
    }
  }
  for (int n = 0; n < batch.count; n += 4) place_at(n, 0.75f);
  for (int n = 0; n < batch.count; n += 4) {
    Float4 k[D];
    sample4(velocity, places, n, k);
    for (int a = 0; a < D; ++a) store4(move[a] + n, splat(step / 9) * (load4(move[a] + n) + splat(4) * k[a]));
  }
}

// Moves the four particles from lane n on, if all of them stay in the block; returns whether they did.
template <int D>
GLUG_INLINE bool settle4(const Batch<D>& batch, const float (&move)[D][Batch<D>::capacity], int n,
                         const ParticleViewOf<D, float>& p, std::uint32_t own_key, std::uint32_t* key) {
  Int4 cell;
  std::memcpy(&cell, batch.cell + n, sizeof cell);
  Int4 outside{}, moved = cell;
  Float4 rest[D];
  for (int a = 0; a < D; ++a) {
    const Float4 s = load4(p.offset[a] + batch.first + n) + load4(move[a] + n);
    const Int4 down = truncate(s);
    const Int4 whole = down + (to_float(down) > s);  // a true comparison is -1: truncation becomes floor
    const Float4 fraction = s - to_float(whole);
    rest[a] = min4(fraction, splat(1 - 0x1p-24f));
    const Int4 local = ((cell / power(block_edge<D>, a)) & (block_edge<D> - 1)) + whole;
    outside |= local & ~(block_edge<D> - 1);
    moved += whole * power(block_edge<D>, a);
  }
  if (any4(outside)) return false;
  moved += static_cast<std::int32_t>(own_key);
  std::memcpy(key + batch.first + n, &moved, sizeof moved);
  for (int a = 0; a < D; ++a) store4(p.offset[a] + batch.first + n, rest[a]);
  return true;
}

// A path as long as all sides of the domain together has met a wall or led out by then. Only spray and steps
// limited by time.max_substeps wish for more, and to walk all of it would take for ever.
template <int D>
GLUG_INLINE Vec<D, float> within_domain(const Grid<D>& grid, const Vec<D, float>& wish) {
  float longest = 0, length = 0;
  for (int a = 0; a < D; ++a) {
    longest += static_cast<float>(grid.cells[a]);
    length = std::max(length, std::abs(wish[a]));
  }
  return length > longest ? wish * (longest / length) : wish;
}

// Key of a cell anywhere; cells beyond a side are brought back to it (closed) or gone (open).
template <int D>
GLUG_FN std::uint32_t key_of_far_cell(const Grid<D>& grid, const Sides<D>& sides, const BlocksView<D>& blocks,
                                      Index<D> cell, Vec<D, float>& offset) {
  for (int a = 0; a < D; ++a) {
    if (cell[a] < 0) {
      if (sides.open[a][0]) return particle_gone;
      cell[a] = 0;
      offset[a] = collision_gap;
    } else if (cell[a] >= grid.cells[a]) {
      if (sides.open[a][1]) return particle_gone;
      cell[a] = grid.cells[a] - 1;
      offset[a] = 1 - collision_gap;
    }
  }
  return key_of_cell(blocks, cell);
}

}  // namespace

template <int D>
AdvectReport<D> advect(const Exec& exec, const Grid<D>& grid, const Sides<D>& sides, double dt,
                       MacView<D, const float> velocity, MacView<D, const float> displacement,
                       View<D, const float> solid, Particles<D>& particles, const MovingSolids<D>& moving,
                       const Spray<D>& spray) {
  const ParticleIndex<D> index = particle_index(particles);
  const ParticleViewOf<D, float> p = particles.arrays.view();
  const ParticleViewOf<D, const float> at = static_cast<const ParticleArrays<D>&>(particles.arrays).view();
  const BlocksView<D> occupied = index.occupied;
  std::uint32_t* key = particles.key.data();
  const std::uint32_t* id = particles.arrays.id.data();
  const float step = static_cast<float>(dt / grid.h);  // cells per (m/s)
  const float per_cell = static_cast<float>(1 / grid.h);
  // The displacement is made along the way, as a velocity of its own that particles do not keep.
  const bool displaced = displacement[0].data != nullptr && dt > 0;
  const float per_second = displaced ? static_cast<float>(1 / dt) : 0.f;
  AdvectReport<D> report;
  // Each block lists its own, and lists are joined in the order of blocks.
  std::vector<std::vector<Touch<D>>> lists(
      static_cast<std::size_t>(moving.free_ones_yield ? occupied.count : 0));
  std::vector<Touch<D>>* touches = lists.data();
  report.solid_work = reduce_blocks(exec, occupied, 0.0, Plus{}, [=](std::int32_t slot) {
    WideTile<D> tile;
    const Range<D> block = occupied.indices(slot);
    const Range<D> inside = intersection(block, grid.cell_range());
    for (int a = 0; a < D; ++a) {
      const float *u = velocity[a].data, *d = displacement[a].data;
      if (displaced)
        tile.load(a, grid.face_range(a), velocity[a], block.lo,
                  [=](std::ptrdiff_t n) { return u[n] + d[n] * per_second; });
      else
        tile.load(a, grid.face_range(a), velocity[a], block.lo, [=](std::ptrdiff_t n) { return u[n]; });
    }
    const bool whole_block = inside.size() == block_volume<D>;
    const bool walls = near_solid(grid, solid, block, static_cast<float>((4 + moving.reach) * grid.h));
    const bool sprays = spray.cells.any(inside);
    const std::uint32_t own_key = static_cast<std::uint32_t>(occupied.ids[slot]) * block_volume<D>;
    const std::uint32_t* begin = index.cell_begin + static_cast<std::size_t>(slot) * block_volume<D>;
    NearestSolid<D> nearest{grid, sides, moving, block.lo};
    double work = 0;
    for_each_batch<D>(index, at, slot, [&](const Batch<D>& batch) {
      alignas(16) float move[D][Batch<D>::capacity];
      runge_kutta(tile, step, batch, move);
      bool flies[Batch<D>::capacity];
      if (sprays)
        for (int n = 0; n < batch.count; ++n) {
          flies[n] = spray.cells(cell_of_number<D>(batch.cell[n], block.lo));
          if (!flies[n]) continue;
          for (int a = 0; a < D; ++a) move[a][n] = step * p.velocity[a][batch.first + n];
        }
      const auto is_clear = [&](int n) {
        Vec<D, float> wish{};
        for (int a = 0; a < D; ++a) wish[a] = move[a][n];
        return clears_path(solid, per_cell, cell_of_number<D>(batch.cell[n], block.lo),
                           std::max(norm(wish), moving.reach), collision_gap);
      };
      const auto move_one = [&](int n) {
        const std::int64_t i = batch.first + n;
        Index<D> cell = cell_of_number<D>(batch.cell[n], block.lo);
        Vec<D, float> offset{}, wish{};
        Encounter<D> contact;
        for (int a = 0; a < D; ++a) {
          offset[a] = p.offset[a][i];
          wish[a] = move[a][n];
          contact.velocity[a] = p.velocity[a][i];
        }
        wish = within_domain(grid, wish);
        const bool alone = sprays && flies[n];
        if (alone) {
          const std::uint32_t* own = begin + batch.cell[n];
          contact.gap = place_in_film(id[i], own[1] - own[0], spray.particles_per_cell);
          contact.keep = spray.film_keep;
        }
        if (walls || (alone && norm(wish) > 2)) {
          contact.start = swept_start<D>(grid, moving, solid, cell, offset);
          nearest.cell = cell;
          wish = collide(solid, per_cell, cell, offset, wish, nearest, contact);
          for (int a = 0; a < D; ++a) p.velocity[a][i] = contact.velocity[a];
          work += static_cast<double>(contact.work);
          if (contact.met.body >= 0)
            touches[slot].push_back({i, contact.met.body, contact.met.normal,
                                     place_of(grid, cell, contact.met.offset), contact.met.keep});
        }
        bool stays = true;  // in this block and in the domain
        for (int a = 0; a < D; ++a) {
          const float s = offset[a] + wish[a];
          const float whole = std::floor(s);
          // A tiny negative offset rounds to 1: it belongs just below.
          const float rest = s - whole;
          offset[a] = rest > 1 - 0x1p-24f ? 1 - 0x1p-24f : rest;
          cell[a] += static_cast<int>(whole);
          stays = stays && cell[a] >= inside.lo[a] && cell[a] < inside.hi[a];
        }
        key[i] = stays ? own_key + static_cast<std::uint32_t>(cell_in_block<D>(cell, block.lo))
                       : key_of_far_cell(grid, sides, occupied, cell, offset);
        for (int a = 0; a < D; ++a) p.offset[a][i] = offset[a];
      };
      // Nothing in the way of any of the four from lane n on.
      const auto free4 = [&](int n) {
        for (int m = n; m < n + 4; ++m)
          if ((sprays && flies[m]) || (walls && !is_clear(m))) return false;
        return true;
      };
      for (int n = 0; n < batch.count; n += 4) {
        if (whole_block && n + 4 <= batch.count && free4(n) && settle4(batch, move, n, p, own_key, key))
          continue;
        for (int m = n; m < std::min(n + 4, batch.count); ++m) move_one(m);
      }
    });
    return work;
  });
  for (const std::vector<Touch<D>>& list : lists)
    report.touches.insert(report.touches.end(), list.begin(), list.end());
  return report;
}

#define GLUG_INSTANTIATE(D)                                                                                  \
  template AdvectReport<D> advect<D>(const Exec&, const Grid<D>&, const Sides<D>&, double,                   \
                                     MacView<D, const float>, MacView<D, const float>, View<D, const float>, \
                                     Particles<D>&, const MovingSolids<D>&, const Spray<D>&);
GLUG_INSTANTIATE(2)
GLUG_INSTANTIATE(3)
#undef GLUG_INSTANTIATE

}  // namespace glug
