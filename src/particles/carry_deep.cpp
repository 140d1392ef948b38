#include "particles/carry_deep.h"

#include <algorithm>

#include "core/for_each.h"
#include "core/rows.h"
#include "particles/largest.h"
#include "particles/path.h"

namespace glug {
namespace {

// Whether four places follow each other. Neighbours mostly come from neighbours.
GLUG_INLINE bool in_step(const std::int32_t* at) {
  return at[1] == at[0] + 1 && at[2] == at[0] + 2 && at[3] == at[0] + 3;
}

// All components at four positions, interpolated linearly: sample4 of path.h, where it is as quick as can be.
template <int D>
GLUG_INLINE void sample_linear4(const WideTile<D>& tile, const Float4* x, Float4* u) {
  Places4<D, 3> places;
  places.set4(0, x);
  for (int a = 0; a < D; ++a) {
    const std::int32_t* base = places.at[a];
    Corners4<D> g;
    if (in_step(base)) {
      for (int c = 0; c < (1 << D); ++c) {
        int n = 0;
        for (int b = 0; b < D; ++b)
          if (c >> b & 1) n += WideTile<D>::stride(b);
        g.corner[c] = load4(tile.value[a] + base[0] + n);
      }
      for (int b = 0; b < D; ++b) g.fraction[b] = load4(places.fraction[b][b != a]);
    } else {
      gather4(tile, a, places, 0, g);
    }
    u[a] = interpolate(g);
  }
}

// Keeps a position where all faces that cubic interpolation looks at are in the tile: within two cells of
// the block's own faces. shift: of those faces along the axis, 0 or 1/2.
template <int D>
GLUG_INLINE Float4 in_cubic_reach(const Float4& x, float shift) {
  const Float4 low = splat(shift - 1.99f), high = splat(block_edge<D> + shift + 0.99f);
  return min4(max4(x, low), high);
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
  Places4<D, 3> places;
  places.set4(0, x);
  Float4 w[D][4];
  int below = 0;
  for (int b = 0; b < D; ++b) {
    cubic_weights(load4(places.fraction[b][b != axis]), w[b]);
    below += WideTile<D>::stride(b);
  }
  const float* v = tile.value[axis];
  const std::int32_t* at = places.at[axis];
  const float* const p[4] = {v + (at[0] - below), v + (at[1] - below), v + (at[2] - below),
                             v + (at[3] - below)};
  return in_step(at) ? cubic_sum<D, D - 1, true>(p, 0, w) : cubic_sum<D, D - 1, false>(p, 0, w);
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

// Where a block's fastest face moves by less than this part of a cell, no way back is as long as a cell.
inline constexpr float slow_courant = 0.46f;

// The ways back of four faces along axis A from their middles, cells, where they are short: the velocity half
// a step back is that of the middle and what it changes by along the way, which costs a third of sampling it.
template <int D, int A>
GLUG_INLINE void short_ways4(const WideTile<D>& tile, float step, int at, Float4* way) {
  Float4 half_way[D];
  at_faces4(tile, A, at, half_way);
  for (int b = 0; b < D; ++b) half_way[b] *= splat(-0.5f * step);
  for (int b = 0; b < D; ++b) {
    const float* v = tile.value[b] + at;
    Float4 u;
    if (b == A) {
      u = load4(v);
      for (int c = 0; c < D; ++c)
        u += half_way[c] * splat(0.5f) *
             (load4(v + WideTile<D>::stride(c)) - load4(v - WideTile<D>::stride(c)));
    } else {
      const int below = WideTile<D>::stride(A), above = WideTile<D>::stride(b);
      const Float4 q[4] = {load4(v - below), load4(v), load4(v + above - below), load4(v + above)};
      u = splat(0.25f) * ((q[0] + q[1]) + (q[2] + q[3])) +
          splat(0.5f) *
              (half_way[A] * ((q[1] + q[3]) - (q[0] + q[2])) + half_way[b] * ((q[2] + q[3]) - (q[0] + q[1])));
      for (int c = 0; c < D; ++c) {
        if (c == A || c == b) continue;
        const float *high = v + WideTile<D>::stride(c), *low = v - WideTile<D>::stride(c);
        u += splat(0.125f) * half_way[c] *
             (((load4(high - below) + load4(high)) + (load4(high + above - below) + load4(high + above))) -
              ((load4(low - below) + load4(low)) + (load4(low + above - below) + load4(low + above))));
      }
    }
    way[b] = splat(-step) * u;
  }
}

// As cubic_sum, with n[b] weights along axis b.
template <int D, int B>
GLUG_INLINE Float4 sum_of_some(const float* p, const int (&n)[D], const Float4 (&w)[D][5]) {
  Float4 sum = splat(0);
  for (int k = 0; k < n[B]; ++k) {
    if constexpr (B == 0)
      sum += w[0][k] * load4(p + k);
    else
      sum += w[B][k] * sum_of_some<D, B - 1>(p + k * WideTile<D>::stride(B), n, w);
  }
  return sum;
}
template <int D, int B>
GLUG_INLINE Float4 sum_of_fours(const float* p, const Float4 (&w)[D][5]) {
  Float4 sum = splat(0);
#pragma GCC unroll 4
  for (int k = 0; k < 4; ++k) {
    if constexpr (B == 0)
      sum += w[0][k] * load4(p + k);
    else
      sum += w[B][k] * sum_of_fours<D, B - 1>(p + k * WideTile<D>::stride(B), w);
  }
  return sum;
}

// sample_cubic4 at ways of less than a cell from four faces side by side, at p and behind it. Lanes look at
// the same faces, four along each axis, five where some came from below and others from above.
template <int D>
GLUG_INLINE Float4 sample_cubic_near4(const float* p, const Float4* way) {
  Float4 w[D][5];
  int n[D];
  bool alike = true;
  for (int b = 0; b < D; ++b) {
    const Int4 below = way[b] < splat(0);
    Float4 of[4];
    cubic_weights(below ? way[b] + splat(1) : way[b], of);
    const int lanes_below = -(below[0] + below[1] + below[2] + below[3]);
    p -= (lanes_below > 0 ? 2 : 1) * WideTile<D>::stride(b);
    if (lanes_below == 0 || lanes_below == 4) {
      n[b] = 4;
      for (int k = 0; k < 4; ++k) w[b][k] = of[k];
    } else {
      n[b] = 5;
      alike = false;
      for (int k = 0; k < 5; ++k)
        w[b][k] = below ? (k < 4 ? of[k & 3] : splat(0)) : (k > 0 ? of[(k - 1) & 3] : splat(0));
    }
  }
  return alike ? sum_of_fours<D, D - 1>(p, w) : sum_of_some<D, D - 1>(p, n, w);
}

// Where a face lies in a tile of the block at lo.
template <int D>
GLUG_INLINE int place_in_tile(const Index<D>& i, const Index<D>& lo) {
  int at = 0;
  for (int b = 0; b < D; ++b) at += (i[b] - lo[b] + WideTile<D>::halo) * WideTile<D>::stride(b);
  return at;
}

GLUG_INLINE void store_some(float* row, int left, const Float4& value) {
  if (left >= 4)
    store4(row, value);
  else
    for (int lane = 0; lane < left; ++lane) row[lane] = value[lane];
}

// A block's faces along axis A where all are slow. All ways first: what waits for one of them need not keep
// the next one waiting.
template <int D, int A>
GLUG_INLINE void carry_slow_faces(const WideTile<D>& tile, float step, const Index<D>& lo,
                                  const Range<D>& faces, const View<D, float>& to) {
  Float4 ways[block_volume<D> / 4][D];
  int count = 0;
  visit_rows(faces, [&](const Index<D>& first, int width) {
    const int at = place_in_tile<D>(first, lo);
    for (int n = 0; n < width; n += 4) short_ways4<D, A>(tile, step, at + n, ways[count++]);
  });
  count = 0;
  visit_rows(faces, [&](const Index<D>& first, int width) {
    const float* from = tile.value[A] + place_in_tile<D>(first, lo);
    float* row = &to(first);
    for (int n = 0; n < width; n += 4)
      store_some(row + n, width - n, sample_cubic_near4<D>(from + n, ways[count++]));
  });
}

template <int D, int A>
GLUG_INLINE void carry_faces(const WideTile<D>& tile, float step, const Index<D>& lo, const Range<D>& faces,
                             const View<D, float>& to) {
  visit_rows(faces, [&](const Index<D>& first, int width) {
    const int at = place_in_tile<D>(first, lo);
    float* row = &to(first);
    for (int n = 0; n < width; n += 4) {
      Float4 x[D], u[D];
      for (int b = 0; b < D; ++b) x[b] = splat(static_cast<float>(first[b] - lo[b]) + (b == A ? 0.f : 0.5f));
      x[0] += splat(static_cast<float>(n)) + Float4{0, 1, 2, 3};  // lanes beyond the row are in the tile
      at_faces4(tile, A, at + n, u);
      Float4 back[D];
      for (int b = 0; b < D; ++b) back[b] = in_reach<D>(x[b] - splat(0.5f * step) * u[b]);
      sample_linear4(tile, back, u);
      for (int b = 0; b < D; ++b) back[b] = in_cubic_reach<D>(x[b] - splat(step) * u[b], b == A ? 0.f : 0.5f);
      store_some(row + n, width - n, sample_cubic4(tile, A, back));
    }
  });
}

// The fastest face of a tile.
template <int D>
GLUG_INLINE float fastest_face(const WideTile<D>& tile) {
  Range<D> all{Index<D>{}, Index<D>::filled(1)};  // as one row
  all.hi[0] = D * WideTile<D>::size;
  return largest_of<D>(view_over<D, const float>(&tile.value[0][0], all), all);
}

template <int D, int A = 0>
GLUG_INLINE void carry_all_faces(const WideTile<D>& tile, const Grid<D>& grid, float step, float fastest,
                                 const Index<D>& lo, const Range<D>& box, const MacView<D, float>& to) {
  const Range<D> faces = intersection(box, grid.face_range(A));
  if (step * fastest < slow_courant)
    carry_slow_faces<D, A>(tile, step, lo, faces, to[A]);
  else
    carry_faces<D, A>(tile, step, lo, faces, to[A]);
  if constexpr (A + 1 < D) carry_all_faces<D, A + 1>(tile, grid, step, fastest, lo, box, to);
}

// Cells from a solid within which what is carried stays between what was there.
inline constexpr float bounded_distance = 1.5f;

// (N4) Beside solids velocity jumps, and a cubic through it goes beyond: keeps what was carried to a block's
// faces within the values of the faces around them that liquid may have come from.
template <int D, int A = 0>
GLUG_INLINE void bound_beside_solids(const WideTile<D>& tile, const Grid<D>& grid, float moved,
                                     const Index<D>& lo, const Range<D>& box,
                                     const View<D, const float>& solid, const MacView<D, float>& to) {
  const float near = bounded_distance * static_cast<float>(grid.h);
  const int reach = moved <= 1 ? 1 : 2;
  const Range<D> around{Index<D>::filled(-reach), Index<D>::filled(reach + 1)};
  visit_rows(intersection(box, grid.face_range(A)), [&](const Index<D>& first, int n) {
    const float* distance = &solid(first);
    int any = 0;
    for (int k = 0; k < n; ++k) any += distance[k] < near;
    if (any == 0) return;
    const float* from = tile.value[A] + place_in_tile<D>(first, lo);
    float* row = &to[A](first);
    for (int k = 0; k < n; ++k) {
      if (!(distance[k] < near)) continue;
      float least = from[k], most = least;
      visit(around, [&](const Index<D>& step) {
        int at = k;
        for (int b = 0; b < D; ++b) at += step[b] * WideTile<D>::stride(b);
        least = std::min(least, from[at]);
        most = std::max(most, from[at]);
      });
      row[k] = clamp(row[k], least, most);
    }
  });
  if constexpr (A + 1 < D) bound_beside_solids<D, A + 1>(tile, grid, moved, lo, box, solid, to);
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
void carry_deep(const Exec& exec, const Grid<D>& grid, double dt, View<D, const float> solid,
                MacView<D, const float> u_before, const DeepLiquid<D>& deep, MacView<D, float> u_after) {
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
    const float fastest = fastest_face<D>(tile);
    carry_all_faces<D>(tile, grid, step, fastest, lo, box, u_after);
    bound_beside_solids<D>(tile, grid, step * fastest, lo, box, solid, u_after);
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

#define GLUG_INSTANTIATE(D)                                                                      \
  template void carry_deep<D>(const Exec&, const Grid<D>&, double, View<D, const float>,         \
                              MacView<D, const float>, const DeepLiquid<D>&, MacView<D, float>); \
  template void join_deep<D>(const Exec&, const Grid<D>&, int, const DeepLiquid<D>&,             \
                             MacView<D, const float>, MacView<D, float>, MacView<D, float>);
GLUG_INSTANTIATE(2)
GLUG_INSTANTIATE(3)
#undef GLUG_INSTANTIATE

}  // namespace glug
