#include "geometry/calm_surface.h"

#include <cmath>

#include "core/runs.h"
#include "geometry/solid_extension.h"
#include "geometry/surface_diffusion.h"

namespace glug {
namespace {

// What is measured to say how much of a smoothing is taken, averaged over some cells so that neighbours
// agree: all of it up to `calm`, nothing from `rough` on.
struct Limit {
  float calm, rough;
  DiffusionSteps spread;
};

constexpr int degree_of_grain = 16, degree_of_rest = 30;
constexpr int restorations = 2;
constexpr int layers_into_solids = 3;  // as the simulation continues it

}  // namespace

template <int D>
Field<D, float> calm_surface(const Exec& exec, const BlocksView<D>& blocks, const Grid<D>& grid,
                             ReadView<D, float> given, ReadView<D, float> solid) {
  const Range<D> cells = grid.cell_range(), around = cells.grown(1);
  Field<D, float> result(around), own(around), smooth(around), spare(around), lost(around), room(around),
      share(around);
  {
    const View<D, float> r = result.view(), o = own.view();
    for_each_cell(exec, blocks, cells, [=](const Index<D>& i) { r(i) = o(i) = given(i); });
  }
  const SurfaceDiffusion<D> diffuse(exec, blocks, grid, own.read(), solid);
  const BlocksView<D> near = diffuse.near();
  // All fields lie alike: f(offset) in every cell near the surface.
  const View<D, const float> phi = own.read();
  const View<D, float> r = result.view();
  const auto near_surface = [&](auto f) {
    for_each_long_row(exec, near, cells, [=](const Index<D>& first, int width) {
      const std::ptrdiff_t begin = phi.offset(first);
#pragma GCC ivdep
      for (std::ptrdiff_t n = begin; n < begin + width; ++n) f(n);
    });
  };
  const float h = static_cast<float>(grid.h);
  // How far the surface moves, in cells: drops, sheets and crests stay. How much it bends along itself, per
  // cell: so do waves.
  const Limit way{0.12f * h, 0.3f * h, DiffusionSteps::plain(D, 6)};
  const Limit bend{0.008f * h, 0.014f * h, DiffusionSteps::chebyshev(D, 17)};
  const View<D, float> taken = share.view();
  const auto limit_share = [&](const Limit& limit) {
    diffuse(limit.spread, lost, room, Held::level);
    const View<D, const float> found = lost.read();
    const float rough = limit.rough, fade = 1 / (limit.rough - limit.calm);
    near_surface([=](std::ptrdiff_t n) { taken.at(n) *= clamp((rough - found.at(n)) * fade, 0.0f, 1.0f); });
  };
  // The first smoothing takes the grain of particles. The second takes what is left of it on still water:
  // lower than one sees, but longer.
  for (const int degree : {degree_of_grain, degree_of_rest}) {
    {
      const View<D, float> s = smooth.view(), p = spare.view();
      near_surface([=](std::ptrdiff_t n) { s.at(n) = p.at(n) = phi.at(n); });
    }
    const DiffusionSteps steps = DiffusionSteps::chebyshev(D, degree);
    diffuse(steps, smooth, spare, Held::as_phi);
    // What was lost, smoothed, comes back, again and again.
    const View<D, float> s = smooth.view();
    for (int k = 0; k < restorations; ++k) {
      const View<D, float> l = lost.view(), o = room.view();
      near_surface([=](std::ptrdiff_t n) { l.at(n) = o.at(n) = phi.at(n) - s.at(n); });
      diffuse(steps, lost, room, Held::level);
      const View<D, const float> back = lost.read();
      near_surface([=](std::ptrdiff_t n) { s.at(n) += back.at(n); });
    }
    {
      const View<D, float> l = lost.view(), o = room.view();
      near_surface([=](std::ptrdiff_t n) {
        l.at(n) = o.at(n) = std::abs(s.at(n) - r.at(n));
        taken.at(n) = 1;
      });
    }
    limit_share(way);
    if (degree == degree_of_rest) {
      diffuse.find_bends(r, lost.view(), room.view());
      limit_share(bend);
    }
    near_surface([=](std::ptrdiff_t n) { r.at(n) += taken.at(n) * (s.at(n) - r.at(n)); });
  }
  // Elsewhere nothing changed, and what was given lies inside solids too.
  const Blocks<D> touched = diffuse.around(blocks);
  extend_into_solids<D, float>(exec, touched.view(), grid, layers_into_solids, solid, result.view());
  return result;
}

#define GLUG_INSTANTIATE(D)                                                                   \
  template Field<D, float> calm_surface<D>(const Exec&, const BlocksView<D>&, const Grid<D>&, \
                                           View<D, const float>, View<D, const float>);
GLUG_INSTANTIATE(2)
GLUG_INSTANTIATE(3)
#undef GLUG_INSTANTIATE

}  // namespace glug
