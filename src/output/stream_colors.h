// stream_colors.h: liquid coloured by its stream function, where it is drawn flat: in 2D all of it, in 3D on
// a cut the component across the cut. Warm where liquid turns around it to the left, cool to the right, pale
// where psi is 0; lines of equal psi are stream lines (of the flow in the plane, in 3D roughly), and as much
// flows between any two of them.
#pragma once

#include <algorithm>
#include <cmath>

#include "core/field.h"
#include "output/flat_colors.h"

namespace glug {

template <int D>
struct StreamColors {
  // Lines between 0 and the largest psi are this many, or up to half as many: the step is a power of 2, so
  // that it stays from frame to frame.
  static constexpr double most_lines = 16;

  View<D, const double>
      psi{};        // on nodes, in 3D on the edges across the plane; data null: nothing is coloured
  int across = 2;   // 3D: the axis of these edges
  int layer = 0;    // 3D: which of them the plane cuts
  double h = 1;     // m
  double step = 1;  // of psi between lines

  StreamColors() = default;
  StreamColors(const View<D, const double>& stream, double spacing, int axis = 2, int cut = 0)
      : psi(stream), across(axis), layer(cut), h(spacing) {
    double most = 0;
    if (psi.data) {
      Range<D> r = psi.range;
      if (D == 3) {
        layer = std::clamp(layer, r.lo[across], r.hi[across] - 1);
        r.lo[across] = layer;
        r.hi[across] = layer + 1;
      }
      visit(r, [&](const Index<D>& i) { most = std::max(most, std::abs(psi(i))); });
    }
    step = most > 0 ? std::exp2(std::ceil(std::log2(most / most_lines))) : 1;
  }

  // x: in the plane's point; pixel: its width, m.
  template <class Place>
  Color over(const Color& water, const Place& x, double pixel) const {
    const int axes[2] = {D == 2 ? 0 : (across + 1) % 3, D == 2 ? 1 : (across + 2) % 3};
    Index<D> base{};
    if (D == 3) base[across] = layer;
    double t[2];
    for (int k = 0; k < 2; ++k) {
      const int a = axes[k];
      const double s = static_cast<double>(x[a]) / h;
      base[a] = std::clamp(static_cast<int>(std::floor(s)), psi.range.lo[a], psi.range.hi[a] - 2);
      t[k] = std::clamp(s - base[a], 0.0, 1.0);
    }
    const Index<D> u = Index<D>::unit(axes[0]), v = Index<D>::unit(axes[1]);
    const double p00 = psi(base), p10 = psi(base + u), p01 = psi(base + v), p11 = psi(base + u + v);
    const double value =
        ((1 - t[0]) * p00 + t[0] * p10) * (1 - t[1]) + ((1 - t[0]) * p01 + t[0] * p11) * t[1];
    const double slope = std::hypot((p10 - p00) * (1 - t[1]) + (p11 - p01) * t[1],
                                    (p01 - p00) * (1 - t[0]) + (p11 - p10) * t[0]);
    constexpr Color pale{0.90f, 0.93f, 0.95f}, warm{0.85f, 0.38f, 0.20f}, cool{0.16f, 0.35f, 0.68f},
        line{0.10f, 0.12f, 0.20f};
    const double turns = value / (most_lines * step);
    Color color = flat::blend(flat::blend(water, pale, 0.85f), turns > 0 ? warm : cool,
                              static_cast<float>(std::sqrt(std::min(1.0, std::abs(turns)))));
    // Pixels to the nearest line; where they would run into each other they fade.
    const double steps = value / step, per_pixel = slope / step * pixel / h;
    if (per_pixel > 0) {
      const double away = std::abs(steps - std::round(steps)) / per_pixel;
      const double room = std::min(1.0, 0.25 / per_pixel - 0.25);
      color = flat::blend(
          color, line,
          static_cast<float>(0.55 * std::clamp(1.1 - away, 0.0, 1.0) * std::clamp(room, 0.0, 1.0)));
    }
    return color;
  }
};

}  // namespace glug
