// smoke_trace.h: values of grid fields at any point, and where the flow brings a point. Points are in cells
// from the domain's low corner; beyond the outermost samples the nearest count.
#pragma once

#include "core/domain.h"
#include "geometry/sample.h"

namespace glug {

// Samples of component `axis` of a MAC field lie on its faces; axis = -1: at cell centres.
template <int D>
GLUG_INLINE Corners<D> corners_at(const Index<D>& cells, int axis, const Vec<D, float>& x) {
  Corners<D> c{};
  for (int a = 0; a < D; ++a) {
    const int last = a == axis ? cells[a] : cells[a] - 1;
    const float s = clamp(a == axis ? x[a] : x[a] - 0.5f, 0.0f, static_cast<float>(last));
    const int i = static_cast<int>(s);
    c.base[a] = i < last ? i : last - 1;
    c.t[a] = s - static_cast<float>(c.base[a]);
  }
  return c;
}

template <int D>
GLUG_INLINE Vec<D, float> sample_point(int axis, const Index<D>& i) {
  Vec<D, float> x{};
  for (int a = 0; a < D; ++a) x[a] = static_cast<float>(i[a]) + (a == axis ? 0.0f : 0.5f);
  return x;
}

template <int D>
struct SmokeFlow {
  MacView<D, const float> velocity;
  Index<D> cells{};

  GLUG_INLINE Vec<D, float> at(const Vec<D, float>& x) const {
    Vec<D, float> u{};
    for (int a = 0; a < D; ++a) u[a] = interpolate<D, float>(velocity[a], corners_at<D>(cells, a, x));
    return u;
  }
  // At the sample i itself, which is the middle of faces around: cheaper than from a point.
  GLUG_INLINE Vec<D, float> at_sample(int axis, const Index<D>& i) const {
    Vec<D, float> u{};
    for (int a = 0; a < D; ++a) {
      if (a == axis) {
        u[a] = velocity[a](i);
        continue;
      }
      const View<D, const float>& v = velocity[a];
      Index<D> high = i;  // the cells on both sides of the face, if both are there
      std::ptrdiff_t back = 0;
      if (axis >= 0) {
        if (i[axis] >= cells[axis]) --high[axis];
        if (i[axis] > 0 && i[axis] < cells[axis]) back = v.stride[axis];
      }
      const float* p = v.data + v.offset(high);
      const std::ptrdiff_t up = v.stride[a];
      u[a] = 0.25f * ((p[0] + p[up]) + (p[-back] + p[up - back]));
    }
    return u;
  }
  // (K2) Second order: half a step tells the velocity for the whole. cells_per_speed: dt / h.
  GLUG_INLINE Vec<D, float> moved(const Vec<D, float>& x, const Vec<D, float>& u,
                                  float cells_per_speed) const {
    return x + at(x + u * (0.5f * cells_per_speed)) * cells_per_speed;
  }
};

}  // namespace glug
