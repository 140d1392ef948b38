// listed_movers.h: movers (movers.h) as lists: what each has at every place, and what every place has of
// each. Coarse levels of the multigrid hold them so, and whatever runs on a device: a thread has a stretch of
// a mover's entries, a mover or a place, and none writes where another does.
#pragma once

#include <cstdint>
#include <vector>

#include "solvers/coupling_rows.h"
#include "solvers/movers.h"

namespace glug {

// What a mover has of one axis at one place: sums of +-(1, X).
template <int D, class T>
struct MoverEntry {
  std::ptrdiff_t to = 0;  // offset of a cell, or loose_part(); once placed, where it is
  std::int32_t axis = 0;
  T m[D + 1] = {};
};

// An entry as its place sees it.
template <int D, class T>
struct MoverUse {
  std::int32_t entry, mover, axis;
  T m[D + 1];
};

// Entries of one axis of one mover, and their sums.
struct MoverPiece {
  std::int32_t begin, end, axis;
};
template <int D>
struct MoverPieceSums {
  double m[D + 1];
};

// S of every mover, for kernels.
template <int D>
struct MoverYields {
  List<MoverMatrix<D>> of_shape;
  List<std::int32_t> shape;  // per mover

  void assign(const Exec& exec, const Movers<D>& movers);
};

template <int D, class T>
struct ListedMovers {
  List<std::int32_t> start;        // of the entries of each mover
  List<MoverEntry<D, T>> entries;  // by axis
  List<std::ptrdiff_t> places;     // cells and parts that have entries
  List<std::int32_t> place_start;
  List<MoverUse<D, T>> at_place;
  List<MoverPiece> pieces;
  List<std::int32_t> piece_start;  // per mover
  List<MoverPieceSums<D>> sums;

  std::int32_t count() const { return static_cast<std::int32_t>(start.size()) - 1; }
  // of_mover: the entries of each, by axis. number(to): a number kept for each place, 0 before and after.
  template <class Number>
  void assign(const std::vector<std::vector<MoverEntry<D, T>>>& of_mover, Number number);
  void publish(const Exec& exec) {
    glug::publish(exec, start, entries, places, place_start, at_place, pieces, piece_start, sums);
  }

 private:
  void cut();
};

// The entries of a mover's faces, one per cell and axis.
template <int D, class T>
std::vector<MoverEntry<D, T>> entries_of_faces(const Movers<D>& movers, std::int32_t mover);

// motion = scale S J x; change: how much that is more than motion was. dots, if wanted: what each adds to
// x . J^T motion.
template <int D, class T, class X>
void gather_entries(const Exec& exec, ListedMovers<D, T>& list, const MoverYields<D>& yields, double scale,
                    const X* x, MoverMoments<D>* motion, MoverMoments<D>* change, double* dots = nullptr);

// What a motion pushes at an entry, and the motion scale S m that is made there.
template <int D, class Entry>
GLUG_INLINE double push_on(const Entry& e, const MoverMoments<D>& motion) {
  const double* here = &motion[0] + e.axis * (D + 1);
  double sum = 0;
  for (int b = 0; b <= D; ++b) sum += e.m[b] * here[b];
  return sum;
}
template <int D, class Entry>
MoverMoments<D> motion_of(const MoverMatrix<D>& S, double scale, const Entry& e) {
  constexpr int size = mover_moments<D>;
  MoverMoments<D> s{};
  for (int b = 0; b <= D; ++b)
    for (int k = 0; k < size; ++k) s[k] += scale * S[(e.axis * (D + 1) + b) * size + k] * e.m[b];
  return s;
}

// What the motions push at the n-th place: (J^T motion)_n.
template <int D, class T>
GLUG_INLINE double push_at(const MoverUse<D, T>* at_place, const std::int32_t* start,
                           const MoverMoments<D>* motion, std::ptrdiff_t n) {
  double sum = 0;
  for (std::int32_t k = start[n]; k < start[n + 1]; ++k)
    sum += push_on<D>(at_place[k], motion[at_place[k].mover]);
  return sum;
}

// y += J^T S J x on a device, for conjugate gradients there.
template <int D>
class DeviceMovers {
 public:
  void assign(const Exec& exec, const Movers<D>& movers, const Range<D>& layout);
  // Returns how much that changes x . A x.
  double apply(const Exec& exec, const double* x, double* y) const;

 private:
  mutable ListedMovers<D, double> list_;
  MoverYields<D> yields_;
  mutable List<MoverMoments<D>> motion_;
  mutable List<double> dots_;
};

template <int D, class T>
template <class Number>
void ListedMovers<D, T>::assign(const std::vector<std::vector<MoverEntry<D, T>>>& of_mover, Number number) {
  entries.host.clear();
  start.host.assign(1, 0);
  for (const auto& list : of_mover) {
    entries.host.insert(entries.host.end(), list.begin(), list.end());
    start.host.push_back(static_cast<std::int32_t>(entries.size()));
  }
  const std::vector<std::int32_t> place_of = number_targets(entries.host, number, places.host);
  Groups by_place = group_by(place_of, places.size());
  place_start.host = std::move(by_place.start);
  const std::vector<std::int32_t> mover_of = rows_of_entries(start.host);
  at_place.host.clear();
  at_place.host.reserve(entries.size());
  for (std::int32_t e : by_place.members) {
    const MoverEntry<D, T>& entry = entries.host[e];
    at_place.host.push_back({e, mover_of[e], entry.axis, {}});
    for (int b = 0; b <= D; ++b) at_place.host.back().m[b] = entry.m[b];
  }
  for (std::ptrdiff_t to : places.host) number(to) = 0;
  cut();
}

}  // namespace glug
