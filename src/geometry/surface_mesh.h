// surface_mesh.h: the liquid's surface as triangles (segments in 2D), by surface nets (Gibson 1998): a vertex
// for every piece of surface among the cells around a grid node, a quad for every face between a cell inside
// and one outside. The mesh is closed, consistently oriented and a manifold (surface_pieces.h): every edge
// belongs to two triangles. Outside the domain and in unlisted blocks there is air; vertices of faces on the
// domain's sides lie exactly on them, those where the surface meets a solid on both: the contact line is
// sharp.
#pragma once

#include <array>
#include <vector>

#include "geometry/liquid_samples.h"

namespace glug {

struct SurfaceMesh {
  std::vector<Vec<3, float>> vertices;        // m; z = 0 in 2D
  std::vector<Vec<3, float>> normals;         // unit, from liquid to air
  std::vector<Vec<3, float>> velocities;      // m/s; empty = not known
  std::vector<Vec<3, float>> rises;           // m for every m that the surface is lifted; empty = not known
  std::vector<std::array<int, 3>> triangles;  // 3D: counter-clockwise seen from the air
  std::vector<std::array<int, 2>> segments;   // 2D: liquid on the left
  std::vector<std::uint8_t> wetting;          // per vertex: 1 = on a solid or a side of the domain alone
};

// For one lift after another.
template <int D>
class SurfaceMesher {
 public:
  // What `liquid` looks at must live as long. Lifts will be `most_lift` (m) at most, either way; that of
  // `liquid` does not count.
  SurfaceMesher(const Exec& exec, const LiquidSamples<D>& liquid, float most_lift);
  SurfaceMesh mesh(const Exec& exec, float lift) const;

 private:
  LiquidSamples<D> liquid_;
  Blocks<D> blocks_;  // of samples, that the surface may pass
};

template <int D>
SurfaceMesh surface_mesh(const Exec& exec, const LiquidSamples<D>& liquid);

}  // namespace glug
