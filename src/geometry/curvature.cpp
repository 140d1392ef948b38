#include "geometry/curvature.h"

#include <numbers>

#include "core/for_each.h"
#include "core/reduce.h"
#include "geometry/solid_extension.h"

namespace glug {
namespace {

// Even, so that no wave changes its sign, however short. Together they smooth over 1.5 cells: with half as
// many the grain of particles makes twice the currents, with twice as many waves of six cells grow where the
// liquid is slowed down (docs/notebook/thick_and_tension.md).
constexpr int smoothing_steps(int D) { return 2 * D + 2; }
constexpr float rate(int D) { return 0.75f / static_cast<float>(2 * D); }
constexpr float wall_depth = 6;    // cells into solids
constexpr float off_wall = 0.75f;  // cells, from which solids take what the liquid is like
constexpr double flat = 0.05;      // |grad phi|^2 below which there is no direction
constexpr double delta_width = 3;  // cells, half the width of the delta function

// Distance from solids in cells, at the centre of a cell.
template <int D>
GLUG_INLINE float wall_distance(const View<D, const float>& nodal, float per_cell, const Index<D>& cell) {
  float sum = 0;
  const std::ptrdiff_t n = nodal.offset(cell);
  for (int corner = 0; corner < (1 << D); ++corner) {
    std::ptrdiff_t m = n;
    for (int a = 0; a < D; ++a)
      if (corner >> a & 1) m += nodal.stride[a];
    sum += nodal.at(m);
  }
  return sum * per_cell / static_cast<float>(1 << D);
}

// (C3) What a cell inside a solid holds: phi where the way straight out leaves the solid, less the slope
// times that way. Reads cells outside solids alone.
template <int D>
GLUG_INLINE void continue_into_wall(const View<D, float>& field, const View<D, const float>& nodal,
                                    const BlocksView<D>& known, const Grid<D>& grid, float slope,
                                    const Index<D>& i) {
  const float h = static_cast<float>(grid.h), depth = -wall_distance<D>(nodal, 1 / h, i);
  if (depth <= 0 || depth > wall_depth) return;
  Vec<D, float> normal{};
  float length2 = 0;
  const std::ptrdiff_t n = nodal.offset(i);
  for (int a = 0; a < D; ++a) {
    for (int corner = 0; corner < (1 << D); ++corner) {
      std::ptrdiff_t m = n;
      for (int b = 0; b < D; ++b)
        if (corner >> b & 1) m += nodal.stride[b];
      normal[a] += corner >> a & 1 ? nodal.at(m) : -nodal.at(m);
    }
    length2 += normal[a] * normal[a];
  }
  if (!(length2 > 0)) return;
  const float way = depth + off_wall, scale = way / std::sqrt(length2);
  Index<D> base{};
  Vec<D, float> t{};
  for (int a = 0; a < D; ++a) {
    const float s = normal[a] * scale, floor = std::floor(s);
    base[a] = i[a] + static_cast<int>(floor);
    t[a] = s - floor;
  }
  float sum = 0, weights = 0;
  for (int corner = 0; corner < (1 << D); ++corner) {
    Index<D> c = base;
    float w = 1;
    for (int a = 0; a < D; ++a) {
      const int high = corner >> a & 1;
      c[a] += high;
      w *= high ? t[a] : 1 - t[a];
    }
    c = grid.cell_range().clamped(c);
    if (known.slot_of_cell(c) < 0 || solid_centred<D, float>(nodal, c)) continue;
    sum += w * field(c);
    weights += w;
  }
  if (weights > 0.05f) field(i) = sum / weights - slope * way * h;
}

// Beyond walls of the domain the field goes on with the slope that the contact angle gives, beyond open sides
// as it is: one layer, edges and corners included.
template <int D>
void continue_beyond_sides(const Exec& exec, const BlocksView<D>& blocks, const Grid<D>& grid,
                           const Sides<D>& sides, float slope, View<D, float> field) {
  const Range<D> cells = grid.cell_range();
  const float rise = slope * static_cast<float>(grid.h);
  for_each_block(exec, blocks, [=](std::int32_t slot) {
    Range<D> own = intersection(blocks.indices(slot), cells);
    const Range<D> inside = own;
    for (int a = 0; a < D; ++a) {
      own.lo[a] -= own.lo[a] == cells.lo[a];
      own.hi[a] += own.hi[a] == cells.hi[a];
    }
    if (own.size() == inside.size() || inside.size() == 0) return;
    visit(own, [&](const Index<D>& i) {
      if (inside.contains(i)) return;
      float beyond = 0;
      for (int a = 0; a < D; ++a) {
        if (i[a] < cells.lo[a]) beyond += sides.open[a][0] ? 0 : rise;
        if (i[a] >= cells.hi[a]) beyond += sides.open[a][1] ? 0 : rise;
      }
      field(i) = field(cells.clamped(i)) - beyond;
    });
  });
}

}  // namespace

template <int D>
SurfaceCurvature<D>::SurfaceCurvature(const Grid<D>& grid) : grid_(grid) {
  for (Blocks<D>* b : {&filled_, &near_, &walled_}) *b = Blocks<D>(grid_);
  for (Field<D, float>* f : {&value_, &spare_, &kappa_, &weight_})
    *f = Field<D, float>(grid_.cell_range().grown(1));
}

template <int D>
CurvatureView<D> SurfaceCurvature<D>::view() const {
  CurvatureView<D> v;
  v.grid = grid_;
  v.near = near_.view();
  v.kappa = kappa_.read();
  v.value = value_.read();
  v.weight = weight_.read();
  return v;
}

template <int D>
void SurfaceCurvature<D>::update(const Exec& exec, const CurvatureInput<D>& input) {
  find_surface(exec, input);
  smooth(exec, input, value_, static_cast<float>(input.wall_slope));
  // What smoothing took away: weight_ holds phi as it was, kappa_ is free until the end.
  const View<D, const float> before = weight_.read();
  const View<D, float> value = value_.view(), lost = kappa_.view();
  for_each_cell(exec, filled_.view(), grid_.cell_range(),
                [=](const Index<D>& i) { lost(i) = before(i) - value(i); });
  smooth(exec, input, kappa_, 0);
  const View<D, const float> back = kappa_.read();
  for_each_cell(exec, near_.view(), grid_.cell_range(), [=](const Index<D>& i) { value(i) += back(i); });
  differentiate(exec, input);
}

// phi near the surface, and which blocks the surface passes through. Blocks that are not listed hold air.
template <int D>
void SurfaceCurvature<D>::find_surface(const Exec& exec, const CurvatureInput<D>& input) {
  const BlocksView<D> listed = input.blocks;
  std::vector<std::uint8_t> near(static_cast<std::size_t>(near_.total()), 0), walled(near);
  std::uint8_t *is_near = near.data(), *is_walled = walled.data();
  const View<D, const float> phi = input.phi, solid = input.solid;
  const Range<D> cells = grid_.cell_range();
  const float far = input.reach * static_cast<float>(grid_.h);
  for_each_block(exec, listed, [=](std::int32_t slot) {
    bool cut = false, solids = false;
    visit(intersection(listed.indices(slot), cells),
          [&](const Index<D>& i) { cut |= std::abs(phi(i)) < 0.999f * far; });
    if (cut)
      visit(intersection(listed.indices(slot), cells),
            [&](const Index<D>& i) { solids |= solid_centred<D, float>(solid, i); });
    is_near[listed.ids[slot]] = cut;
    is_walled[listed.ids[slot]] = cut && solids;
  });
  near_.assign(near);
  walled_.assign(walled);
  filled_ = near_.dilated(1);
  const View<D, float> value = value_.view(), before = weight_.view();
  for_each_row(exec, filled_.view(), cells, [=](const Index<D>& first, int n) {
    const bool known = listed.slot_of_cell(first) >= 0;
    const float* from = &phi(first);
    float *to = &value(first), *kept = &before(first);
    for (int k = 0; k < n; ++k) to[k] = kept[k] = known ? clamp(from[k], -far, far) : far;
  });
}

template <int D>
void SurfaceCurvature<D>::continue_into_walls(const Exec& exec, const CurvatureInput<D>& input,
                                              View<D, float> field, float slope) const {
  const View<D, const float> solid = input.solid;
  const BlocksView<D> known = input.blocks;
  const Grid<D> grid = grid_;
  for_each_cell(exec, walled_.view(), grid_.cell_range(),
                [=](const Index<D>& i) { continue_into_wall<D>(field, solid, known, grid, slope, i); });
  continue_beyond_sides<D>(exec, near_.view(), grid_, input.sides, slope, field);
}

template <int D>
void SurfaceCurvature<D>::smooth(const Exec& exec, const CurvatureInput<D>& input, Field<D, float>& field,
                                 float slope) {
  const Range<D> cells = grid_.cell_range();
  {
    const View<D, const float> from = field.read();
    const View<D, float> to = spare_.view();
    for_each_cell(exec, filled_.view(), cells, [=](const Index<D>& i) { to(i) = from(i); });
  }
  for (int step = 0; step < smoothing_steps(D); ++step) {
    const View<D, float> from = field.view(), to = spare_.view();
    continue_into_walls(exec, input, from, slope);
    for_each_row(exec, near_.view(), cells, [=](const Index<D>& first, int n) {
      const float* here = &from(first);
      float* __restrict there = &to(first);
      for (int k = 0; k < n; ++k) {
        float around = 0;
        for (int a = 0; a < D; ++a) around += here[k + from.stride[a]] + here[k - from.stride[a]];
        there[k] = here[k] + rate(D) * (around - 2 * D * here[k]);
      }
    });
    field.swap(spare_);
  }
}

// (C1) kappa, and the area (C4).
template <int D>
void SurfaceCurvature<D>::differentiate(const Exec& exec, const CurvatureInput<D>& input) {
  continue_into_walls(exec, input, value_.view(), static_cast<float>(input.wall_slope));
  const View<D, const float> value = value_.read(), solid = input.solid;
  const View<D, float> kappa = kappa_.view(), weight = weight_.view();
  const double h = grid_.h, most = (D - 1) / (2 * h), band = delta_width * h;
  const double area =
      reduce_cells(exec, near_.view(), grid_.cell_range(), 0.0, Plus{}, [=](const Index<D>& i) {
        const std::ptrdiff_t n = value.offset(i);
        const double here = value.at(n);
        weight(i) = 0;
        if (std::abs(here) >= 1.25 * band) return 0.0;
        double g[D], second[D], g2 = 0;
        for (int a = 0; a < D; ++a) {
          const double high = value.at(n + value.stride[a]), low = value.at(n - value.stride[a]);
          g[a] = (high - low) / (2 * h);
          second[a] = (high - 2 * here + low) / (h * h);
          g2 += g[a] * g[a];
        }
        if (g2 < flat) return 0.0;
        double sum = 0;
        for (int a = 0; a < D; ++a) {
          sum += (g2 - g[a] * g[a]) * second[a];
          for (int b = a + 1; b < D; ++b) {
            const std::ptrdiff_t x = value.stride[a], y = value.stride[b];
            const double mixed = (static_cast<double>(value.at(n + x + y)) - value.at(n + x - y) -
                                  value.at(n - x + y) + value.at(n - x - y)) /
                                 (4 * h * h);
            sum -= 2 * g[a] * g[b] * mixed;
          }
        }
        const double steep = std::sqrt(g2);
        const double wall = wall_distance<D>(solid, static_cast<float>(1 / h), i);
        kappa(i) = static_cast<float>(clamp(sum / (g2 * steep), -most, most));
        if (wall >= 0) weight(i) = static_cast<float>(g2);
        if (std::abs(here) >= band) return 0.0;
        const double delta = (1 + std::cos(std::numbers::pi * here / band)) / (2 * band);
        return delta * steep * clamp(0.5 + wall, 0.0, 1.0);
      });
  area_ = area * grid_.cell_volume();
}

template class SurfaceCurvature<2>;
template class SurfaceCurvature<3>;

}  // namespace glug
