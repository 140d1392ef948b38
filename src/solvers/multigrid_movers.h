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

#include "solvers/listed_movers.h"

namespace glug {

template <int D, class T>
struct MultigridLevel;

template <int D, class T>
struct LevelMovers {
  using Level = MultigridLevel<D, T>;
  const ListedMovers<D>* lists = nullptr;  // own, or those of the system on the finest level; null: none
  ListedMovers<D> own;
  double scale = 1;                      // of S
  List<MoverMoments<D>> motion, change;  // scale S J x as it is held, and what changes when it is held anew
  // Where movers are as strong as the stencil: what is added to the diagonal at each place, and that times x
  // as it is held. Empty elsewhere.
  List<T> firmness, firmness_held;

  // Readies the finest level. listed: their lists, for as long as the levels are used; null on a device.
  void take(const Exec& exec, const Movers<D>& movers, const ListedMovers<D>* listed);
  // The lists of the next coarser level, once its stencil and its loose parts are known.
  void coarsen(const Exec& exec, const Level& fine, const Level& coarse);
  // The finest level where movers are firm: in 2D tiles are smaller, and so are their masses.
  static constexpr int firm_level = D - 1;
  // Readies such a level, before its diagonals are inverted.
  void firm(const Exec& exec, Level& level);
  void publish(const Exec& exec) { glug::publish(exec, own, motion, change, firmness, firmness_held); }

  // At x = 0: nothing is held.
  void release(const Exec& exec);
  // Takes what movers do to the cells, as x is now, from the right-hand side, instead of what was held.
  void hold(const Exec& exec, Level& level);

  // f(name, name, entry of scale J^T S J) for every ordered pair of a mover's entries.
  template <class F>
  void visit_matrix(F&& f) const;

 private:
  void list(const ListedMovers<D>* given);
};

template <int D, class T>
template <class F>
void LevelMovers<D, T>::visit_matrix(F&& f) const {
  for (std::int32_t mover = 0; lists && mover < lists->count(); ++mover) {
    const std::vector<MoverEntry<D>> entries = lists->entries_of(mover);
    for (const MoverEntry<D>& x : entries) {
      const MoverMoments<D> s = motion_by<D>(lists->yield(mover), scale, x.axis, x.j);
      for (const MoverEntry<D>& y : entries) f(x.name, y.name, MoverRowsView<D>::push(y.j, y.axis, &s));
    }
  }
}

}  // namespace glug
