#include "solvers/multigrid_movers.h"

#include <algorithm>
#include <cmath>

#include "core/for_each.h"
#include "core/real.h"
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

// Sums of moments by place: a mover's places lie in a box, so a table of it finds each.
template <int D, class T>
class PlaceTable {
 public:
  explicit PlaceTable(const Range<D>& box)
      : box_(box), at_cell_(static_cast<std::size_t>(box.size()) * D, -1) {}

  void add_to_cell(const Index<D>& cell, std::ptrdiff_t offset, int axis, const T* m) {
    std::ptrdiff_t n = 0;
    for (int a = D - 1; a >= 0; --a) n = n * box_.extent(a) + (cell[a] - box_.lo[a]);
    add(at_cell_[n * D + axis], offset, axis, m);
  }
  void add_to_part(std::int32_t part, int axis, const T* m) {
    const std::ptrdiff_t to = loose_part(part);
    for (AtPart& known : at_part_)  // few
      if (known.to == to && known.axis == axis) return add(known.entry, to, axis, m);
    at_part_.push_back({to, axis, -1});
    add(at_part_.back().entry, to, axis, m);
  }
  std::vector<MoverEntry<D, T>> entries;

 private:
  void add(std::int32_t& known, std::ptrdiff_t to, int axis, const T* m) {
    if (known < 0) {
      known = static_cast<std::int32_t>(entries.size());
      entries.push_back({to, axis, {}});
    }
    for (int b = 0; b <= D; ++b) entries[known].m[b] += m[b];
  }
  struct AtPart {
    std::ptrdiff_t to;
    int axis;
    std::int32_t entry;
  };
  Range<D> box_;
  std::vector<std::int32_t> at_cell_;
  std::vector<AtPart> at_part_;
};

// Where an unknown of the fine level goes: f(cell) or g(part).
template <int D, class T>
struct Merge {
  const MultigridLevel<D, T>& fine;
  CoupledCells<D, T> coupled;

  Merge(const Exec& exec, const MultigridLevel<D, T>& level)
      : fine(level), coupled(exec, *level.A, cells_of(level)) {}

  // Those with movers, where a list says it.
  static std::vector<std::ptrdiff_t> cells_of(const MultigridLevel<D, T>& level) {
    std::vector<std::ptrdiff_t> cells;
    for (std::ptrdiff_t to : level.movers.listed.places.host)
      if (to >= 0) cells.push_back(to);
    return cells;
  }
  // The coarse part a cell belongs to, or SplitBlock::main; `none` for one that belongs to no aggregate.
  static constexpr std::int32_t none = -2;
  std::int32_t target(std::ptrdiff_t cell, const Index<D>& i) const {
    return coupled(cell, i) || fine.is_touched(i) ? fine.target_of(i) : none;
  }
};

template <int D>
Range<D> coarse_box(Range<D> box) {
  return {coarse_of<D>(box.lo), coarse_of<D>(box.hi - Index<D>::filled(1)) + Index<D>::filled(1)};
}
template <int D>
void include(Range<D>& box, bool& any, const Index<D>& i) {
  for (int a = 0; a < D; ++a) {
    box.lo[a] = any ? std::min(box.lo[a], i[a]) : i[a];
    box.hi[a] = any ? std::max(box.hi[a], i[a] + 1) : i[a] + 1;
  }
  any = true;
}

template <int D, class T>
std::vector<MoverEntry<D, T>> merged_entries(const Merge<D, T>& merge, const MultigridLevel<D, T>& coarse,
                                             std::int32_t mover) {
  const MultigridLevel<D, T>& fine = merge.fine;
  const View<D, const T> fine_cells = fine.cells(), coarse_cells = coarse.cells();
  Range<D> box{};
  bool any = false;
  const auto index_of = [&](std::ptrdiff_t to) {
    return to >= 0 ? fine_cells.range.at(to) : fine.loose.cell[loose_part(to)];
  };
  visit_moments(fine, mover, [&](std::ptrdiff_t to, int, const T*) { include<D>(box, any, index_of(to)); });
  if (!any) return {};
  PlaceTable<D, T> table(coarse_box<D>(box));
  visit_moments(fine, mover, [&](std::ptrdiff_t to, int axis, const T* m) {
    const Index<D> i = index_of(to);
    const std::int32_t target = to >= 0 ? merge.target(to, i) : fine.part_target[loose_part(to)];
    if (target == Merge<D, T>::none) return;
    const Index<D> c = coarse_of<D>(i);
    if (target == SplitBlock<D>::main)
      table.add_to_cell(c, coarse_cells.offset(c), axis, m);
    else
      table.add_to_part(target, axis, m);
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

// Lists are the CPU's work wherever they are read.
Exec on_cpu(const Exec& exec) { return Exec{exec.threads}; }

// What is relaxed together: red cells, black cells, parts.
template <int D, class T>
int group_of(const MultigridLevel<D, T>& level, const MoverEntry<D, T>& entry) {
  if (entry.to < 0) return 2;
  const Index<D> i = level.cells().range.at(entry.to);
  int sum = 0;
  for (int a = 0; a < D; ++a) sum += i[a];
  return sum & 1;
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
  for_each_task(on_cpu(exec), movers->count(), [=](std::ptrdiff_t m) {
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
  const Merge<D, T> merge(exec, fine);
  for_each_task(on_cpu(exec), static_cast<std::ptrdiff_t>(of_mover.size()), [&, out](std::ptrdiff_t m) {
    out[m] = merged_entries(merge, coarse, static_cast<std::int32_t>(m));
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
  for_each_task(on_cpu(exec), list.movers->count(), [&, out](std::ptrdiff_t mover) {
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

#define GLUG_INSTANTIATE(D, T)                                                                            \
  template void take_movers<D, T>(const Exec&, const Movers<D>*, MoverYields<D>&, MultigridLevel<D, T>&); \
  template void coarsen_movers<D, T>(const Exec&, const MultigridLevel<D, T>&, MultigridLevel<D, T>&);    \
  template void firm_movers<D, T>(const Exec&, MultigridLevel<D, T>&);
GLUG_INSTANTIATE(2, Real)
GLUG_INSTANTIATE(3, Real)
#undef GLUG_INSTANTIATE

}  // namespace glug
