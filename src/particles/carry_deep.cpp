#include "particles/carry_deep.h"

#include "core/for_each.h"
#include "core/rows.h"
#include "particles/path.h"

namespace glug {
namespace {

// Whether four places follow each other. Neighbours mostly come from neighbours.
GLUG_INLINE bool in_step(const Int4& at) {
  return at[1] == at[0] + 1 && at[2] == at[0] + 2 && at[3] == at[0] + 3;
}

// All components at four positions, interpolated linearly: sample4 of path.h, where it is as quick as can be.
template <int D>
GLUG_INLINE void sample_linear4(const WideTile<D>& tile, const Float4* x, Float4* u) {
  const Places4<D, 3> places(x);
  for (int a = 0; a < D; ++a) {
    Int4 base{};
    for (int b = 0; b < D; ++b) base += places.at[b][b != a];
    Corners4<D> g;
    if (in_step(base)) {
      for (int c = 0; c < (1 << D); ++c) {
        int n = 0;
        for (int b = 0; b < D; ++b)
          if (c >> b & 1) n += WideTile<D>::stride(b);
        g.corner[c] = load4(tile.value[a] + base[0] + n);
      }
      for (int b = 0; b < D; ++b) g.fraction[b] = places.fraction[b][b != a];
    } else {
      gather4(tile, a, places, g);
    }
    u[a] = interpolate(g);
  }
}

// Keeps a position where all faces that cubic interpolation looks at are in the tile: within two cells of
// the block's own faces. shift: of those faces along the axis, 0 or 1/2.
template <int D>
GLUG_INLINE Float4 in_cubic_reach(Float4 x, float shift) {
  const Float4 low = splat(shift - 1.99f), high = splat(block_edge<D> + shift + 0.99f);
  x = x < low ? low : x;
  return x > high ? high : x;
}

// Of the four values at -1, 0, 1, 2: what their cubic has at t in [0, 1].
GLUG_INLINE void cubic_weights(const Float4& t, Float4 (&w)[4]) {
  const Float4 one = splat(1), two = splat(2);
  const Float4 a = t + one, b = t - one, c = t - two;
  w[0] = splat(-1.f / 6) * t * b * c;
  w[1] = splat(0.5f) * a * b * c;
  w[2] = splat(-0.5f) * a * t * c;
  w[3] = splat(1.f / 6) * a * t * b;
}

// The sum over 4^(B + 1) faces, from p[lane] on, with the weights of axes 0 to B. Follow: the lanes' places
// follow each other.
template <int D, int B, bool Follow>
GLUG_INLINE Float4 cubic_sum(const float* const (&p)[4], int n, const Float4 (&w)[D][4]) {
  Float4 sum = splat(0);
  if constexpr (B == 0) {
    Float4 v[4];
    if constexpr (Follow) {
      for (int k = 0; k < 4; ++k) v[k] = load4(p[0] + n + k);
    } else {
      load_pairs(p[0] + n, p[1] + n, p[2] + n, p[3] + n, v[0], v[1]);
      load_pairs(p[0] + n + 2, p[1] + n + 2, p[2] + n + 2, p[3] + n + 2, v[2], v[3]);
    }
    for (int k = 0; k < 4; ++k) sum += w[0][k] * v[k];
  } else {
#pragma GCC unroll 4
    for (int k = 0; k < 4; ++k)
      sum += w[B][k] * cubic_sum<D, B - 1, Follow>(p, n + k * WideTile<D>::stride(B), w);
  }
  return sum;
}

// Component `axis` at four positions.
template <int D>
GLUG_INLINE Float4 sample_cubic4(const WideTile<D>& tile, int axis, const Float4* x) {
  const Places4<D, 3> places(x);
  Float4 w[D][4];
  Int4 base{};
  for (int b = 0; b < D; ++b) {
    cubic_weights(places.fraction[b][b != axis], w[b]);
    base += places.at[b][b != axis] - WideTile<D>::stride(b);
  }
  const float* v = tile.value[axis];
  const float* const p[4] = {v + base[0], v + base[1], v + base[2], v + base[3]};
  return in_step(base) ? cubic_sum<D, D - 1, true>(p, 0, w) : cubic_sum<D, D - 1, false>(p, 0, w);
}

// All components at the middles of four faces along `axis`, side by side; at: the first of them in the tile.
template <int D>
GLUG_INLINE void at_faces4(const WideTile<D>& tile, int axis, int at, Float4* u) {
  for (int b = 0; b < D; ++b) {
    const float* v = tile.value[b] + at;
    if (b == axis) {
      u[b] = load4(v);
      continue;
    }
    const int below = WideTile<D>::stride(axis), above = WideTile<D>::stride(b);
    u[b] = splat(0.25f) * (load4(v) + load4(v + above) + load4(v - below) + load4(v + above - below));
  }
}

// The part of a block within a cell of marked ones; empty if there is none.
template <int D>
GLUG_INLINE Range<D> near_deep(const BlocksView<D>& near, const BlocksView<D>& deep, const Range<D>* boxes,
                               std::int32_t slot) {
  const Range<D> own = near.indices(slot);
  Range<D> hull{own.hi, own.lo};
  const Index<D> b = near.coordinates(near.ids[slot]);
  visit(Range<D>{b - Index<D>::filled(1), b + Index<D>::filled(2)}, [&](const Index<D>& n) {
    const std::int32_t other = deep.slot_of_block(n);
    if (other < 0) return;
    const Range<D> part = intersection(boxes[other].grown(1), own);
    if (part.size() == 0) return;
    hull.lo = min(hull.lo, part.lo);
    hull.hi = max(hull.hi, part.hi);
  });
  return hull;
}

}  // namespace

template <int D>
void carry_deep(const Exec& exec, const Grid<D>& grid, double dt, MacView<D, const float> u_before,
                const DeepLiquid<D>& deep, MacView<D, float> u_after) {
  const Blocks<D> around = deep.blocks.dilated(1);
  const BlocksView<D> near = around.view(), blocks = deep.blocks.view();
  const Range<D>* boxes = deep.boxes.data();
  const float step = static_cast<float>(dt / grid.h);
  for_each_block(exec, near, [=](std::int32_t slot) {
    const Range<D> box = near_deep(near, blocks, boxes, slot);
    if (box.size() == 0) return;
    const Index<D> lo = near.indices(slot).lo;
    WideTile<D> tile;
    tile.load(grid, u_before, lo);
    for (int a = 0; a < D; ++a) {
      const Range<D> faces = intersection(box, grid.face_range(a));
      const int width = faces.extent(0);
      Range<D> rows = faces;
      rows.hi[0] = rows.lo[0] + (width > 0 ? 1 : 0);
      const View<D, float> to = u_after[a];
      visit(rows, [&](const Index<D>& first) {
        for (int n = 0; n < width; n += 4) {
          Float4 x[D], u[D];
          for (int b = 0; b < D; ++b)
            x[b] = splat(static_cast<float>(first[b] - lo[b]) + (b == a ? 0.f : 0.5f));
          x[0] += splat(static_cast<float>(n)) + Float4{0, 1, 2, 3};  // lanes beyond the row are in the tile
          int at = n;
          for (int b = 0; b < D; ++b) at += (first[b] - lo[b] + WideTile<D>::halo) * WideTile<D>::stride(b);
          at_faces4(tile, a, at, u);
          Float4 back[D];
          for (int b = 0; b < D; ++b) back[b] = in_reach<D>(x[b] - splat(0.5f * step) * u[b]);
          sample_linear4(tile, back, u);
          for (int b = 0; b < D; ++b)
            back[b] = in_cubic_reach<D>(x[b] - splat(step) * u[b], b == a ? 0.f : 0.5f);
          const Float4 value = sample_cubic4(tile, a, back);
          float* row = &to(first) + n;
          const int lanes = width - n < 4 ? width - n : 4;
          if (lanes == 4)
            store4(row, value);
          else
            for (int lane = 0; lane < lanes; ++lane) row[lane] = value[lane];
        }
      });
    }
  });
}

template <int D>
void join_deep(const Exec& exec, const Grid<D>& grid, int particles_per_cell, const DeepLiquid<D>& deep,
               MacView<D, const float> carried, MacView<D, float> u, MacView<D, float> weight) {
  const Blocks<D> around = deep.blocks.dilated(1);
  const BlocksView<D> near = around.view(), blocks = deep.blocks.view();
  const Range<D>* boxes = deep.boxes.data();
  const View<D, const std::uint8_t> mark = deep.mark.read();
  const Range<D> cells = grid.cell_range();
  const float full = static_cast<float>(particles_per_cell);
  for_each_block(exec, near, [=](std::int32_t slot) {
    const Range<D> box = near_deep(near, blocks, boxes, slot);
    if (box.size() == 0) return;
    for (int a = 0; a < D; ++a) {
      Range<D> stencil{Index<D>::filled(-1), Index<D>::filled(2)};
      stencil.hi[a] = 1;
      visit_rows(intersection(box, grid.face_range(a)), [&](const Index<D>& first, int n) {
        const std::uint8_t* marks = &mark(first);
        const float* from = &carried[a](first);
        float *to = &u[a](first), *weights = &weight[a](first);
        int deep_ones = 0;  // beyond the domain there is a layer of marks
        for (int k = 0; k < n; ++k) deep_ones += marks[k] == is_deep;
        if (deep_ones == n) {
          for (int k = 0; k < n; ++k) {
            to[k] = from[k];
            weights[k] = full;
          }
          return;
        }
        for (int k = 0; k < n; ++k) {
          bool beside = marks[k] == is_deep;
          if (!beside)
            visit(stencil, [&](const Index<D>& step) {
              Index<D> cell = first + step;
              cell[0] += k;
              beside = beside || (cells.contains(cell) && mark(cell) == is_deep);
            });
          if (!beside) continue;
          to[k] = from[k];
          weights[k] = full;
        }
      });
    }
  });
}

#define GLUG_INSTANTIATE(D)                                                                 \
  template void carry_deep<D>(const Exec&, const Grid<D>&, double, MacView<D, const float>, \
                              const DeepLiquid<D>&, MacView<D, float>);                     \
  template void join_deep<D>(const Exec&, const Grid<D>&, int, const DeepLiquid<D>&,        \
                             MacView<D, const float>, MacView<D, float>, MacView<D, float>);
GLUG_INSTANTIATE(2)
GLUG_INSTANTIATE(3)
#undef GLUG_INSTANTIATE

}  // namespace glug
