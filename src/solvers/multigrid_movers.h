// multigrid_movers.h: movers (movers.h) on the levels of the multigrid. On the next level J becomes J P: the
// moments of cells that are merged add up; S nearly stays, while the stencil is halved:
// moments of merged cells say all there is to say of a smooth x.
//
// The smoother sweeps the stencil alone, with what the movers do to each cell held fixed. On the finest level
// (in 3D the two finest) their part of a row is small beside its diagonal (S falls with a mover's volume),
// though not of a residual: it is held anew before each descent and each ascent. A level further down cells
// are twice as wide and a mover pushes four times as hard: there it is held anew before every half sweep, and
// part of it, its firmness f, goes to the stencil's side of A = (K + f) + (J^T S J - f), so that relaxing all
// cells of a colour at once cannot overshoot. The way up mirrors the way down, so the cycle stays symmetric.
#pragma once

#include "solvers/multigrid_level.h"
#include "solvers/packed_system.h"

namespace glug {

// Readies the finest level; movers may be null. packed: has them listed, for as long as the levels are used;
// null on a device.
template <int D, class T>
void take_movers(const Exec& exec, const Movers<D>* movers, const PackedSystem<D, T>* packed,
                 MultigridLevel<D, T>& finest);

// The lists of the next coarser level, once its stencil and its loose parts are known.
template <int D, class T>
void coarsen_movers(const Exec& exec, const MultigridLevel<D, T>& fine, MultigridLevel<D, T>& coarse);

// The finest level where movers are firm: in 2D tiles are smaller, and so are their masses.
template <int D>
inline constexpr int firm_level = D - 1;
// Readies such a level, before its diagonals are inverted.
template <int D, class T>
void firm_movers(const Exec& exec, MultigridLevel<D, T>& level);

// At x = 0: nothing is held.
template <int D, class T>
void release_movers(const Exec& exec, MultigridLevel<D, T>& level);
// Takes what movers do to the cells, as x is now, from the right-hand side, instead of what was held.
template <int D, class T>
void hold_movers(const Exec& exec, MultigridLevel<D, T>& level);

// f(cell or part, moments) for all a mover has on a level along an axis, before unknowns have their places.
template <int D, class T, class F>
void visit_moments(const MultigridLevel<D, T>& level, std::int32_t mover, int axis, F&& f) {
  const LevelMovers<D, T>& list = level.movers;
  if (list.lists == &list.own)
    list.own.links.rows.visit(mover * D + axis,
                              [&](std::ptrdiff_t to, std::int32_t n) { f(to, list.own.moments.host[n]); });
  else
    list.movers->visit_faces(mover, axis,
                             [&](std::int32_t, std::ptrdiff_t cell, const AxisMoments<D>& j) { f(cell, j); });
}

// f(place, place, entry of scale J^T S J) for every ordered pair of a mover's entries.
template <int D, class T, class F>
void visit_mover_matrix(const MultigridLevel<D, T>& level, F&& f) {
  if (!level.movers.movers) return;
  struct Entry {
    std::ptrdiff_t to;
    int axis;
    AxisMoments<D> j;
  };
  for (std::int32_t mover = 0; mover < level.movers.movers->count(); ++mover) {
    std::vector<Entry> entries;
    for (int a = 0; a < D; ++a)
      visit_moments(level, mover, a, [&](std::ptrdiff_t to, const AxisMoments<D>& j) {
        entries.push_back({to, a, j});
      });
    for (const Entry& x : entries) {
      const MoverMoments<D> s =
          motion_by<D>(level.movers.movers->yield(mover), level.movers.scale, x.axis, x.j);
      for (const Entry& y : entries) f(x.to, y.to, MoverRowsView<D>::push(y.j, y.axis, &s));
    }
  }
}

}  // namespace glug
