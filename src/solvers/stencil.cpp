#include "solvers/stencil.h"

#include <cmath>

#include "core/real.h"
#include "solvers/vector_ops.h"

namespace glug {
namespace {

// What (A x) reads along a row, cell k being the k-th from the first. Everything loops read is a local of its
// own: stores could change anything that has an address.
template <int D, class T>
struct RowOfProduct {
  RowCouplings<D, T> k_of;
  const double* x;
  std::ptrdiff_t stride[D];

  GLUG_INLINE RowOfProduct(const StencilView<D, const T>& A, const View<D, const double>& v,
                           const Index<D>& first)
      : k_of(A, first), x(&v(first)) {
    for (int a = 0; a < D; ++a) stride[a] = v.stride[a];
  }
  // Of a uniform row, but for its coupling. Differences: constants must vanish to the last bit.
  GLUG_INLINE double differences(int k) const {
    double sum = 0;
    for (int a = 0; a < D; ++a) sum += (x[k] - x[k - stride[a]]) + (x[k] - x[k + stride[a]]);
    return sum;
  }
  GLUG_INLINE double product(int k) const {
    double sum = k_of.anchor[k] * x[k];
    for (int a = 0; a < D; ++a)
      sum +=
          k_of.to[2 * a][k] * (x[k] - x[k - stride[a]]) + k_of.to[2 * a + 1][k] * (x[k] - x[k + stride[a]]);
    return sum;
  }
};

// y = A x along a row; x . y is added to `dot`.
template <int D, class T>
GLUG_INLINE void apply_row(const StencilView<D, const T>& A, const View<D, const double>& x,
                           const View<D, double>& y, const Index<D>& first, int n, const RowMarks<D>& kinds,
                           PackSum<double>& dot) {
  const RowOfProduct<D, T> row(A, x, first);
  double* __restrict ys = &y(first);
  visit_stretches<D>(n, kinds, [&, row, ys](int begin, int length, auto stretch) {
    const int end = begin + length;
    if constexpr (stretch) {
      const double coupling = row.k_of.to[0][begin];
      for (int k = begin; k < end; ++k) ys[k] = coupling * row.differences(k);
    } else {
      for (int k = begin; k < end; ++k) ys[k] = row.product(k);
    }
    add_row(ProductAt{row.x, ys}, begin, length, dot);
  });
}

// What a device reads for (A x) at a cell before it knows which case it is.
template <class T>
struct Differences {
  double centre, sum;  // of centre - x over the sides
  T coupling;          // of the low side along axis 0
  bool uniform;
};

// The kind of a block's part of a row, n cells of it.
template <int D, class T>
GLUG_INLINE RowKind kind_of_part(const StencilView<D, const T>& A, const Index<D>& first, int n) {
  const RowCouplings<D, T> couplings(A, first);
  if (n == block_edge<D> && couplings.is_uniform()) return RowKind::uniform;
  T most[block_edge<D>];
  couplings.find_most(most);
  int length = 0;  // of what must be visited so that no unknown is left out
  for (int k = 0; k < n; ++k)
    if (most[k] > 0 || couplings.anchor[k] > 0) length = k + 1;
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
  copy_numbers(other.anchor_.values(), anchor_.values());
  for (int a = 0; a < D; ++a) copy_numbers(other.coupling_[a].values(), coupling_[a].values());
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
          const RowOfProduct<D, T> row(A, u, i);
          return Differences<T>{row.x[0], row.differences(0), row.k_of.to[0][0],
                                is_uniform_at<D>(marks, slot, i)};
        },
        [=] GLUG_FN(const Index<D>& i, const Differences<T>& d) {
          v(i) = d.uniform ? d.coupling * d.sum : RowOfProduct<D, T>(A, u, i).product(0);
          return d.centre * v(i);
        });
  return sum_marked_rows(exec, blocks, clip, marks,
                         [=] GLUG_FN(const Index<D>& first, int n, const RowMarks<D>& kinds,
                                     PackSum<double>& dot) { apply_row(A, u, v, first, n, kinds, dot); });
}

template class Stencil<2, Real>;
template class Stencil<3, Real>;

}  // namespace glug
