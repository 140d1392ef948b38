#include "geometry/calm_surface.h"

#include <cmath>
#include <utility>

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
constexpr int blocks_around_rest = 2;  // what is farther off hardly tells in the second smoothing

// Cells from the surface that move. The grain needs room: what is far from a drop tells that it is one. Still
// water looks the same from every depth.
constexpr float reach_of_grain = 4, reach_of_rest = 2.5f;

// Some of the blocks near the surface.
template <int D>
struct CalmedPart {
  const SurfaceDiffusion<D>& diffuse;
  BlocksView<D> blocks;
  DiffusionCells cells;
  CalmedPart(const SurfaceDiffusion<D>& d, const BlocksView<D>& b)
      : diffuse(d), blocks(b), cells(d.cells_in(b)) {}
};

template <int D>
class Calming {
 public:
  Calming(const Exec& exec, const BlocksView<D>& blocks, const Grid<D>& grid, ReadView<D, float> given)
      : exec_(exec),
        cells_(grid.cell_range()),
        h_(static_cast<float>(grid.h)),
        own_(cells_.grown(1)),
        result_(cells_.grown(1)) {
    const View<D, float> r = result_.view(), o = own_.view();
    for_each_long_row(exec, blocks, cells_, [=](const Index<D>& first, int width) {
      const std::ptrdiff_t from = given.offset(first), to = r.offset(first);
      for (int n = 0; n < width; ++n) r.at(to + n) = o.at(to + n) = given.at(from + n);
    });
  }
  View<D, const float> phi() const { return own_.read(); }
  Field<D, float>& result() { return result_; }

  void take_grain(const SurfaceDiffusion<D>& diffuse) {
    const CalmedPart<D> near(diffuse, diffuse.near());
    take_all(near);
    smooth(near, degree_of_grain);
    limit_by_way(near);
    take(near);
  }

  // What is left of the grain on still water: lower than one sees, but longer. Where the surface bends
  // nothing is taken, and there nothing is smoothed.
  void take_rest(const SurfaceDiffusion<D>& diffuse) {
    const CalmedPart<D> near(diffuse, diffuse.near());
    take_all(near);
    limit_by_bend(near);
    const Blocks<D> calm = diffuse.moving_where(taken_.read()).dilated(blocks_around_rest);
    const Blocks<D> near_calm = diffuse.near_among(calm.view());
    const CalmedPart<D> rest(diffuse, near_calm.view());
    smooth(rest, degree_of_rest);
    limit_by_way(rest);
    take(rest);
  }

 private:
  // All fields lie alike: f(offset) in every cell of a part.
  template <class F>
  void for_each_in(const CalmedPart<D>& where, F f) const {
    const View<D, const float> phi = own_.read();
    for_each_long_row(exec_, where.blocks, cells_, [=](const Index<D>& first, int width) {
      const std::ptrdiff_t begin = phi.offset(first);
#pragma GCC ivdep
      for (std::ptrdiff_t n = begin; n < begin + width; ++n) f(n);
    });
  }

  // (S5) smooth = (1 - (1 - G)^3) phi: what was lost, smoothed, comes back, again and again.
  void smooth(const CalmedPart<D>& where, int degree) {
    const DiffusionSteps steps = DiffusionSteps::chebyshev(D, degree);
    const View<D, const float> phi = own_.read();
    {
      const View<D, float> s = smooth_.view(), p = spare_.view();
      for_each_in(where, [=](std::ptrdiff_t n) { s.at(n) = p.at(n) = phi.at(n); });
    }
    where.diffuse(steps, where.cells, smooth_, spare_, Held::as_phi);
    const View<D, float> s = smooth_.view();
    for (int k = 0; k < restorations; ++k) {
      const View<D, float> lost = lost_.view(), room = room_.view();
      for_each_in(where, [=](std::ptrdiff_t n) { lost.at(n) = room.at(n) = phi.at(n) - s.at(n); });
      where.diffuse(steps, where.cells, lost_, room_, Held::level);
      const View<D, const float> back = lost_.read();
      for_each_in(where, [=](std::ptrdiff_t n) { s.at(n) += back.at(n); });
    }
  }

  void take_all(const CalmedPart<D>& where) {
    const View<D, float> taken = taken_.view();
    for_each_in(where, [=](std::ptrdiff_t n) { taken.at(n) = 1; });
  }
  // How far the surface moves, in cells: drops, sheets and crests stay.
  void limit_by_way(const CalmedPart<D>& where) {
    const View<D, float> l = lost_.view(), o = room_.view();
    const View<D, const float> s = smooth_.read(), r = result_.read();
    for_each_in(where, [=](std::ptrdiff_t n) { l.at(n) = o.at(n) = std::abs(s.at(n) - r.at(n)); });
    limit(where, {0.12f * h_, 0.3f * h_, DiffusionSteps::plain(D, 6)});
  }
  // How much it bends along itself, per cell: so do waves.
  void limit_by_bend(const CalmedPart<D>& where) {
    where.diffuse.find_bends(result_.read(), lost_.view(), room_.view());
    limit(where, {0.008f * h_, 0.014f * h_, DiffusionSteps::chebyshev(D, 17)});
  }
  void limit(const CalmedPart<D>& where, const Limit& limit) {
    where.diffuse(limit.spread, where.cells, lost_, room_, Held::level);
    const View<D, const float> found = lost_.read();
    const View<D, float> taken = taken_.view();
    const float rough = limit.rough, fade = 1 / (limit.rough - limit.calm);
    for_each_in(where,
                [=](std::ptrdiff_t n) { taken.at(n) *= clamp((rough - found.at(n)) * fade, 0.0f, 1.0f); });
  }
  void take(const CalmedPart<D>& where) {
    const View<D, const float> s = smooth_.read(), taken = taken_.read();
    const View<D, float> r = result_.view();
    for_each_in(where, [=](std::ptrdiff_t n) { r.at(n) += taken.at(n) * (s.at(n) - r.at(n)); });
  }

  Exec exec_;
  Range<D> cells_;
  float h_;
  Field<D, float> own_, result_;  // phi as given, and as it is calmed
  Field<D, float> smooth_{own_.range()}, spare_{own_.range()}, lost_{own_.range()}, room_{own_.range()},
      taken_{own_.range()};
};

}  // namespace

template <int D>
Field<D, float> calm_surface(const Exec& exec, const BlocksView<D>& blocks, const Grid<D>& grid,
                             ReadView<D, float> given, ReadView<D, float> solid) {
  Calming<D> calming(exec, blocks, grid, given);
  Blocks<D> touched;
  {
    const SurfaceDiffusion<D> grain(exec, blocks, grid, calming.phi(), solid, reach_of_grain);
    touched = grain.around(blocks);
    calming.take_grain(grain);
  }
  calming.take_rest({exec, blocks, grid, calming.result().read(), solid, reach_of_rest});
  // Elsewhere nothing changed, and what was given lies inside solids too.
  extend_into_solids<D, float>(exec, touched.view(), grid, layers_into_solids, solid,
                               calming.result().view());
  return std::move(calming.result());
}

#define GLUG_INSTANTIATE(D)                                                                   \
  template Field<D, float> calm_surface<D>(const Exec&, const BlocksView<D>&, const Grid<D>&, \
                                           View<D, const float>, View<D, const float>);
GLUG_INSTANTIATE(2)
GLUG_INSTANTIATE(3)
#undef GLUG_INSTANTIATE

}  // namespace glug
