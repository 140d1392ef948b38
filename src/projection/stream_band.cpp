#include "projection/stream_band.h"

#include "core/for_each.h"

namespace glug {
namespace {

template <int D, class T>
using Layers = std::array<T*, stream_kinds<D>>;

// (Cᵀ m C z) of the edge at an offset.
template <int D, int kind, class T>
GLUG_INLINE T curl_of_curl_at(const Layers<D, T>& z, const Vec<D, std::ptrdiff_t>& stride, std::ptrdiff_t at,
                              const std::array<T, 4>& mass) {
  T sum = 0;
  for (int n = 0; n < 2; ++n) {
    const EdgeTerm t = edge_term<D>(kind, n);
    for (int low = 0; low < 2; ++low) {
      const std::ptrdiff_t face = at - low * stride[t.along];
      T flux = 0;
      for (int k = 0; k < D - 1; ++k) {
        const CurlTerm c = curl_term<D>(t.axis, k);
        const T* psi = z[static_cast<std::size_t>(c.kind)] + face;
        flux += static_cast<T>(c.sign) * (psi[stride[c.along]] - psi[0]);
      }
      sum += static_cast<T>(low ? t.sign : -t.sign) * mass[static_cast<std::size_t>(2 * n + low)] * flux;
    }
  }
  return sum;
}

// f(kind as a constant).
template <int D, class F>
void with_kind(int kind, F f) {
  if (kind == 0) return f(std::integral_constant<int, 0>{});
  if constexpr (D == 3) {
    if (kind == 1) return f(std::integral_constant<int, 1>{});
    f(std::integral_constant<int, 2>{});
  }
}

// f(kind, edge) for the edges, but `edge` itself, of the faces with a mass around an edge.
template <int D, class T, class F>
GLUG_INLINE void visit_neighbours(int kind, const Index<D>& edge, const MacView<D, const T>& mass, F&& f) {
  visit_faces_of_edge<D>(kind, edge, [&](int axis, const Index<D>& face, int) {
    if (mass[axis](face) > 0)
      visit_edges_of_face<D>(axis, face, [&](int of, const Index<D>& i, int) { f(of, i); });
  });
}

template <int D>
GLUG_INLINE int parity_of(int kind, const Index<D>& edge) {
  int sum = 0;
  for (int a = 0; a < D; ++a)
    if (D == 2 || a != kind) sum += edge[a];
  return sum & 1;
}

}  // namespace

template <int D, class T>
StreamBand<D, T>::StreamBand(const Grid<D>& grid) {
  for (auto& z : z_) z = Field<D, T>(grid.node_range().grown(2));
  for (auto& near : near_) near = Field<D, std::uint8_t>(grid.node_range().grown(1));
}

template <int D, class T>
void StreamBand<D, T>::assign(const Exec& exec, const std::array<BlocksView<D>, kinds>& blocks,
                              const std::array<PackedSystem<D, T>, kinds>& packed, MacView<D, const T> mass,
                              View<D, const std::uint8_t> cut) {
  std::array<View<D, std::uint8_t>, kinds> near;
  for (int kind = 0; kind < kinds; ++kind) {
    const std::size_t k = static_cast<std::size_t>(kind);
    const View<D, std::uint8_t> here = near[k] = near_[k].view();
    const Range<D> edges = blocks[k].grid.cell_range();
    near_known_[k].change(exec, blocks[k], edges, [=](const Index<D>& i) { here(i) = 0; });
    const Index<D> own = D == 3 ? Index<D>::unit(kind) : Index<D>{};
    for_each_cell(exec, blocks[k], edges, [=](const Index<D>& i) { here(i) = cut(i) | cut(i + own); });
  }
  // Of each block: the band by parity, and what is around.
  rows_.clear();
  colours_.clear();
  around_.clear();
  for (int kind = 0; kind < kinds; ++kind) {
    const std::size_t k = static_cast<std::size_t>(kind);
    const BlocksView<D>& of_kind = blocks[k];
    const View<D, const T> layout = z_[k].read();
    std::vector<std::array<std::vector<Row>, 3>> lists(static_cast<std::size_t>(of_kind.count));
    for_each_block(exec, of_kind, [&](std::int32_t slot) {
      auto& list = lists[static_cast<std::size_t>(slot)];
      visit(intersection(of_kind.indices(slot), of_kind.grid.cell_range()), [&](const Index<D>& i) {
        bool touches = false;
        if (!near[k](i))
          visit_neighbours(kind, i, mass, [&](int of, const Index<D>& edge) {
            touches |= near[static_cast<std::size_t>(of)](edge) != 0;
          });
        if (!near[k](i) && !touches) return;
        Row row;
        row.place = packed[k].stencil().place(i);
        if (row.place == 0) return;
        row.offset = static_cast<std::int32_t>(layout.offset(i));
        T diagonal = 0;
        std::size_t n = 0;
        visit_faces_of_edge<D>(kind, i, [&](int axis, const Index<D>& face, int) {
          diagonal += row.mass[n] = mass[axis](face);
          ++n;
        });
        row.inverse = 1 / diagonal;
        list[near[k](i) ? static_cast<std::size_t>(parity_of<D>(kind, i)) : 2].push_back(row);
      });
    });
    for (std::size_t part = 0; part < 3; ++part) {
      Group group{kind, static_cast<std::int32_t>(rows_.size()), 0};
      for (const auto& list : lists) rows_.insert(rows_.end(), list[part].begin(), list[part].end());
      group.end = static_cast<std::int32_t>(rows_.size());
      (part < 2 ? colours_ : around_).push_back(group);
    }
  }
}

// f(row, its edge in z, (A z) of it as it is now).
template <int D, class T>
template <class F>
void StreamBand<D, T>::each_row(const Exec& exec, const Group& group, F f) const {
  Layers<D, T> z;
  for (std::size_t k = 0; k < z_.size(); ++k) z[k] = z_[k].view().data;
  const Vec<D, std::ptrdiff_t> stride = z_[0].view().stride;
  const Row* rows = rows_.data() + group.begin;
  with_kind<D>(group.kind, [&](auto kind) {
    for_each(exec, group.end - group.begin, [=](std::ptrdiff_t n) {
      const Row& row = rows[n];
      f(row, z[kind.value][row.offset],
        [&] { return curl_of_curl_at<D, kind.value, T>(z, stride, row.offset, row.mass); });
    });
  });
}

template <int D, class T>
void StreamBand<D, T>::relax(const Exec& exec, const Group& colour, const StreamVector<D>& r) const {
  const double* b = r[colour.kind].cells.data();
  each_row(exec, colour, [=](const Row& row, T& z, auto product) {
    z += row.inverse * (static_cast<T>(b[row.place]) - product());
  });
}

template <int D, class T>
void StreamBand<D, T>::start(const Exec& exec, const StreamVector<D>& r, StreamVector<D>& rest) const {
  for (const Group& colour : colours_) relax(exec, colour, r);
  for (const auto* groups : {&colours_, &around_})
    for (const Group& group : *groups) {
      double* out = rest[group.kind].cells.data();
      each_row(exec, group, [=](const Row& row, T&, auto product) { out[row.place] -= product(); });
    }
}

template <int D, class T>
void StreamBand<D, T>::finish(const Exec& exec, const StreamVector<D>& r, StreamVector<D>& z) const {
  for (const auto* groups : {&colours_, &around_})
    for (const Group& group : *groups) {
      const double* in = z[group.kind].cells.data();
      each_row(exec, group, [=](const Row& row, T& here, auto) { here += static_cast<T>(in[row.place]); });
    }
  for (auto colour = colours_.rbegin(); colour != colours_.rend(); ++colour) relax(exec, *colour, r);
  for (const auto* groups : {&colours_, &around_})
    for (const Group& group : *groups) {
      double* out = z[group.kind].cells.data();
      const bool in_band = groups == &colours_;
      each_row(exec, group, [=](const Row& row, T& here, auto) {
        if (in_band) out[row.place] = here;
        here = 0;
      });
    }
}

template class StreamBand<2, float>;
template class StreamBand<2, double>;
template class StreamBand<3, float>;
template class StreamBand<3, double>;

}  // namespace glug
