// stream_vector.h: the unknowns of a stream function: those of each kind of edges side by side, and the
// columns of solids, which lie with the first kind. Operations as Krylov methods need them.
#pragma once

#include <array>
#include <cmath>

#include "projection/stream_curl.h"
#include "solvers/packed_vector.h"

namespace glug {

template <int D>
struct StreamVector {
  std::array<PackedVector, stream_kinds<D>> kind;

  PackedVector& operator[](int k) { return kind[static_cast<std::size_t>(k)]; }
  const PackedVector& operator[](int k) const { return kind[static_cast<std::size_t>(k)]; }
  Buffer<double>& columns() { return kind[0].extra; }
  const Buffer<double>& columns() const { return kind[0].extra; }
};

template <int D>
struct StreamSpace {
  Exec exec;
  std::array<PackedSpace, stream_kinds<D>> kind;

  template <class F>
  static void each(F f) {
    for (int k = 0; k < stream_kinds<D>; ++k) f(k);
  }
  const PackedSpace& of(int k) const { return kind[static_cast<std::size_t>(k)]; }

  double dot(const StreamVector<D>& x, const StreamVector<D>& y) const {
    double sum = 0;
    each([&](int k) { sum += of(k).dot(x[k], y[k]); });
    return sum;
  }
  double norm(const StreamVector<D>& x) const { return std::sqrt(dot(x, x)); }
  void zero(StreamVector<D>& x) const {
    each([&](int k) { of(k).zero(x[k]); });
  }
  void copy(const StreamVector<D>& x, StreamVector<D>& y) const {
    each([&](int k) { of(k).copy(x[k], y[k]); });
  }
  void xpay(const StreamVector<D>& x, double a, StreamVector<D>& y) const {
    each([&](int k) { of(k).xpay(x[k], a, y[k]); });
  }
  double step(double a, const StreamVector<D>& p, const StreamVector<D>& q, StreamVector<D>& x,
              StreamVector<D>& r) const {
    double sum = 0;
    each([&](int k) {
      const double part = of(k).step(a, p[k], q[k], x[k], r[k]);
      sum += part * part;
    });
    return std::sqrt(sum);
  }
  void difference(const StreamVector<D>& x, const StreamVector<D>& y, StreamVector<D>& z) const {
    each([&](int k) { of(k).difference(x[k], y[k], z[k]); });
  }
};

}  // namespace glug
