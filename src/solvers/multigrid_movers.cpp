#include "solvers/multigrid_movers.h"

#include <algorithm>
#include <cmath>

#include "core/equal_tasks.h"
#include "core/real.h"
#include "solvers/colour.h"
#include "solvers/multigrid_coarsen.h"

namespace glug {
namespace {

// Of the bound above which relaxing everything of one colour at once diverges.
constexpr double firm_share = 0.5;
// What S keeps from level to level. Moments of merged cells say all there is to say of a smooth x, so 1
// would be consistent, where the stencil needs its half; 0.8 to 0.9 took the fewest iterations. The moments
// themselves are left as they are: of a constant they vanish to the last bit.
constexpr double kept_yield = 0.85;
// Movers with more entries are bounded, not summed.
constexpr std::size_t summed_entries = 512;

// For each entry of a mover, the sum of |scale m S m'| over all entries m' that are relaxed with it (red
// cells, black cells or parts), or a bound of that by the diagonal: |S_ij| <= sqrt(S_ii S_jj).
template <int D, class T>
void add_row_sums(const MultigridLevel<D, T>& level, std::int32_t mover, double* out) {
  const LevelMovers<D, T>& list = level.movers;
  const MoverMatrix<D>& S = list.movers->yield(mover);
  const Range<D> cells = level.cells();
  struct Entry {
    int axis, group;
    const AxisMoments<D>& j;
  };
  std::vector<Entry> entries;
  for (int a = 0; a < D; ++a)
    visit_moments(level, mover, a, [&](std::ptrdiff_t to, const AxisMoments<D>& j) {
      entries.push_back({a, to < 0 ? 2 : static_cast<int>(colour_of<D>(cells.at(to))), j});
    });
  const bool summed = entries.size() <= summed_entries;
  double roots[3] = {};
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const Entry& x = entries[i];
    const MoverMoments<D> s = motion_by<D>(S, list.scale, x.axis, x.j);
    const auto times = [&](const Entry& y) { return std::abs(MoverRowsView<D>::push(y.j, y.axis, &s)); };
    if (!summed) {
      out[i] = std::sqrt(times(x));
      roots[x.group] += out[i];
      continue;
    }
    out[i] = 0;
    for (const Entry& y : entries)
      if (y.group == x.group) out[i] += times(y);
  }
  if (!summed)
    for (std::size_t i = 0; i < entries.size(); ++i) out[i] *= roots[entries[i].group];
}

// The stencil's diagonal at places that are cells, 0 elsewhere; and what is added to its anchors there.
template <int D, class T>
std::vector<double> diagonals_at(const Exec& exec, const Stencil<D, T>& stencil,
                                 List<std::ptrdiff_t>& places) {
  const StencilView<D, const T> A = stencil.read();
  return ask<double>(exec, places, [=] GLUG_FN(std::ptrdiff_t place) {
    return place >= 0 ? static_cast<double>(A.diagonal(A.anchor.range.at(place))) : 0.0;
  });
}

template <int D, class T>
void add_to_anchors(const Exec& exec, List<std::ptrdiff_t>& places, List<T>& values, Stencil<D, T>& stencil) {
  publish(exec, places, values);
  const View<D, T> anchors = stencil.view().anchor;
  const std::ptrdiff_t* place = places.data();
  const T* value = values.data();
  for_each(exec, static_cast<std::ptrdiff_t>(places.size()), [=] GLUG_FN(std::ptrdiff_t n) {
    if (place[n] >= 0) anchors.at(place[n]) += value[n];
  });
}

// b -= J^T change, and at firm places + the change of firmness x.
template <int D, class T>
void scatter_change(const Exec& exec, MultigridLevel<D, T>& level) {
  LevelMovers<D, T>& list = level.movers;
  const T* x = level.x.data();
  T* b = level.b.data();
  const MoverRowsView<D> J = list.lists->view();
  const MoverMoments<D>* change = list.change.data();
  const T* firmness = list.firmness.empty() ? nullptr : list.firmness.data();
  T* held = list.firmness_held.data();
  for_each(exec, list.lists->places(), [=] GLUG_FN(std::ptrdiff_t n) {
    const std::ptrdiff_t at = J.places[n];
    double sum = J.push_at(n, change);
    if (firmness) {
      const T now = firmness[n] * x[at];
      sum -= now - held[n];
      held[n] = now;
    }
    b[at] = static_cast<T>(b[at] - sum);
  });
}

// Takes the change of the motion from the right-hand side. Cells that loose parts touch keep a second copy of
// theirs.
template <int D, class T>
void take_change(const Exec& exec, MultigridLevel<D, T>& level) {
  LooseParts<D, T>& loose = level.loose;
  const std::ptrdiff_t* at = loose.to_cells.places.data();
  const T* b = level.b.data();
  T* kept = loose.touched_b.data();
  for_each(exec, loose.touched_count(), [=] GLUG_FN(std::ptrdiff_t n) { kept[n] -= b[at[n]]; });
  scatter_change(exec, level);
  for_each(exec, loose.touched_count(), [=] GLUG_FN(std::ptrdiff_t n) { kept[n] += b[at[n]]; });
}

}  // namespace

template <int D, class T>
void take_movers(const Exec& exec, const Movers<D>* movers, const PackedSystem<D, T>* packed,
                 MultigridLevel<D, T>& finest) {
  LevelMovers<D, T>& list = finest.movers;
  list = {};
  if (!movers || movers->empty()) return;
  list.movers = movers;
  list.lists = packed ? &packed->movers() : &list.own;
  list.motion.host.assign(static_cast<std::size_t>(movers->count()), {});
  list.change = list.motion;
  if (!packed) list.own.assign(exec, *movers, [](std::ptrdiff_t cell) { return cell; });
}

template <int D, class T>
void coarsen_movers(const Exec& exec, const MultigridLevel<D, T>& fine, MultigridLevel<D, T>& coarse) {
  LevelMovers<D, T>& list = coarse.movers;
  list = {};
  if (!fine.movers.movers) return;
  list.movers = fine.movers.movers;
  list.lists = &list.own;
  list.motion.host.assign(fine.movers.motion.size(), {});
  list.change = list.motion;
  list.scale = kept_yield * fine.movers.scale;
  const Aggregates<D, T> aggregate(exec, fine, coarse, fine.movers.own.links.places.host);
  list.own.assign(
      exec, *fine.movers.lists,
      merged_rows<D, T, AxisMoments<D>>(exec, list.movers->count() * D, [&](std::int32_t row, auto&& f) {
        visit_moments(fine, row / D, row % D,
                      [&](std::ptrdiff_t to, const AxisMoments<D>& j) { f(aggregate(to), j); });
      }));
}

template <int D, class T>
void firm_movers(const Exec& exec, MultigridLevel<D, T>& level) {
  LevelMovers<D, T>& list = level.movers;
  if (!list.movers) return;
  LinkedPlaces<std::int32_t, AxisMoments<D>>& links = list.own.links;
  std::vector<double> of_entry(links.rows.entries.size());
  double* out = of_entry.data();
  for_each_equal_task(exec, list.movers->count(), [&, out](std::ptrdiff_t mover) {
    add_row_sums(level, static_cast<std::int32_t>(mover), out + links.rows.start.host[mover * D]);
  });
  const std::vector<std::ptrdiff_t>& places = links.places.host;
  list.firmness.host.assign(places.size(), 0);
  list.firmness_held = list.firmness;
  const std::vector<double> diagonal = diagonals_at(exec, level.own, links.places);
  for (std::size_t n = 0; n < places.size(); ++n) {
    double sum = 0;
    links.of_places.visit(static_cast<std::int32_t>(n),
                          [&](std::ptrdiff_t, std::int32_t entry) { sum += of_entry[entry]; });
    list.firmness.host[n] = static_cast<T>(std::max(0.0, firm_share * (sum - diagonal[n])));
    if (places[n] < 0) level.loose.anchor[loose_part(places[n])] += list.firmness.host[n];
  }
  add_to_anchors(exec, links.places, list.firmness, level.own);
}

template <int D, class T>
void release_movers(const Exec& exec, MultigridLevel<D, T>& level) {
  MoverMoments<D>* motion = level.movers.motion.data();
  for_each(exec, static_cast<std::ptrdiff_t>(level.movers.motion.size()),
           [=] GLUG_FN(std::ptrdiff_t n) { motion[n] = {}; });
  T* held = level.movers.firmness_held.data();
  for_each(exec, static_cast<std::ptrdiff_t>(level.movers.firmness_held.size()),
           [=] GLUG_FN(std::ptrdiff_t n) { held[n] = 0; });
}

template <int D, class T>
void hold_movers(const Exec& exec, MultigridLevel<D, T>& level) {
  LevelMovers<D, T>& list = level.movers;
  if (!list.movers) return;
  list.lists->gather(exec, list.scale, level.x.data(), nullptr, list.motion.data(), list.change.data());
  take_change(exec, level);
}

#define GLUG_INSTANTIATE(D, T)                                                                         \
  template void take_movers<D, T>(const Exec&, const Movers<D>*, const PackedSystem<D, T>*,            \
                                  MultigridLevel<D, T>&);                                              \
  template void coarsen_movers<D, T>(const Exec&, const MultigridLevel<D, T>&, MultigridLevel<D, T>&); \
  template void firm_movers<D, T>(const Exec&, MultigridLevel<D, T>&);                                 \
  template void release_movers<D, T>(const Exec&, MultigridLevel<D, T>&);                              \
  template void hold_movers<D, T>(const Exec&, MultigridLevel<D, T>&);
GLUG_INSTANTIATE(2, Real)
GLUG_INSTANTIATE(3, Real)
#undef GLUG_INSTANTIATE

}  // namespace glug
