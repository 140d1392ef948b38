#include "particles/transfer.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/reduce.h"
#include "particles/batch.h"
#include "particles/collide.h"
#include "particles/tile.h"

namespace glug {
namespace {

// Momentum and weight side by side: the two faces of a particle's stencil along axis 0 are then four
// consecutive floats {m0, w0, m1, w1}, one vector.
template <int D>
struct MomentumTile {
  static constexpr int edge = block_edge<D> + 2;
  static constexpr int size = power(edge, D);
  alignas(16) float value[D][2 * size];
};

enum class Rows { none, affine };

template <int D, Rows rows>
GLUG_INLINE void scatter_block(MomentumTile<D>& tile, const ParticleIndex<D>& index,
                               const ParticleViewOf<D, const float>& p, std::int32_t slot, float h) {
  constexpr int edge = MomentumTile<D>::edge;
  for (int a = 0; a < D; ++a)
    for (int n = 0; n < 2 * MomentumTile<D>::size; ++n) tile.value[a][n] = 0;
  for_each_batch<D>(index, p, slot, [&](const Batch<D>& batch) {
    for (int n = 0; n < batch.count; ++n) {
      int at[D][2];
      float fraction[D][2];  // [axis][0: faces at the low side, 1: faces in the middle]
      for (int b = 0; b < D; ++b)
        for (int middle = 0; middle < 2; ++middle) {
          const float s = batch.position[b][n] + (middle ? 0.5f : 1.f);
          const int i = static_cast<int>(s);
          fraction[b][middle] = s - static_cast<float>(i);
          at[b][middle] = i * power(edge, b);
        }
      for (int a = 0; a < D; ++a) {
        int base = 0;
        float f[D];
        for (int b = 0; b < D; ++b) {
          f[b] = fraction[b][b != a];
          base += at[b][b != a];
        }
        const float v = p.velocity[a][batch.first + n];
        const Float4 along = {1 - f[0], 1 - f[0], f[0], f[0]};
        float c[D] = {};
        if constexpr (rows == Rows::affine)
          for (int b = 0; b < D; ++b) c[b] = p.affine[a * D + b][batch.first + n] * h;
        const Float4 carried = along * Float4{v, 1.f, v, 1.f};
        for (int r = 0; r < (1 << (D - 1)); ++r) {
          float w = 1, slope = 0;
          int offset = base;
          for (int b = 1; b < D; ++b) {
            const bool high = r >> (b - 1) & 1;
            w *= high ? f[b] : 1 - f[b];
            offset += high ? power(edge, b) : 0;
            slope += c[b] * ((high ? 1.f : 0.f) - f[b]);
          }
          float* to = tile.value[a] + 2 * offset;
          if constexpr (rows == Rows::affine) {
            const Float4 row =
                along * Float4{v + slope - c[0] * f[0], 1.f, v + slope + c[0] * (1 - f[0]), 1.f};
            store4(to, load4(to) + row * splat(w));
          } else {
            store4(to, load4(to) + carried * splat(w));
          }
        }
      }
    }
  });
}

template <int D>
GLUG_INLINE void add_tile(const Grid<D>& grid, const MomentumTile<D>& tile, const Index<D>& block_lo,
                          const MacView<D, float>& u, const MacView<D, float>& weight) {
  constexpr int edge = MomentumTile<D>::edge;
  const Index<D> lo = block_lo - Index<D>::filled(1);
  for (int a = 0; a < D; ++a) {
    const Range<D> reach = intersection(Range<D>{lo, lo + Index<D>::filled(edge)}, grid.face_range(a));
    Range<D> rows = reach;
    rows.hi[0] = rows.lo[0] + 1;
    const View<D, float> m = u[a], w = weight[a];
    visit(rows, [&](const Index<D>& first) {
      int t = 0;
      for (int b = D - 1; b >= 0; --b) t = t * edge + (first[b] - lo[b]);
      const float* from = tile.value[a] + 2 * t;
      const std::ptrdiff_t n = m.offset(first);
      for (int i = 0; i < reach.extent(0); ++i) {
        m.data[n + i] += from[2 * i];
        w.data[n + i] += from[2 * i + 1];
      }
    });
  }
}

// f(axis, lane of the first of four, the corners around them) for all particles of a batch.
template <int D>
using BatchPlaces = Places<D, 1, Batch<D>::capacity>;

template <int D, class F>
GLUG_INLINE void sample_batch(const FaceTile<D, 1>& tile, const Batch<D>& batch, const BatchPlaces<D>& places,
                              F f) {
  for (int n = 0; n < batch.count; n += 4) {
#pragma GCC unroll 3
    for (int a = 0; a < D; ++a) {
      Corners4<D> corners;
      gather4(tile, a, places, n, corners);
      f(a, n, corners);
    }
  }
}

template <int D>
void clear_faces(const Exec& exec, const Grid<D>& grid, const BlocksView<D>& blocks,
                 const MacView<D, float>& u) {
  for (int a = 0; a < D; ++a) {
    const View<D, float> v = u[a];
    for_each_row(exec, blocks, grid.face_range(a), [=](const Index<D>& first, int width) {
      float* row = &v(first);
      for (int i = 0; i < width; ++i) row[i] = 0;
    });
  }
}

}  // namespace

template <int D>
void particles_to_grid(const Exec& exec, const Grid<D>& grid, const BlocksView<D>& active,
                       const Particles<D>& particles, MacView<D, float> u, MacView<D, float> weight) {
  clear_faces(exec, grid, active, u);
  clear_faces(exec, grid, active, weight);
  const ParticleIndex<D> index = particle_index(particles);
  const ParticleViewOf<D, const float> p = particles.arrays.view();
  const BlocksView<D> occupied = index.occupied;
  const float h = static_cast<float>(grid.h);
  for (int colour = 0; colour < (1 << D); ++colour) {
    for_each_block(exec, occupied, [=](std::int32_t slot) {
      const Index<D> b = occupied.coordinates(occupied.ids[slot]);
      int own = 0;
      for (int a = 0; a < D; ++a) own |= (b[a] & 1) << a;
      if (own != colour) return;
      MomentumTile<D> tile;
      if (p.affine[0])
        scatter_block<D, Rows::affine>(tile, index, p, slot, h);
      else
        scatter_block<D, Rows::none>(tile, index, p, slot, h);
      add_tile(grid, tile, b * block_edge<D>, u, weight);
    });
  }
  for (int a = 0; a < D; ++a) {
    const View<D, float> m = u[a], w = weight[a];
    for_each_row(exec, active, grid.face_range(a), [=](const Index<D>& first, int width) {
      const std::ptrdiff_t n = m.offset(first);
      for (int i = 0; i < width; ++i) m.data[n + i] = w.data[n + i] > 0 ? m.data[n + i] / w.data[n + i] : 0.f;
    });
  }
}

namespace {

// Spray among the particles of a batch, and what each gains.
template <int D>
struct Flying {
  bool flies[Batch<D>::capacity];
  float gain[D][Batch<D>::capacity];

  // Returns whether any is.
  GLUG_INLINE bool find(const ParticleUpdate<D>& update, float per_cell, const Batch<D>& batch,
                        const ParticleViewOf<D, float>& p, const std::uint32_t* id, const Index<D>& lo,
                        const std::uint32_t* begin) {
    bool any = false;
    for (int n = 0; n < batch.count; ++n) {
      const Index<D> cell = cell_of_number<D>(batch.cell[n], lo);
      flies[n] = update.spray(cell);
      if (!flies[n]) continue;
      any = true;
      const std::int64_t i = batch.first + n;
      Vec<D, float> own = update.gain, offset{};
      if (update.solid.data) {
        for (int a = 0; a < D; ++a) offset[a] = p.offset[a][i];
        const std::uint32_t* count = begin + batch.cell[n];
        const float place = place_in_film(id[i], count[1] - count[0], update.particles_per_cell);
        if (solid_distance_at<D>(update.solid, per_cell, cell, offset) < place + 0.02f) {
          const Vec<D, float> slope = solid_gradient_at<D>(update.solid, per_cell, cell, offset);
          const float steep = norm(slope), inward = steep > 0.1f ? dot(own, slope) / steep : 0.f;
          if (inward < 0) own -= slope * (inward / steep);
        }
      }
      for (int a = 0; a < D; ++a) gain[a][n] = own[a];
    }
    return any;
  }
};

// (T7) What the grid allows the particles of a block.
template <int D>
struct Allowed {
  FaceTile<D, 1> grids;
  Float4 loose, slack;
  Float4 low[D], high[D];  // between these everything is allowed, anywhere in the block

  GLUG_INLINE Allowed(const ParticleUpdate<D>& update, const Grid<D>& grid, const MacView<D, const float>& u,
                      const Index<D>& lo)
      : loose(splat(update.loose)), slack(splat(update.slack)) {
    grids.load(grid, u, lo);
    for (int a = 0; a < D; ++a) {
      static_assert(FaceTile<D, 1>::size % 4 == 0);
      Float4 least4 = load4(grids.value[a]), most4 = least4;
      for (int n = 4; n < FaceTile<D, 1>::size; n += 4) {
        const Float4 v = load4(grids.value[a] + n);
        least4 = v < least4 ? v : least4;
        most4 = v > most4 ? v : most4;
      }
      const float least = std::min({least4[0], least4[1], least4[2], least4[3]});
      const float most = std::max({most4[0], most4[1], most4[2], most4[3]});
      low[a] = splat(most - update.slack);
      high[a] = splat(least + update.slack);
    }
  }

  GLUG_INLINE void operator()(const Batch<D>& batch, const BatchPlaces<D>& places,
                              float (&v)[D][Batch<D>::capacity]) const {
    Int4 beyond{};
    for (int n = 0; n < batch.count; n += 4)
      for (int a = 0; a < D; ++a) beyond |= outside(a, load4(v[a] + n));
    if (!any4(beyond)) return;
    for (int n = 0; n < batch.count; n += 4)
      for (int a = 0; a < D; ++a)
        if (const Float4 own = load4(v[a] + n); any4(outside(a, own)))
          store4(v[a] + n, limited(a, places, n, own));
  }

 private:
  GLUG_INLINE Int4 outside(int a, const Float4& v) const { return (v < low[a]) | (v > high[a]); }
  GLUG_INLINE Float4 limited(int a, const BatchPlaces<D>& places, int n, const Float4& v) const {
    Corners4<D> around;
    gather4(grids, a, places, n, around);
    Float4 least = around.corner[0], most = least;
    for (int c = 1; c < (1 << D); ++c) {
      least = around.corner[c] < least ? around.corner[c] : least;
      most = around.corner[c] > most ? around.corner[c] : most;
    }
    const Float4 u = interpolate(around);
    const Float4 part = loose * (u < splat(0) ? -u : u), by = part > slack ? part : slack;
    least -= by;
    most += by;
    const Float4 raised = v < least ? least : v;
    return raised > most ? most : raised;
  }
};

// Everything is allowed.
template <int D>
struct AllAllowed {
  GLUG_INLINE void operator()(const Batch<D>&, const BatchPlaces<D>&,
                              float (&)[D][Batch<D>::capacity]) const {}
};

// One block: v = rule(v, what the corners give) for every component, by fours, then what limit() leaves of
// it; spray for itself. Returns its kinetic energy per mass of a particle. Step by step for a whole batch:
// its fours do not wait for each other.
template <int D, class Rule, class Limit>
GLUG_INLINE double update_block(const Grid<D>& grid, const ParticleIndex<D>& index,
                                const ParticleViewOf<D, const float>& at, const ParticleViewOf<D, float>& p,
                                const FaceTile<D, 1>& tile, const std::uint32_t* id, std::int32_t slot,
                                const ParticleUpdate<D>& update, Rule rule, const Limit& limit) {
  const Range<D> block = index.occupied.indices(slot);
  const bool sprays = update.spray.any(intersection(block, grid.cell_range()));
  const Float4 fresh = splat(update.fresh), stale = splat(1 - update.fresh);
  const float per_cell = static_cast<float>(1 / grid.h);
  const std::uint32_t* begin = index.cell_begin + static_cast<std::size_t>(slot) * block_volume<D>;
  double energy = 0;
  for_each_batch<D>(index, at, slot, [&](const Batch<D>& batch) {
    alignas(16) float before[D][Batch<D>::capacity], after[D][Batch<D>::capacity];
    for (int a = 0; a < D; ++a) {
      for (int n = 0; n < batch.count; ++n) before[a][n] = p.velocity[a][batch.first + n];
      for (int n = batch.count; n < Batch<D>::capacity; ++n) before[a][n] = 0;
    }
    BatchPlaces<D> places;
    for (int n = 0; n < batch.count; n += 4) {
      Float4 x[D];
      for (int a = 0; a < D; ++a) x[a] = load4(batch.position[a] + n);
      places.set4(n, x);
    }
    sample_batch(tile, batch, places, [&](int a, int n, const Corners4<D>& corners) {
      const int lanes = batch.count - n < 4 ? batch.count - n : 4;
      store4(after[a] + n, rule(a, batch.first + n, lanes, corners, load4(before[a] + n)));
    });
    limit(batch, places, after);
    Flying<D> flying;
    if (sprays && flying.find(update, per_cell, batch, p, id, block.lo, begin))
      for (int n = 0; n < batch.count; ++n) {
        if (!flying.flies[n]) continue;
        for (int a = 0; a < D; ++a) after[a][n] = before[a][n] + flying.gain[a][n];
        for (int b = 0; p.affine[0] && b < D * D; ++b) p.affine[b][batch.first + n] = 0;
      }
    for (int a = 0; a < D; ++a) {
      for (int n = 0; n < batch.count; ++n) p.velocity[a][batch.first + n] = after[a][n];
      for (int n = batch.count; n < Batch<D>::capacity; ++n) after[a][n] = 0;
    }
    Float4 squares = splat(0);
    for (int n = 0; n < batch.count; n += 4)
      for (int a = 0; a < D; ++a) {
        const Float4 between = stale * load4(before[a] + n) + fresh * load4(after[a] + n);
        squares += between * between;
      }
    energy += 0.5 * static_cast<double>(squares[0] + squares[1] + squares[2] + squares[3]);
  });
  return energy;
}

}  // namespace

template <int D>
double grid_to_particles(const Exec& exec, const Grid<D>& grid, MacView<D, const float> u_new,
                         MacView<D, const float> u_old, float keep, Particles<D>& particles,
                         const ParticleUpdate<D>& update) {
  const ParticleIndex<D> index = particle_index(particles);
  const ParticleViewOf<D, float> p = particles.arrays.view();
  const ParticleViewOf<D, const float> at = std::as_const(particles.arrays).view();
  const BlocksView<D> occupied = index.occupied;
  const std::uint32_t* id = particles.arrays.id.data();
  return reduce_blocks(exec, occupied, 0.0, Plus{}, [=](std::int32_t slot) {
    FaceTile<D, 1> tile;
    const Index<D> lo = occupied.indices(slot).lo;
    for (int a = 0; a < D; ++a) {
      const float *fresh = u_new[a].data, *old = u_old[a].data;
      tile.load(a, grid.face_range(a), u_new[a], lo,
                [=](std::ptrdiff_t n) { return fresh[n] - keep * old[n]; });
    }
    const Float4 kept = splat(keep);
    const auto rule = [=](int, std::int64_t, int, const Corners4<D>& corners, const Float4& v) {
      return kept * v + interpolate(corners);
    };
    if (!std::isfinite(update.slack))
      return update_block(grid, index, at, p, tile, id, slot, update, rule, AllAllowed<D>{});
    return update_block(grid, index, at, p, tile, id, slot, update, rule,
                        Allowed<D>(update, grid, u_new, lo));
  });
}

template <int D>
double grid_to_affine_particles(const Exec& exec, const Grid<D>& grid, MacView<D, const float> u,
                                Particles<D>& particles, const ParticleUpdate<D>& update) {
  const ParticleIndex<D> index = particle_index(particles);
  const ParticleViewOf<D, float> p = particles.arrays.view();
  const ParticleViewOf<D, const float> at = std::as_const(particles.arrays).view();
  const BlocksView<D> occupied = index.occupied;
  const Float4 per_metre = splat(static_cast<float>(1 / grid.h));
  const std::uint32_t* id = particles.arrays.id.data();
  return reduce_blocks(exec, occupied, 0.0, Plus{}, [=](std::int32_t slot) {
    FaceTile<D, 1> tile;
    tile.load(grid, u, occupied.indices(slot).lo);
    return update_block(
        grid, index, at, p, tile, id, slot, update,
        [=](int a, std::int64_t first, int lanes, const Corners4<D>& corners, const Float4&) {
          for (int b = 0; b < D; ++b) {
            const Float4 c = derivative(corners, b) * per_metre;
            for (int lane = 0; lane < lanes; ++lane) p.affine[a * D + b][first + lane] = c[lane];
          }
          return interpolate(corners);
        },
        AllAllowed<D>{});
  });
}

double flip_keep(double flip_ratio, double dt) { return std::pow(flip_ratio, 24 * dt); }

#define GLUG_INSTANTIATE(D)                                                                                  \
  template void particles_to_grid<D>(const Exec&, const Grid<D>&, const BlocksView<D>&, const Particles<D>&, \
                                     MacView<D, float>, MacView<D, float>);                                  \
  template double grid_to_particles<D>(const Exec&, const Grid<D>&, MacView<D, const float>,                 \
                                       MacView<D, const float>, float, Particles<D>&,                        \
                                       const ParticleUpdate<D>&);                                            \
  template double grid_to_affine_particles<D>(const Exec&, const Grid<D>&, MacView<D, const float>,          \
                                              Particles<D>&, const ParticleUpdate<D>&);
GLUG_INSTANTIATE(2)
GLUG_INSTANTIATE(3)
#undef GLUG_INSTANTIATE

}  // namespace glug
