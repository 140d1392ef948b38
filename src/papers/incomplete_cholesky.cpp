#include "papers/incomplete_cholesky.h"

#include <vector>

#include "core/real.h"
#include "core/runs.h"

namespace glug {

template <int D, class T>
void IncompleteCholesky<D, T>::factorise(const Exec& exec, const Stencil<D, T>& stencil) {
  blocks_ = stencil.blocks();
  const BlocksView<D> blocks = blocks_;
  const StencilView<D, const T> A = stencil.read();
  const Range<D> clip = blocks.grid.cell_range();
  const View<D, std::int32_t> number = number_.view();

  // Unknowns are numbered in elimination order.
  std::vector<std::int32_t> starts(static_cast<std::size_t>(blocks.count));
  std::int32_t* start = starts.data();
  for_each_block(exec, blocks, [=](std::int32_t slot) {
    std::int32_t n = 0;
    visit(intersection(blocks.indices(slot), clip), [&](const Index<D>& i) {
      number(i) = A.diagonal(i) > 0 ? n++ : -1;  // within the block; shifted below
    });
    start[slot] = n;
  });
  count_ = exclusive_scan(exec, start, blocks.count);
  const std::size_t count = static_cast<std::size_t>(count_);
  if (rows_.size() <
      count + 1) {  // some room to grow, so that a moving surface does not reallocate every step
    const std::size_t room = count + count / 8 + 64;
    rows_ = Buffer<Row>(room);
    where_ = Buffer<std::ptrdiff_t>(room);
    half_ = Buffer<double>(room);
    sum_ = Buffer<double>(room);
  }
  for_each_block(exec, blocks, [=](std::int32_t slot) {
    visit(intersection(blocks.indices(slot), clip), [&](const Index<D>& i) {
      if (number(i) >= 0) number(i) += start[slot];
    });
  });

  Row* rows = rows_.data();
  std::ptrdiff_t* where = where_.data();
  double* diagonal = half_.data();     // while factorising
  double* couplings_up = sum_.data();  // to later neighbours
  const std::int32_t none = count_;
  for_each_cell(exec, blocks, clip, [=](const Index<D>& i) {
    const std::int32_t n = number(i);
    if (n < 0) return;
    Row row{};
    double up = 0;
    for (int a = 0; a < D; ++a) {
      row.coupling[a] = A.coupling[a](i);
      row.low[a] = row.coupling[a] > 0 ? number(i - Index<D>::unit(a)) : none;
      up += A.coupling[a](i + Index<D>::unit(a));
    }
    rows[n] = row;
    where[n] = number.offset(i);
    diagonal[n] = A.diagonal(i);
    couplings_up[n] = up;
  });

  // Each pivot needs those of earlier neighbours: serial.
  for (std::int32_t n = 0; n < count_; ++n) {
    double pivot = diagonal[n];
    for (int a = 0; a < D; ++a) {
      const std::int32_t j = rows[n].low[a];
      if (j == none) continue;
      const double k = rows[n].coupling[a];
      pivot -= k * rows[j].inverse_pivot * (k + tau * (couplings_up[j] - k));
    }
    if (!(pivot >= sigma * diagonal[n])) pivot = diagonal[n];
    rows[n].inverse_pivot = static_cast<T>(1 / pivot);
  }
  half_[count] = 0;
  sum_[count] = 0;
}

template <int D, class T>
void IncompleteCholesky<D, T>::apply(const Exec& exec, const Vector<D>& r, Vector<D>& z) const {
  const Row* rows = rows_.data();
  const std::ptrdiff_t* where = where_.data();
  const double* in = r.cells.read().data;
  double* half = half_.data();
  double* sum = sum_.data();
  // (E + L) half = r.
  for (std::int32_t n = 0; n < count_; ++n) {
    const Row& row = rows[n];
    double s = in[where[n]];
    for (int a = D - 1; a >= 0; --a)
      s += row.coupling[a] * half[row.low[a]];  // axis 0 last: it was just computed
    half[n] = row.inverse_pivot * s;
    sum[n] = 0;
  }
  // (I + E^-1 L^T) z = half; each unknown, once known, is handed to its earlier neighbours.
  const BlocksView<D> blocks = blocks_;
  const View<D, const std::int32_t> number = number_.read();
  double* out = z.cells.view().data;
  for (std::int32_t n = count_ - 1; n >= 0; --n) {
    const Row& row = rows[n];
    const double value = half[n] + row.inverse_pivot * sum[n];
    for (int a = 0; a < D; ++a) sum[row.low[a]] += row.coupling[a] * value;
    half[n] = value;
  }
  // Every cell of the listed blocks is written, so that no stale value survives where an unknown has gone.
  for_each_long_row(exec, blocks, blocks.grid.cell_range(), [=](const Index<D>& first, int width) {
    const std::ptrdiff_t at = number.offset(first);
    for (int k = 0; k < width; ++k) {
      const std::int32_t n = number.at(at + k);
      out[at + k] = n < 0 ? 0 : half[n];
    }
  });
}

template class IncompleteCholesky<2, Real>;
template class IncompleteCholesky<3, Real>;

}  // namespace glug
