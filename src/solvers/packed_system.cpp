#include "solvers/packed_system.h"

#include <algorithm>

#include "core/real.h"
#include "solvers/pack.h"

namespace glug {

template <int D, class F>
void PackedMeans::assign(const Exec& exec, const ComponentMeans<D>& means, F place_of, std::int32_t begin,
                         std::int32_t end) {
  stretches_.clear();
  count_.assign(static_cast<std::size_t>(means.sets()), 0);
  if (means.empty()) return;
  std::vector<std::int32_t> set_of(static_cast<std::size_t>(end), -1);
  for_each_task(exec, means.pieces(), [&](std::ptrdiff_t piece) {
    means.visit_cells(piece, [&](std::ptrdiff_t offset, std::int32_t set) {
      const std::int32_t place = place_of(offset);
      if (place > 0) set_of[static_cast<std::size_t>(place)] = set;
    });
  });
  // Stretches do not reach from one piece of places to the next.
  const std::ptrdiff_t pieces = (end - begin + loop_chunk - 1) / loop_chunk;
  std::vector<std::vector<Stretch>> of_piece(static_cast<std::size_t>(pieces));
  for_each_task(exec, pieces, [&](std::ptrdiff_t piece) {
    std::int32_t k = begin + static_cast<std::int32_t>(piece * loop_chunk);
    const std::int32_t last = std::min(end, k + static_cast<std::int32_t>(loop_chunk));
    while (k < last) {
      const std::int32_t first = k, set = set_of[static_cast<std::size_t>(k)];
      while (k < last && set_of[static_cast<std::size_t>(k)] == set) ++k;
      if (set >= 0) of_piece[static_cast<std::size_t>(piece)].push_back({first, k, set});
    }
  });
  for (const std::vector<Stretch>& list : of_piece)
    for (const Stretch& s : list) {
      stretches_.push_back(s);
      count_[static_cast<std::size_t>(s.set)] += s.end - s.begin;
    }
  sums_.assign(stretches_.size(), 0);
  means_.assign(count_.size(), 0);
}

template <int D, class T>
void PackedSystem<D, T>::assign(const Exec& exec, const Stencil<D, T>& stencil,
                                const ExtraUnknowns<D, T>& extras, const Movers<D>& movers,
                                const ComponentMeans<D>& constants, const Movers<D>& stiff) {
  stencil_.assign(exec, stencil);
  const Range<D> layout = solver_cells<D>(stencil.blocks().grid);
  const auto place_of = [&](std::ptrdiff_t offset) { return stencil_.place(layout.at(offset)); };
  std::int32_t next = stencil_.end();
  movers_ = movers.renumbered(exec, place_of, next);
  stiff_ = stiff.renumbered(exec, place_of, next);
  beyond_ = next - stencil_.end();
  std::vector<ExtraLink<T>> links = extras.links();
  for (ExtraLink<T>& link : links) link.cell = place_of(link.cell);
  std::sort(links.begin(), links.end(), [](const ExtraLink<T>& x, const ExtraLink<T>& y) {
    return x.unknown != y.unknown ? x.unknown < y.unknown : x.cell < y.cell;
  });
  extras_.assign(extras.count(), std::move(links));
  constants_.assign(exec, constants, place_of, stencil_.begin, stencil_.end());
}

template <int D, class T>
void PackedSystem<D, T>::pack(const Exec& exec, const Vector<D>& from, PackedVector& to) const {
  stencil_.pack(exec, from.cells.read(), to.cells.data());
  for (std::size_t k = 0; k < to.extra.size(); ++k) to.extra[k] = from.extra[k];
}

template <int D, class T>
void PackedSystem<D, T>::unpack(const Exec& exec, const PackedVector& from, Vector<D>& to) const {
  stencil_.unpack(exec, from.cells.data(), to.cells.view());
  for (std::size_t k = 0; k < from.extra.size(); ++k) to.extra[k] = from.extra[k];
}

template class PackedSystem<2, Real>;
template class PackedSystem<3, Real>;

}  // namespace glug
