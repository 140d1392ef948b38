#include "solvers/packed_system.h"

#include <algorithm>

#include "solvers/pack.h"

namespace glug {

template <int D, class F>
void PackedMeans::assign(const ComponentMeans<D>& means, F place_of) {
  stretches_.clear();
  count_.assign(static_cast<std::size_t>(means.sets()), 0);
  std::vector<std::vector<std::int32_t>> places(count_.size());
  means.visit_cells([&](std::ptrdiff_t offset, std::int32_t set) {
    const std::int32_t place = place_of(offset);
    if (place > 0) places[static_cast<std::size_t>(set)].push_back(place);
  });
  for (std::size_t set = 0; set < places.size(); ++set) {
    std::vector<std::int32_t>& of_set = places[set];
    std::sort(of_set.begin(), of_set.end());
    count_[set] = static_cast<double>(of_set.size());
    for (std::size_t k = 0; k < of_set.size();) {
      std::size_t end = k + 1;
      while (end < of_set.size() && end < k + loop_chunk && of_set[end] == of_set[end - 1] + 1) ++end;
      stretches_.push_back({of_set[k], of_set[end - 1] + 1, static_cast<std::int32_t>(set)});
      k = end;
    }
  }
  sums_.assign(stretches_.size(), 0);
  means_.assign(count_.size(), 0);
}

void PackedMeans::project(const Exec& exec, PackedVector& v) const {
  if (stretches_.empty()) return;
  double* cells = v.cells.data();
  const std::ptrdiff_t n = static_cast<std::ptrdiff_t>(stretches_.size());
  for_each(exec, n, [=, this](std::ptrdiff_t k) {
    const Stretch s = stretches_[static_cast<std::size_t>(k)];
    PackSum<double> sum;
    for_packs<double>(s.end - s.begin,
                      [&](auto kind, int j) { sum.add(load<decltype(kind)>(cells + s.begin + j)); });
    sums_[static_cast<std::size_t>(k)] = sum.total();
  });
  std::fill(means_.begin(), means_.end(), 0.0);
  for (std::size_t k = 0; k < stretches_.size(); ++k)
    means_[static_cast<std::size_t>(stretches_[k].set)] += sums_[k];
  for (std::size_t set = 0; set < means_.size(); ++set)
    if (count_[set] > 0) means_[set] /= count_[set];
  for_each(exec, n, [=, this](std::ptrdiff_t k) {
    const Stretch s = stretches_[static_cast<std::size_t>(k)];
    const double mean = means_[static_cast<std::size_t>(s.set)];
    for (std::int32_t i = s.begin; i < s.end; ++i) cells[i] -= mean;
  });
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
  constants_.assign(constants, place_of);
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

template class PackedSystem<2, float>;
template class PackedSystem<2, double>;
template class PackedSystem<3, float>;
template class PackedSystem<3, double>;

}  // namespace glug
