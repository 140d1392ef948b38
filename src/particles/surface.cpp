#include "particles/surface.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/for_each.h"
#include "core/rows.h"
#include "particles/batch.h"
#include "particles/wall_gaps.h"

namespace glug {
namespace {

inline constexpr float kernel_radius =
    1.5f;  // cells: a particle reaches the centres of its cell's 3^D neighbours, no others
inline constexpr double open_floor =
    0.15;  // of the whole kernel; in narrower places particles would weigh too much

inline constexpr int depth_steps = 64;

template <int D>
struct Kernel {
  double whole;                  // integral over all space, in cells^D
  float depth[depth_steps + 1];  // cells below a plane surface at which rho has the value k / depth_steps
  float of_cell[power(3, D)];    // integral over each cell of the 3^D neighbourhood
};

// Below a plane surface rho(y) = 1/2 + 1/2 integral_0^y (1 - t^2/R^2)^e dt / integral_0^R: what the kernel
// holds on the near side; e = 7/2 in 2D, 4 in 3D. Inverted by walking along it.
template <int D>
void find_depths(float (&depth)[depth_steps + 1]) {
  constexpr int steps = 4096;
  const double dy = static_cast<double>(kernel_radius) / steps;
  double integral[steps + 1] = {0};
  for (int n = 0; n < steps; ++n) {
    const double s = (n + 0.5) / steps;
    integral[n + 1] = integral[n] + std::pow(1 - s * s, D == 2 ? 3.5 : 4.0);
  }
  constexpr int half = depth_steps / 2;
  int n = 0;
  for (int k = 0; k <= half; ++k) {
    const double wanted = integral[steps] * k / half;
    while (n < steps && integral[n + 1] < wanted) ++n;
    const double gain = integral[n < steps ? n + 1 : n] - integral[n];
    const double y = (n + (gain > 0 ? std::min(1.0, (wanted - integral[n]) / gain) : 0)) * dy;
    depth[half + k] = static_cast<float>(y);
    depth[half - k] = static_cast<float>(-y);
  }
}

// The depth below a plane surface, in cells, at which rho is this.
template <int D>
GLUG_INLINE float depth_of(const Kernel<D>& kernel, float rho) {
  const float s = clamp(rho, 0.f, 1.f) * depth_steps;
  const int k = s < depth_steps - 1 ? static_cast<int>(s) : depth_steps - 1;
  return kernel.depth[k] + (s - static_cast<float>(k)) * (kernel.depth[k + 1] - kernel.depth[k]);
}

template <int D>
Kernel<D> make_kernel() {
  Kernel<D> k;
  const double r = kernel_radius;
  const double pi = std::numbers::pi;
  k.whole = D == 2 ? pi * r * r / 4 : 4 * pi * r * r * r * 16 / 315;
  find_depths<D>(k.depth);
  constexpr int samples = 16;
  double sum = 0;
  for (int c = 0; c < power(3, D); ++c) {
    const Range<D> cube{Index<D>{}, Index<D>::filled(samples)};
    const Index<D> cell = Range<D>{Index<D>::filled(-1), Index<D>::filled(2)}.at(c);
    double integral = 0;
    visit(cube, [&](const Index<D>& s) {
      double squared = 0;
      for (int a = 0; a < D; ++a) {
        const double x = cell[a] - 0.5 + (s[a] + 0.5) / samples;
        squared += x * x;
      }
      const double t = 1 - squared / (r * r);
      if (t > 0) integral += t * t * t;
    });
    k.of_cell[c] = static_cast<float>(integral / static_cast<double>(cube.size()));
    sum += static_cast<double>(k.of_cell[c]);
  }
  for (float& w : k.of_cell) w = static_cast<float>(static_cast<double>(w) * k.whole / sum);
  return k;
}

// Share of a cell that is not solid, from the mean of its nodes: exact for a plane along the grid.
template <int D>
GLUG_INLINE float open_share(const Grid<D>& grid, const Sides<D>& sides, const View<D, const float>& solid,
                             float per_cell, const Index<D>& cell) {
  for (int a = 0; a < D; ++a) {
    if (cell[a] < 0) return sides.open[a][0] ? 1.f : 0.f;
    if (cell[a] >= grid.cells[a]) return sides.open[a][1] ? 1.f : 0.f;
  }
  const std::ptrdiff_t n = solid.offset(cell);
  float mean = 0;
  for (int c = 0; c < (1 << D); ++c) {
    std::ptrdiff_t at = n;
    for (int a = 0; a < D; ++a)
      if (c >> a & 1) at += solid.stride[a];
    mean += solid.data[at];
  }
  return clamp(0.5f + mean * per_cell / static_cast<float>(1 << D), 0.f, 1.f);
}

// Particles in each cell of a block and its neighbours, and how open each cell is.
template <int D>
struct Surroundings {
  static constexpr int edge = block_edge<D> + 2;
  static constexpr int size = power(edge, D);
  std::uint32_t first[size];
  std::int32_t count[size];
  std::int32_t held[size];  // as count; of deep cells, which have no particles, what fills them
};

// Whether all cells of a range have a mark.
template <int D>
GLUG_INLINE bool all_marked(const CellMark<D>& marked, const Range<D>& range) {
  int others = 0;
  visit_rows(range, [&](const Index<D>& first, int n) {
    const std::uint8_t* row = &marked.flag(first);
    for (int k = 0; k < n; ++k) others += row[k] != marked.value;
  });
  return others == 0;
}

template <int D>
GLUG_INLINE int tile_number(const Index<D>& i, const Index<D>& lo) {
  int n = 0;
  for (int a = D - 1; a >= 0; --a) n = n * Surroundings<D>::edge + (i[a] - lo[a]);
  return n;
}

}  // namespace

template <int D>
void surface_from_particles(const Exec& exec, const Grid<D>& grid, const Sides<D>& sides,
                            const BlocksView<D>& active, const Particles<D>& particles,
                            int particles_per_cell, View<D, const float> solid, View<D, float> phi,
                            const CellMark<D>& deep) {
  static const Kernel<D> made = make_kernel<D>();
  const Kernel<D> kernel = made;
  const ParticleIndex<D> index = particle_index(particles);
  const BlocksView<D> occupied = index.occupied;
  const ParticleViewOf<D, const float> p = particles.arrays.view();
  const float per_cell = static_cast<float>(1 / grid.h);
  const float h = static_cast<float>(grid.h);
  const float inside = -kernel_radius * h, outside = kernel_radius * h;
  // Well filled around, and no cell nearly empty: rho is above 1/2 without counting.
  const int sparse = (particles_per_cell + 3) / 4, dense = power(3, D) * particles_per_cell * 4 / 5;
  const WallGapInput<D> solids{grid, solid, occupied, index.cell_begin, p, deep};
  for_each_block(exec, active, [=](std::int32_t slot) {
    const Range<D> block = active.indices(slot);
    const Index<D> lo = block.lo - Index<D>::filled(1);
    const Range<D> around{lo, lo + Index<D>::filled(Surroundings<D>::edge)};
    if (deep.flag.data && all_marked(deep, intersection(around, grid.cell_range()))) {
      visit_rows(intersection(block, grid.cell_range()), [&](const Index<D>& first, int n) {
        float* row = &phi(first);
        for (int k = 0; k < n; ++k) row[k] = inside;
      });
      return;
    }
    Surroundings<D> s;
    std::int32_t most = 0;
    visit(Range<D>{Index<D>::filled(-1), Index<D>::filled(2)}, [&](const Index<D>& step) {
      const Index<D> b = active.coordinates(active.ids[slot]) + step;
      const std::int32_t from = occupied.slot_of_block(b);
      const Range<D> theirs{b * block_edge<D>, (b + Index<D>::filled(1)) * block_edge<D>};
      const std::uint32_t* begin =
          from < 0 ? nullptr : index.cell_begin + static_cast<std::size_t>(from) * block_volume<D>;
      visit(intersection(theirs, around), [&](const Index<D>& i) {
        const int t = tile_number<D>(i, lo);
        s.first[t] = 0;
        s.count[t] = s.held[t] = 0;
        if (grid.cell_range().contains(i) && deep(i)) {
          s.held[t] = most = particles_per_cell;
          return;
        }
        if (!begin) return;
        const int c = cell_in_block<D>(i, theirs.lo);
        s.first[t] = begin[c];
        s.count[t] = s.held[t] = static_cast<std::int32_t>(begin[c + 1] - begin[c]);
        if (s.count[t] > most) most = s.count[t];
      });
    });
    const Range<D> cells = intersection(block, grid.cell_range());
    if (most == 0) {
      visit(cells, [&](const Index<D>& i) { phi(i) = outside; });
      return;
    }
    // Least and total number of particles in the 3^D cells around: one axis at a time.
    std::int32_t least[Surroundings<D>::size], total[Surroundings<D>::size], next[Surroundings<D>::size];
    for (int t = 0; t < Surroundings<D>::size; ++t) least[t] = total[t] = s.held[t];
    for (int a = 0; a < D; ++a) {
      const int step = power(Surroundings<D>::edge, a);
      for (int t = step; t < Surroundings<D>::size - step; ++t)
        next[t] = total[t - step] + total[t] + total[t + step];
      for (int t = step; t < Surroundings<D>::size - step; ++t) total[t] = next[t];
      for (int t = step; t < Surroundings<D>::size - step; ++t) {
        const std::int32_t low = least[t - step] < least[t] ? least[t - step] : least[t];
        next[t] = low < least[t + step] ? low : least[t + step];
      }
      for (int t = step; t < Surroundings<D>::size - step; ++t) least[t] = next[t];
    }
    visit(cells, [&](const Index<D>& i) {
      const int centre = tile_number<D>(i, lo);
      const bool full = least[centre] >= sparse && total[centre] >= dense, any = total[centre] > 0;
      if (full || !any) {
        phi(i) = full ? inside : outside;
        return;
      }
      // Beyond the reach of any wall the kernel is whole. A node of the cell tells: distance has slope 1.
      const bool walls = solid(i) * per_cell < 4.f;
      Float4 sum = splat(0);
      float open = walls ? 0.f : static_cast<float>(kernel.whole);
      float deep_sum = 0;
      int neighbour = 0;
      visit(Range<D>{Index<D>::filled(-1), Index<D>::filled(2)}, [&](const Index<D>& step) {
        const int t = centre + tile_number<D>(step, Index<D>{});
        for (std::int32_t q = 0; q < s.count[t]; q += 4) {
          Float4 w = splat(1);
          for (int a = 0; a < D; ++a) {
            const Float4 x = load4(p.offset[a] + s.first[t] + q) + splat(static_cast<float>(step[a]) - 0.5f);
            w -= x * x * splat(1 / (kernel_radius * kernel_radius));
          }
          const Int4 lane = Int4{0, 1, 2, 3} + q;
          sum += (w > 0) & (lane < s.count[t]) ? w * w * w : splat(0);
        }
        const float of_cell = kernel.of_cell[neighbour++];
        const float share = walls ? open_share(grid, sides, solid, per_cell, i + step) : 1.f;
        if (walls) open += of_cell * share;
        if (s.held[t] > s.count[t]) deep_sum += of_cell * share;
      });
      // (S8) Liquid that has not come to the wall is not crowded by it.
      if (walls) open += wall_gap_share(solids, i) * (static_cast<float>(kernel.whole) - open);
      const float floor = static_cast<float>(open_floor * kernel.whole);
      const float fill = static_cast<float>(particles_per_cell);
      const float rho =
          (sum[0] + sum[1] + sum[2] + sum[3] + fill * deep_sum) / (fill * (open > floor ? open : floor));
      phi(i) = -depth_of(kernel, rho) * h;
    });
  });
}

#define GLUG_INSTANTIATE(D)                                                               \
  template void surface_from_particles<D>(const Exec&, const Grid<D>&, const Sides<D>&,   \
                                          const BlocksView<D>&, const Particles<D>&, int, \
                                          View<D, const float>, View<D, float>, const CellMark<D>&);
GLUG_INSTANTIATE(2)
GLUG_INSTANTIATE(3)
#undef GLUG_INSTANTIATE

}  // namespace glug
