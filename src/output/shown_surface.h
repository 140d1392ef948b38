// shown_surface.h: the liquid's surface as files hold it: calm where the liquid is (S5), cut at solids and at
// the domain's sides, and enclosing the volume that stats.csv reports: what cutting corners off loses, the
// free surface makes up for, by a quarter of a cell at most.
#pragma once

#include "geometry/surface_mesh.h"
#include "output/frame.h"

namespace glug {

template <int D>
class ShownSurface {
 public:
  // The frame must live as long.
  ShownSurface(const Exec& exec, const Frame<D>& frame);

  // With a velocity at every vertex.
  SurfaceMesh mesh(const Exec& exec) const;
  // The same as one level set: distance to the surface, negative inside, at the halves of cells.
  LiquidSamples<D> level_set(const Exec& exec) const;
  // Surface and solids at the centres of cells.
  LiquidSamples<D> of_cells() const;

 private:
  LiquidSamples<D> samples(Clipping clipping, float lift) const;
  // Moved until it encloses the volume.
  struct Lifted {
    float lift;  // m
    SurfaceMesh mesh;
  };
  Lifted lifted_to_volume(const Exec& exec, Clipping clipping) const;
  const Frame<D>& frame_;
  Field<D, float> phi_;
  double volume_ = 0;
};

}  // namespace glug
