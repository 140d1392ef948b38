// vec.h: small fixed-size vectors and the integer index of a cell, face or node.
// Trivially copyable, so kernels capture them by value.
#pragma once

#include <cmath>
#include <cstddef>
#include <type_traits>

#include "core/platform.h"

namespace glug {

template <int D, class T>
struct Vec {
  T v[D];

  GLUG_INLINE constexpr T& operator[](int axis) { return v[axis]; }
  GLUG_INLINE constexpr const T& operator[](int axis) const { return v[axis]; }

  static GLUG_INLINE constexpr Vec filled(T value) {
    Vec r{};
    for (int a = 0; a < D; ++a) r.v[a] = value;
    return r;
  }
  // The unit step along an axis: neighbours are i + Index<D>::unit(axis).
  static GLUG_INLINE constexpr Vec unit(int axis) {
    Vec r{};
    r.v[axis] = T(1);
    return r;
  }

  template <class U>
  GLUG_INLINE constexpr Vec<D, U> as() const {
    Vec<D, U> r{};
    for (int a = 0; a < D; ++a) r.v[a] = static_cast<U>(v[a]);
    return r;
  }

  GLUG_INLINE constexpr Vec& operator+=(const Vec& o) {
    for (int a = 0; a < D; ++a) v[a] += o.v[a];
    return *this;
  }
  GLUG_INLINE constexpr Vec& operator-=(const Vec& o) {
    for (int a = 0; a < D; ++a) v[a] -= o.v[a];
    return *this;
  }
  GLUG_INLINE constexpr Vec& operator*=(T s) {
    for (int a = 0; a < D; ++a) v[a] *= s;
    return *this;
  }
  friend GLUG_INLINE constexpr Vec operator+(Vec x, const Vec& y) { return x += y; }
  friend GLUG_INLINE constexpr Vec operator-(Vec x, const Vec& y) { return x -= y; }
  friend GLUG_INLINE constexpr Vec operator-(const Vec& x) { return Vec{} - x; }
  friend GLUG_INLINE constexpr Vec operator*(Vec x, T s) { return x *= s; }
  friend GLUG_INLINE constexpr Vec operator*(T s, Vec x) { return x *= s; }
  friend GLUG_INLINE constexpr bool operator==(const Vec& x, const Vec& y) {
    for (int a = 0; a < D; ++a)
      if (!(x.v[a] == y.v[a])) return false;
    return true;
  }
};

template <int D>
using Index = Vec<D, int>;

template <int D, class T>
GLUG_INLINE constexpr T dot(const Vec<D, T>& x, const Vec<D, T>& y) {
  T s{};
  for (int a = 0; a < D; ++a) s += x[a] * y[a];
  return s;
}

template <int D, class T>
GLUG_INLINE T norm(const Vec<D, T>& x) {
  return std::sqrt(dot(x, x));
}

// Componentwise product and extremes.
template <int D, class T>
GLUG_INLINE constexpr Vec<D, T> scaled(Vec<D, T> x, const Vec<D, T>& s) {
  for (int a = 0; a < D; ++a) x[a] *= s[a];
  return x;
}
template <int D, class T>
GLUG_INLINE constexpr Vec<D, T> min(Vec<D, T> x, const Vec<D, T>& y) {
  for (int a = 0; a < D; ++a) x[a] = y[a] < x[a] ? y[a] : x[a];
  return x;
}
template <int D, class T>
GLUG_INLINE constexpr Vec<D, T> max(Vec<D, T> x, const Vec<D, T>& y) {
  for (int a = 0; a < D; ++a) x[a] = x[a] < y[a] ? y[a] : x[a];
  return x;
}
template <class T>
GLUG_INLINE constexpr T clamp(T x, T lo, T hi) {
  return x < lo ? lo : (hi < x ? hi : x);
}

GLUG_INLINE Vec<3, double> cross(const Vec<3, double>& a, const Vec<3, double>& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

// h^n for small integer n.
template <class T>
GLUG_INLINE constexpr T power(T x, int n) {
  T r = T(1);
  for (int i = 0; i < n; ++i) r *= x;
  return r;
}

static_assert(std::is_trivially_copyable_v<Vec<3, float>>);

}  // namespace glug
