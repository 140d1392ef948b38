// make_setup.h: a scene as the simulation wants it.
#pragma once

#include "scene/scene.h"
#include "simulation/setup.h"

namespace glug {

// Metres per cell: the longest side divided by the resolution.
double spacing(const GridOptions& options);

// Sides are rounded to whole cells.
template <int D>
Grid<D> make_grid(const GridOptions& options);

// left/right: low/high x; bottom/top: y; back/front: z.
template <int D>
Sides<D> make_sides(const GridOptions& options);

template <int D>
Setup<D> make_setup(const Scene& scene);

// The scene's probes; solids go by the names that setups, and files, have of them.
std::vector<Probe> make_probes(const Scene& scene);

}  // namespace glug
