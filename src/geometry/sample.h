// sample.h: multilinear interpolation at a position given as a cell and an offset in [0, 1) within it.
// Fields need the one ghost layer that cell, node and MAC fields carry. Gradients are per cell width: divide
// by h.
#pragma once

#include "core/mac_field.h"

namespace glug {

// Weights along each axis: value = sum over corners of w * field(base + corner).
template <int D>
struct Corners {
  Index<D> base;
  Vec<D, float> t;  // towards base + 1
};

// Nodes: the corners of the cell.
template <int D>
GLUG_INLINE Corners<D> node_corners(const Index<D>& cell, const Vec<D, float>& offset) {
  return {cell, offset};
}
// Samples in the middle of cells along the axes in `centred`, at the low side along the others.
template <int D>
GLUG_INLINE Corners<D> staggered_corners(const Index<D>& cell, const Vec<D, float>& offset, int low_axis) {
  Corners<D> s{cell, offset};
  for (int a = 0; a < D; ++a) {
    if (a == low_axis) continue;
    const bool low = offset[a] < 0.5f;
    s.base[a] = low ? cell[a] - 1 : cell[a];
    s.t[a] = low ? offset[a] + 0.5f : offset[a] - 0.5f;
  }
  return s;
}

template <int D, class T>
GLUG_INLINE T interpolate(const View<D, const T>& field, const Corners<D>& s) {
  const std::ptrdiff_t n = field.offset(s.base);
  if constexpr (D == 2) {
    const T x = static_cast<T>(s.t[0]), y = static_cast<T>(s.t[1]);
    const T* p = field.data + n;
    const T* q = p + field.stride[1];
    const T a = p[0] + x * (p[1] - p[0]);
    const T b = q[0] + x * (q[1] - q[0]);
    return a + y * (b - a);
  } else {
    const T x = static_cast<T>(s.t[0]), y = static_cast<T>(s.t[1]), z = static_cast<T>(s.t[2]);
    T plane[2];
    for (int k = 0; k < 2; ++k) {
      const T* p = field.data + n + k * field.stride[2];
      const T* q = p + field.stride[1];
      const T a = p[0] + x * (p[1] - p[0]);
      const T b = q[0] + x * (q[1] - q[0]);
      plane[k] = a + y * (b - a);
    }
    return plane[0] + z * (plane[1] - plane[0]);
  }
}

template <int D, class T>
GLUG_INLINE T sample_nodes(const View<D, const T>& field, const Index<D>& cell, const Vec<D, float>& offset) {
  return interpolate(field, node_corners<D>(cell, offset));
}
template <int D, class T>
GLUG_INLINE T sample_cells(const View<D, const T>& field, const Index<D>& cell, const Vec<D, float>& offset) {
  return interpolate(field, staggered_corners<D>(cell, offset, -1));
}
// Component `axis` of a MAC field.
template <int D, class T>
GLUG_INLINE T sample_faces(const View<D, const T>& component, int axis, const Index<D>& cell,
                           const Vec<D, float>& offset) {
  return interpolate(component, staggered_corners<D>(cell, offset, axis));
}
template <int D, class T>
GLUG_INLINE Vec<D, T> sample_mac(const MacView<D, const T>& u, const Index<D>& cell,
                                 const Vec<D, float>& offset) {
  Vec<D, T> r{};
  for (int a = 0; a < D; ++a) r[a] = sample_faces<D, T>(u[a], a, cell, offset);
  return r;
}

template <int D, class T>
struct ValueAndGradient {
  T value;
  Vec<D, T> gradient;  // per cell width
};

template <int D, class T>
GLUG_INLINE ValueAndGradient<D, T> interpolate_with_gradient(const View<D, const T>& field,
                                                             const Corners<D>& s) {
  ValueAndGradient<D, T> r{};
  const std::ptrdiff_t n = field.offset(s.base);
  for (int corner = 0; corner < (1 << D); ++corner) {
    std::ptrdiff_t m = n;
    T w[D];
    T all = T(1);
    for (int a = 0; a < D; ++a) {
      const bool high = corner >> a & 1;
      if (high) m += field.stride[a];
      w[a] = high ? static_cast<T>(s.t[a]) : T(1) - static_cast<T>(s.t[a]);
      all *= w[a];
    }
    const T v = field.at(m);
    r.value += all * v;
    for (int a = 0; a < D; ++a) {
      T slope = corner >> a & 1 ? v : -v;
      for (int b = 0; b < D; ++b)
        if (b != a) slope *= w[b];
      r.gradient[a] += slope;
    }
  }
  return r;
}
template <int D, class T>
GLUG_INLINE ValueAndGradient<D, T> sample_nodes_with_gradient(const View<D, const T>& field,
                                                              const Index<D>& cell,
                                                              const Vec<D, float>& offset) {
  return interpolate_with_gradient(field, node_corners<D>(cell, offset));
}
template <int D, class T>
GLUG_INLINE ValueAndGradient<D, T> sample_cells_with_gradient(const View<D, const T>& field,
                                                              const Index<D>& cell,
                                                              const Vec<D, float>& offset) {
  return interpolate_with_gradient(field, staggered_corners<D>(cell, offset, -1));
}

}  // namespace glug
