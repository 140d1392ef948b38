#include "solvers/vector_ops.h"

#include <cmath>

namespace glug {
namespace {

// f(row of x, row of y, length) over all rows of cells, then once over the extra unknowns.
template <int D, class X, class F>
void rows(const CellSpace<D>& space, const View<D, X>& x, F f) {
  for_each_row(space.exec, space.blocks, space.blocks.grid.cell_range(),
               [=](const Index<D>& first, int n) { f(x.offset(first), n); });
}

}  // namespace

template <int D>
double CellSpace<D>::dot(const Vector<D>& x, const Vector<D>& y) const {
  const View<D, const double> u = x.cells.read(), v = y.cells.read();
  const Range<D> clip = blocks.grid.cell_range();
  const BlocksView<D> list = blocks;
  double sum = reduce_blocks(exec, blocks, 0.0, Plus{}, [=](std::int32_t slot) {
    // One partial sum per place in a row: a fixed order that fills the vector registers.
    constexpr int width = block_edge<D>;
    double partial[width] = {};
    const Range<D> r = intersection(list.indices(slot), clip);
    Range<D> starts = r;
    starts.hi[0] = starts.lo[0] + (r.extent(0) > 0 ? 1 : 0);
    const int n = r.extent(0);
    visit(starts, [&](const Index<D>& first) {
      const double* a = &u(first);
      const double* b = &v(first);
      if (n == width) {
        for (int k = 0; k < width; ++k) partial[k] += a[k] * b[k];
      } else {
        for (int k = 0; k < n; ++k) partial[k] += a[k] * b[k];
      }
    });
    double total = 0;
    for (int k = 0; k < width; ++k) total += partial[k];
    return total;
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
  rows(*this, u, [=](std::ptrdiff_t at, int n) {
    for (int k = 0; k < n; ++k) u.data[at + k] = 0;
  });
  for (double& v : x.extra) v = 0;
}

template <int D>
void CellSpace<D>::copy(const Vector<D>& x, Vector<D>& y) const {
  const View<D, const double> u = x.cells.read();
  const View<D, double> v = y.cells.view();
  rows(*this, u, [=](std::ptrdiff_t at, int n) {
    for (int k = 0; k < n; ++k) v.data[at + k] = u.data[at + k];
  });
  for (std::size_t k = 0; k < x.extra.size(); ++k) y.extra[k] = x.extra[k];
}

template <int D>
void CellSpace<D>::axpy(double a, const Vector<D>& x, Vector<D>& y) const {
  const View<D, const double> u = x.cells.read();
  const View<D, double> v = y.cells.view();
  rows(*this, u, [=](std::ptrdiff_t at, int n) {
    for (int k = 0; k < n; ++k) v.data[at + k] += a * u.data[at + k];
  });
  for (std::size_t k = 0; k < x.extra.size(); ++k) y.extra[k] += a * x.extra[k];
}

template <int D>
void CellSpace<D>::xpay(const Vector<D>& x, double a, Vector<D>& y) const {
  const View<D, const double> u = x.cells.read();
  const View<D, double> v = y.cells.view();
  rows(*this, u, [=](std::ptrdiff_t at, int n) {
    for (int k = 0; k < n; ++k) v.data[at + k] = u.data[at + k] + a * v.data[at + k];
  });
  for (std::size_t k = 0; k < x.extra.size(); ++k) y.extra[k] = x.extra[k] + a * y.extra[k];
}

template <int D>
void CellSpace<D>::difference(const Vector<D>& x, const Vector<D>& y, Vector<D>& z) const {
  const View<D, const double> u = x.cells.read(), v = y.cells.read();
  const View<D, double> w = z.cells.view();
  rows(*this, u, [=](std::ptrdiff_t at, int n) {
    for (int k = 0; k < n; ++k) w.data[at + k] = u.data[at + k] - v.data[at + k];
  });
  for (std::size_t k = 0; k < x.extra.size(); ++k) z.extra[k] = x.extra[k] - y.extra[k];
}

template struct CellSpace<2>;
template struct CellSpace<3>;

}  // namespace glug
