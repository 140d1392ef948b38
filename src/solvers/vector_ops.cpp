#include "solvers/vector_ops.h"

#include <cmath>

#include "solvers/pack.h"
#include "solvers/runs.h"

namespace glug {
namespace {

// f(offset) over the unknown cells of a row that starts at offset `at`.
template <int D, class F>
GLUG_INLINE void cells_of_row(std::ptrdiff_t at, int n, const RowMarks& marks, const F& f) {
  visit_stretches<D>(n, marks, [&](int begin, int length, auto) {
#pragma GCC ivdep
    for (int k = 0; k < length; ++k) f(at + begin + k);
  });
}

// Adds what f(P, offset) returns, P a pack or one number; before it, for a whole stretch, g(offset) once for
// each cell.
template <int D, class F, class G>
GLUG_INLINE void sum_row(std::ptrdiff_t at, int n, const RowMarks& marks, const F& f, const G& g,
                         PackSum<double>& sum) {
  visit_stretches<D>(n, marks, [&](int begin, int length, auto) {
    const std::ptrdiff_t start = at + begin;
#pragma GCC ivdep
    for (int k = 0; k < length; ++k) g(start + k);
    for_packs<double>(length, [&](auto kind, int k) { sum.add(f(kind, start + k)); });
  });
}

// f(offset) over all unknown cells; all vectors of a grid have the same layout. No f reads what another
// writes.
template <int D, class F>
void cells(const CellSpace<D>& space, const View<D, const double>& like, F f) {
  for_each_marked_row(space.exec, space.blocks, space.blocks.grid.cell_range(), space.kinds,
                      [=] GLUG_FN(const Index<D>& first, int n, const RowMarks& marks) {
                        cells_of_row<D>(like.offset(first), n, marks, f);
                      });
}

// The sum over all unknown cells of what f(P, offset) returns, after g(offset).
template <int D, class F, class G>
double sum_cells(const CellSpace<D>& space, const View<D, const double>& like, F f, G g) {
  return sum_marked_rows(
      space.exec, space.blocks, space.blocks.grid.cell_range(), space.kinds,
      [=] GLUG_FN(const Index<D>& first, int n, const RowMarks& marks, PackSum<double>& sum) {
        sum_row<D>(like.offset(first), n, marks, f, g, sum);
      });
}

// f(k) over the unknowns that are not cells, and the sum of what it returns.
template <int D, class F>
void extras(const CellSpace<D>& space, const Vector<D>& like, F f) {
  for_each(space.exec, static_cast<std::ptrdiff_t>(like.extra.size()), f);
}
template <int D, class F>
double sum_extras(const CellSpace<D>& space, const Vector<D>& like, F f) {
  return reduce(space.exec, static_cast<std::ptrdiff_t>(like.extra.size()), 0.0, Plus{}, f);
}

// For sum_cells; nvcc takes no generic lambdas for kernels.
struct Product {
  const double *a, *b;
  template <class P>
  GLUG_INLINE P operator()(P, std::ptrdiff_t i) const {
    return load<P>(a + i) * load<P>(b + i);
  }
};
struct Nothing {
  GLUG_INLINE void operator()(std::ptrdiff_t) const {}
};

}  // namespace

template <int D>
double CellSpace<D>::dot(const Vector<D>& x, const Vector<D>& y) const {
  const View<D, const double> u = x.cells.read(), v = y.cells.read();
  const double *a = u.data, *b = v.data;
  const double *e = x.extra.data(), *f = y.extra.data();
  return sum_cells<D>(*this, u, Product{a, b}, Nothing{}) +
         sum_extras(*this, x, [=] GLUG_FN(std::ptrdiff_t k) { return e[k] * f[k]; });
}

template <int D>
double CellSpace<D>::norm(const Vector<D>& x) const {
  return std::sqrt(dot(x, x));
}

template <int D>
void CellSpace<D>::zero(Vector<D>& x) const {
  const View<D, double> u = x.cells.view();
  double* out = u.data;
  cells<D>(*this, u, [=] GLUG_FN(std::ptrdiff_t i) { out[i] = 0; });
  double* e = x.extra.data();
  extras(*this, x, [=] GLUG_FN(std::ptrdiff_t k) { e[k] = 0; });
}

template <int D>
void CellSpace<D>::copy(const Vector<D>& x, Vector<D>& y) const {
  const View<D, const double> u = x.cells.read();
  const double* in = u.data;
  double* out = y.cells.view().data;
  cells<D>(*this, u, [=] GLUG_FN(std::ptrdiff_t i) { out[i] = in[i]; });
  const double* e = x.extra.data();
  double* f = y.extra.data();
  extras(*this, x, [=] GLUG_FN(std::ptrdiff_t k) { f[k] = e[k]; });
}

template <int D>
void CellSpace<D>::axpy(double a, const Vector<D>& x, Vector<D>& y) const {
  const View<D, const double> u = x.cells.read();
  const double* in = u.data;
  double* out = y.cells.view().data;
  cells<D>(*this, u, [=] GLUG_FN(std::ptrdiff_t i) { out[i] += a * in[i]; });
  const double* e = x.extra.data();
  double* f = y.extra.data();
  extras(*this, x, [=] GLUG_FN(std::ptrdiff_t k) { f[k] += a * e[k]; });
}

template <int D>
void CellSpace<D>::xpay(const Vector<D>& x, double a, Vector<D>& y) const {
  const View<D, const double> u = x.cells.read();
  const double* in = u.data;
  double* out = y.cells.view().data;
  cells<D>(*this, u, [=] GLUG_FN(std::ptrdiff_t i) { out[i] = in[i] + a * out[i]; });
  const double* e = x.extra.data();
  double* f = y.extra.data();
  extras(*this, x, [=] GLUG_FN(std::ptrdiff_t k) { f[k] = e[k] + a * f[k]; });
}

template <int D>
double CellSpace<D>::step(double a, const Vector<D>& p, const Vector<D>& q, Vector<D>& x,
                          Vector<D>& r) const {
  const View<D, const double> ps = p.cells.read();
  const double *in_p = ps.data, *in_q = q.cells.read().data;
  double *out_x = x.cells.view().data, *out_r = r.cells.view().data;
  const double sum = sum_cells<D>(*this, ps, Product{out_r, out_r}, [=] GLUG_FN(std::ptrdiff_t i) {
    out_x[i] += a * in_p[i];
    out_r[i] -= a * in_q[i];
  });
  const double *e_p = p.extra.data(), *e_q = q.extra.data();
  double *e_x = x.extra.data(), *e_r = r.extra.data();
  return std::sqrt(sum + sum_extras(*this, x, [=] GLUG_FN(std::ptrdiff_t k) {
                     e_x[k] += a * e_p[k];
                     e_r[k] -= a * e_q[k];
                     return e_r[k] * e_r[k];
                   }));
}

template <int D>
void CellSpace<D>::difference(const Vector<D>& x, const Vector<D>& y, Vector<D>& z) const {
  const View<D, const double> u = x.cells.read();
  const double *in_x = u.data, *in_y = y.cells.read().data;
  double* out = z.cells.view().data;
  cells<D>(*this, u, [=] GLUG_FN(std::ptrdiff_t i) { out[i] = in_x[i] - in_y[i]; });
  const double *e_x = x.extra.data(), *e_y = y.extra.data();
  double* e_z = z.extra.data();
  extras(*this, x, [=] GLUG_FN(std::ptrdiff_t k) { e_z[k] = e_x[k] - e_y[k]; });
}

template struct CellSpace<2>;
template struct CellSpace<3>;

}  // namespace glug
