// cutaway.h: a vertical plane through a 3D frame. What lies between it and the camera is not drawn; on the
// plane itself liquid, tiles and solids are painted flat, as in 2D.
#pragma once

#include "geometry/surface_mesh.h"
#include "output/camera.h"
#include "output/frame.h"
#include "output/image.h"
#include "output/stream_colors.h"

namespace glug {

struct Cutaway {
  int axis = 2;    // across the plane: x or z
  float at = 0;    // m
  float side = 1;  // 1: what lies above `at` is taken away, -1: what lies below

  float in_front(const Vec3f& p) const { return (p[axis] - at) * side; }  // > 0: taken away
};

// share: how much of the domain is taken away, seen along the axis that the camera looks along most.
Cutaway make_cutaway(double share, const Camera& camera, const Vec3f& domain_size);

// What is left of a mesh: open at the plane.
SurfaceMesh cut(const SurfaceMesh& mesh, const Cutaway& cutaway);

// The plane as rays see it.
struct CutFace {
  Cutaway cutaway;
  const Frame<3>* frame = nullptr;
  StreamColors<3> stream{};  // of the liquid, where asked for

  float distance(const Vec3f& origin, const Vec3f& direction) const;  // < 0: behind the ray
  // False: there is air at this point of the plane. pixel: its width in metres.
  bool paint(const Vec3f& p, float pixel, Color& color) const;

 private:
  std::int32_t tile_at(const Vec3f& p) const;
};

// phi at any point, between the centres of cells.
float level_at(const Frame<3>& frame, const Vec3f& p);

}  // namespace glug
