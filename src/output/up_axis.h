// up_axis.h: the simulation's coordinates, y up, as files with another axis up have them: turned about x by a
// right angle, so that nothing is mirrored.
#pragma once

#include "geometry/surface_mesh.h"
#include "scene/formats.h"

namespace glug {

template <class T>
GLUG_INLINE Vec<3, T> turned(UpAxis up, const Vec<3, T>& v) {
  return up == UpAxis::z ? Vec<3, T>{v[0], -v[2], v[1]} : v;
}
template <class T>
GLUG_INLINE Vec<3, T> turned_back(UpAxis up, const Vec<3, T>& v) {
  return up == UpAxis::z ? Vec<3, T>{v[0], v[2], -v[1]} : v;
}

// What lies in the plane z = 0 in 2D.
template <int D, class T>
GLUG_INLINE Vec<3, T> in_file(UpAxis up, const Vec<D, T>& v) {
  Vec<3, T> r{};
  for (int a = 0; a < D; ++a) r[a] = v[a];
  return turned(up, r);
}

SurfaceMesh turned(UpAxis up, SurfaceMesh mesh);

}  // namespace glug
