#include "solvers/multigrid_movers.h"

#include <algorithm>
#include <cmath>

#include "core/for_each.h"
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
    add(at_cell_[static_cast<std::size_t>(n * D + axis)], offset, axis, m);
  }
  void add_to_part(std::int32_t part, int axis, const T* m) {
    const std::ptrdiff_t to = MoverEntry<D, T>::part(part);
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
    for (int b = 0; b <= D; ++b) entries[static_cast<std::size_t>(known)].m[b] += m[b];
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
  StencilView<D, const T> A;
  View<D, const std::int32_t> touched, split_of;
  bool any_parts;

  explicit Merge(const MultigridLevel<D, T>& level)
      : fine(level),
        A(level.A->read()),
        touched(level.loose.touched_of_cell.read()),
        split_of(level.split_of_cell.read()),
        any_parts(level.loose.count() > 0) {}

  // The coarse part a cell belongs to, or SplitBlock::main; `none` for one that belongs to no aggregate.
  static constexpr std::int32_t none = -2;
  std::int32_t target(const Index<D>& i) const {
    if (!is_coupled(A, i) && !(any_parts && touched(i) != 0)) return none;
    const std::int32_t s = split_of(coarse_of<D>(i));
    return s > 0 ? fine.split.host[static_cast<std::size_t>(s - 1)].target[place_in_block<D>(i)]
                 : SplitBlock<D>::main;
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
  const View<D, const T> fine_cells = fine.x.read(), coarse_cells = coarse.x.read();
  Range<D> box{};
  bool any = false;
  const auto index_of = [&](std::ptrdiff_t to) {
    return to >= 0 ? fine_cells.range.at(to)
                   : fine.loose.cell[static_cast<std::size_t>(MoverEntry<D, T>::part(to))];
  };
  visit_moments(fine, mover, [&](std::ptrdiff_t to, int, const T*) { include<D>(box, any, index_of(to)); });
  if (!any) return {};
  PlaceTable<D, T> table(coarse_box<D>(box));
  visit_moments(fine, mover, [&](std::ptrdiff_t to, int axis, const T* m) {
    const Index<D> i = index_of(to);
    const std::int32_t target =
        to >= 0 ? merge.target(i)
                : fine.part_target.host[static_cast<std::size_t>(MoverEntry<D, T>::part(to))];
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

// The entries seen from the places.
template <int D, class T>
void index_places(MultigridLevel<D, T>& level) {
  LevelMovers<D, T>& list = level.movers;
  list.places.clear();
  list.place_start.assign(1, 0);
  const View<D, std::int32_t> number_of_cell = level.link_of_cell.view();
  std::vector<std::int32_t> number_of_part(static_cast<std::size_t>(level.loose.placed()), 0);
  const auto number = [&](std::ptrdiff_t to) -> std::int32_t& {
    return to >= 0 ? number_of_cell.at(to)
                   : number_of_part[static_cast<std::size_t>(MoverEntry<D, T>::part(to))];
  };
  std::vector<std::int32_t> next;
  for (const MoverEntry<D, T>& e : list.entries) {
    std::int32_t& n = number(e.to);
    if (n == 0) {
      list.places.push_back(e.to);
      next.push_back(0);
      n = static_cast<std::int32_t>(list.places.size());
    }
    ++next[static_cast<std::size_t>(n - 1)];
  }
  for (std::int32_t& n : next) {
    const std::int32_t size = n;
    n = list.place_start.back();
    list.place_start.push_back(n + size);
  }
  list.at_place.resize(list.entries.size());
  for (std::int32_t m = 0; m + 1 < static_cast<std::int32_t>(list.start.size()); ++m)
    for (std::int32_t e = list.start[m]; e < list.start[m + 1]; ++e) {
      const MoverEntry<D, T>& entry = list.entries[e];
      auto& use =
          list.at_place[static_cast<std::size_t>(next[static_cast<std::size_t>(number(entry.to) - 1)]++)];
      use = {e, m, entry.axis, {}};
      for (int b = 0; b <= D; ++b) use.m[b] = entry.m[b];
    }
  for (std::ptrdiff_t to : list.places) number(to) = 0;
}

// motion = scale S J x, and its change.
template <int D, class T>
void gather_entries(const Exec& exec, MultigridLevel<D, T>& level) {
  LevelMovers<D, T>& list = level.movers;
  const T* cells = level.x_data();
  const T* parts = level.loose.x.host.data();
  const MoverEntry<D, T>* entries = list.entries.data();
  const std::int32_t* start = list.start.data();
  const Movers<D>* movers = list.movers;
  const double scale = list.scale;
  MoverMoments<D>*motion = list.motion.data(), *change = list.change.data();
  for_each(exec, static_cast<std::ptrdiff_t>(list.motion.size()), [=](std::ptrdiff_t n) {
    constexpr int size = mover_moments<D>;
    MoverMoments<D> t{};
    for (std::int32_t e = start[n]; e < start[n + 1];) {  // entries come by axis
      const std::int32_t axis = entries[e].axis;
      double sum[D + 1] = {};
      for (; e < start[n + 1] && entries[e].axis == axis; ++e) {
        const MoverEntry<D, T>& entry = entries[e];
        const double x = entry.to >= 0 ? cells[entry.to] : parts[MoverEntry<D, T>::part(entry.to)];
        for (int b = 0; b <= D; ++b) sum[b] += entry.m[b] * x;
      }
      for (int b = 0; b <= D; ++b) t[axis * (D + 1) + b] += sum[b];
    }
    const MoverMatrix<D>& S = movers->yield(static_cast<std::int32_t>(n));
    MoverMoments<D> s{};
    for (int j = 0; j < size; ++j)
      for (int i = 0; i < size; ++i) s[i] += S[j * size + i] * t[j];
    for (int i = 0; i < size; ++i) {
      change[n][i] = scale * s[i] - motion[n][i];
      motion[n][i] = scale * s[i];
    }
  });
}

// b -= J^T change, and at firm places + the change of firmness x.
template <int D, class T>
void scatter_entries(const Exec& exec, MultigridLevel<D, T>& level) {
  LevelMovers<D, T>& list = level.movers;
  const T* x_cells = level.x_data();
  const T* x_parts = level.loose.x.host.data();
  T* cells = level.b_data();
  T* parts = level.loose.b.host.data();
  const auto* at_place = list.at_place.data();
  const std::int32_t* start = list.place_start.data();
  const std::ptrdiff_t* place = list.places.data();
  const MoverMoments<D>* change = list.change.data();
  const T* firmness = list.firmness.empty() ? nullptr : list.firmness.data();
  T* held = list.firmness_held.data();
  for_each(exec, static_cast<std::ptrdiff_t>(list.places.size()), [=](std::ptrdiff_t n) {
    double sum = 0;
    for (std::int32_t k = start[n]; k < start[n + 1]; ++k) {
      const auto& use = at_place[k];
      const double* change_here = change[use.mover].data() + use.axis * (D + 1);
      for (int b = 0; b <= D; ++b) sum += use.m[b] * change_here[b];
    }
    const bool is_cell = place[n] >= 0;
    const std::ptrdiff_t at = is_cell ? place[n] : MoverEntry<D, T>::part(place[n]);
    if (firmness) {
      const T now = firmness[n] * (is_cell ? x_cells[at] : x_parts[at]);
      sum -= now - held[n];
      held[n] = now;
    }
    T& b = is_cell ? cells[at] : parts[at];
    b = static_cast<T>(b - sum);
  });
}

// Takes the change of the motion from the right-hand side. Cells that loose parts touch keep a second copy of
// theirs.
template <int D, class T>
void take_change(const Exec& exec, MultigridLevel<D, T>& level) {
  LooseParts<D, T>& loose = level.loose;
  const std::ptrdiff_t* at = loose.touched_at.host.data();
  const T* b = level.b_data();
  T* kept = loose.touched_b.host.data();
  for_each(exec, loose.touched_count(), [=](std::ptrdiff_t n) { kept[n] -= b[at[n]]; });
  if (level.movers.finest)
    level.movers.finest->scatter(exec, level.movers.change.data(), -1.0, level.b_data());
  else
    scatter_entries(exec, level);
  for_each(exec, loose.touched_count(), [=](std::ptrdiff_t n) { kept[n] += b[at[n]]; });
}

// What is relaxed together: red cells, black cells, parts.
template <int D, class T>
int group_of(const MultigridLevel<D, T>& level, const MoverEntry<D, T>& entry) {
  if (entry.to < 0) return 2;
  const Index<D> i = level.x.range().at(entry.to);
  int sum = 0;
  for (int a = 0; a < D; ++a) sum += i[a];
  return sum & 1;
}

// For each entry of a mover, the sum of |scale m S m'| over all entries m' that are relaxed with it, or a
// bound of that by the diagonal: |S_ij| <= sqrt(S_ii S_jj).
template <int D, class T>
void add_row_sums(const MultigridLevel<D, T>& level, std::int32_t mover, double* out) {
  constexpr int size = mover_moments<D>;
  const LevelMovers<D, T>& list = level.movers;
  const MoverMatrix<D>& S = list.movers->yield(mover);
  const std::int32_t begin = list.start[static_cast<std::size_t>(mover)],
                     end = list.start[static_cast<std::size_t>(mover) + 1];
  const bool summed = end - begin <= summed_entries;
  std::vector<int> group;
  for (std::int32_t e = begin; e < end; ++e)
    group.push_back(group_of(level, list.entries[static_cast<std::size_t>(e)]));
  double roots[3] = {};
  for (std::int32_t i = begin; i < end; ++i) {
    const MoverEntry<D, T>& x = list.entries[static_cast<std::size_t>(i)];
    MoverMoments<D> s{};
    for (int b = 0; b <= D; ++b)
      for (int k = 0; k < size; ++k) s[k] += list.scale * S[(x.axis * (D + 1) + b) * size + k] * x.m[b];
    const auto times = [&](const MoverEntry<D, T>& y) {
      double value = 0;
      for (int b = 0; b <= D; ++b) value += y.m[b] * s[y.axis * (D + 1) + b];
      return std::abs(value);
    };
    const int own = group[static_cast<std::size_t>(i - begin)];
    if (!summed) {
      out[i] = std::sqrt(times(x));
      roots[own] += out[i];
      continue;
    }
    out[i] = 0;
    for (std::int32_t j = begin; j < end; ++j)
      if (group[static_cast<std::size_t>(j - begin)] == own)
        out[i] += times(list.entries[static_cast<std::size_t>(j)]);
  }
  if (!summed)
    for (std::int32_t i = begin; i < end; ++i) out[i] *= roots[group[static_cast<std::size_t>(i - begin)]];
}

}  // namespace

template <int D, class T>
void take_movers(const Movers<D>* movers, MultigridLevel<D, T>& finest) {
  LevelMovers<D, T>& list = finest.movers;
  list.clear();
  if (!movers || movers->empty()) return;
  list.movers = list.finest = movers;
  list.motion.assign(static_cast<std::size_t>(movers->count()), {});
  list.change = list.motion;
}

template <int D, class T>
void coarsen_movers(const Exec& exec, const MultigridLevel<D, T>& fine, MultigridLevel<D, T>& coarse) {
  LevelMovers<D, T>& list = coarse.movers;
  list.clear();
  if (!fine.movers.movers) return;
  list.movers = fine.movers.movers;
  list.motion.assign(fine.movers.motion.size(), {});
  list.change = list.motion;
  list.scale = kept_yield * fine.movers.scale;
  std::vector<std::vector<MoverEntry<D, T>>> of_mover(list.motion.size());
  std::vector<MoverEntry<D, T>>* out = of_mover.data();
  const Merge<D, T> merge(fine);
  for_each_task(exec, static_cast<std::ptrdiff_t>(of_mover.size()), [&, out](std::ptrdiff_t m) {
    out[m] = merged_entries(merge, coarse, static_cast<std::int32_t>(m));
  });
  list.start.assign(1, 0);
  for (const auto& entries : of_mover) {
    list.entries.insert(list.entries.end(), entries.begin(), entries.end());
    list.start.push_back(static_cast<std::int32_t>(list.entries.size()));
  }
  index_places(coarse);
}

template <int D, class T>
void firm_movers(const Exec& exec, MultigridLevel<D, T>& level) {
  LevelMovers<D, T>& list = level.movers;
  if (!list.movers) return;
  std::vector<double> of_entry(list.entries.size());
  double* out = of_entry.data();
  for_each_task(exec, list.movers->count(), [&, out](std::ptrdiff_t mover) {
    add_row_sums(level, static_cast<std::int32_t>(mover), out);
  });
  list.firmness.assign(list.places.size(), 0);
  list.firmness_held = list.firmness;
  const Range<D> layout = level.x.range();
  const StencilView<D, const T> A = level.own.read();
  const View<D, T> anchors = level.own.view().anchor;
  for (std::size_t n = 0; n < list.places.size(); ++n) {
    double sum = 0;
    for (std::int32_t k = list.place_start[n]; k < list.place_start[n + 1]; ++k)
      sum += of_entry[static_cast<std::size_t>(list.at_place[static_cast<std::size_t>(k)].entry)];
    const bool is_cell = list.places[n] >= 0;
    const double diagonal = is_cell ? A.diagonal(layout.at(list.places[n])) : 0.0;
    list.firmness[n] = static_cast<T>(std::max(0.0, firm_share * (sum - diagonal)));
    const std::ptrdiff_t part = MoverEntry<D, T>::part(list.places[n]);
    (is_cell ? anchors.at(list.places[n]) : level.loose.anchor.host[static_cast<std::size_t>(part)]) +=
        list.firmness[n];
  }
}

template <int D, class T>
void release_movers(const Exec& exec, MultigridLevel<D, T>& level) {
  MoverMoments<D>* motion = level.movers.motion.data();
  for_each(exec, static_cast<std::ptrdiff_t>(level.movers.motion.size()),
           [=](std::ptrdiff_t n) { motion[n] = {}; });
  T* held = level.movers.firmness_held.data();
  for_each(exec, static_cast<std::ptrdiff_t>(level.movers.firmness_held.size()),
           [=](std::ptrdiff_t n) { held[n] = 0; });
}

template <int D, class T>
void hold_movers(const Exec& exec, MultigridLevel<D, T>& level) {
  LevelMovers<D, T>& list = level.movers;
  if (!list.movers) return;
  if (list.finest)
    list.finest->gather(exec, level.x_data(), list.motion.data(), list.change.data());
  else
    gather_entries(exec, level);
  take_change(exec, level);
}

#define GLUG_INSTANTIATE(D, T)                                                                         \
  template void take_movers<D, T>(const Movers<D>*, MultigridLevel<D, T>&);                            \
  template void coarsen_movers<D, T>(const Exec&, const MultigridLevel<D, T>&, MultigridLevel<D, T>&); \
  template void firm_movers<D, T>(const Exec&, MultigridLevel<D, T>&);                                 \
  template void release_movers<D, T>(const Exec&, MultigridLevel<D, T>&);                              \
  template void hold_movers<D, T>(const Exec&, MultigridLevel<D, T>&);
GLUG_INSTANTIATE(2, float)
GLUG_INSTANTIATE(2, double)
GLUG_INSTANTIATE(3, float)
GLUG_INSTANTIATE(3, double)
#undef GLUG_INSTANTIATE

}  // namespace glug
