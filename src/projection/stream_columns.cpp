#include "projection/stream_columns.h"

#include <algorithm>

namespace glug {
namespace {

// Adds up what has the same key.
template <class Item, class Key, class Add>
void merge(std::vector<Item>& items, Key key, Add add) {
  std::stable_sort(items.begin(), items.end(), [&](const Item& x, const Item& y) { return key(x) < key(y); });
  std::size_t kept = 0;
  for (std::size_t n = 0; n < items.size(); ++n)
    if (kept > 0 && key(items[kept - 1]) == key(items[n]))
      add(items[kept - 1], items[n]);
    else
      items[kept++] = items[n];
  items.resize(kept);
}

}  // namespace

template <int D, class T>
void StreamColumns<D, T>::assign(const Grid<D>& grid, const StreamSolids<D>& solids, MacView<D, const T> mass,
                                 const std::array<PackedSystem<D, T>, stream_kinds<D>>& packed) {
  const Range<D> nodes = grid.node_range();
  const auto number = [&](const FaceValue& f) { return f.axis * nodes.size() + nodes.number_of(f.face); };
  const auto faces_of = [&](const std::vector<SolidEdge<D>>& edges) {
    Faces list;
    for (const SolidEdge<D>& e : edges)
      visit_faces_of_edge<D>(e.kind, e.edge, [&](int axis, const Index<D>& face, int sign) {
        if (!grid.face_range(axis).contains(face)) return;
        const double m = mass[axis](face);
        if (m > 0) list.push_back({axis, face, sign * e.value, m});
      });
    merge(list, number, [](FaceValue& x, const FaceValue& y) { x.curl += y.curl; });
    list.erase(std::remove_if(list.begin(), list.end(), [](const FaceValue& f) { return f.curl == 0; }),
               list.end());
    return list;
  };
  const auto couplings_of = [&](const Faces& faces) {
    std::vector<Coupling> list;
    for (const FaceValue& f : faces)
      visit_edges_of_face<D>(f.axis, f.face, [&](int kind, const Index<D>& edge, int sign) {
        if (solids.bound(kind)(edge)) return;
        const std::int32_t place = packed[static_cast<std::size_t>(kind)].stencil().place(edge);
        if (place > 0) list.push_back({kind, place, sign * f.mass * f.curl});
      });
    merge(
        list, [](const Coupling& c) { return (std::int64_t{c.kind} << 32) + c.place; },
        [](Coupling& x, const Coupling& y) { x.value += y.value; });
    return list;
  };
  // sum m_f c_f c'_f.
  const auto product = [&](const Faces& x, const Faces& y) {
    double sum = 0;
    for (auto i = x.begin(), j = y.begin(); i != x.end() && j != y.end();) {
      const auto a = number(*i), b = number(*j);
      if (a == b) sum += i->mass * i->curl * j->curl;
      if (a <= b) ++i;
      if (b <= a) ++j;
    }
    return sum;
  };

  faces_.clear();
  couplings_.clear();
  const std::size_t n = solids.columns().size();
  for (const auto& column : solids.columns()) {
    faces_.push_back(faces_of(column));
    couplings_.push_back(couplings_of(faces_.back()));
  }
  own_.assign(n * n, 0);
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t l = 0; l <= k; ++l) own_[k * n + l] = own_[l * n + k] = product(faces_[k], faces_[l]);
  const Faces known = faces_of(solids.known());
  known_couplings_ = couplings_of(known);
  known_own_.assign(n, 0);
  for (std::size_t k = 0; k < n; ++k) known_own_[k] = product(faces_[k], known);
}

template <int D, class T>
double StreamColumns<D, T>::apply(const StreamVector<D>& x, StreamVector<D>& y) const {
  double change = 0;
  for (std::size_t k = 0; k < count(); ++k) {
    double cross = 0, own = 0;
    const double value = x.columns()[k];
    for (const Coupling& c : couplings_[k]) {
      const std::size_t place = static_cast<std::size_t>(c.place);
      cross += c.value * x[c.kind].cells[place];
      y[c.kind].cells[place] += c.value * value;
    }
    for (std::size_t l = 0; l < count(); ++l) own += own_[k * count() + l] * x.columns()[l];
    y.columns()[k] = cross + own;
    change += value * (2 * cross + own);
  }
  return change;
}

template <int D, class T>
void StreamColumns<D, T>::write(std::size_t column, StreamVector<D>& y) const {
  for (const Coupling& c : couplings_[column]) y[c.kind].cells[static_cast<std::size_t>(c.place)] = c.value;
  for (std::size_t l = 0; l < count(); ++l) y.columns()[l] = own_[column * count() + l];
}

template <int D, class T>
void StreamColumns<D, T>::add_rhs(MacView<D, const double> momentum, StreamVector<D>& b) const {
  for (std::size_t k = 0; k < count(); ++k) {
    double sum = -known_own_[k];
    for (const FaceValue& f : faces_[k]) sum += f.curl * momentum[f.axis](f.face);
    b.columns()[k] = sum;
  }
  for (const Coupling& c : known_couplings_) b[c.kind].cells[static_cast<std::size_t>(c.place)] -= c.value;
}

template class StreamColumns<2, float>;
template class StreamColumns<2, double>;
template class StreamColumns<3, float>;
template class StreamColumns<3, double>;

}  // namespace glug
