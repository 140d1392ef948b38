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
void add_row_sums(const LevelMovers<D, T>& movers, const Range<D>& cells, std::int32_t mover, double* out) {
  const std::vector<MoverEntry<D>> entries = movers.lists->entries_of(mover);
  std::vector<int> group;
  for (const MoverEntry<D>& e : entries)
    group.push_back(e.name < 0 ? 2 : static_cast<int>(colour_of<D>(cells.at(e.name))));
  const bool summed = entries.size() <= summed_entries;
  double roots[3] = {};
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const MoverMoments<D> s =
        motion_by<D>(movers.lists->yield(mover), movers.scale, entries[i].axis, entries[i].j);
    const auto times = [&](std::size_t k) {
      return std::abs(MoverRowsView<D>::push(entries[k].j, entries[k].axis, &s));
    };
    if (!summed) {
      out[i] = std::sqrt(times(i));
      roots[group[i]] += out[i];
      continue;
    }
    out[i] = 0;
    for (std::size_t k = 0; k < entries.size(); ++k)
      if (group[k] == group[i]) out[i] += times(k);
  }
  if (!summed)
    for (std::size_t i = 0; i < entries.size(); ++i) out[i] *= roots[group[i]];
}

}  // namespace

template <int D, class T>
void LevelMovers<D, T>::list(const ListedMovers<D>* given) {
  lists = given;
  motion.host.assign(static_cast<std::size_t>(given->count()), {});
  change = motion;
}

template <int D, class T>
void LevelMovers<D, T>::take(const Exec& exec, const Movers<D>& movers, const ListedMovers<D>* listed) {
  *this = {};
  if (movers.empty()) return;
  if (!listed) own.assign(exec, movers, [](std::ptrdiff_t cell) { return cell; });
  list(listed ? listed : &own);
}

template <int D, class T>
void LevelMovers<D, T>::coarsen(const Exec& exec, const Level& fine, const Level& coarse) {
  *this = {};
  if (!fine.movers.lists) return;
  const ListedMovers<D>& finer = *fine.movers.lists;
  const std::vector<std::ptrdiff_t> of_places = aggregates(exec, fine, coarse, finer.links.names);
  const auto made = [&](std::int32_t entry) { return of_places[finer.links.place_of_entry[entry]]; };
  own.assign(exec, finer, merged_rows<AxisMoments<D>>(exec, finer.links.rows, made, [&](std::int32_t n) {
               return finer.moments.host[n];
             }));
  list(&own);
  scale = kept_yield * fine.movers.scale;
}

template <int D, class T>
void LevelMovers<D, T>::firm(const Exec& exec, Level& level) {
  if (!lists) return;
  auto& links = own.links;
  std::vector<double> of_entry(links.rows.entries.size());
  double* out = of_entry.data();
  for_each_equal_task(exec, own.count(), [&, out](std::ptrdiff_t mover) {
    add_row_sums(*this, level.cells(), static_cast<std::int32_t>(mover),
                 out + links.rows.start.host[mover * D]);
  });
  // The stencil's diagonal at places that are cells, 0 elsewhere.
  const StencilView<D, const T> A = level.own.read();
  const std::vector<double> diagonal = ask<double>(exec, links.places, [=] GLUG_FN(std::ptrdiff_t place) {
    return place >= 0 ? A.diagonal(A.anchor.range.at(place)) : 0.0;
  });
  firmness.host.assign(links.names.size(), 0);
  firmness_held = firmness;
  for (std::size_t n = 0; n < links.names.size(); ++n) {
    double sum = 0;
    links.of_places.visit(static_cast<std::int32_t>(n),
                          [&](std::ptrdiff_t, std::int32_t entry) { sum += of_entry[entry]; });
    firmness.host[n] = static_cast<T>(std::max(0.0, firm_share * (sum - diagonal[n])));
    if (links.names[n] < 0) level.loose.anchor[loose_part(links.names[n])] += firmness.host[n];
  }
  add_to_anchors(exec, links.places, firmness, level.own.view());
}

template <int D, class T>
void LevelMovers<D, T>::release(const Exec& exec) {
  MoverMoments<D>* moved = motion.data();
  T* held = firmness_held.data();
  for_each(exec, static_cast<std::ptrdiff_t>(motion.size()),
           [=] GLUG_FN(std::ptrdiff_t n) { moved[n] = {}; });
  for_each(exec, static_cast<std::ptrdiff_t>(firmness_held.size()),
           [=] GLUG_FN(std::ptrdiff_t n) { held[n] = 0; });
}

template <int D, class T>
void LevelMovers<D, T>::hold(const Exec& exec, Level& level) {
  if (!lists) return;
  const T* x = level.x.data();
  T* b = level.b.data();
  lists->gather(exec, scale, x, nullptr, motion.data(), change.data());
  // Cells that loose parts touch keep a second copy of their right-hand side.
  const std::ptrdiff_t* touched = level.loose.to_cells.places.data();
  T* kept = level.loose.touched_b.data();
  for_each(exec, level.loose.touched_count(), [=] GLUG_FN(std::ptrdiff_t n) { kept[n] -= b[touched[n]]; });
  // b -= J^T change, and at firm places + the change of firmness x.
  const MoverRowsView<D> J = lists->view();
  const MoverMoments<D>* changed = change.data();
  const T* firm_by = firmness.empty() ? nullptr : firmness.data();
  T* held = firmness_held.data();
  for_each(exec, lists->places(), [=] GLUG_FN(std::ptrdiff_t n) {
    const std::ptrdiff_t at = J.places[n];
    double sum = J.push_at(n, changed);
    if (firm_by) {
      const T now = firm_by[n] * x[at];
      sum -= now - held[n];
      held[n] = now;
    }
    b[at] = static_cast<T>(b[at] - sum);
  });
  for_each(exec, level.loose.touched_count(), [=] GLUG_FN(std::ptrdiff_t n) { kept[n] += b[touched[n]]; });
}

template struct LevelMovers<2, Real>;
template struct LevelMovers<3, Real>;

}  // namespace glug
