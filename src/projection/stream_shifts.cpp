#include "projection/stream_shifts.h"

#include <utility>

#include "core/group_by.h"
#include "core/real.h"
#include "projection/stacked_edges.h"

namespace glug {

template <class T>
void StreamShifts<T>::assign(const Grid<3>& grid, const std::vector<StreamShore>& shores,
                             const MacView<3, const T>& mass, const PackedStencil<3, T>& packed) {
  count_ = static_cast<std::int32_t>(shores.size());
  exits_.assign(shores.size(), {});
  const StackedEdges<3> stack(grid);
  const Range<3> layout = solver_cells<3>(stack.grid);
  std::vector<ExtraLink<T>> links;
  for (std::int32_t n = 0; n < count_; ++n) {
    for (const StreamShore::Tie& tie : shores[n].ties) {
      const T m = mass[tie.axis](tie.face);
      const Index<3> edge = tie.edge + stack.offset(tie.kind);
      if (m > 0 && packed.place(edge) > 0)
        links.push_back({tie.kind * count_ + n, layout.number_of(edge), m});
    }
    for (const StreamShore::Exit& exit : shores[n].exits) {
      const std::int32_t place = packed.place(exit.edge + stack.offset(exit.kind));
      if (place > 0) exits_[n].push_back({place, exit.gradient});
    }
  }
  merge_by_key(
      links, [](const ExtraLink<T>& link) { return std::pair(link.unknown, link.cell); },
      [](ExtraLink<T>& x, const ExtraLink<T>& y) { x.coupling += y.coupling; });
  extras_.assign({3 * count_, links});
}

template <class T>
void StreamShifts<T>::gather(const StreamVector& r, std::vector<double>& c) const {
  c.assign(static_cast<std::size_t>(3 * count_), 0);
  for (std::int32_t n = 0; n < count_; ++n) {
    Vec<3, double> sum{};
    for (const Exit& exit : exits_[n]) sum -= exit.gradient * r.cells[exit.place];
    for (int a = 0; a < 3; ++a) c[a * count_ + n] = sum[a];
  }
}

template <class T>
void StreamShifts<T>::scatter(const std::vector<double>& c, StreamVector& x) const {
  for (std::int32_t n = 0; n < count_; ++n) {
    Vec<3, double> shift{};
    for (int a = 0; a < 3; ++a) shift[a] = c[a * count_ + n];
    for (const Exit& exit : exits_[n]) x.cells[exit.place] -= dot(shift, exit.gradient);
  }
}

template class StreamShifts<Real>;

}  // namespace glug
