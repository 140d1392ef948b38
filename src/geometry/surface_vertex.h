// surface_vertex.h: where the surface is between the samples around a node, for each of its pieces.
#pragma once

#include "geometry/sample_tile.h"
#include "geometry/surface_pieces.h"

namespace glug {

struct SurfaceVertex {
  Vec<3, float> position, normal;
  Vec<3, float> rise;  // m by which it moves for every m of lift
  std::uint8_t wetting = 0;
};

// At most so many times as far as the lift: where the distance is flat, on ridges, the surface would leap.
inline constexpr float most_rise = 4;

// A distance at the 2^D samples around a node, interpolated between them.
template <int D>
struct NodeValues {
  float v[1 << D];
  GLUG_INLINE float value(const Vec<D, float>& x, Vec<D, float>& gradient) const {
    float sum = 0;
    gradient = {};
    for (int c = 0; c < (1 << D); ++c) {
      float weight = 1;
      for (int a = 0; a < D; ++a) {
        weight *= c >> a & 1 ? x[a] : 1 - x[a];
        float slope = c >> a & 1 ? v[c] : -v[c];
        for (int b = 0; b < D; ++b)
          if (b != a) slope *= c >> b & 1 ? x[b] : 1 - x[b];
        gradient[a] += slope;
      }
      sum += weight * v[c];
    }
    return sum;
  }
};

// The place near x, between the samples around a node, where the surface meets the solid; x where they run
// side by side. Coordinates that are `fixed` stay.
template <int D>
GLUG_INLINE Vec<D, float> contact_near(const NodeValues<D>& phi, const NodeValues<D>& solid, Vec<D, float> x,
                                       const bool (&fixed)[D]) {
  constexpr int steps = 4;
  const Vec<D, float> start = x;
  for (int step = 0; step < steps; ++step) {
    Vec<D, float> g{}, k{};
    const float p = phi.value(x, g), s = solid.value(x, k);
    for (int a = 0; a < D; ++a)
      if (fixed[a]) g[a] = k[a] = 0;
    // The shortest way to both: x -= J^T (J J^T)^-1 (p, s).
    const float gg = dot(g, g), kk = dot(k, k), gk = dot(g, k), det = gg * kk - gk * gk;
    if (!(det > 0.03f * gg * kk)) return start;
    const float u = (kk * p - gk * s) / det, w = (gg * s - gk * p) / det;
    for (int a = 0; a < D; ++a) x[a] = clamp(x[a] - u * g[a] - w * k[a], 0.0f, 1.0f);
  }
  return x;
}

// How far the surface moves for every m of lift, up the slope of phi (samples per m), where it is free: by
// `share` of it.
template <int D>
GLUG_INLINE Vec<D, float> rise_of(Vec<D, float> slope, const bool (&fixed)[D], float share) {
  for (int a = 0; a < D; ++a)
    if (fixed[a]) slope[a] = 0;
  const float steep = dot(slope, slope);
  return slope * (steep > 0 ? share / steep : 0.0f);
}

// How far a contact at x moves for every m of lift: along the solid (samples per m). `rise` stays where they
// run side by side.
template <int D>
GLUG_INLINE void rise_of_contact(const NodeValues<D>& phi, const NodeValues<D>& solid, const Vec<D, float>& x,
                                 const bool (&fixed)[D], Vec<D, float>& rise) {
  Vec<D, float> g{}, k{};
  phi.value(x, g);
  solid.value(x, k);
  for (int a = 0; a < D; ++a)
    if (fixed[a]) g[a] = k[a] = 0;
  const float gg = dot(g, g), kk = dot(k, k), gk = dot(g, k), det = gg * kk - gk * gk;
  if (!(det > 0.03f * gg * kk)) return;
  // J rise = (1, 0), the shortest.
  rise = g * (kk / det) - k * (gk / det);
}

// Of a piece: the mean of its crossings with the edges between the samples around node lo + p; `inside` says
// which of those are. Edges that leave the
// domain count only if there are no others: where the surface meets a wall it keeps its height, and lies on
// the wall.
template <int D>
GLUG_INLINE SurfaceVertex make_vertex(const Grid<D>& grid, Clipping clipping, const SampleTile<D>& tile,
                                      int inside, const SurfacePieces<D>& pieces, int piece,
                                      const Index<D>& lo, const Index<D>& p) {
  const Index<D> node = lo + p;
  const bool sharp = clipping == Clipping::sharp;
  bool fixed[D];
  for (int a = 0; a < D; ++a) fixed[a] = sharp && (node[a] == 0 || node[a] == grid.cells[a]);
  const auto outside = [&](int c) {
    for (int a = 0; a < D; ++a)
      if (fixed[a] && ((c >> a & 1) != 0) == (node[a] != 0)) return true;
    return false;
  };
  NodeValues<D> phi, solid;
  bool wet[1 << D];
  for (int c = 0; c < (1 << D); ++c) {
    const int n = SampleTile<D>::around(p, c);
    wet[c] = inside >> c & 1;
    phi.v[c] = tile.phi[n];
    solid.v[c] = tile.solid[n];
  }
  Vec<D, float> mean{};  // in [0, 1] between the samples
  int crossings = 0, free_crossings = 0;
  for (int pass = 0; pass < 2 && crossings == 0; ++pass)
    for (int a = 0; a < D; ++a)
      for (int c = 0; c < (1 << D); ++c) {
        if (c >> a & 1 || pieces.of_edge[edge_number<D>(c, a)] != piece) continue;
        const int in = wet[c] ? c : c | 1 << a, out = wet[c] ? c | 1 << a : c;
        if (pass == 0 && (outside(c) || outside(c | 1 << a))) continue;
        float way = 1;  // from the inside to where the liquid ends
        if (phi.v[out] >= 0) way = phi.v[in] / (phi.v[in] - phi.v[out]);
        bool free = sharp ? pass == 0 : phi.v[out] > -solid.v[out];
        if (sharp && solid.v[out] <= 0) {
          const float to_solid = solid.v[in] / (solid.v[in] - solid.v[out]);
          free = free && way < to_solid;
          way = way < to_solid ? way : to_solid;
        }
        for (int b = 0; b < D; ++b) mean[b] += static_cast<float>(c >> b & 1);
        mean[a] += wet[c] ? way : 1 - way;
        ++crossings;
        free_crossings += free ? 1 : 0;
      }
  mean *= 1 / static_cast<float>(crossings);
  // Beyond a side of the domain there is what is on this side of it.
  for (int a = 0; a < D; ++a) {
    if (!fixed[a]) continue;
    mean[a] = 0.5f;
    for (int c = 0; c < (1 << D); ++c)
      if (((c >> a & 1) != 0) == (node[a] != 0)) {
        phi.v[c] = phi.v[c ^ 1 << a];
        solid.v[c] = solid.v[c ^ 1 << a];
      }
  }
  const bool contact = sharp && free_crossings > 0 && free_crossings < crossings;
  if (contact) mean = contact_near<D>(phi, solid, mean, fixed);
  Vec<D, float> out{}, rise{};
  if (free_crossings > 0 || !sharp) {
    phi.value(mean, out);
    rise = rise_of<D>(out, fixed, static_cast<float>(free_crossings) / static_cast<float>(crossings));
    if (contact) rise_of_contact<D>(phi, solid, mean, fixed, rise);
    const float h = static_cast<float>(grid.h), leap = norm(rise) * h;
    rise *= leap > most_rise ? h * most_rise / leap : h;
  } else {
    Vec<D, float> from_solid{};
    solid.value(mean, from_solid);
    out = -from_solid;
    // On a side of the domain it points out of it.
    for (int a = 0; a < D; ++a)
      if (fixed[a]) out[a] = node[a] == 0 ? -1.0f : 1.0f;
  }
  const float length = norm(out);
  SurfaceVertex v{};
  for (int a = 0; a < D; ++a) {
    v.position[a] = static_cast<float>((node[a] - 0.5 + double(mean[a])) * grid.h);
    v.normal[a] = length > 0 ? out[a] / length : (a == 1 ? 1.0f : 0.0f);
    v.rise[a] = rise[a];
  }
  v.wetting = free_crossings == 0;
  return v;
}

}  // namespace glug
