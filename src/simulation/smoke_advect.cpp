#include "simulation/smoke_advect.h"

#include "core/for_each.h"
#include "core/reduce.h"
#include "simulation/smoke_trace.h"

namespace glug {
namespace {

// Whether a point lies beyond an open side.
template <int D>
GLUG_INLINE bool is_outside(const Index<D>& cells, const Sides<D>& sides, const Vec<D, float>& x) {
  for (int a = 0; a < D; ++a)
    if ((x[a] < 0 && sides.open[a][0]) || (x[a] > static_cast<float>(cells[a]) && sides.open[a][1]))
      return true;
  return false;
}

// The part of what a sample at x stands for, a cell or at a side half of one, that has come in through open
// sides while the flow came from `back`.
template <int D>
GLUG_INLINE float part_from_outside(const Index<D>& cells, const Sides<D>& sides, const Vec<D, float>& x,
                                    const Vec<D, float>& back) {
  float inside = 1;
  for (int a = 0; a < D; ++a) {
    const float size = static_cast<float>(cells[a]);
    const auto part = [](float at, float from) {  // distances from the side
      return clamp(at > 0 ? 0.5f - from : -2 * from, 0.f, 1.f);
    };
    if (sides.open[a][0] && back[a] < x[a]) inside *= 1 - part(x[a], back[a]);
    if (sides.open[a][1] && back[a] > x[a]) inside *= 1 - part(size - x[a], size - back[a]);
  }
  return 1 - inside;
}

template <int D>
GLUG_INLINE void bounds(const View<D, const float>& field, const Corners<D>& c, float& least, float& most) {
  const float* p = field.data + field.offset(c.base);
  least = most = p[0];
  for (int corner = 1; corner < (1 << D); ++corner) {
    std::ptrdiff_t n = 0;
    for (int a = 0; a < D; ++a)
      if (corner >> a & 1) n += field.stride[a];
    least = p[n] < least ? p[n] : least;
    most = p[n] > most ? p[n] : most;
  }
}

// (K3), (K4) axis = -1: cell centres.
template <int D>
void carry(const Exec& exec, const SmokeAdvection<D>& in, int axis, View<D, const float> from,
           Carried<D>& carried) {
  const SmokeFlow<D> flow{in.velocity, in.grid.cells};
  const Index<D> cells = in.grid.cells;
  const Sides<D> sides = in.sides;
  const Range<D> range = axis < 0 ? in.grid.cell_range() : in.grid.face_range(axis);
  const float step = static_cast<float>(in.dt / in.grid.h);
  const View<D, float> first = carried.first.view(), value = carried.value.view(),
                       least = carried.least.view(), most = carried.most.view();
  for_each(exec, range, [=](const Index<D>& i) {
    const Vec<D, float> x = sample_point<D>(axis, i);
    const Vec<D, float> back = flow.moved(x, flow.at_sample(axis, i), -step);
    if (axis < 0 && is_outside<D>(cells, sides, back)) {
      first(i) = least(i) = most(i) = 0;
      return;
    }
    const Corners<D> c = corners_at<D>(cells, axis, back);
    first(i) = interpolate<D, float>(from, c);
    bounds<D>(from, c, least(i), most(i));
    if (axis < 0) return;
    const float out = part_from_outside<D>(cells, sides, x, back);
    if (!(out > 0)) return;
    first(i) *= 1 - out;  // what comes in was at rest
    least(i) = most(i) = first(i);
  });
  // The way back again tells the error, half of which is taken off; in a constant field it is exactly 0.
  const View<D, const float> carried_once = carried.first.read();
  for_each(exec, range, [=](const Index<D>& i) {
    const Vec<D, float> x = sample_point<D>(axis, i);
    const Vec<D, float> ahead = flow.moved(x, flow.at_sample(axis, i), step);
    float error = 0;
    if (axis >= 0 || !is_outside<D>(cells, sides, ahead))
      error = 0.5f * (from(i) - interpolate<D, float>(carried_once, corners_at<D>(cells, axis, ahead)));
    value(i) = clamp(carried_once(i) + error, least(i), most(i));
  });
}

}  // namespace

template <int D>
void carry_cells(const Exec& exec, const SmokeAdvection<D>& in, View<D, const float> from,
                 Carried<D>& carried) {
  carry(exec, in, -1, from, carried);
}

template <int D>
void carry_faces(const Exec& exec, const SmokeAdvection<D>& in, int axis, View<D, const float> from,
                 Carried<D>& carried) {
  carry(exec, in, axis, from, carried);
}

template <int D>
double weighted_sum(const Exec& exec, const Range<D>& cells, View<D, const float> weight,
                    View<D, const float> value) {
  return reduce(exec, cells.size(), 0.0, Plus{}, [=](std::ptrdiff_t n) {
    const Index<D> i = cells.at(n);
    return static_cast<double>(weight(i)) * value(i);
  });
}

template <int D>
double restore_sum(const Exec& exec, const Range<D>& cells, View<D, const float> weight, double wanted,
                   Carried<D>& carried) {
  const View<D, float> value = carried.value.view();
  const double sum = weighted_sum<D>(exec, cells, weight, value);
  const bool grow = wanted > sum;
  const View<D, const float> bound = grow ? carried.most.read() : carried.least.read();
  const double room = weighted_sum<D>(exec, cells, weight, bound) - sum;  // of the sign of wanted - sum
  if (room == 0 || (room > 0) != grow) return sum;
  const double share = (wanted - sum) / room;
  const float part = static_cast<float>(share < 1 ? share : 1.0);
  for_each(exec, cells, [=](const Index<D>& i) { value(i) += part * (bound(i) - value(i)); });
  return weighted_sum<D>(exec, cells, weight, value);
}

#define GLUG_INSTANTIATE(D)                                                                                  \
  template void carry_cells<D>(const Exec&, const SmokeAdvection<D>&, View<D, const float>, Carried<D>&);    \
  template void carry_faces<D>(const Exec&, const SmokeAdvection<D>&, int, View<D, const float>,             \
                               Carried<D>&);                                                                 \
  template double weighted_sum<D>(const Exec&, const Range<D>&, View<D, const float>, View<D, const float>); \
  template double restore_sum<D>(const Exec&, const Range<D>&, View<D, const float>, double, Carried<D>&);
GLUG_INSTANTIATE(2)
GLUG_INSTANTIATE(3)
#undef GLUG_INSTANTIATE

}  // namespace glug
