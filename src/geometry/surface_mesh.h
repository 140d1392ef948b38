// surface_mesh.h: the liquid's surface as triangles (segments in 2D), by surface nets (Gibson 1998): one
// vertex for every grid node among whose surrounding cells there is liquid and air, one quad for every face
// between the two. The mesh is closed and consistently oriented: outside the domain and in unlisted blocks
// there is air; vertices of faces on the domain's sides lie exactly on them. (Where liquid touches itself
// along an edge of cells only, four quads share an edge, two in each direction.)
#pragma once

#include <array>
#include <vector>

#include "core/blocks.h"
#include "geometry/views.h"

namespace glug {

struct SurfaceMesh {
  std::vector<Vec<3, float>> vertices;        // m; z = 0 in 2D
  std::vector<Vec<3, float>> normals;         // unit, from liquid to air
  std::vector<std::array<int, 3>> triangles;  // 3D: counter-clockwise seen from the air
  std::vector<std::array<int, 2>> segments;   // 2D: liquid on the left
};

// outside: the value of phi (> 0) assumed where there is none; about h.
template <int D>
SurfaceMesh surface_mesh(const Exec& exec, const BlocksView<D>& blocks, const Grid<D>& grid,
                         ReadView<D, float> phi, float outside);

}  // namespace glug
