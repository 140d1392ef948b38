#include "projection/stream_columns.h"

#include "core/real.h"
#include "core/union_find.h"

namespace glug {
namespace {

// Of every set of islands that faces with liquid join to each other and not to the largest island, whose psi
// is 0, the first. Bodies' motions have masses of their own and join nothing.
template <class T>
std::vector<std::uint8_t> islands_to_hold(const Grid<2>& grid, const StreamSolids<2>& solids,
                                          const MacView<2, const T>& mass) {
  const std::size_t islands = solids.columns().size();
  std::vector<std::uint8_t> held(islands, 0);
  if (islands == 0) return held;
  const Range<2> nodes = grid.node_range();
  const std::size_t count = static_cast<std::size_t>(nodes.size());
  UnionFind sets(1 + islands + count);  // the largest island, the others, nodes
  const View<2, const std::uint8_t> bound = solids.bound(0);
  std::vector<std::int32_t> member(count, 0);
  visit(nodes, [&](const Index<2>& i) {
    const std::size_t n = static_cast<std::size_t>(nodes.number_of(i));
    if (!bound(i)) member[n] = static_cast<std::int32_t>(1 + islands + n);
  });
  for (std::size_t k = 0; k < islands; ++k)
    for (const SolidEdge<2>& e : solids.columns()[k])
      member[static_cast<std::size_t>(nodes.number_of(e.edge))] = static_cast<std::int32_t>(1 + k);
  for (int a = 0; a < 2; ++a) {
    const Index<2> along = Index<2>::unit(curl_term<2>(a, 0).along);
    visit(grid.face_range(a), [&](const Index<2>& i) {
      if (mass[a](i) > 0)
        sets.join(member[static_cast<std::size_t>(nodes.number_of(i))],
                  member[static_cast<std::size_t>(nodes.number_of(i + along))]);
    });
  }
  for (std::size_t k = 0; k < islands; ++k)  // a set is known by its least member
    held[k] = sets.root(static_cast<std::int32_t>(1 + k)) == static_cast<std::int32_t>(1 + k);
  return held;
}

}  // namespace

template <int D, class T>
void StreamColumns<D, T>::assign(const Grid<D>& grid, const StreamSolids<D>& solids,
                                 const StreamBodies<D>* bodies, MacView<D, const T> mass,
                                 const PackedStencil<D, T>& packed) {
  const StackedEdges<D> stack(grid);
  const Range<D> nodes = grid.node_range();
  const auto number = [&](const FaceValue<D>& f) { return number_of_face(nodes, f.axis, f.face); };
  const auto couplings_of = [&](const Faces& faces) {
    std::vector<Coupling> list;
    for (const FaceValue<D>& f : faces)
      visit_edges_of_face<D>(f.axis, f.face, [&](int kind, const Index<D>& edge, int sign) {
        if (solids.bound(kind)(edge)) return;
        const std::int32_t place = packed.place(edge + stack.offset(kind));
        if (place > 0) list.push_back({place, sign * f.mass * f.curl});
      });
    merge_by_key(
        list, [](const Coupling& c) { return c.place; },
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
  for (const auto& column : solids.columns()) faces_.push_back(face_values<D, T>(grid, mass, column));
  std::vector<SolidEdge<D>> known_edges = solids.known();
  std::vector<double> body_mass;
  if (bodies) {
    for (const MotionColumn<D>& column : bodies->columns()) {
      faces_.push_back(face_values<D, T>(grid, mass, bodies->edges_of(column.motions),
                                         bodies->carried_by(column.motions)));
      body_mass.push_back(column.mass);
    }
    const std::vector<SolidEdge<D>> more = bodies->known();
    known_edges.insert(known_edges.end(), more.begin(), more.end());
  }
  for (const Faces& faces : faces_) couplings_.push_back(couplings_of(faces));
  const std::size_t n = faces_.size();
  own_.assign(n * n, 0);
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t l = 0; l <= k; ++l) own_[k * n + l] = own_[l * n + k] = product(faces_[k], faces_[l]);
  for (std::size_t k = n - body_mass.size(), next = 0; k < n; ++k) own_[k * n + k] += body_mass[next++];
  const Faces known = face_values<D, T>(grid, mass, known_edges);
  known_couplings_ = couplings_of(known);
  known_own_.assign(n, 0);
  for (std::size_t k = 0; k < n; ++k) known_own_[k] = product(faces_[k], known);
  held_.clear();
  if constexpr (D == 2) held_ = islands_to_hold(grid, solids, mass);
  held_.resize(n, 0);
}

template <int D, class T>
double StreamColumns<D, T>::apply(const StreamVector& x, StreamVector& y) const {
  double change = 0;
  for (std::size_t k = 0; k < count(); ++k) {
    double cross = 0, own = 0;
    const double value = x.columns()[k];
    for (const Coupling& c : couplings_[k]) {
      const std::size_t place = static_cast<std::size_t>(c.place);
      cross += c.value * x.cells[place];
      y.cells[place] += c.value * value;
    }
    for (std::size_t l = 0; l < count(); ++l) own += own_[k * count() + l] * x.columns()[l];
    y.columns()[k] = cross + own;
    change += value * (2 * cross + own);
  }
  return change;
}

template <int D, class T>
void StreamColumns<D, T>::write(std::size_t column, StreamVector& y) const {
  for (const Coupling& c : couplings_[column]) y.cells[static_cast<std::size_t>(c.place)] = c.value;
  for (std::size_t l = 0; l < count(); ++l) y.columns()[l] = own_[column * count() + l];
}

template <int D, class T>
void StreamColumns<D, T>::add_rhs(MacView<D, const double> momentum, StreamVector& b) const {
  for (std::size_t k = 0; k < count(); ++k) {
    double sum = -known_own_[k];
    for (const FaceValue<D>& f : faces_[k]) sum += f.curl * momentum[f.axis](f.face);
    b.columns()[k] = sum;
  }
  for (const Coupling& c : known_couplings_) b.cells[static_cast<std::size_t>(c.place)] -= c.value;
}

template class StreamColumns<2, Real>;
template class StreamColumns<3, Real>;

}  // namespace glug
