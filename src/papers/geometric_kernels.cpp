#include "papers/geometric_kernels.h"

#include "core/real.h"
#include "core/runs.h"

namespace glug {

template <int D, class T>
void clear(const Exec& exec, GeometricLevel<D, T>& level) {
  const View<D, T> x = level.x.view();
  for_each_long_row(exec, level.A->blocks(), level.grid.cell_range(), [=](const Index<D>& first, int n) {
    T* row = &x(first);
    for (int k = 0; k < n; ++k) row[k] = 0;
  });
}

template <int D, class T>
void smooth_colour(const Exec& exec, GeometricLevel<D, T>& level, Colour colour) {
  const StencilView<D, const T> A = level.A->read();
  const View<D, T> x = level.x.view();
  const View<D, const T> b = level.b.read(), inverse = level.inverse_diagonal.read();
  for_each_long_row(exec, level.A->blocks(), level.grid.cell_range(), [=](const Index<D>& first, int n) {
    const RowCouplings<D, T> k(A, first);
    T* xs = &x(first);
    const T* bs = &b(first);
    const T* ds = &inverse(first);
    int parity = static_cast<int>(colour);
    for (int a = 0; a < D; ++a) parity += first[a];
    for (int c = parity & 1; c < n; c += 2) {
      T sum = bs[c];
      for (int a = 0; a < D; ++a)
        sum += k.to[2 * a][c] * xs[c - x.stride[a]] + k.to[2 * a + 1][c] * xs[c + x.stride[a]];
      xs[c] = ds[c] * sum;
    }
  });
}

template <int D, class T>
void smooth_band(const Exec& exec, GeometricLevel<D, T>& level, Band<D, T>& band, int sweeps) {
  const View<D, T> x = level.x.view();
  const T* b = level.b.read().data;
  const BandRow<D, T>* rows = band.rows.data();
  T* next = band.next.data();
  const std::ptrdiff_t n = static_cast<std::ptrdiff_t>(band.rows.size());
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    for_each(exec, n, [=](std::ptrdiff_t k) {
      const BandRow<D, T>& row = rows[k];
      const T* at = x.data + row.at;
      T r = b[row.at] - row.diagonal * *at;
      for (int a = 0; a < D; ++a) r += row.low[a] * at[-x.stride[a]] + row.high[a] * at[x.stride[a]];
      next[k] = *at + T(2.0 / 3.0) * row.inverse_diagonal * r;
    });
    for_each(exec, n, [=](std::ptrdiff_t k) { x.data[rows[k].at] = next[k]; });
  }
}

template <int D, class T>
void residual(const Exec& exec, GeometricLevel<D, T>& level) {
  const StencilView<D, const T> A = level.A->read();
  const View<D, const T> x = level.x.read(), b = level.b.read();
  const View<D, T> r = level.r.view();
  for_each_long_row(exec, level.A->blocks(), level.grid.cell_range(), [=](const Index<D>& first, int n) {
    const RowCouplings<D, T> k(A, first);
    const T* anchor = &A.anchor(first);
    const T* xs = &x(first);
    const T* bs = &b(first);
    T* __restrict out = &r(first);
    std::ptrdiff_t stride[D];
    for (int a = 0; a < D; ++a) stride[a] = x.stride[a];
    for (int c = 0; c < n; ++c) {
      T sum = anchor[c] * xs[c];
      for (int a = 0; a < D; ++a)
        sum +=
            k.to[2 * a][c] * (xs[c] - xs[c - stride[a]]) + k.to[2 * a + 1][c] * (xs[c] - xs[c + stride[a]]);
      out[c] = bs[c] - sum;
    }
  });
}

template <int D, class T>
void restrict_to_coarse(const Exec& exec, View<D, const T> values, GeometricLevel<D, T>& coarse) {
  const View<D, T> b = coarse.b.view();
  const View<D, const T> inverse = coarse.inverse_diagonal.read();
  for_each_cell(exec, coarse.A->blocks(), coarse.grid.cell_range(), [=](const Index<D>& c) {
    if (!(inverse(c) > 0)) {
      b(c) = 0;
      return;
    }
    constexpr T weight[4] = {T(1) / 8, T(3) / 8, T(3) / 8, T(1) / 8};
    const Index<D> low = c * 2 - Index<D>::filled(1);
    T sum = 0;
    Range<D> rows{Index<D>{}, Index<D>::filled(4)};
    rows.hi[0] = 1;
    visit(rows, [&](const Index<D>& o) {
      T w = 1;
      for (int a = 1; a < D; ++a) w *= weight[o[a]];
      const T* v = &values(low + o);
      sum += w * ((v[0] + v[3]) * weight[0] + (v[1] + v[2]) * weight[1]);
    });
    b(c) = 4 * sum;
  });
}

template <int D, class T>
void prolong_and_add(const Exec& exec, const GeometricLevel<D, T>& coarse, GeometricLevel<D, T>& fine) {
  const View<D, const T> from = coarse.x.read();
  const View<D, const T> inverse = fine.inverse_diagonal.read();
  const View<D, T> x = fine.x.view();
  for_each_cell(exec, fine.A->blocks(), fine.grid.cell_range(), [=](const Index<D>& i) {
    if (!(inverse(i) > 0)) return;
    Index<D> c{};
    std::ptrdiff_t step[D];  // towards the farther of the two coarse cells
    for (int a = 0; a < D; ++a) {
      c[a] = i[a] >> 1;
      step[a] = (i[a] & 1) ? from.stride[a] : -from.stride[a];
    }
    const T* at = &from(c);
    T sum = 0;
    for (int corner = 0; corner < (1 << D); ++corner) {
      T w = 1;
      std::ptrdiff_t n = 0;
      for (int a = 0; a < D; ++a) {
        const bool far = (corner >> a) & 1;
        w *= far ? T(0.25) : T(0.75);
        if (far) n += step[a];
      }
      sum += w * at[n];
    }
    x(i) += sum;
  });
}

template <int D, class T>
void average_to_coarse(const Exec& exec, View<D, const T> values, GeometricLevel<D, T>& coarse) {
  const View<D, T> b = coarse.b.view();
  const View<D, const T> inverse = coarse.inverse_diagonal.read();
  for_each_cell(exec, coarse.A->blocks(), coarse.grid.cell_range(), [=](const Index<D>& c) {
    T sum = 0;
    if (inverse(c) > 0)
      visit(Range<D>{c * 2, c * 2 + Index<D>::filled(2)}, [&](const Index<D>& i) { sum += values(i); });
    b(c) = 4 * sum / (1 << D);
  });
}

template <int D, class T>
void interpolate_and_add(const Exec& exec, const GeometricLevel<D, T>& coarse, GeometricLevel<D, T>& fine) {
  const View<D, const T> from = coarse.x.read();
  const CellKindsView<D> kinds = coarse.kinds.read();
  const View<D, const T> inverse = fine.inverse_diagonal.read();
  const View<D, T> x = fine.x.view();
  for_each_cell(exec, fine.A->blocks(), fine.grid.cell_range(), [=](const Index<D>& i) {
    if (!(inverse(i) > 0)) return;
    T sum = 0, weights = 0;
    for (int corner = 0; corner < (1 << D); ++corner) {
      T w = 1;
      Index<D> c{};
      for (int a = 0; a < D; ++a) {
        const bool far = (corner >> a) & 1;
        w *= far ? T(0.25) : T(0.75);
        c[a] = (i[a] >> 1) + (far ? 2 * (i[a] & 1) - 1 : 0);
      }
      if (kinds.at(c) == CellKind::exterior) continue;
      sum += w * from(c);
      weights += w;
    }
    x(i) += sum / weights;  // the cell that i lies in is never exterior
  });
}

template <int D, class T>
void load_vector(const Exec& exec, const Vector<D>& v, GeometricLevel<D, T>& finest) {
  const View<D, const double> in = v.cells.read();
  const View<D, const T> inverse = finest.inverse_diagonal.read();
  const View<D, T> b = finest.b.view();
  for_each_long_row(exec, finest.A->blocks(), finest.grid.cell_range(), [=](const Index<D>& first, int n) {
    const double* from = &in(first);
    const T* d = &inverse(first);
    T* __restrict to = &b(first);
    for (int k = 0; k < n; ++k) to[k] = d[k] > 0 ? static_cast<T>(from[k]) : T(0);
  });
}

template <int D, class T>
void store_vector(const Exec& exec, const GeometricLevel<D, T>& finest, Vector<D>& v) {
  const View<D, double> out = v.cells.view();
  const View<D, const T> x = finest.x.read();
  for_each_long_row(exec, finest.A->blocks(), finest.grid.cell_range(), [=](const Index<D>& first, int n) {
    const T* from = &x(first);
    double* __restrict to = &out(first);
    for (int k = 0; k < n; ++k) to[k] = from[k];
  });
}

#define GLUG_INSTANTIATE(D, T)                                                                              \
  template void clear<D, T>(const Exec&, GeometricLevel<D, T>&);                                            \
  template void smooth_colour<D, T>(const Exec&, GeometricLevel<D, T>&, Colour);                            \
  template void smooth_band<D, T>(const Exec&, GeometricLevel<D, T>&, Band<D, T>&, int);                    \
  template void residual<D, T>(const Exec&, GeometricLevel<D, T>&);                                         \
  template void restrict_to_coarse<D, T>(const Exec&, View<D, const T>, GeometricLevel<D, T>&);             \
  template void prolong_and_add<D, T>(const Exec&, const GeometricLevel<D, T>&, GeometricLevel<D, T>&);     \
  template void average_to_coarse<D, T>(const Exec&, View<D, const T>, GeometricLevel<D, T>&);              \
  template void interpolate_and_add<D, T>(const Exec&, const GeometricLevel<D, T>&, GeometricLevel<D, T>&); \
  template void load_vector<D, T>(const Exec&, const Vector<D>&, GeometricLevel<D, T>&);                    \
  template void store_vector<D, T>(const Exec&, const GeometricLevel<D, T>&, Vector<D>&);
GLUG_INSTANTIATE(2, Real)
GLUG_INSTANTIATE(3, Real)
#undef GLUG_INSTANTIATE

}  // namespace glug
