// smoke_colors.h: smoke where it is drawn flat: pale over a dark ground, reddish where it is warm and bluish
// where it is cold.
#pragma once

#include <cmath>

#include "core/field.h"
#include "core/grid.h"
#include "output/image.h"

namespace glug {

struct SmokeColors {
  View<2, const float> density{}, temperature{};

  static constexpr Color ground{0.085f, 0.100f, 0.135f};
  static constexpr Color smoke{0.93f, 0.94f, 0.95f};
  static constexpr Color marker{1.0f, 0.82f, 0.45f};

  // x in metres; bilinear between cell centres.
  Color at(const Grid<2>& grid, const Vec<2, double>& x) const {
    int base[2];
    float t[2];
    for (int a = 0; a < 2; ++a) {
      const float last = static_cast<float>(grid.cells[a] - 1);
      const float s = clamp(static_cast<float>(x[a] / grid.h) - 0.5f, 0.0f, last);
      base[a] = s < last ? static_cast<int>(s) : grid.cells[a] - 2;
      t[a] = s - static_cast<float>(base[a]);
    }
    const auto sample = [&](const View<2, const float>& field) {
      const float* p = &field({base[0], base[1]});
      const float* q = p + field.stride[1];
      const float low = p[0] + t[0] * (p[1] - p[0]), high = q[0] + t[0] * (q[1] - q[0]);
      return low + t[1] * (high - low);
    };
    const float thick = 1 - std::exp(-2.2f * sample(density));
    const float warm = sample(temperature) / 150;  // K: such smoke is plainly coloured
    const float hot = 1 - std::exp(-(warm > 0 ? warm : 0.0f)), cold = 1 - std::exp(warm < 0 ? warm : 0.0f);
    Color tint = smoke + (Color{1.0f, 0.56f, 0.22f} - smoke) * hot;
    tint = tint + (Color{0.50f, 0.72f, 1.0f} - tint) * cold;
    const Color glow = Color{0.42f, 0.10f, 0.02f} * hot + Color{0.01f, 0.06f, 0.20f} * cold;
    return ground + glow * (1 - thick) + (tint - ground) * thick;
  }
};

}  // namespace glug
