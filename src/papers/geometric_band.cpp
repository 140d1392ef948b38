#include "papers/geometric_band.h"

#include "core/real.h"
#include "core/reduce.h"

namespace glug {

template <int D, class T>
void gather_band(const Exec& exec, int width, GeometricLevel<D, T>& level, Band<D, T>& band) {
  const BlocksView<D> blocks = level.A->blocks();
  const Range<D> cells = level.grid.cell_range();
  const StencilView<D, const T> A = level.A->read();
  const View<D, const T> inverse = level.inverse_diagonal.read();
  const View<D, T> near = level.r.view();
  // What a pass itself writes is not less than `distance`: neighbours may or may not have been written yet.
  for (int distance = 2; distance <= width; ++distance)
    for_each_cell(exec, blocks, cells, [=](const Index<D>& i) {
      if (near(i) > 0 || !(inverse(i) > 0)) return;
      bool found = false;
      for (int a = 0; a < D; ++a)
        for (int side = -1; side <= 1; side += 2) {
          const T n = near(i + Index<D>::unit(a) * side);
          found |= n > 0 && n < T(distance);
        }
      if (found) near(i) = T(distance);
    });
  std::vector<std::int64_t> starts(static_cast<std::size_t>(blocks.count));
  std::int64_t* start = starts.data();
  for_each_block(exec, blocks, [=](std::int32_t slot) {
    std::int64_t n = 0;
    visit(intersection(blocks.indices(slot), cells), [&](const Index<D>& i) { n += near(i) > 0; });
    start[slot] = n;
  });
  const std::size_t total = static_cast<std::size_t>(exclusive_scan(exec, start, blocks.count));
  band.rows.resize(total);
  band.next.resize(total);
  BandRow<D, T>* rows = band.rows.data();
  for_each_block(exec, blocks, [=](std::int32_t slot) {
    std::int64_t n = start[slot];
    visit(intersection(blocks.indices(slot), cells), [&](const Index<D>& i) {
      if (!(near(i) > 0)) return;
      BandRow<D, T>& row = rows[n++];
      row.at = near.offset(i);  // all fields of a level have one layout
      for (int a = 0; a < D; ++a) {
        row.low[a] = A.coupling[a](i);
        row.high[a] = A.coupling[a](i + Index<D>::unit(a));
      }
      row.diagonal = static_cast<T>(A.diagonal(i));
      row.inverse_diagonal = inverse(i);
    });
  });
}

template void gather_band<2, Real>(const Exec&, int, GeometricLevel<2, Real>&, Band<2, Real>&);
template void gather_band<3, Real>(const Exec&, int, GeometricLevel<3, Real>&, Band<3, Real>&);

}  // namespace glug
