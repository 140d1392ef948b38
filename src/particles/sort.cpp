#include "particles/sort.h"

#include <algorithm>
#include <vector>

#include "core/random.h"
#include "core/reduce.h"
#include "particles/collide.h"
#include "particles/fill_gas.h"

namespace glug {
namespace {

// Any number of pieces gives the same order, since the sort is stable; each costs a histogram.
inline constexpr int most_pieces = 8;
// Reseeding looks at least this deep below the surface (in cells). The surface it knows is the last step's:
// the liquid has moved up to a cell or two since, and cells that it is leaving look sparse. Filling those
// (1.5 cells) held a falling drop back.
inline constexpr float reseed_depth = 3;
inline constexpr float urgent_depth = 1;

struct Pieces {
  int count;
  std::int64_t particles;
  GLUG_INLINE std::int64_t begin(std::int64_t piece) const { return particles * piece / count; }
};

template <int D>
void find_occupied(const Exec& exec, const Pieces& pieces, const Grid<D>& grid, const Reseed<D>* reseed,
                   Particles<D>& particles) {
  const std::size_t total = static_cast<std::size_t>(particles.occupied.total());
  std::vector<std::uint8_t> flags(total * static_cast<std::size_t>(pieces.count), 0);
  std::uint8_t* mark = flags.data();
  const std::uint32_t* key = particles.key.data();
  for_each_task(exec, pieces.count, [=](std::ptrdiff_t piece) {
    std::uint8_t* own = mark + static_cast<std::size_t>(piece) * total;
    for (std::int64_t i = pieces.begin(piece); i < pieces.begin(piece + 1); ++i)
      if (key[i] != particle_gone) own[key[i] / block_volume<D>] = 1;
  });
  for (int piece = 1; piece < pieces.count; ++piece)
    for (std::size_t b = 0; b < total; ++b) flags[b] |= flags[static_cast<std::size_t>(piece) * total + b];
  flags.resize(total);
  if (reseed && reseed->rule == ReseedRule::filling) mark_gas_blocks(exec, grid, *reseed, flags);
  particles.occupied.assign(flags);
}

// Cells this deep (in cells) inside the liquid and clear of solids.
template <int D>
GLUG_INLINE bool may_reseed(const Reseed<D>& r, const Grid<D>& grid, const Index<D>& cell, float depth) {
  const float h = static_cast<float>(grid.h);
  if (!grid.cell_range().contains(cell) || r.known.slot_of_cell(cell) < 0) return false;
  if (!(r.phi(cell) < -depth * h)) return false;
  return solid_distance_at<D>(r.solid, 1 / h, cell, Vec<D, float>::filled(0.5f)) > 0.25f;
}

template <int D>
GLUG_INLINE bool is_void(const Reseed<D>& r, const Grid<D>& grid, const Index<D>& cell) {
  return grid.cell_range().contains(cell) &&
         std::binary_search(r.voids, r.voids + r.void_count, grid.cell_range().number_of(cell));
}

template <int D>
GLUG_INLINE bool holds_void(const Reseed<D>& r, const Grid<D>& grid, const Range<D>& block) {
  for (std::int64_t k = 0; k < r.void_count; ++k)
    if (block.contains(grid.cell_range().at(r.voids[k]))) return true;
  return false;
}

// Per cell: how many to add (positive) or to give away (negative). Balanced within each block: mass carried
// any farther feeds waves (a slosh in a tank stayed at 2% of its energy for ever when the fullest cells of
// the whole tank gave). What the block's full cells cannot give waits for a later step.
template <int D>
void plan_reseeding(const Exec& exec, const Grid<D>& grid, const Reseed<D>& r, const BlocksView<D>& occupied,
                    const std::uint32_t* count, std::int16_t* plan) {
  for_each_block(exec, occupied, [=](std::int32_t slot) {
    const Index<D> lo = occupied.indices(slot).lo;
    const std::uint32_t* n = count + static_cast<std::size_t>(slot) * block_volume<D>;
    std::int16_t* change = plan + static_cast<std::size_t>(slot) * block_volume<D>;
    // A void must be filled now, so there cells give that are not over-full, and nearer the surface: it has
    // made one itself.
    const bool urgent = holds_void(r, grid, occupied.indices(slot));
    const int full = urgent ? r.limits.minimum + 1 : r.limits.full;
    int wanted = 0, spare = 0, fullest = 0;
    for (int c = 0; c < block_volume<D>; ++c) {
      const int own = static_cast<int>(n[c]);
      change[c] = 0;
      const bool empty = own < r.limits.minimum;
      if (!empty && own < full) continue;
      const Index<D> cell = cell_of_number<D>(c, lo);
      if (!(urgent && empty && is_void(r, grid, cell)) &&
          !may_reseed(r, grid, cell, urgent && !empty ? urgent_depth : reseed_depth))
        continue;
      change[c] = static_cast<std::int16_t>(empty ? r.limits.fill - own : clamp(full - 1 - own, -1000, 0));
      wanted += change[c] > 0 ? change[c] : 0;
      spare -= change[c] < 0 ? change[c] : 0;
      fullest = change[c] < fullest ? change[c] : fullest;
    }
    int moves = wanted < spare ? wanted : spare;
    if (wanted == 0 && spare == 0) return;
    // The emptiest are filled first, from a cell that wanders with the seed.
    const int start = static_cast<int>(mix_bits(r.seed ^ static_cast<std::uint64_t>(occupied.ids[slot])) %
                                       static_cast<std::uint64_t>(block_volume<D>));
    int left = moves;
    for (int level = 0; level < r.limits.minimum; ++level)
      for (int k = 0; k < block_volume<D>; ++k) {
        const int c = (start + k) % block_volume<D>;
        if (change[c] <= 0 || static_cast<int>(n[c]) != level) continue;
        change[c] = static_cast<std::int16_t>(change[c] < left ? change[c] : left);
        left -= change[c];
      }
    // The fullest give first: those that could give `level` or more give one, level by level.
    std::int16_t gives[block_volume<D>];
    for (int c = 0; c < block_volume<D>; ++c) gives[c] = 0;
    left = moves;
    for (int level = -fullest; level > 0 && left > 0; --level)
      for (int k = 0; k < block_volume<D> && left > 0; ++k) {
        const int c = (start + k) % block_volume<D>;
        if (change[c] > -level) continue;
        ++gives[c];
        --left;
      }
    for (int c = 0; c < block_volume<D>; ++c)
      if (change[c] < 0) change[c] = static_cast<std::int16_t>(-gives[c]);
  });
}

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

}  // namespace

ReseedLimits reseed_limits(int dimension, int particles_per_cell) {
  if (dimension == 2) return {(3 * particles_per_cell + 3) / 4, particles_per_cell, particles_per_cell + 1};
  return {(particles_per_cell + 1) / 2, (5 * particles_per_cell + 7) / 8, (5 * particles_per_cell + 3) / 4};
}

template <int D>
SortReport sort_particles(const Exec& exec, const Grid<D>& grid, const Reseed<D>* reseed,
                          Particles<D>& particles) {
  SortReport report;
  const Pieces pieces{std::clamp(exec.threads, 1, most_pieces), particles.count};
  find_occupied(exec, pieces, grid, reseed, particles);
  const BlocksView<D> occupied = particles.occupied.view();
  const std::size_t cells = static_cast<std::size_t>(occupied.count) * block_volume<D>;

  // Count. histogram[piece][cell], keys rewritten from linear blocks to slots.
  Buffer<std::uint32_t> histogram(cells * static_cast<std::size_t>(pieces.count));
  std::uint32_t* counts = histogram.data();
  std::uint32_t* key = particles.key.data();
  for_each_task(exec, pieces.count, [=](std::ptrdiff_t piece) {
    std::uint32_t* own = counts + static_cast<std::size_t>(piece) * cells;
    for (std::int64_t i = pieces.begin(piece); i < pieces.begin(piece + 1); ++i) {
      if (key[i] == particle_gone) continue;
      key[i] = static_cast<std::uint32_t>(occupied.slots[key[i] / block_volume<D>]) * block_volume<D> +
               key[i] % block_volume<D>;
      ++own[key[i]];
    }
  });
  if (particles.cell_begin.size() < cells + 1)
    particles.cell_begin = Buffer<std::uint32_t>(cells + cells / 4 + 1);
  std::uint32_t* begin = particles.cell_begin.data();
  for_each(exec, static_cast<std::ptrdiff_t>(cells), [=](std::ptrdiff_t k) {
    std::uint32_t n = 0;
    for (int piece = 0; piece < pieces.count; ++piece)
      n += counts[static_cast<std::size_t>(piece) * cells + k];
    begin[k] = n;
  });
  const std::int64_t staying = reduce(exec, static_cast<std::ptrdiff_t>(cells), std::int64_t{0}, Plus{},
                                      [=](std::ptrdiff_t k) { return static_cast<std::int64_t>(begin[k]); });
  report.left = particles.count - staying;

  // Reseed: plan[cell] particles more or fewer.
  Buffer<std::int16_t> plan_buffer(reseed ? cells : 0);
  std::int16_t* plan = plan_buffer.data();
  if (reseed) {
    if (reseed->rule == ReseedRule::filling)
      plan_filling(exec, grid, *reseed, occupied, begin, plan);
    else
      plan_reseeding(exec, grid, *reseed, occupied, begin, plan);
    report.added =
        reduce(exec, static_cast<std::ptrdiff_t>(cells), std::int64_t{0}, Plus{},
               [=](std::ptrdiff_t k) { return static_cast<std::int64_t>(plan[k] > 0 ? plan[k] : 0); });
    for_each(exec, static_cast<std::ptrdiff_t>(cells),
             [=](std::ptrdiff_t k) { begin[k] = begin[k] + plan[k]; });
  }
  begin[cells] = exclusive_scan(exec, begin, static_cast<std::ptrdiff_t>(cells));
  const std::int64_t total = begin[cells];

  // Move. The first of a cell stay, the last are the ones given away; added ones follow the old.
  if (particles.spare.capacity() < total)
    particles.spare = ParticleArrays<D>(total + total / 16 + 64, particles.arrays.has_affine());
  const int floats = particles.arrays.float_count();
  struct Arrays {
    const float* from[2 * D + D * D];
    float* to[2 * D + D * D];
  } arrays{};
  for (int n = 0; n < floats; ++n) {
    arrays.from[n] = particles.arrays.floats(n).data();
    arrays.to[n] = particles.spare.floats(n).data();
  }
  const std::uint32_t* id_from = particles.arrays.id.data();
  std::uint32_t* id_to = particles.spare.id.data();
  for_each(exec, static_cast<std::ptrdiff_t>(cells), [=](std::ptrdiff_t k) {
    std::uint32_t at = begin[k];
    for (int piece = 0; piece < pieces.count; ++piece) {
      std::uint32_t& slot = counts[static_cast<std::size_t>(piece) * cells + k];
      const std::uint32_t n = slot;
      slot = at;
      at += n;
    }
  });
  for_each_task(exec, pieces.count, [=](std::ptrdiff_t piece) {
    std::uint32_t* next = counts + static_cast<std::size_t>(piece) * cells;
    for (std::int64_t i = pieces.begin(piece); i < pieces.begin(piece + 1); ++i) {
      const std::uint32_t k = key[i];
      if (k == particle_gone) continue;
      const std::uint32_t to = next[k]++;
      if (to >= begin[k + 1]) continue;
      for (int n = 0; n < floats; ++n) arrays.to[n][to] = arrays.from[n][i];
      id_to[to] = id_from[i];
    }
  });

  if (report.added > 0) {
    std::vector<std::uint32_t> first(static_cast<std::size_t>(occupied.count) + 1, 0);
    std::uint32_t* first_id = first.data();
    for_each_block(exec, occupied, [=](std::int32_t slot) {
      std::uint32_t n = 0;
      for (int c = 0; c < block_volume<D>; ++c)
        n += static_cast<std::uint32_t>(
            std::max<int>(0, plan[static_cast<std::size_t>(slot) * block_volume<D> + c]));
      first_id[slot] = n;
    });
    exclusive_scan(exec, first_id, occupied.count);
    const std::uint32_t base = particles.next_id;
    const Reseed<D> r = *reseed;
    for_each_block(exec, occupied, [=](std::int32_t slot) {
      const Index<D> lo = occupied.indices(slot).lo;
      std::uint32_t id = base + first_id[slot];
      for (int c = 0; c < block_volume<D>; ++c) {
        const std::size_t k = static_cast<std::size_t>(slot) * block_volume<D> + static_cast<std::size_t>(c);
        const Index<D> cell = cell_of_number<D>(c, lo);
        for (int n = 0; n < plan[k]; ++n, ++id) {
          const std::uint32_t to = begin[k + 1] - static_cast<std::uint32_t>(plan[k] - n);
          Rng rng(r.seed, id);
          Vec<D, float> offset{};
          for (int a = 0; a < D; ++a) offset[a] = rng.uniform();
          const float h = static_cast<float>(grid.h);
          const float wall = solid_distance_at<D>(r.solid, 1 / h, cell, offset);
          if (wall < collision_gap)
            offset += solid_gradient_at<D>(r.solid, 1 / h, cell, offset) * (collision_gap - wall);
          for (int a = 0; a < D; ++a) {
            offset[a] = clamp(offset[a], 0.f, 1 - 0x1p-24f);
            arrays.to[a][to] = offset[a];
          }
          for (int a = 0; a < D; ++a)
            arrays.to[D + a][to] = interpolate_face(grid, r.velocity[a], a, cell, offset);
          for (int m = 2 * D; m < floats; ++m) arrays.to[m][to] = 0;
          id_to[to] = id;
        }
      }
    });
    particles.next_id += static_cast<std::uint32_t>(report.added);
  }

  std::swap(particles.arrays, particles.spare);
  particles.count = total;
  if (static_cast<std::int64_t>(particles.key.size()) < total)
    particles.key = Buffer<std::uint32_t>(static_cast<std::size_t>(particles.arrays.capacity()));
  return report;
}

template SortReport sort_particles<2>(const Exec&, const Grid<2>&, const Reseed<2>*, Particles<2>&);
template SortReport sort_particles<3>(const Exec&, const Grid<3>&, const Reseed<3>*, Particles<3>&);

}  // namespace glug
