// vector_parts.h: a vector of several vectors, such as one for each axis, and the operations Krylov methods
// need, part by part.
#pragma once

#include <array>
#include <cmath>

#include "core/exec.h"

namespace glug {

template <class V, int N>
struct VectorParts {
  std::array<V, N> part;

  V& operator[](int k) { return part[k]; }
  const V& operator[](int k) const { return part[k]; }
};

// V: VectorParts of what Space works on.
template <class Space, class V, int N>
struct SpaceOfParts {
  Exec exec;
  std::array<Space, N> part;

  template <class F>
  void each(F f) const {
    for (int k = 0; k < N; ++k) f(part[k], k);
  }
  double dot(const V& x, const V& y) const {
    double sum = 0;
    each([&](const Space& s, int k) { sum += s.dot(x[k], y[k]); });
    return sum;
  }
  double norm(const V& x) const { return std::sqrt(dot(x, x)); }
  void zero(V& x) const {
    each([&](const Space& s, int k) { s.zero(x[k]); });
  }
  void copy(const V& x, V& y) const {
    each([&](const Space& s, int k) { s.copy(x[k], y[k]); });
  }
  void axpy(double a, const V& x, V& y) const {
    each([&](const Space& s, int k) { s.axpy(a, x[k], y[k]); });
  }
  void xpay(const V& x, double a, V& y) const {
    each([&](const Space& s, int k) { s.xpay(x[k], a, y[k]); });
  }
  double step(double a, const V& p, const V& q, V& x, V& r) const {
    double sum = 0;
    each([&](const Space& s, int k) {
      const double left = s.step(a, p[k], q[k], x[k], r[k]);
      sum += left * left;
    });
    return std::sqrt(sum);
  }
  void difference(const V& x, const V& y, V& z) const {
    each([&](const Space& s, int k) { s.difference(x[k], y[k], z[k]); });
  }
};

}  // namespace glug
