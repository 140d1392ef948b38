#include "projection/stream_shifts.h"

#include <algorithm>

#include "core/real.h"

namespace glug {

template <class T>
void StreamShifts<T>::assign(const Grid<3>& grid, const std::vector<StreamShore>& shores,
                             const MacView<3, const T>& mass,
                             const std::array<PackedSystem<3, T>, 3>& packed) {
  count_ = static_cast<std::int32_t>(shores.size());
  exits_.assign(shores.size(), {});
  std::array<std::vector<ExtraLink<T>>, 3> links;
  for (std::int32_t n = 0; n < count_; ++n) {
    std::array<std::size_t, 3> begin{};
    for (int kind = 0; kind < 3; ++kind) begin[kind] = links[kind].size();
    for (const StreamShore::Tie& tie : shores[n].ties) {
      const T m = mass[tie.axis](tie.face);
      if (!(m > 0)) continue;
      const Range<3> layout = solver_cells<3>(grid_of_edges(grid, tie.kind));
      if (packed[tie.kind].stencil().place(tie.edge) > 0)
        links[tie.kind].push_back({n, layout.number_of(tie.edge), m});
    }
    for (int kind = 0; kind < 3; ++kind) {
      std::vector<ExtraLink<T>>& list = links[kind];
      std::stable_sort(list.begin() + static_cast<std::ptrdiff_t>(begin[kind]), list.end(),
                       [](const ExtraLink<T>& x, const ExtraLink<T>& y) { return x.cell < y.cell; });
      std::size_t kept = begin[kind];
      for (std::size_t k = begin[kind]; k < list.size(); ++k)
        if (kept > begin[kind] && list[kept - 1].cell == list[k].cell)
          list[kept - 1].coupling += list[k].coupling;
        else
          list[kept++] = list[k];
      list.resize(kept);
    }
    for (const StreamShore::Exit& exit : shores[n].exits) {
      const std::int32_t place = packed[exit.kind].stencil().place(exit.edge);
      if (place > 0) exits_[n].push_back({exit.kind, place, exit.gradient});
    }
  }
  for (int kind = 0; kind < 3; ++kind) extras_[kind].assign(count_, std::move(links[kind]));
}

template <class T>
void StreamShifts<T>::gather(const StreamVector<3>& r, std::vector<double>& c) const {
  c.assign(static_cast<std::size_t>(3 * count_), 0);
  for (std::int32_t n = 0; n < count_; ++n) {
    Vec<3, double> sum{};
    for (const Exit& exit : exits_[n]) sum -= exit.gradient * r[exit.kind].cells[exit.place];
    for (int a = 0; a < 3; ++a) c[a * count_ + n] = sum[a];
  }
}

template <class T>
void StreamShifts<T>::scatter(const std::vector<double>& c, StreamVector<3>& x) const {
  for (std::int32_t n = 0; n < count_; ++n) {
    Vec<3, double> shift{};
    for (int a = 0; a < 3; ++a) shift[a] = c[a * count_ + n];
    for (const Exit& exit : exits_[n]) x[exit.kind].cells[exit.place] -= dot(shift, exit.gradient);
  }
}

template class StreamShifts<Real>;

}  // namespace glug
