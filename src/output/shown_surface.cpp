#include "output/shown_surface.h"

#include <cmath>

#include "core/for_each.h"
#include "geometry/calm_surface.h"
#include "geometry/mesh_volume.h"
#include "geometry/sample.h"
#include "geometry/volume.h"

namespace glug {
namespace {

constexpr int parts = 2;            // of a cell, along each axis
constexpr double most_lift = 0.25;  // cells
constexpr double most_move = 0.05;  // cells by which a mesh is lifted by its vertices alone
constexpr int most_lifts = 3;

}  // namespace

template <int D>
ShownSurface<D>::ShownSurface(const Exec& exec, const Frame<D>& frame)
    : frame_(frame),
      phi_(calm_surface<D>(exec, frame.blocks, frame.grid, frame.phi, frame.solid)),
      volume_(frame.volume ? *frame.volume
                           : liquid_volume<D>(exec, frame.blocks, frame.grid, frame.phi, frame.solid)) {}

template <int D>
LiquidSamples<D> ShownSurface<D>::samples(Clipping clipping, float lift) const {
  return {frame_.blocks, frame_.grid, phi_.read(), frame_.solid, parts, lift, clipping};
}

template <int D>
typename ShownSurface<D>::Lifted ShownSurface<D>::lifted_to_volume(const Exec& exec,
                                                                   Clipping clipping) const {
  const double most = most_lift * frame_.grid.h;
  const SurfaceMesher<D> mesher(exec, samples(clipping, 0), static_cast<float>(most));
  Lifted result{0, {}};
  for (int attempt = 0;; ++attempt) {
    result.mesh = mesher.mesh(exec, result.lift);
    const double more = volume_by_lift(exec, result.mesh).lift_to(volume_);
    const double way = clamp(result.lift + more, -most, most) - result.lift;
    const double step = most_move * frame_.grid.h;
    if (attempt < most_lifts && std::abs(way) > step) {
      result.lift += static_cast<float>(way);
      continue;
    }
    const float rest = static_cast<float>(clamp(way, -step, step));
    lift_vertices(exec, result.mesh, rest);
    result.lift += rest;
    return result;
  }
}

template <int D>
SurfaceMesh ShownSurface<D>::mesh(const Exec& exec) const {
  SurfaceMesh mesh = lifted_to_volume(exec, Clipping::sharp).mesh;
  mesh.velocities.resize(mesh.vertices.size());
  Vec<3, float>* velocity = mesh.velocities.data();
  const Vec<3, float>* position = mesh.vertices.data();
  const Grid<D> grid = frame_.grid;
  const MacView<D, const float> u = frame_.velocity;
  for_each(exec, static_cast<std::ptrdiff_t>(mesh.vertices.size()), [=](std::ptrdiff_t n) {
    velocity[n] = {};
    for (int component = 0; component < D; ++component) {
      // Beyond the outermost values along the other axes, which lie half a cell inside, they stay.
      Index<D> cell{};
      Vec<D, float> offset{};
      for (int a = 0; a < D; ++a) {
        const double edge = a == component ? 0 : 0.5;
        const double x = clamp(static_cast<double>(position[n][a]) / grid.h, edge, grid.cells[a] - edge);
        cell[a] = clamp(static_cast<int>(std::floor(x)), 0, grid.cells[a] - 1);
        offset[a] = static_cast<float>(x - cell[a]);
      }
      velocity[n][component] = sample_faces<D, float>(u[component], component, cell, offset);
    }
  });
  return mesh;
}

template <int D>
LiquidSamples<D> ShownSurface<D>::level_set(const Exec& exec) const {
  return samples(Clipping::level_set, lifted_to_volume(exec, Clipping::level_set).lift);
}

template <int D>
LiquidSamples<D> ShownSurface<D>::of_cells() const {
  LiquidSamples<D> cells = samples(Clipping::sharp, 0);
  cells.parts = 1;
  return cells;
}

template class ShownSurface<2>;
template class ShownSurface<3>;

}  // namespace glug
