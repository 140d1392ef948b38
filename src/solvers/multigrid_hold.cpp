// multigrid_hold.cpp: how a cycle holds movers (multigrid_movers.h), on the CPU or on a device.
#include "core/for_each.h"
#include "core/real.h"
#include "solvers/coupled_cells.h"
#include "solvers/multigrid_movers.h"

namespace glug {
namespace {

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

#define GLUG_INSTANTIATE(D, T)                                                                               \
  template void release_movers<D, T>(const Exec&, MultigridLevel<D, T>&);                                    \
  template void hold_movers<D, T>(const Exec&, MultigridLevel<D, T>&);                                       \
  template std::vector<double> diagonals_at<D, T>(const Exec&, const Stencil<D, T>&, List<std::ptrdiff_t>&); \
  template void add_to_anchors<D, T>(const Exec&, List<std::ptrdiff_t>&, List<T>&, Stencil<D, T>&);
GLUG_INSTANTIATE(2, Real)
GLUG_INSTANTIATE(3, Real)
#undef GLUG_INSTANTIATE

}  // namespace glug
