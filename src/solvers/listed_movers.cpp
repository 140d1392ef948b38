#include "solvers/listed_movers.h"

#include "core/reduce.h"

namespace glug {
namespace {

// J x of a mover, once the pieces of its rows are summed.
template <int D>
struct MomentsOfMover {
  PieceSums<AxisMoments<D>> of_rows;
  const ExtraMoments<D>* extras;
  std::ptrdiff_t extra_count;
  const double* x_extra;

  GLUG_INLINE MoverMoments<D> operator()(std::ptrdiff_t mover) const {
    MoverMoments<D> t{};
    for (int a = 0; a < D; ++a) {
      const AxisMoments<D> along = of_rows.added({}, mover * D + a);
      for (int b = 0; b <= D; ++b) t[a * (D + 1) + b] = along[b];
    }
    for (std::ptrdiff_t e = 0; e < extra_count; ++e)
      if (extras[e].mover == mover)
        for (int k = 0; k < mover_moments<D>; ++k) t[k] += extras[e].j[k] * x_extra[extras[e].unknown];
    return t;
  }
};

template <int D, class X>
void sum_pieces(const Exec& exec, const MoverRowsView<D>& J, const RowPieces<AxisMoments<D>>& pieces,
                const X* x) {
  const PieceSums<AxisMoments<D>> of_rows(pieces);
  // Some bodies with some hundred faces are no work to share: threads take longer to begin.
  constexpr std::ptrdiff_t few = 8;
  const bool alone = exec.device == Device::cpu && pieces.count() < few;
  for_each_task(alone ? Exec{1} : exec, pieces.count(), [=] GLUG_FN(std::ptrdiff_t n) {
    AxisMoments<D> sum{};
    for (std::int32_t e = of_rows.piece[n].begin; e < of_rows.piece[n].end; ++e)
      sum += static_cast<double>(x[J.rows.entries[e].to]) * J.moments[J.rows.entries[e].coupling];
    of_rows.sums[n] = sum;
  });
}

}  // namespace

template <int D>
void ListedMovers<D>::assign(const Exec& exec, const ListedMovers& finer,
                             const CouplingRows<AxisMoments<D>>& rows) {
  links.rows.clear();
  links.rows.start.host = rows.start.host;
  moments.host.clear();
  for (const auto& entry : rows.entries.host) {
    links.rows.add(entry.to, static_cast<std::int32_t>(moments.size()));
    moments.host.push_back(entry.coupling);
  }
  yields = finer.yields;
  finish(exec);
}

template <int D>
void ListedMovers<D>::finish(const Exec& exec) {
  links.index(memory_of(exec));
  motion_.host.assign(static_cast<std::size_t>(count()), {});
  dots_.host.assign(static_cast<std::size_t>(count()), 0);
}

template <int D>
void ListedMovers<D>::publish(const Exec& exec) {
  if (yields) yields->publish(exec);
  glug::publish(exec, links, moments, extras, held, motion_, dots_);
}

template <int D>
template <class X>
void ListedMovers<D>::gather(const Exec& exec, double scale, const X* x, const double* x_extra,
                             MoverMoments<D>* motion, MoverMoments<D>* change, double* dots) const {
  if (empty()) return;
  sum_pieces(exec, view(), links.pieces, x);
  const MomentsOfMover<D> moments_of{PieceSums<AxisMoments<D>>(links.pieces), extras.data(),
                                     x_extra ? static_cast<std::ptrdiff_t>(extras.size()) : 0, x_extra};
  const MoverMatrix<D>* of_shape = yields->of_shape.data();
  const std::int32_t* shape = yields->shape.data();
  const MoverLink<D>*first = held.data(), *last = first + held.size();
  for_each(exec, count(), [=] GLUG_FN(std::ptrdiff_t n) {
    const MoverMoments<D> t = moments_of(n);
    MoverMoments<D> s{};
    add_product<D>(of_shape[shape[n]], t, s);
    for (const MoverLink<D>* link = first; link < last; ++link)
      if (link->mover == n) add_product<D>(link->yield, moments_of(link->other), s);
    double dot = 0;
    for (int k = 0; k < mover_moments<D>; ++k) {
      dot += scale * s[k] * t[k];
      if (change) change[n][k] = scale * s[k] - motion[n][k];
      motion[n][k] = scale * s[k];
    }
    if (dots) dots[n] = dot;
  });
}

template <int D>
void ListedMovers<D>::scatter(const Exec& exec, const MoverMoments<D>* motion, double* y,
                              double* y_extra) const {
  const MoverRowsView<D> J = view();
  for_each(exec, places(), [=] GLUG_FN(std::ptrdiff_t n) { y[J.places[n]] += J.push_at(n, motion); });
  const ExtraMoments<D>* e = extras.data();
  const std::ptrdiff_t count = static_cast<std::ptrdiff_t>(extras.size());
  for_each(exec, count > 0 ? 1 : 0, [=] GLUG_FN(std::ptrdiff_t) {  // few; several may press on one unknown
    for (std::ptrdiff_t n = 0; n < count; ++n)
      for (int k = 0; k < mover_moments<D>; ++k) y_extra[e[n].unknown] += e[n].j[k] * motion[e[n].mover][k];
  });
}

template <int D>
double ListedMovers<D>::apply(const Exec& exec, const double* x, const double* x_extra, double* y,
                              double* y_extra) const {
  if (empty()) return 0;
  gather(exec, 1.0, x, x_extra, motion_.data(), nullptr, dots_.data());
  scatter(exec, motion_.data(), y, y_extra);
  const double* dots = dots_.data();
  return reduce(exec, count(), 0.0, Plus{}, [=] GLUG_FN(std::ptrdiff_t n) { return dots[n]; });
}

template <int D>
void ListedMovers<D>::add_diagonal(const Exec& exec, double* diagonal) const {
  if (empty()) return;
  const MoverRowsView<D> J = view();
  const MoverMatrix<D>* of_shape = yields->of_shape.data();
  const std::int32_t* shape = yields->shape.data();
  for_each(exec, places(), [=] GLUG_FN(std::ptrdiff_t n) {
    // A cell may touch a mover by several faces: every pair of them counts.
    const auto *begin = J.of_places.entries + J.of_places.start[n],
               *end = J.of_places.entries + J.of_places.start[n + 1];
    for (const auto* e = begin; e < end; ++e) {
      const std::ptrdiff_t mover = e->to / D;
      const MoverMoments<D> s =
          motion_by<D>(of_shape[shape[mover]], 1.0, static_cast<int>(e->to % D), J.moments[e->coupling]);
      for (const auto* f = begin; f < end; ++f)
        if (f->to / D == mover) diagonal[J.places[n]] += J.push(J.moments[f->coupling], f->to % D, &s);
    }
  });
}

template <int D>
std::vector<MoverEntry<D>> ListedMovers<D>::entries_of(std::int32_t mover) const {
  std::vector<MoverEntry<D>> entries;
  for (int a = 0; a < D; ++a)
    for (std::int32_t e = links.rows.start.host[mover * D + a]; e < links.rows.start.host[mover * D + a + 1];
         ++e)
      entries.push_back(
          {links.names[links.place_of_entry[e]], a, moments.host[links.rows.entries.host[e].coupling]});
  return entries;
}

#define GLUG_INSTANTIATE(D, T)                                                                             \
  template void ListedMovers<D>::gather<T>(const Exec&, double, const T*, const double*, MoverMoments<D>*, \
                                           MoverMoments<D>*, double*) const;
template class ListedMovers<2>;
template class ListedMovers<3>;
GLUG_INSTANTIATE(2, float)
GLUG_INSTANTIATE(2, double)
GLUG_INSTANTIATE(3, float)
GLUG_INSTANTIATE(3, double)
#undef GLUG_INSTANTIATE

}  // namespace glug
