#include "solvers/multigrid_movers.h"

#include <algorithm>

#include "core/for_each.h"
#include "solvers/multigrid_coarsen.h"

namespace glug {
namespace {

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
    for (std::int32_t e = list.start[m]; e < list.start[m + 1]; ++e)
      list.at_place[static_cast<std::size_t>(
          next[static_cast<std::size_t>(number(list.entries[e].to) - 1)]++)] = {e, m};
  for (std::ptrdiff_t to : list.places) number(to) = 0;
}

template <int D, class T>
void gather_entries(const Exec& exec, MultigridLevel<D, T>& level, std::vector<MoverMoments<D>>& motion) {
  const LevelMovers<D, T>& list = level.movers;
  const T* cells = level.x_data();
  const T* parts = level.loose.x.host.data();
  const MoverEntry<D, T>* entries = list.entries.data();
  const std::int32_t* start = list.start.data();
  const Movers<D>* movers = list.movers;
  const double scale = list.scale;
  MoverMoments<D>* out = motion.data();
  for_each(exec, static_cast<std::ptrdiff_t>(motion.size()), [=](std::ptrdiff_t n) {
    constexpr int size = mover_moments<D>;
    MoverMoments<D> t{};
    for (std::int32_t e = start[n]; e < start[n + 1]; ++e) {
      const MoverEntry<D, T>& entry = entries[e];
      const T x = entry.to >= 0 ? cells[entry.to] : parts[MoverEntry<D, T>::part(entry.to)];
      for (int b = 0; b <= D; ++b) t[entry.axis * (D + 1) + b] += static_cast<double>(entry.m[b]) * x;
    }
    const MoverMatrix<D>& S = movers->yield(static_cast<std::int32_t>(n));
    MoverMoments<D> s{};
    for (int j = 0; j < size; ++j)
      for (int i = 0; i < size; ++i) s[i] += S[j * size + i] * t[j];
    for (int i = 0; i < size; ++i) out[n][i] = scale * s[i];
  });
}

template <int D, class T>
void scatter_entries(const Exec& exec, const std::vector<MoverMoments<D>>& motion, double factor,
                     MultigridLevel<D, T>& level) {
  const LevelMovers<D, T>& list = level.movers;
  T* cells = level.b_data();
  T* parts = level.loose.b.host.data();
  const MoverEntry<D, T>* entries = list.entries.data();
  const auto* at_place = list.at_place.data();
  const std::int32_t* start = list.place_start.data();
  const std::ptrdiff_t* place = list.places.data();
  const MoverMoments<D>* s = motion.data();
  for_each(exec, static_cast<std::ptrdiff_t>(list.places.size()), [=](std::ptrdiff_t n) {
    double sum = 0;
    for (std::int32_t k = start[n]; k < start[n + 1]; ++k) {
      const MoverEntry<D, T>& entry = entries[at_place[k].entry];
      const double* motion_here = s[at_place[k].mover].data() + entry.axis * (D + 1);
      for (int b = 0; b <= D; ++b) sum += entry.m[b] * motion_here[b];
    }
    T& b = place[n] >= 0 ? cells[place[n]] : parts[MoverEntry<D, T>::part(place[n])];
    b = static_cast<T>(b + factor * sum);
  });
}

// b += factor J^T motion. Cells that loose parts touch keep a second copy of their right-hand side.
template <int D, class T>
void add_motion(const Exec& exec, const std::vector<MoverMoments<D>>& motion, double factor,
                MultigridLevel<D, T>& level) {
  LooseParts<D, T>& loose = level.loose;
  const std::ptrdiff_t* at = loose.touched_at.host.data();
  const T* b = level.b_data();
  T* kept = loose.touched_b.host.data();
  for_each(exec, loose.touched_count(), [=](std::ptrdiff_t n) { kept[n] -= b[at[n]]; });
  if (level.movers.finest)
    level.movers.finest->scatter(exec, motion.data(), factor, level.b_data());
  else
    scatter_entries(exec, motion, factor, level);
  for_each(exec, loose.touched_count(), [=](std::ptrdiff_t n) { kept[n] += b[at[n]]; });
}

template <int D, class T>
void find_motion(const Exec& exec, MultigridLevel<D, T>& level, std::vector<MoverMoments<D>>& motion) {
  if (level.movers.finest)
    level.movers.finest->gather(exec, level.x_data(), 1.0, motion.data());
  else
    gather_entries(exec, level, motion);
}

}  // namespace

template <int D, class T>
void take_movers(const Movers<D>* movers, MultigridLevel<D, T>& finest) {
  LevelMovers<D, T>& list = finest.movers;
  list.clear();
  if (!movers || movers->empty()) return;
  list.movers = list.finest = movers;
  list.motion.assign(static_cast<std::size_t>(movers->count()), {});
  list.motion_before = list.motion;
}

template <int D, class T>
void coarsen_movers(const Exec& exec, const MultigridLevel<D, T>& fine, MultigridLevel<D, T>& coarse) {
  LevelMovers<D, T>& list = coarse.movers;
  list.clear();
  if (!fine.movers.movers) return;
  list.movers = fine.movers.movers;
  list.scale = 0.5 * fine.movers.scale;
  list.motion.assign(fine.movers.motion.size(), {});
  list.motion_before = list.motion;
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
void hold_movers(const Exec& exec, MultigridLevel<D, T>& level) {
  if (!level.movers.movers) return;
  find_motion(exec, level, level.movers.motion);
  add_motion(exec, level.movers.motion, -1.0, level);
}

template <int D, class T>
void hold_movers_again(const Exec& exec, MultigridLevel<D, T>& level) {
  if (!level.movers.movers) return;
  LevelMovers<D, T>& list = level.movers;
  list.motion_before.swap(list.motion);
  find_motion(exec, level, list.motion);
  MoverMoments<D>* before = list.motion_before.data();
  const MoverMoments<D>* now = list.motion.data();
  for_each(exec, static_cast<std::ptrdiff_t>(list.motion.size()), [=](std::ptrdiff_t n) {
    for (int k = 0; k < mover_moments<D>; ++k) before[n][k] = now[n][k] - before[n][k];
  });
  add_motion(exec, list.motion_before, -1.0, level);
}

#define GLUG_INSTANTIATE(D, T)                                                                         \
  template void take_movers<D, T>(const Movers<D>*, MultigridLevel<D, T>&);                            \
  template void coarsen_movers<D, T>(const Exec&, const MultigridLevel<D, T>&, MultigridLevel<D, T>&); \
  template void hold_movers<D, T>(const Exec&, MultigridLevel<D, T>&);                                 \
  template void hold_movers_again<D, T>(const Exec&, MultigridLevel<D, T>&);
GLUG_INSTANTIATE(2, float)
GLUG_INSTANTIATE(2, double)
GLUG_INSTANTIATE(3, float)
GLUG_INSTANTIATE(3, double)
#undef GLUG_INSTANTIATE

}  // namespace glug
