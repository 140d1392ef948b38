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
constexpr std::int32_t summed_entries = 512;

// Sums of moments by place: a mover's cells lie in a box, so a table of it finds each.
template <int D, class T>
class PlaceTable {
 public:
  explicit PlaceTable(const Range<D>& box)
      : box_(box), at_cell_(static_cast<std::size_t>(box.size()) * D, -1) {}

  // At a cell, or a part in it.
  void add(std::ptrdiff_t to, const Index<D>& cell, int axis, const T* m) {
    std::int32_t& known = to >= 0 ? at_cell_[box_.number_of(cell) * D + axis] : at_part(to, axis);
    if (known < 0) {
      known = static_cast<std::int32_t>(entries.size());
      entries.push_back({to, axis, {}});
    }
    for (int b = 0; b <= D; ++b) entries[known].m[b] += m[b];
  }
  std::vector<MoverEntry<D, T>> entries;

 private:
  struct AtPart {
    std::ptrdiff_t to;
    int axis;
    std::int32_t entry;
  };
  std::int32_t& at_part(std::ptrdiff_t to, int axis) {
    for (AtPart& known : at_part_)  // few
      if (known.to == to && known.axis == axis) return known.entry;
    at_part_.push_back({to, axis, -1});
    return at_part_.back().entry;
  }
  Range<D> box_;
  std::vector<std::int32_t> at_cell_;
  std::vector<AtPart> at_part_;
};

// The entries of a mover on the coarse level.
template <int D, class T>
std::vector<MoverEntry<D, T>> merged_entries(const MultigridLevel<D, T>& fine,
                                             const Aggregates<D, T>& aggregate, std::int32_t mover) {
  Range<D> box{};
  visit_moments(fine, mover, [&](std::ptrdiff_t to, int, const T*) {
    const Index<D> c = coarse_of<D>(aggregate.cell_of(to));
    const bool first = box.size() == 0;
    for (int a = 0; a < D; ++a) {
      box.lo[a] = first ? c[a] : std::min(box.lo[a], c[a]);
      box.hi[a] = first ? c[a] + 1 : std::max(box.hi[a], c[a] + 1);
    }
  });
  PlaceTable<D, T> table(box);
  visit_moments(fine, mover, [&](std::ptrdiff_t to, int axis, const T* m) {
    const Index<D> i = aggregate.cell_of(to);
    const std::ptrdiff_t made = aggregate(to, i);
    if (made != aggregate.none) table.add(made, coarse_of<D>(i), axis, m);
  });
  std::stable_sort(table.entries.begin(), table.entries.end(),
                   [](const MoverEntry<D, T>& x, const MoverEntry<D, T>& y) { return x.axis < y.axis; });
  return std::move(table.entries);
}

// Lists them; the level's own scratch numbers the places, 0 between uses.
template <int D, class T>
void list_entries(const std::vector<std::vector<MoverEntry<D, T>>>& of_mover, MultigridLevel<D, T>& level) {
  const View<D, std::int32_t> number_of_cell = level.link_of_cell.view();
  std::vector<std::int32_t> number_of_part(static_cast<std::size_t>(level.loose.placed()), 0);
  level.movers.listed.assign(of_mover, [&](std::ptrdiff_t to) -> std::int32_t& {
    return to >= 0 ? number_of_cell.at(to) : number_of_part[loose_part(to)];
  });
}

// What is relaxed together: red cells, black cells, parts.
template <int D, class T>
int group_of(const MultigridLevel<D, T>& level, const MoverEntry<D, T>& entry) {
  if (entry.to < 0) return 2;
  return static_cast<int>(colour_of<D>(level.cells().at(entry.to)));
}

// For each entry of a mover, the sum of |scale m S m'| over all entries m' that are relaxed with it, or a
// bound of that by the diagonal: |S_ij| <= sqrt(S_ii S_jj).
template <int D, class T>
void add_row_sums(const MultigridLevel<D, T>& level, std::int32_t mover, double* out) {
  const LevelMovers<D, T>& list = level.movers;
  const MoverMatrix<D>& S = list.movers->yield(mover);
  const std::vector<std::int32_t>& start = list.listed.start.host;
  const std::vector<MoverEntry<D, T>>& entries = list.listed.entries.host;
  const std::int32_t begin = start[mover], end = start[mover + 1];
  const bool summed = end - begin <= summed_entries;
  std::vector<int> group;
  for (std::int32_t e = begin; e < end; ++e) group.push_back(group_of(level, entries[e]));
  double roots[3] = {};
  for (std::int32_t i = begin; i < end; ++i) {
    const MoverEntry<D, T>& x = entries[i];
    const MoverMoments<D> s = motion_of<D>(S, list.scale, x);
    const auto times = [&](const MoverEntry<D, T>& y) { return std::abs(push_on<D>(y, s)); };
    const int own = group[i - begin];
    if (!summed) {
      out[i] = std::sqrt(times(x));
      roots[own] += out[i];
      continue;
    }
    out[i] = 0;
    for (std::int32_t j = begin; j < end; ++j)
      if (group[j - begin] == own) out[i] += times(entries[j]);
  }
  if (!summed)
    for (std::int32_t i = begin; i < end; ++i) out[i] *= roots[group[i - begin]];
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
void scatter_entries(const Exec& exec, MultigridLevel<D, T>& level) {
  LevelMovers<D, T>& list = level.movers;
  const T* x = level.x.data();
  T* b = level.b.data();
  const MoverUse<D, T>* at_place = list.listed.at_place.data();
  const std::int32_t* start = list.listed.place_start.data();
  const std::ptrdiff_t* place = list.listed.places.data();
  const MoverMoments<D>* change = list.change.data();
  const T* firmness = list.firmness.empty() ? nullptr : list.firmness.data();
  T* held = list.firmness_held.data();
  for_each(exec, static_cast<std::ptrdiff_t>(list.listed.places.size()), [=] GLUG_FN(std::ptrdiff_t n) {
    double sum = push_at<D>(at_place, start, change, n);
    if (firmness) {
      const T now = firmness[n] * x[place[n]];
      sum -= now - held[n];
      held[n] = now;
    }
    b[place[n]] = static_cast<T>(b[place[n]] - sum);
  });
}

// Takes the change of the motion from the right-hand side. Cells that loose parts touch keep a second copy of
// theirs.
template <int D, class T>
void take_change(const Exec& exec, MultigridLevel<D, T>& level) {
  LooseParts<D, T>& loose = level.loose;
  const std::ptrdiff_t* at = loose.touched_at.data();
  const T* b = level.b.data();
  T* kept = loose.touched_b.data();
  for_each(exec, loose.touched_count(), [=] GLUG_FN(std::ptrdiff_t n) { kept[n] -= b[at[n]]; });
  if (level.movers.finest)
    level.movers.finest->scatter(exec, level.movers.change.data(), -1.0, level.b.data());
  else
    scatter_entries(exec, level);
  for_each(exec, loose.touched_count(), [=] GLUG_FN(std::ptrdiff_t n) { kept[n] += b[at[n]]; });
}

}  // namespace

template <int D, class T>
void take_movers(const Exec& exec, const Movers<D>* movers, MoverYields<D>& yields,
                 MultigridLevel<D, T>& finest) {
  LevelMovers<D, T>& list = finest.movers;
  list.clear();
  if (!movers || movers->empty()) return;
  yields.assign(exec, *movers);
  list.movers = movers;
  list.yields = &yields;
  list.motion.host.assign(static_cast<std::size_t>(movers->count()), {});
  list.change = list.motion;
  if (exec.device == Device::cpu) {
    list.finest = movers;
    return;
  }
  std::vector<std::vector<MoverEntry<D, T>>> of_mover(list.motion.size());
  std::vector<MoverEntry<D, T>>* out = of_mover.data();
  for_each_equal_task(exec, movers->count(), [=](std::ptrdiff_t m) {
    out[m] = entries_of_faces<D, T>(*movers, static_cast<std::int32_t>(m));
  });
  list_entries(of_mover, finest);
}

template <int D, class T>
void coarsen_movers(const Exec& exec, const MultigridLevel<D, T>& fine, MultigridLevel<D, T>& coarse) {
  LevelMovers<D, T>& list = coarse.movers;
  list.clear();
  if (!fine.movers.movers) return;
  list.movers = fine.movers.movers;
  list.yields = fine.movers.yields;
  list.motion.host.assign(fine.movers.motion.size(), {});
  list.change = list.motion;
  list.scale = kept_yield * fine.movers.scale;
  std::vector<std::vector<MoverEntry<D, T>>> of_mover(list.motion.size());
  std::vector<MoverEntry<D, T>>* out = of_mover.data();
  const Aggregates<D, T> aggregate(exec, fine, coarse, fine.movers.listed.places.host);
  for_each_equal_task(exec, static_cast<std::ptrdiff_t>(of_mover.size()), [&, out](std::ptrdiff_t m) {
    out[m] = merged_entries(fine, aggregate, static_cast<std::int32_t>(m));
  });
  list_entries(of_mover, coarse);
}

template <int D, class T>
void firm_movers(const Exec& exec, MultigridLevel<D, T>& level) {
  LevelMovers<D, T>& list = level.movers;
  if (!list.movers) return;
  ListedMovers<D, T>& listed = list.listed;
  std::vector<double> of_entry(listed.entries.size());
  double* out = of_entry.data();
  for_each_equal_task(exec, list.movers->count(), [&, out](std::ptrdiff_t mover) {
    add_row_sums(level, static_cast<std::int32_t>(mover), out);
  });
  const std::vector<std::ptrdiff_t>& places = listed.places.host;
  list.firmness.host.assign(places.size(), 0);
  list.firmness_held = list.firmness;
  const std::vector<double> diagonal = diagonals_at(exec, level.own, listed.places);
  for (std::size_t n = 0; n < places.size(); ++n) {
    double sum = 0;
    for (std::int32_t k = listed.place_start.host[n]; k < listed.place_start.host[n + 1]; ++k)
      sum += of_entry[listed.at_place.host[k].entry];
    list.firmness.host[n] = static_cast<T>(std::max(0.0, firm_share * (sum - diagonal[n])));
    if (places[n] < 0) level.loose.anchor[loose_part(places[n])] += list.firmness.host[n];
  }
  add_to_anchors(exec, listed.places, list.firmness, level.own);
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
  if (list.finest)
    list.finest->gather(exec, level.x.data(), list.motion.data(), list.change.data());
  else
    gather_entries<D, T, T>(exec, list.listed, *list.yields, list.scale, level.x.data(), list.motion.data(),
                            list.change.data());
  take_change(exec, level);
}

#define GLUG_INSTANTIATE(D, T)                                                                            \
  template void take_movers<D, T>(const Exec&, const Movers<D>*, MoverYields<D>&, MultigridLevel<D, T>&); \
  template void coarsen_movers<D, T>(const Exec&, const MultigridLevel<D, T>&, MultigridLevel<D, T>&);    \
  template void firm_movers<D, T>(const Exec&, MultigridLevel<D, T>&);                                    \
  template void release_movers<D, T>(const Exec&, MultigridLevel<D, T>&);                                 \
  template void hold_movers<D, T>(const Exec&, MultigridLevel<D, T>&);
GLUG_INSTANTIATE(2, Real)
GLUG_INSTANTIATE(3, Real)
#undef GLUG_INSTANTIATE

}  // namespace glug
