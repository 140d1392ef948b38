// stream_faces.h: what a field inside solids does to the liquid's faces: its curl there, less what solids
// carry through them by themselves. docs/theory.md (Q5), (Q11)
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/group_by.h"
#include "core/mac_field.h"
#include "projection/stream_solids.h"

namespace glug {

// Of a face with liquid: c_f and m_f (Q5).
template <int D>
struct FaceValue {
  int axis = 0;
  Index<D> face{};
  double curl = 0, mass = 0;
};

template <int D>
std::int64_t number_of_face(const Range<D>& nodes, int axis, const Index<D>& face) {
  return axis * static_cast<std::int64_t>(nodes.size()) + nodes.number_of(face);
}

// The curl of a field on edges less `carried`, on faces with mass; ascending by number.
template <int D, class T>
std::vector<FaceValue<D>> face_values(const Grid<D>& grid, const MacView<D, const T>& mass,
                                      const std::vector<SolidEdge<D>>& edges,
                                      const std::vector<FaceFlux<D>>& carried = {}) {
  const Range<D> nodes = grid.node_range();
  std::vector<FaceValue<D>> list;
  const auto add = [&](int axis, const Index<D>& face, double value) {
    const double m = mass[axis](face);
    if (m > 0) list.push_back({axis, face, value, m});
  };
  for (const SolidEdge<D>& e : edges)
    visit_faces_of_edge<D>(e.kind, e.edge, [&](int axis, const Index<D>& face, int sign) {
      if (grid.face_range(axis).contains(face)) add(axis, face, sign * e.value);
    });
  for (const FaceFlux<D>& f : carried) add(f.axis, f.face, -f.flux);
  merge_by_key(
      list, [&](const FaceValue<D>& f) { return number_of_face(nodes, f.axis, f.face); },
      [](FaceValue<D>& x, const FaceValue<D>& y) { x.curl += y.curl; });
  list.erase(std::remove_if(list.begin(), list.end(), [](const FaceValue<D>& f) { return f.curl == 0; }),
             list.end());
  return list;
}

}  // namespace glug
