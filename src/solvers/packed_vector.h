// packed_vector.h: vectors that hold unknowns side by side (packed_stencil.h), and the operations Krylov
// methods need on them. Sums run over pieces of fixed size in order: the same bits for any number of threads.
#pragma once

#include <cmath>
#include <vector>

#include "core/buffer.h"
#include "core/for_each.h"
#include "solvers/pack.h"

namespace glug {

struct PackedVector {
  Buffer<double> cells;
  Buffer<double> extra;  // unknowns that are not cells

  // Zeroed.
  PackedVector() = default;
  PackedVector(std::size_t room, std::size_t extras) : cells(room), extra(extras) {}
};

struct PackedSpace {
  Exec exec;
  std::ptrdiff_t begin, end;  // of the unknowns

  double dot(const PackedVector& x, const PackedVector& y) const {
    const double *a = x.cells.data(), *b = y.cells.data();
    double sum = sum_pieces([=](std::ptrdiff_t first, int n) {
      PackSum<double> total;
      for_packs<double>(n, [&](auto kind, int k) {
        using P = decltype(kind);
        total.add(load<P>(a + first + k) * load<P>(b + first + k));
      });
      return total.total();
    });
    for (std::size_t k = 0; k < x.extra.size(); ++k) sum += x.extra[k] * y.extra[k];
    return sum;
  }
  double norm(const PackedVector& x) const { return std::sqrt(dot(x, x)); }
  void zero(PackedVector& x) const {
    double* u = x.cells.data();
    each([=](std::ptrdiff_t i) { u[i] = 0; });
    for (double& v : x.extra) v = 0;
  }
  void copy(const PackedVector& x, PackedVector& y) const {  // y = x
    const double* u = x.cells.data();
    double* v = y.cells.data();
    each([=](std::ptrdiff_t i) { v[i] = u[i]; });
    for (std::size_t k = 0; k < x.extra.size(); ++k) y.extra[k] = x.extra[k];
  }
  void xpay(const PackedVector& x, double a, PackedVector& y) const {  // y = x + a y
    const double* u = x.cells.data();
    double* v = y.cells.data();
    each([=](std::ptrdiff_t i) { v[i] = u[i] + a * v[i]; });
    for (std::size_t k = 0; k < x.extra.size(); ++k) y.extra[k] = x.extra[k] + a * y.extra[k];
  }
  // x = x + a p, r = r - a q; returns |r|.
  double step(double a, const PackedVector& p, const PackedVector& q, PackedVector& x,
              PackedVector& r) const {
    const double *in_p = p.cells.data(), *in_q = q.cells.data();
    double *out_x = x.cells.data(), *out_r = r.cells.data();
    double sum = sum_pieces([=](std::ptrdiff_t first, int n) {
      PackSum<double> total;
      for_packs<double>(n, [&](auto kind, int k) {
        using P = decltype(kind);
        const std::ptrdiff_t i = first + k;
        store(out_x + i, load<P>(out_x + i) + a * load<P>(in_p + i));
        const P left = load<P>(out_r + i) - a * load<P>(in_q + i);
        store(out_r + i, left);
        total.add(left * left);
      });
      return total.total();
    });
    for (std::size_t k = 0; k < x.extra.size(); ++k) {
      x.extra[k] += a * p.extra[k];
      r.extra[k] -= a * q.extra[k];
      sum += r.extra[k] * r.extra[k];
    }
    return std::sqrt(sum);
  }
  void difference(const PackedVector& x, const PackedVector& y, PackedVector& z) const {  // z = x - y
    const double *u = x.cells.data(), *v = y.cells.data();
    double* w = z.cells.data();
    each([=](std::ptrdiff_t i) { w[i] = u[i] - v[i]; });
    for (std::size_t k = 0; k < x.extra.size(); ++k) z.extra[k] = x.extra[k] - y.extra[k];
  }
  void product(const PackedVector& x, const PackedVector& y, PackedVector& z) const {  // z = x y, the cells
    const double *u = x.cells.data(), *v = y.cells.data();
    double* w = z.cells.data();
    each([=](std::ptrdiff_t i) { w[i] = u[i] * v[i]; });
  }

 private:
  static constexpr std::ptrdiff_t piece = loop_chunk;
  std::ptrdiff_t pieces() const { return (end - begin + piece - 1) / piece; }

  // f(place), none of which reads what another writes.
  template <class F>
  void each(F f) const {
    for_each_task(exec, pieces(), [=, *this](std::ptrdiff_t n) {
      const std::ptrdiff_t last = begin + (n + 1) * piece < end ? begin + (n + 1) * piece : end;
#pragma GCC ivdep
      for (std::ptrdiff_t i = begin + n * piece; i < last; ++i) f(i);
    });
  }
  // The sum of f(first, n) over the pieces.
  template <class F>
  double sum_pieces(F f) const {
    std::vector<double> partial(static_cast<std::size_t>(pieces()));
    double* sums = partial.data();
    for_each_task(exec, pieces(), [=, *this](std::ptrdiff_t n) {
      const std::ptrdiff_t first = begin + n * piece;
      sums[n] = f(first, static_cast<int>(first + piece < end ? piece : end - first));
    });
    double sum = 0;
    for (double s : partial) sum += s;
    return sum;
  }
};

}  // namespace glug
