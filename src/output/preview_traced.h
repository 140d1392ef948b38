// preview_traced.h: a 3D frame as a photograph: clear water with Fresnel reflection, refraction and colour by
// depth, over a tiled floor under a blue sky. Droplets too small for the surface are drawn as small spheres.
#pragma once

#include <vector>

#include "geometry/surface_mesh.h"
#include "output/frame.h"
#include "output/preview.h"

namespace glug {

// Meshes of the frame's solids, in the order they come, in their own coordinates.
struct PreviewScene::Cache {
  std::vector<const ShapeSdf*> shapes;
  std::vector<SurfaceMesh> solids;
};

// Particles that the surface does not hold; of droplets alone, all of them.
std::vector<Vec<3, float>> droplets_of(const Frame<3>& frame);

Image draw_traced(const Exec& exec, const Frame<3>& frame, const PreviewOptions& options,
                  PreviewScene::Cache& cache);

}  // namespace glug
