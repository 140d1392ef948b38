#include "solvers/vector_ops.h"

#include <cmath>

#include "solvers/pack.h"
#include "solvers/runs.h"

namespace glug {
namespace {

// f(offset of the first cell, length) over all rows of cells; all vectors of a grid have the same layout.
template <int D, class F>
void rows(const CellSpace<D>& space, const View<D, const double>& like, F f) {
  for_each_stretch(space.exec, space.blocks, space.blocks.grid.cell_range(), space.kinds,
                   [=] GLUG_FN(const Index<D>& first, int n) { f(like.offset(first), n); });
}

// The sum of what f(offset of the first cell, length, sum) adds to its PackSum.
template <int D, class F>
double sum_rows(const CellSpace<D>& space, const View<D, const double>& like, F f) {
  return sum_marked_rows(space.exec, space.blocks, space.blocks.grid.cell_range(), space.kinds,
                         [=] GLUG_FN(const Index<D>& first, int n, RowMarks marks, PackSum<double>& sum) {
                           const std::ptrdiff_t at = like.offset(first);
                           visit_stretches<D>(
                               n, marks, [&](int begin, int length, auto) { f(at + begin, length, sum); });
                         });
}

}  // namespace

template <int D>
double CellSpace<D>::dot(const Vector<D>& x, const Vector<D>& y) const {
  const View<D, const double> u = x.cells.read(), v = y.cells.read();
  double sum = sum_rows<D>(*this, u, [=] GLUG_FN(std::ptrdiff_t at, int n, PackSum<double>& products) {
    const double* a = u.data + at;
    const double* b = v.data + at;
    for_packs<double>(n, [&](auto kind, int k) {
      using P = decltype(kind);
      products.add(load<P>(a + k) * load<P>(b + k));
    });
  });
  for (std::size_t k = 0; k < x.extra.size(); ++k) sum += x.extra[k] * y.extra[k];
  return sum;
}

template <int D>
double CellSpace<D>::norm(const Vector<D>& x) const {
  return std::sqrt(dot(x, x));
}

template <int D>
void CellSpace<D>::zero(Vector<D>& x) const {
  const View<D, double> u = x.cells.view();
  rows<D>(*this, u, [=] GLUG_FN(std::ptrdiff_t at, int n) {
    double* out = u.data + at;
    for (int k = 0; k < n; ++k) out[k] = 0;
  });
  for (double& v : x.extra) v = 0;
}

template <int D>
void CellSpace<D>::copy(const Vector<D>& x, Vector<D>& y) const {
  const View<D, const double> u = x.cells.read();
  const View<D, double> v = y.cells.view();
  rows<D>(*this, u, [=] GLUG_FN(std::ptrdiff_t at, int n) {
    const double* in = u.data + at;
    double* __restrict out = v.data + at;
    for (int k = 0; k < n; ++k) out[k] = in[k];
  });
  for (std::size_t k = 0; k < x.extra.size(); ++k) y.extra[k] = x.extra[k];
}

template <int D>
void CellSpace<D>::axpy(double a, const Vector<D>& x, Vector<D>& y) const {
  const View<D, const double> u = x.cells.read();
  const View<D, double> v = y.cells.view();
  rows<D>(*this, u, [=] GLUG_FN(std::ptrdiff_t at, int n) {
    const double* in = u.data + at;
    double* __restrict out = v.data + at;
    for (int k = 0; k < n; ++k) out[k] += a * in[k];
  });
  for (std::size_t k = 0; k < x.extra.size(); ++k) y.extra[k] += a * x.extra[k];
}

template <int D>
void CellSpace<D>::xpay(const Vector<D>& x, double a, Vector<D>& y) const {
  const View<D, const double> u = x.cells.read();
  const View<D, double> v = y.cells.view();
  rows<D>(*this, u, [=] GLUG_FN(std::ptrdiff_t at, int n) {
    const double* in = u.data + at;
    double* __restrict out = v.data + at;
    for (int k = 0; k < n; ++k) out[k] = in[k] + a * out[k];
  });
  for (std::size_t k = 0; k < x.extra.size(); ++k) y.extra[k] = x.extra[k] + a * y.extra[k];
}

template <int D>
double CellSpace<D>::step(double a, const Vector<D>& p, const Vector<D>& q, Vector<D>& x,
                          Vector<D>& r) const {
  const View<D, const double> ps = p.cells.read(), qs = q.cells.read();
  const View<D, double> xs = x.cells.view(), rs = r.cells.view();
  double sum = sum_rows<D>(*this, ps, [=] GLUG_FN(std::ptrdiff_t at, int n, PackSum<double>& squares) {
    const double* __restrict in_p = ps.data + at;
    const double* __restrict in_q = qs.data + at;
    double* __restrict out_x = xs.data + at;
    double* __restrict out_r = rs.data + at;
    for (int k = 0; k < n; ++k) {
      out_x[k] += a * in_p[k];
      out_r[k] -= a * in_q[k];
    }
    for_packs<double>(n, [&](auto kind, int k) {
      using P = decltype(kind);
      squares.add(load<P>(out_r + k) * load<P>(out_r + k));
    });
  });
  for (std::size_t k = 0; k < x.extra.size(); ++k) {
    x.extra[k] += a * p.extra[k];
    r.extra[k] -= a * q.extra[k];
    sum += r.extra[k] * r.extra[k];
  }
  return std::sqrt(sum);
}

template <int D>
void CellSpace<D>::difference(const Vector<D>& x, const Vector<D>& y, Vector<D>& z) const {
  const View<D, const double> u = x.cells.read(), v = y.cells.read();
  const View<D, double> w = z.cells.view();
  rows<D>(*this, u, [=] GLUG_FN(std::ptrdiff_t at, int n) {
    for (int k = 0; k < n; ++k) w.data[at + k] = u.data[at + k] - v.data[at + k];
  });
  for (std::size_t k = 0; k < x.extra.size(); ++k) z.extra[k] = x.extra[k] - y.extra[k];
}

template struct CellSpace<2>;
template struct CellSpace<3>;

}  // namespace glug
