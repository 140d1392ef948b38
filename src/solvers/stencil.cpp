#include "solvers/stencil.h"

#include <cmath>

#include "solvers/pack.h"

namespace glug {
namespace {

// y = A x along a row; x . y is added to `dot`.
template <int D, class T>
GLUG_INLINE void apply_row(const StencilView<D, const T>& A, const View<D, const double>& x,
                           const View<D, double>& y, const Index<D>& first, int n, unsigned uniform,
                           Pack<double>& dot) {
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
  visit_stretches<D>(n, uniform, [&](int begin, int length, auto is_uniform) {
    const int end = begin + length;
    if constexpr (is_uniform) {
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
  });
  Pack<double> own{};
  for_packs<double>(n, [&](auto kind, int k) {
    using P = decltype(kind);
    if constexpr (std::is_same_v<P, double>)
      own[0] += xs[k] * ys[k];
    else
      own += load<P>(xs + k) * load<P>(ys + k);
  });
  dot += own;
}

}  // namespace

template <int D, class T>
Stencil<D, T>::Stencil(const Grid<D>& grid) : anchor_(grid.cell_range().grown(1)), coupling_(grid, 1) {}

template <int D, class T>
void Stencil<D, T>::relist(const Exec& exec, const BlocksView<D>& blocks) {
  BlocksView<D> before = blocks;
  before.ids = listed_.data();
  before.count = static_cast<std::int32_t>(listed_.size());
  const StencilView<D, T> A = view();
  const Range<D> clip = blocks.grid.cell_range();
  for_each_block(exec, before, [=](std::int32_t slot) {
    if (blocks.slots[before.ids[slot]] >= 0) return;
    visit(intersection(before.indices(slot), clip), [&](const Index<D>& i) {
      A.anchor(i) = 0;
      for (int a = 0; a < D; ++a) A.coupling[a](i) = 0;
    });
  });
  listed_.assign(blocks.ids, blocks.ids + blocks.count);
  blocks_ = blocks;
}

template <int D, class T>
void Stencil<D, T>::find_uniform_rows(const Exec& exec) {
  const std::size_t words = static_cast<std::size_t>(blocks_.count) * block_rows<D>;
  if (uniform_.size() < words) uniform_ = Buffer<RowMarks>(words + words / 8);
  RowMarks* marks = uniform_.data();
  const StencilView<D, const T> A = read();
  const BlocksView<D> blocks = blocks_;
  const Range<D> clip = blocks.grid.cell_range();
  for_each_block(exec, blocks, [=](std::int32_t slot) {
    visit_rows(run_at(blocks, slot, clip), [&](const Index<D>& first, int n) {
      unsigned bits = 0;
      for (int m = 0; (m + 1) * block_edge<D> <= n; ++m) {
        const Index<D> at = first + Index<D>::unit(0) * (m * block_edge<D>);
        const T* anchor = &A.anchor(at);
        const T k0 = A.coupling[0](at);
        T most = 0;  // difference
        for (int k = 0; k < block_edge<D>; ++k) most = anchor[k] > most ? anchor[k] : most;
        for (int a = 0; a < D; ++a) {
          const T* low = &A.coupling[a](at);
          const T* high = low + A.coupling[a].stride[a];
          for (int k = 0; k < block_edge<D>; ++k) {
            const T l = std::abs(low[k] - k0), h = std::abs(high[k] - k0);
            most = l > most ? l : most;
            most = h > most ? h : most;
          }
        }
        if (k0 > 0 && most == 0) bits |= 1u << m;
      }
      marks[std::ptrdiff_t{slot} * block_rows<D> + row_in_block<D>(first)] = static_cast<RowMarks>(bits);
    });
  });
  uniform_known_ = true;
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
  const RowMarks* marks = uniform_rows();
  return reduce_blocks(exec, blocks, 0.0, Plus{}, [=](std::int32_t slot) {
    Pack<double> dot{};
    visit_marked_rows<D>(
        run_at(blocks, slot, clip), marks, slot,
        [&](const Index<D>& first, int n, unsigned uniform) { apply_row(A, u, v, first, n, uniform, dot); });
    double sum = 0;
    for (int lane = 0; lane < pack_lanes<double>; ++lane) sum += dot[lane];
    return sum;
  });
}

template class Stencil<2, float>;
template class Stencil<2, double>;
template class Stencil<3, float>;
template class Stencil<3, double>;

}  // namespace glug
