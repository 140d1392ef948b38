#include "solvers/stencil.h"

#include <cmath>

#include "core/pack.h"
#include "core/real.h"

namespace glug {
namespace {

// y = A x along a row; x . y is added to `dot`.
template <int D, class T>
GLUG_INLINE void apply_row(const StencilView<D, const T>& A, const View<D, const double>& x,
                           const View<D, double>& y, const Index<D>& first, int n, const RowMarks<D>& kinds,
                           PackSum<double>& dot) {
  // Everything the loops read is a local of its own: stores could change anything that has an address.
  const T* anchor = &A.anchor(first);
  const double* xs = &x(first);
  double* __restrict ys = &y(first);
  const T* low[D];
  const T* high[D];
  std::ptrdiff_t stride[D];
  for (int a = 0; a < D; ++a) {
    low[a] = &A.coupling[a](first);
    high[a] = low[a] + A.coupling[a].stride[a];
    stride[a] = x.stride[a];
  }
  visit_stretches<D>(n, kinds, [&](int begin, int length, auto stretch) {
    const int end = begin + length;
    if constexpr (stretch) {  // differences: constants must vanish to the last bit
      const double coupling = low[0][begin];
      for (int k = begin; k < end; ++k) {
        const double center = xs[k];
        double sum = 0;
        for (int a = 0; a < D; ++a) sum += (center - xs[k - stride[a]]) + (center - xs[k + stride[a]]);
        ys[k] = coupling * sum;
      }
    } else {
      for (int k = begin; k < end; ++k) {
        const double center = xs[k];
        double sum = anchor[k] * center;
        for (int a = 0; a < D; ++a)
          sum += low[a][k] * (center - xs[k - stride[a]]) + high[a][k] * (center - xs[k + stride[a]]);
        ys[k] = sum;
      }
    }
    for_packs<double>(length, [&](auto kind, int k) {
      using P = decltype(kind);
      dot.add(load<P>(xs + begin + k) * load<P>(ys + begin + k));
    });
  });
}

// What a device reads for (A x) at a cell before it knows which case it is.
template <class T>
struct Differences {
  double centre, sum;  // of centre - x over the sides
  T coupling;          // of the low side along axis 0
  bool uniform;
};
template <int D, class T>
GLUG_INLINE Differences<T> differences_at(const StencilView<D, const T>& A, const View<D, const double>& x,
                                          const Index<D>& i, bool uniform) {
  const double* xs = &x(i);
  double sum = 0;
  for (int a = 0; a < D; ++a) sum += (xs[0] - xs[-x.stride[a]]) + (xs[0] - xs[x.stride[a]]);
  return {xs[0], sum, A.coupling[0](i), uniform};
}
// y = A x there; returns x y.
template <int D, class T>
GLUG_INLINE double apply_at(const StencilView<D, const T>& A, const View<D, const double>& x,
                            const View<D, double>& y, const Index<D>& i, const Differences<T>& d) {
  double sum = d.coupling * d.sum;
  if (!d.uniform) {
    const double* xs = &x(i);
    const std::ptrdiff_t at = A.anchor.offset(i);
    sum = A.anchor.data[at] * d.centre;
    for (int a = 0; a < D; ++a) {
      const T* k = A.coupling[a].data + at;
      sum += k[0] * (d.centre - xs[-x.stride[a]]) + k[A.anchor.stride[a]] * (d.centre - xs[x.stride[a]]);
    }
  }
  y(i) = sum;
  return d.centre * sum;
}

// Whether a whole block's part of a row has one coupling to all sides, and nothing is anchored.
template <int D, class T>
GLUG_INLINE bool is_uniform(const StencilView<D, const T>& A, const Index<D>& first) {
  const T *along = &A.coupling[0](first), *anchor = &A.anchor(first);
  const T number = along[0];
  if (!(number > 0) || along[block_edge<D>] != number) return false;
  int others = 0;
  for (int k = 0; k < block_edge<D>; ++k) others += (along[k] != number) + (anchor[k] != 0);
  for (int a = 1; a < D; ++a) {
    const T *low = &A.coupling[a](first), *high = low + A.coupling[a].stride[a];
    for (int k = 0; k < block_edge<D>; ++k) others += (low[k] != number) + (high[k] != number);
  }
  return others == 0;
}

// How many of the row's cells, from the first on, must be visited so that no unknown is left out.
template <int D, class T>
GLUG_INLINE int occupied_length(const StencilView<D, const T>& A, const Index<D>& first, int n) {
  const T* anchor = &A.anchor(first);
  int length = 0;
  for (int k = 0; k < n; ++k) {
    T most = anchor[k];
    for (int a = 0; a < D; ++a) {
      const T* low = &A.coupling[a](first) + k;
      most = low[0] > most ? low[0] : most;
      most = low[A.coupling[a].stride[a]] > most ? low[A.coupling[a].stride[a]] : most;
    }
    if (most > 0) length = k + 1;
  }
  return length;
}

// The kind of a block's part of a row, n cells of it.
template <int D, class T>
GLUG_INLINE RowKind kind_of_part(const StencilView<D, const T>& A, const Index<D>& first, int n) {
  if (n == block_edge<D> && is_uniform(A, first)) return RowKind::uniform;
  const int length = occupied_length(A, first, n);
  return length == 0 ? RowKind::empty : length == 1 ? RowKind::first : RowKind::general;
}

}  // namespace

template <int D, class T>
Stencil<D, T>::Stencil(const Grid<D>& grid, Memory memory) : anchor_(solver_cells<D>(grid), memory) {
  for (Field<D, T>& c : coupling_) c = Field<D, T>(solver_cells<D>(grid), memory);
}

template <int D, class T>
void Stencil<D, T>::relist(const Exec& exec, const BlocksView<D>& blocks) {
  const StencilView<D, T> A = view();
  listed_.change(exec, blocks, blocks.grid.cell_range(), [=] GLUG_FN(const Index<D>& i) {
    A.anchor(i) = 0;
    for (int a = 0; a < D; ++a) A.coupling[a](i) = 0;
  });
  blocks_ = blocks;
}

template <int D, class T>
void Stencil<D, T>::copy_from(const Exec& exec, const Stencil& other, const BlocksView<D>& blocks) {
  relist(exec, blocks);
  const auto copy = [](Field<D, T>& to, const Field<D, T>& from) {
    copy_bytes(to.values().data(), to.values().memory(), from.values().data(), from.values().memory(),
               from.values().size() * sizeof(T));
  };
  copy(anchor_, other.anchor_);
  for (int a = 0; a < D; ++a) copy(coupling_[a], other.coupling_[a]);
}

template <int D, class T>
void Stencil<D, T>::find_row_kinds(const Exec& exec) {
  const std::size_t parts = static_cast<std::size_t>(blocks_.count) * block_rows<D>;
  if (row_kinds_.size() < parts) row_kinds_ = Buffer<RowKind>(parts + parts / 8, memory_of(exec));
  RowKind* kinds = row_kinds_.data();
  const StencilView<D, const T> A = read();
  const Range<D> clip = blocks_.grid.cell_range();
  for_each_row_of_runs(exec, blocks_, clip, [=] GLUG_FN(std::int32_t slot, const Index<D>& first, int n) {
    constexpr int edge = block_edge<D>;
    if (first[0] % edge != 0) return;  // a device comes to every cell, runs start with a block
    Index<D> i = first;
    for (RowKind* kind = kinds + std::ptrdiff_t{slot} * block_rows<D> + row_in_block<D>(first);
         i[0] < first[0] + n; i[0] += edge, kind += block_rows<D>)
      *kind = kind_of_part(A, i, i[0] + edge < clip.hi[0] ? edge : clip.hi[0] - i[0]);
  });
  kinds_known_ = true;
}

template <int D, class T>
void Stencil<D, T>::apply(const Exec& exec, const Vector<D>& x, Vector<D>& y) const {
  (void)apply_dot(exec, x, y);
}

template <int D, class T>
double Stencil<D, T>::apply_dot(const Exec& exec, const Vector<D>& x, Vector<D>& y) const {
  const StencilView<D, const T> A = read();
  const View<D, const double> u = x.cells.read();
  const View<D, double> v = y.cells.view();
  const BlocksView<D> blocks = blocks_;
  const Range<D> clip = blocks.grid.cell_range();
  const RowKind* marks = row_kinds();
  if (exec.device == Device::cuda)
    return cuda::reduce_cells(
        blocks, clip, 0.0, Plus{},
        [=] GLUG_FN(std::int32_t slot, const Index<D>& i) {
          return differences_at(A, u, i, is_uniform_at<D>(marks, slot, i));
        },
        [=] GLUG_FN(const Index<D>& i, const Differences<T>& d) { return apply_at(A, u, v, i, d); });
  return sum_marked_rows(exec, blocks, clip, marks,
                         [=] GLUG_FN(const Index<D>& first, int n, const RowMarks<D>& kinds,
                                     PackSum<double>& dot) { apply_row(A, u, v, first, n, kinds, dot); });
}

template class Stencil<2, Real>;
template class Stencil<3, Real>;

}  // namespace glug
