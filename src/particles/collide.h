// collide.h: keeps a particle's path out of solids.
// The path is walked in quarter cells, so a wall one cell thick cannot be jumped, and ends at least `collision_gap`
// cells outside. At a wall the rest of the path slides along it.
#pragma once

#include "core/field.h"
#include "core/grid.h"

namespace glug {

inline constexpr float collision_gap = 0.1f;  // cells

// Multilinear sample of the nodal solid distance and its gradient (both in cells) at a position in cells.
template <int D>
struct SolidSample {
  float distance;
  Vec<D, float> gradient;
};

template <int D>
GLUG_INLINE SolidSample<D> sample_solid(const View<D, const float>& solid, float per_cell, const Index<D>& cell,
                                        const Vec<D, float>& offset) {
  // Split again: a walk may have carried the offset out of its cell.
  Index<D> i{};
  float f[D];
  for (int a = 0; a < D; ++a) {
    const float whole = std::floor(offset[a]);
    i[a] = clamp(cell[a] + static_cast<int>(whole), solid.range.lo[a], solid.range.hi[a] - 2);
    f[a] = clamp(static_cast<float>(cell[a] - i[a]) + offset[a], 0.f, 1.f);
  }
  const std::ptrdiff_t n = solid.offset(i);
  SolidSample<D> s{};
  for (int c = 0; c < (1 << D); ++c) {
    std::ptrdiff_t at = n;
    for (int a = 0; a < D; ++a)
      if (c >> a & 1) at += solid.stride[a];
    const float v = solid.data[at] * per_cell;
    float weight = 1;
    for (int a = 0; a < D; ++a) weight *= (c >> a & 1) ? f[a] : 1 - f[a];
    s.distance += weight * v;
    for (int a = 0; a < D; ++a) {
      float slope = (c >> a & 1) ? 1.f : -1.f;
      for (int b = 0; b < D; ++b)
        if (b != a) slope *= (c >> b & 1) ? f[b] : 1 - f[b];
      s.gradient[a] += slope * v;
    }
  }
  return s;
}

// The displacement (in cells) that a particle at cell + offset really makes when it wants to make `wish`.
template <int D>
GLUG_FN inline Vec<D, float> collide(const View<D, const float>& solid, float per_cell, const Index<D>& cell,
                                     const Vec<D, float>& offset, const Vec<D, float>& wish) {
  const SolidSample<D> start = sample_solid(solid, per_cell, cell, offset);
  const float length = norm(wish);
  if (start.distance - length > collision_gap) return wish;
  const int pieces = 1 + static_cast<int>(length * 4);
  Vec<D, float> piece = wish * (1.f / static_cast<float>(pieces));
  Vec<D, float> moved{};
  SolidSample<D> before = start;
  for (int n = 0; n <= pieces; ++n) {  // one more than the pieces: the last only pushes out
    if (n == pieces) piece = Vec<D, float>{};
    Vec<D, float> next = moved + piece;
    SolidSample<D> at = sample_solid(solid, per_cell, cell, offset + next);
    if (at.distance < collision_gap) {
      // The normal of the last place outside is the trustworthy one: inside a thin wall the gradient fades or flips.
      const Vec<D, float> g = before.distance > 0 ? before.gradient : at.gradient;
      const float slope = norm(g);
      if (slope < 0.1f) return moved;
      const Vec<D, float> normal = g * (1 / slope);
      next += normal * (collision_gap - at.distance);
      const float inward = dot(piece, normal);
      if (inward < 0) piece -= normal * inward;
      at = sample_solid(solid, per_cell, cell, offset + next);
      // A corner: neither way is free. Stay, unless the wall has come to the particle and must push it.
      if (at.distance < 0.5f * collision_gap && at.distance < before.distance) {
        if (before.distance > 0) continue;
        return moved;
      }
    }
    moved = next;
    before = at;
  }
  return moved;
}

}  // namespace glug
