#include "solvers/packed_vector.h"

#include <cmath>
#include <vector>

#include "core/for_each.h"
#include "solvers/pack.h"

namespace glug {
namespace {

constexpr std::ptrdiff_t piece = loop_chunk;
std::ptrdiff_t pieces(const PackedSpace& s) { return (s.end - s.begin + piece - 1) / piece; }

// f(place), none of which reads what another writes.
template <class F>
void each(const PackedSpace& space, F f) {
  const std::ptrdiff_t begin = space.begin, end = space.end;
  for_each_task(space.exec, pieces(space), [=](std::ptrdiff_t n) {
    const std::ptrdiff_t last = begin + (n + 1) * piece < end ? begin + (n + 1) * piece : end;
#pragma GCC ivdep
    for (std::ptrdiff_t i = begin + n * piece; i < last; ++i) f(i);
  });
}

// The sum of f(first, n) over the pieces.
template <class F>
double sum_pieces(const PackedSpace& space, F f) {
  const std::ptrdiff_t begin = space.begin, end = space.end;
  std::vector<double> partial(static_cast<std::size_t>(pieces(space)));
  double* sums = partial.data();
  for_each_task(space.exec, pieces(space), [=](std::ptrdiff_t n) {
    const std::ptrdiff_t first = begin + n * piece;
    sums[n] = f(first, static_cast<int>(first + piece < end ? piece : end - first));
  });
  double sum = 0;
  for (double s : partial) sum += s;
  return sum;
}

}  // namespace

double PackedSpace::dot(const PackedVector& x, const PackedVector& y) const {
  const double *a = x.cells.data(), *b = y.cells.data();
  double sum = sum_pieces(*this, [=](std::ptrdiff_t first, int n) {
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

double PackedSpace::norm(const PackedVector& x) const { return std::sqrt(dot(x, x)); }

void PackedSpace::zero(PackedVector& x) const {
  double* u = x.cells.data();
  each(*this, [=](std::ptrdiff_t i) { u[i] = 0; });
  for (double& v : x.extra) v = 0;
}

void PackedSpace::copy(const PackedVector& x, PackedVector& y) const {
  const double* u = x.cells.data();
  double* v = y.cells.data();
  each(*this, [=](std::ptrdiff_t i) { v[i] = u[i]; });
  for (std::size_t k = 0; k < x.extra.size(); ++k) y.extra[k] = x.extra[k];
}

void PackedSpace::xpay(const PackedVector& x, double a, PackedVector& y) const {
  const double* u = x.cells.data();
  double* v = y.cells.data();
  each(*this, [=](std::ptrdiff_t i) { v[i] = u[i] + a * v[i]; });
  for (std::size_t k = 0; k < x.extra.size(); ++k) y.extra[k] = x.extra[k] + a * y.extra[k];
}

double PackedSpace::step(double a, const PackedVector& p, const PackedVector& q, PackedVector& x,
                         PackedVector& r) const {
  const double *in_p = p.cells.data(), *in_q = q.cells.data();
  double *out_x = x.cells.data(), *out_r = r.cells.data();
  double sum = sum_pieces(*this, [=](std::ptrdiff_t first, int n) {
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

void PackedSpace::difference(const PackedVector& x, const PackedVector& y, PackedVector& z) const {
  const double *u = x.cells.data(), *v = y.cells.data();
  double* w = z.cells.data();
  each(*this, [=](std::ptrdiff_t i) { w[i] = u[i] - v[i]; });
  for (std::size_t k = 0; k < x.extra.size(); ++k) z.extra[k] = x.extra[k] - y.extra[k];
}

void PackedSpace::product(const PackedVector& x, const PackedVector& y, PackedVector& z) const {
  const double *u = x.cells.data(), *v = y.cells.data();
  double* w = z.cells.data();
  each(*this, [=](std::ptrdiff_t i) { w[i] = u[i] * v[i]; });
}

}  // namespace glug
