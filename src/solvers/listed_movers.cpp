#include "solvers/listed_movers.h"

#include <algorithm>

#include "core/reduce.h"

namespace glug {
namespace {

// Short enough that a device's threads have few entries each.
constexpr std::int32_t entries_in_piece = 64;

}  // namespace

template <int D>
void MoverYields<D>::assign(const Exec& exec, const Movers<D>& movers) {
  shape.host.clear();
  of_shape.host.assign(static_cast<std::size_t>(movers.shapes()), {});
  for (std::int32_t m = 0; m < movers.count(); ++m) {
    shape.host.push_back(movers.shape_of(m));
    of_shape.host[movers.shape_of(m)] = movers.yield(m);
  }
  publish(exec, shape, of_shape);
}

template <int D, class T>
void ListedMovers<D, T>::cut() {
  pieces.host.clear();
  piece_start.host.assign(1, 0);
  for (std::int32_t m = 0; m < count(); ++m) {
    for (std::int32_t begin = start.host[m]; begin < start.host[m + 1];) {
      const std::int32_t axis = entries.host[begin].axis;
      std::int32_t end = begin;
      while (end < start.host[m + 1] && end < begin + entries_in_piece && entries.host[end].axis == axis)
        ++end;
      pieces.host.push_back({begin, end, axis});
      begin = end;
    }
    piece_start.host.push_back(static_cast<std::int32_t>(pieces.size()));
  }
  sums.host.assign(pieces.size(), {});
}

template <int D, class T>
std::vector<MoverEntry<D, T>> entries_of_faces(const Movers<D>& movers, std::int32_t mover) {
  std::vector<MoverEntry<D, T>> entries;
  movers.visit_faces(mover, [&](int side, std::ptrdiff_t cell, const std::array<double, D>& x, double w) {
    entries.push_back({cell, side / 2, {}});
    const auto m = moments_of_face<T>(side, x, w);
    for (int b = 0; b <= D; ++b) entries.back().m[b] = m[b];
  });
  std::stable_sort(entries.begin(), entries.end(), [](const MoverEntry<D, T>& x, const MoverEntry<D, T>& y) {
    return x.axis != y.axis ? x.axis < y.axis : x.to < y.to;
  });
  // Faces on both sides of a cell are one entry.
  std::size_t kept = 0;
  for (std::size_t k = 0; k < entries.size(); ++k)
    if (kept > 0 && entries[kept - 1].to == entries[k].to && entries[kept - 1].axis == entries[k].axis)
      for (int b = 0; b <= D; ++b) entries[kept - 1].m[b] += entries[k].m[b];
    else
      entries[kept++] = entries[k];
  entries.resize(kept);
  return entries;
}

template <int D, class T, class X>
void gather_entries(const Exec& exec, ListedMovers<D, T>& list, const MoverYields<D>& yields, double scale,
                    const X* numbers, MoverMoments<D>* motion, MoverMoments<D>* change, double* dots) {
  const MoverEntry<D, T>* entries = list.entries.data();
  const MoverPiece* piece = list.pieces.data();
  MoverPieceSums<D>* sums = list.sums.data();
  for_each(exec, static_cast<std::ptrdiff_t>(list.pieces.size()), [=] GLUG_FN(std::ptrdiff_t n) {
    double sum[D + 1] = {};
    for (std::int32_t e = piece[n].begin; e < piece[n].end; ++e) {
      const MoverEntry<D, T>& entry = entries[e];
      const double x = numbers[entry.to];
      for (int b = 0; b <= D; ++b) sum[b] += entry.m[b] * x;
    }
    for (int b = 0; b <= D; ++b) sums[n].m[b] = sum[b];
  });
  const std::int32_t* piece_start = list.piece_start.data();
  const MoverMatrix<D>* of_shape = yields.of_shape.data();
  const std::int32_t* shape = yields.shape.data();
  for_each(exec, list.count(), [=] GLUG_FN(std::ptrdiff_t n) {
    constexpr int size = mover_moments<D>;
    double t[size] = {}, s[size] = {};
    for (std::int32_t k = piece_start[n]; k < piece_start[n + 1]; ++k)
      for (int b = 0; b <= D; ++b) t[piece[k].axis * (D + 1) + b] += sums[k].m[b];
    const MoverMatrix<D>& S = of_shape[shape[n]];
    for (int j = 0; j < size; ++j)
      for (int i = 0; i < size; ++i) s[i] += S[j * size + i] * t[j];
    double dot = 0;
    for (int i = 0; i < size; ++i) {
      dot += scale * s[i] * t[i];
      if (change) change[n][i] = scale * s[i] - motion[n][i];
      motion[n][i] = scale * s[i];
    }
    if (dots) dots[n] = dot;
  });
}

template <int D>
void DeviceMovers<D>::assign(const Exec& exec, const Movers<D>& movers, const Range<D>& layout) {
  std::vector<std::vector<MoverEntry<D, double>>> of_mover;
  for (std::int32_t m = 0; m < movers.count(); ++m)
    of_mover.push_back(entries_of_faces<D, double>(movers, m));
  Field<D, std::int32_t> number(movers.empty() ? Range<D>{} : layout);
  const View<D, std::int32_t> number_of = number.view();
  list_.assign(of_mover, [=](std::ptrdiff_t to) -> std::int32_t& { return number_of.at(to); });
  yields_.assign(exec, movers);
  motion_.host.assign(of_mover.size(), {});
  dots_.host.assign(of_mover.size(), 0);
  publish(exec, list_, motion_, dots_);
}

template <int D>
double DeviceMovers<D>::apply(const Exec& exec, const double* x, double* y) const {
  if (list_.count() <= 0) return 0;
  gather_entries<D, double, double>(exec, list_, yields_, 1.0, x, motion_.data(), nullptr, dots_.data());
  const std::ptrdiff_t* place = list_.places.data();
  const std::int32_t* start = list_.place_start.data();
  const MoverUse<D, double>* at_place = list_.at_place.data();
  const MoverMoments<D>* motion = motion_.data();
  for_each(exec, static_cast<std::ptrdiff_t>(list_.places.size()),
           [=] GLUG_FN(std::ptrdiff_t n) { y[place[n]] += push_at<D>(at_place, start, motion, n); });
  const double* dots = dots_.data();
  return reduce(exec, list_.count(), 0.0, Plus{}, [=] GLUG_FN(std::ptrdiff_t n) { return dots[n]; });
}

#define GLUG_INSTANTIATE(D, T)                                                                           \
  template struct ListedMovers<D, T>;                                                                    \
  template std::vector<MoverEntry<D, T>> entries_of_faces<D, T>(const Movers<D>&, std::int32_t);         \
  template void gather_entries<D, T, T>(const Exec&, ListedMovers<D, T>&, const MoverYields<D>&, double, \
                                        const T*, MoverMoments<D>*, MoverMoments<D>*, double*);
template struct MoverYields<2>;
template struct MoverYields<3>;
template class DeviceMovers<2>;
template class DeviceMovers<3>;
GLUG_INSTANTIATE(2, float)
GLUG_INSTANTIATE(2, double)
GLUG_INSTANTIATE(3, float)
GLUG_INSTANTIATE(3, double)
#undef GLUG_INSTANTIATE

}  // namespace glug
