// vector_ops.h: the few operations Krylov methods need on vectors of cells and extra unknowns, written once
// for every layout. Sums run over fixed pieces and then over these in order, so they have the same bits for
// any number of threads.
#pragma once

#include <cmath>

#include "core/pack.h"
#include "core/reduce.h"
#include "solvers/row_kinds.h"
#include "solvers/vector.h"

namespace glug {

// Kernels that add what they return (nvcc takes no generic lambdas): P is a pack, or one number. Reading and
// writing are apart, for a device does the one for several numbers before the other.
struct ProductAt {
  const double *x, *y;
  template <class P>
  GLUG_INLINE P value(P, std::ptrdiff_t i) const {
    return load<P>(x + i) * load<P>(y + i);
  }
  template <class P>
  GLUG_INLINE P use(std::ptrdiff_t, const P& product) const {
    return product;
  }
};
struct StepAt {
  double a;
  const double *p, *q;
  double *x, *r;
  template <class P>
  struct Step {
    P x, r;
  };
  template <class P>
  GLUG_INLINE Step<P> value(P, std::ptrdiff_t i) const {
    return {load<P>(x + i) + a * load<P>(p + i), load<P>(r + i) - a * load<P>(q + i)};
  }
  template <class P>
  GLUG_INLINE P use(std::ptrdiff_t i, const Step<P>& to) const {
    store(x + i, to.x);
    store(r + i, to.r);
    return to.r * to.r;
  }
};
// Both at once; and for n numbers that follow each other.
template <class P, class Kernel>
GLUG_INLINE P added_at(const Kernel& kernel, P kind, std::ptrdiff_t i) {
  return kernel.use(i, kernel.value(kind, i));
}
template <class Kernel>
GLUG_INLINE void add_row(const Kernel& kernel, std::ptrdiff_t first, int n, PackSum<double>& sum) {
  for_packs<double>(n, [&](auto kind, int k) { sum.add(added_at(kernel, kind, first + k)); });
}

// Space has `exec` and says where cells are:
//   cells(x, f)      f(offset) for every unknown; none reads what another writes
//   sum_cells(x, f)  the sum of added_at(f, P{}, offset) over the unknowns
// Not inline, so that what is compiled for devices (vector.cpp) is what runs, and no other file's copy.
template <class Space, class V>
struct VectorOps {
  double dot(const V& x, const V& y) const;
  double norm(const V& x) const { return std::sqrt(dot(x, x)); }
  void zero(V& x) const;
  void copy(const V& x, V& y) const;                                // y = x
  void axpy(double a, const V& x, V& y) const;                      // y = y + a x
  void xpay(const V& x, double a, V& y) const;                      // y = x + a y
  void difference(const V& x, const V& y, V& z) const;              // z = x - y
  void product(const V& x, const V& y, V& z) const;                 // z = x y, number by number
  double step(double a, const V& p, const V& q, V& x, V& r) const;  // x = x + a p, r = r - a q; returns |r|

  // z = f(x, y), number by number.
  template <class F>
  void each(const V& x, const V& y, V& z, F f) const {
    const double *u = x.numbers(), *v = y.numbers(), *d = x.extra.data(), *e = y.extra.data();
    double *w = z.numbers(), *g = z.extra.data();
    self().cells(x, [=] GLUG_FN(std::ptrdiff_t i) { w[i] = f(u[i], v[i]); });
    for_each(self().exec, extras(x), [=] GLUG_FN(std::ptrdiff_t k) { g[k] = f(d[k], e[k]); });
  }
  template <class F>
  double sum_extras(const V& x, F f) const {
    return reduce(self().exec, extras(x), 0.0, Plus{}, f);
  }

 private:
  const Space& self() const { return static_cast<const Space&>(*this); }
  static std::ptrdiff_t extras(const V& x) { return static_cast<std::ptrdiff_t>(x.extra.size()); }
};

template <class Space, class V>
double VectorOps<Space, V>::dot(const V& x, const V& y) const {
  const double *e = x.extra.data(), *f = y.extra.data();
  return self().sum_cells(x, ProductAt{x.numbers(), y.numbers()}) +
         sum_extras(x, [=] GLUG_FN(std::ptrdiff_t k) { return e[k] * f[k]; });
}
template <class Space, class V>
void VectorOps<Space, V>::zero(V& x) const {
  each(x, x, x, [] GLUG_FN(double, double) { return 0.0; });
}
template <class Space, class V>
void VectorOps<Space, V>::copy(const V& x, V& y) const {
  each(x, y, y, [] GLUG_FN(double u, double) { return u; });
}
template <class Space, class V>
void VectorOps<Space, V>::axpy(double a, const V& x, V& y) const {
  each(x, y, y, [=] GLUG_FN(double u, double v) { return v + a * u; });
}
template <class Space, class V>
void VectorOps<Space, V>::xpay(const V& x, double a, V& y) const {
  each(x, y, y, [=] GLUG_FN(double u, double v) { return u + a * v; });
}
template <class Space, class V>
void VectorOps<Space, V>::difference(const V& x, const V& y, V& z) const {
  each(x, y, z, [] GLUG_FN(double u, double v) { return u - v; });
}
template <class Space, class V>
void VectorOps<Space, V>::product(const V& x, const V& y, V& z) const {
  each(x, y, z, [] GLUG_FN(double u, double v) { return u * v; });
}
template <class Space, class V>
double VectorOps<Space, V>::step(double a, const V& p, const V& q, V& x, V& r) const {
  const double cells = self().sum_cells(x, StepAt{a, p.numbers(), q.numbers(), x.numbers(), r.numbers()});
  const StepAt extra{a, p.extra.data(), q.extra.data(), x.extra.data(), r.extra.data()};
  return std::sqrt(cells + sum_extras(x, [=] GLUG_FN(std::ptrdiff_t k) { return added_at(extra, 0.0, k); }));
}

// The cells of listed blocks. Nothing outside the list is read or written. With the kinds of a stencil's
// rows, parts without unknowns are left out: what vectors hold there means nothing.
template <int D>
struct CellSpace : VectorOps<CellSpace<D>, Vector<D>> {
  Exec exec;
  BlocksView<D> blocks{};
  const RowKind* kinds = nullptr;

  CellSpace() = default;
  CellSpace(const Exec& how, const BlocksView<D>& listed, const RowKind* marks = nullptr)
      : exec(how), blocks(listed), kinds(marks) {}

  template <class F>
  void cells(const Vector<D>& like, F f) const {
    const View<D, const double> v = like.cells.read();
    for_each_stretch(exec, blocks, blocks.grid.cell_range(), kinds,
                     [=] GLUG_FN(const Index<D>& first, int n) {
                       const std::ptrdiff_t at = v.offset(first);
#pragma GCC ivdep
                       for (int k = 0; k < n; ++k) f(at + k);
                     });
  }
  template <class F>
  double sum_cells(const Vector<D>& like, F f) const {
    const View<D, const double> v = like.cells.read();
    using Fetched = decltype(f.value(0.0, 0));
    if (exec.device == Device::cuda)
      return cuda::reduce_cells(
          blocks, blocks.grid.cell_range(), 0.0, Plus{},
          [=] GLUG_FN(std::int32_t, const Index<D>& i) { return f.value(0.0, v.offset(i)); },
          [=] GLUG_FN(const Index<D>& i, const Fetched& value) { return f.use(v.offset(i), value); });
    return sum_marked_rows(
        exec, blocks, blocks.grid.cell_range(), kinds,
        [=] GLUG_FN(const Index<D>& first, int n, const RowMarks<D>& marks, PackSum<double>& sum) {
          const std::ptrdiff_t at = v.offset(first);
          visit_stretches<D>(n, marks,
                             [&](int begin, int length, auto) { add_row(f, at + begin, length, sum); });
        });
  }
};

// Compiled once, for devices too (vector.cpp).
extern template struct VectorOps<CellSpace<2>, Vector<2>>;
extern template struct VectorOps<CellSpace<3>, Vector<3>>;

}  // namespace glug
