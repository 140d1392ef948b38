// tile.h: a block's face values with a halo, copied together so that interpolation stays in the first-level
// cache. Component a of tile index t holds the face block_lo - halo + t. Positions are in cells relative to
// block_lo.
#pragma once

#include <cstring>

#include "core/blocks.h"
#include "core/mac_field.h"
#include "core/simd.h"

namespace glug {

template <int D, int Halo>
struct FaceTile {
  static constexpr int halo = Halo;
  static constexpr int edge = block_edge<D> + 2 * Halo;
  static constexpr int size = power(edge, D);
  float value[D][size];

  static GLUG_INLINE constexpr int stride(int axis) { return power(edge, axis); }

  // Copies f(view offset) for every face of the tile; indices outside the field take the nearest inside.
  template <class F>
  GLUG_INLINE void load(int axis, const Range<D>& field, const View<D, const float>& shape,
                        const Index<D>& block_lo, F f) {
    const Index<D> lo = block_lo - Index<D>::filled(Halo);
    // Of a row: places before the field's first face, and up to behind its last.
    const int before = clamp(field.lo[0] - lo[0], 0, edge), until = clamp(field.hi[0] - lo[0], 0, edge);
    Range<D> rows{lo, lo + Index<D>::filled(edge)};
    rows.hi[0] = rows.lo[0] + 1;
    float* __restrict out = value[axis];
    visit(rows, [&](const Index<D>& first) {
      Index<D> start = field.clamped(first);
      start[0] = first[0];
      const std::ptrdiff_t n = shape.offset(start);
      if (before == 0 && until == edge)
        for (int x = 0; x < edge; ++x) out[x] = f(n + x);
      else
        for (int x = 0; x < edge; ++x) out[x] = f(n + clamp(x, before, until - 1));
      out += edge;
    });
  }

  GLUG_INLINE void load(const Grid<D>& grid, const MacView<D, const float>& u, const Index<D>& block_lo) {
    for (int a = 0; a < D; ++a) {
      const float* from = u[a].data;
      load(a, grid.face_range(a), u[a], block_lo, [=](std::ptrdiff_t n) { return from[n]; });
    }
  }
};

// Positions split into tile offsets and fractions, along each axis for samples at the low side (0) and in the
// middle (1) of cells: component a reads [a][0] and [b][1] for the other axes. Offsets are kept in memory:
// those of many positions are known before the first value is fetched, and none waits for a vector's lanes.
template <int D, int Halo, int N>
struct Places {
  alignas(16) std::int32_t at[D][N];  // by component
  alignas(16) float fraction[D][2][N];

  GLUG_INLINE void set4(int n, const Float4* position) {
    Int4 along[D][2];
    for (int b = 0; b < D; ++b)
      for (int middle = 0; middle < 2; ++middle) {
        const Float4 s = position[b] + splat(static_cast<float>(Halo) - (middle ? 0.5f : 0.f));
        const Int4 i = truncate(s);
        store4(fraction[b][middle] + n, s - to_float(i));
        along[b][middle] = i * FaceTile<D, Halo>::stride(b);
      }
    for (int a = 0; a < D; ++a) {
      Int4 base{};
      for (int b = 0; b < D; ++b) base += along[b][b != a];
      std::memcpy(at[a] + n, &base, sizeof base);
    }
  }
};
template <int D, int Halo>
using Places4 = Places<D, Halo, 4>;

// The 2^D face values around four positions, and their fractions, for one component.
template <int D>
struct Corners4 {
  Float4 corner[1 << D];
  Float4 fraction[D];
};

template <int D, int Halo, int N>
GLUG_INLINE void gather4(const FaceTile<D, Halo>& tile, int axis, const Places<D, Halo, N>& places, int n,
                         Corners4<D>& out) {
  for (int b = 0; b < D; ++b) out.fraction[b] = load4(places.fraction[b][b != axis] + n);
  const float* v = tile.value[axis];
  const std::int32_t* at = places.at[axis] + n;
  const float *p0 = v + at[0], *p1 = v + at[1], *p2 = v + at[2], *p3 = v + at[3];
  for (int c = 0; c < (1 << D); c += 2) {
    int m = 0;
    for (int b = 1; b < D; ++b)
      if (c >> b & 1) m += FaceTile<D, Halo>::stride(b);
    load_pairs(p0 + m, p1 + m, p2 + m, p3 + m, out.corner[c], out.corner[c + 1]);
  }
}

// Multilinear interpolation of the gathered corners.
template <int D>
GLUG_INLINE Float4 interpolate(const Corners4<D>& g) {
  Float4 v[1 << D];
  for (int c = 0; c < (1 << D); ++c) v[c] = g.corner[c];
  for (int b = 0, n = 1 << (D - 1); b < D; ++b, n >>= 1)
    for (int c = 0; c < n; ++c) v[c] = v[2 * c] + g.fraction[b] * (v[2 * c + 1] - v[2 * c]);
  return v[0];
}

// Its derivative along `axis`, per cell.
template <int D>
GLUG_INLINE Float4 derivative(const Corners4<D>& g, int axis) {
  Float4 v[1 << D];
  for (int c = 0; c < (1 << D); ++c) v[c] = g.corner[c];
  for (int b = 0, n = 1 << (D - 1); b < D; ++b, n >>= 1)
    for (int c = 0; c < n; ++c) {
      const Float4 d = v[2 * c + 1] - v[2 * c];
      v[c] = b == axis ? d : v[2 * c] + g.fraction[b] * d;
    }
  return v[0];
}

}  // namespace glug
