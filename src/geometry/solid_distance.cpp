#include "geometry/solid_distance.h"

#include "core/for_each.h"
#include "core/real.h"
#include "geometry/high_sides.h"
#include "geometry/narrow_gaps.h"
#include "geometry/thin_solids.h"

namespace glug {
namespace {

// Solids near a block that narrow gaps are looked for between; among more than these they stay as they are.
constexpr int most_near = 64;

// The nodes of a block, with the ghost nodes beyond the domain's sides it lies at.
template <int D>
GLUG_INLINE Range<D> with_ghosts(Range<D> r, const Grid<D>& grid) {
  for (int a = 0; a < D; ++a) {
    if (r.lo[a] == 0) r.lo[a] = -1;
    if (r.hi[a] > grid.cells[a]) r.hi[a] = grid.cells[a] + 2;
  }
  return r;
}

template <int D, class T>
struct Evaluate {
  Grid<D> grid;
  Sides<D> sides;
  const SolidInstance* solids;
  int count;
  View<D, T> nodal;
  double far;

  GLUG_INLINE double wall(const Vec<D, double>& x) const {
    double d = far;
    for (int a = 0; a < D; ++a) {
      const double low = x[a], high = grid.cells[a] * grid.h - x[a];
      if (!sides.open[a][0] && low < d) d = low;
      if (!sides.open[a][1] && high < d) d = high;
    }
    return d;
  }
  GLUG_INLINE double solid(int s, const Vec<D, double>& x) const {
    return solids[s].shape.distance(solids[s].pose.to_body(embed(x)));
  }

  // What a node's distance is where n solids near it leave narrow gaps (P11).
  GLUG_INLINE double beside_gaps(const Index<D>& i, const std::int32_t* near, int n) const {
    const double d = nodal(i);
    if (!(std::abs(d) <= 0.5 * widest_gap * grid.h)) return d;
    const Vec<D, double> x = grid.node(i);
    const double free = distance_in_gap<D>(solids, near, n, x, grid.h, d);
    const double least = min_of(free, wall(x));
    return least > d ? least : d;
  }

  GLUG_INLINE void operator()(const Range<D>& range) const {
    Vec<D, double> centre{};
    double half_diagonal = 0;
    for (int a = 0; a < D; ++a) {
      centre[a] = 0.5 * (range.lo[a] + range.hi[a] - 1) * grid.h;
      half_diagonal += power(0.5 * (range.extent(a) - 1) * grid.h, 2);
    }
    // Distances change by at most the way walked. Sampled meshes keep to that only within their spacing, and
    // thin solids are made thicker by less than a cell: the slack.
    half_diagonal = std::sqrt(half_diagonal) + 2 * grid.h;

    visit(range, [&](const Index<D>& i) { nodal(i) = static_cast<T>(wall(grid.node(i))); });
    double nearest = far;
    for (int s = 0; s < count; ++s) nearest = min_of(nearest, solid(s, centre) + half_diagonal);
    std::int32_t near[most_near];
    int near_count = 0;
    for (int s = 0; s < count; ++s) {
      const double d = solid(s, centre) - half_diagonal;
      if (d >= nearest) continue;
      if (d < widest_gap * grid.h && near_count <= most_near) {
        if (near_count < most_near) near[near_count] = s;
        ++near_count;
      }
      if (d < -2 * half_diagonal - far) {
        visit(range, [&](const Index<D>& i) { nodal(i) = static_cast<T>(-far); });
        return;
      }
      visit(range, [&](const Index<D>& i) {
        const double v = distance_on_grid<D>(solids[s], grid.node(i), grid.h);
        if (v < nodal(i)) nodal(i) = static_cast<T>(v > -far ? v : -far);
      });
    }
    if (near_count > 1 && near_count <= most_near)
      visit(range, [&](const Index<D>& i) { nodal(i) = static_cast<T>(beside_gaps(i, near, near_count)); });
    // Outside the domain beyond a closed side the wall may be deeper than `far` is meant to say.
    visit(range, [&](const Index<D>& i) {
      if (nodal(i) < -far) nodal(i) = static_cast<T>(-far);
    });
  }
  static GLUG_INLINE double min_of(double x, double y) { return y < x ? y : x; }
};

}  // namespace

template <int D, class T>
void solid_distance(const Exec& exec, const BlocksView<D>& blocks, const Grid<D>& grid, const Sides<D>& sides,
                    const SolidInstance* solids, int count, View<D, T> nodal) {
  const Evaluate<D, T> evaluate{grid, sides, solids, count, nodal, far_solid_distance(grid)};
  for_each_block(exec, blocks, [=](std::int32_t slot) { evaluate(with_ghosts(blocks.indices(slot), grid)); });

  const std::vector<HighSide> extra = high_sides(blocks);
  const HighSide* sides_of = extra.data();
  for_each_task(exec, static_cast<std::ptrdiff_t>(extra.size()), [=](std::ptrdiff_t n) {
    const Index<D> lo = blocks.coordinates(sides_of[n].block) * block_edge<D>;
    for (int s = 1; s < (1 << D); ++s) {
      if (!(sides_of[n].sides >> s & 1)) continue;
      Range<D> r = with_ghosts(Range<D>{lo, lo + Index<D>::filled(block_edge<D>)}, grid);
      for (int a = 0; a < D; ++a)
        if (s >> a & 1) r.hi[a] = lo[a] == grid.cells[a] ? lo[a] + 2 : lo[a] + 1;
      evaluate(r);
    }
  });
}

template void solid_distance<2, Real>(const Exec&, const BlocksView<2>&, const Grid<2>&, const Sides<2>&,
                                      const SolidInstance*, int, View<2, Real>);
template void solid_distance<3, Real>(const Exec&, const BlocksView<3>&, const Grid<3>&, const Sides<3>&,
                                      const SolidInstance*, int, View<3, Real>);

}  // namespace glug
