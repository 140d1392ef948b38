// viscosity_samples.h: what the viscosity solve knows of one place: how much liquid moves with a face, how
// stiff a stress sample is, and which faces a wall holds. Normal stresses live in cells, shear stresses on
// edges (nodes in 2D); a place is an index and the set of axes along which it lies on the low side of that
// cell. Theory: docs/theory.md (V2)-(V4), after Batty and Bridson 2008.
#pragma once

#include <cmath>

#include "projection/viscosity_input.h"

namespace glug {

// The axes along which a place lies on the low side of its cell, as bits.
using LowAxes = unsigned;
GLUG_INLINE constexpr LowAxes on_face(int axis) { return 1u << axis; }
GLUG_INLINE constexpr LowAxes on_edge(int a, int b) { return 1u << a | 1u << b; }

// A face this near to a wall, in cells, moves with it: nearer ones would touch it through no stress sample.
inline constexpr double least_wall_distance = 0.05;
// Least mass of a face that some stress acts on, and least share of a stress sample, over that of full ones.
inline constexpr double least_viscous_share = 1e-3;

// What is asked near walls and surfaces alone calls other such questions: those are no inlined functions.
template <int D, class T>
struct ViscositySamples {
  ViscosityInput<D, T> in;

  // In listed blocks and the domain; air elsewhere, the nearest cell beyond sides.
  GLUG_INLINE double surface(const Index<D>& cell) const {
    const Index<D> c = in.grid.cell_range().clamped(cell);
    return in.blocks.slot_of_cell(c) < 0 ? in.grid.h : static_cast<double>(in.phi(c));
  }
  // (V2) The liquid share of the box of a cell's size around a place.
  GLUG_INLINE double liquid(const Index<D>& i, LowAxes low) const {
    double sum = 0;
    int count = 0;
    for (unsigned corner = 0; corner < (1u << D); ++corner) {
      if (corner & ~low) continue;
      Index<D> c = i;
      for (int a = 0; a < D; ++a) c[a] -= corner >> a & 1 ? 1 : 0;
      sum += surface(c);
      ++count;
    }
    return clamp(0.5 - sum / (count * in.grid.h), 0.0, 1.0);
  }
  // Mean of the nodes around a place, m.
  GLUG_INLINE double nodal(const View<D, const T>& field, const Index<D>& i, LowAxes low) const {
    const std::ptrdiff_t n = field.offset(i);
    double sum = 0;
    int count = 0;
    for (unsigned corner = 0; corner < (1u << D); ++corner) {
      if (corner & low) continue;
      std::ptrdiff_t m = n;
      for (int a = 0; a < D; ++a)
        if (corner >> a & 1) m += field.stride[a];
      sum += field.at(m);
      ++count;
    }
    return sum / count;
  }
  // (V2) The share of that box that is outside solids.
  GLUG_INLINE double open(const Index<D>& i, LowAxes low) const {
    return clamp(0.5 + nodal(in.solid, i, low) / in.grid.h, 0.0, 1.0);
  }

  // Whether all places within a cell or two are liquid of the domain, and nothing holds it there: distances
  // change by at most the way walked, and these leave room for a cell more. Sides that are open are no solid.
  GLUG_INLINE bool deep(const Index<D>& i) const {
    return in.grid.cell_range().grown(-2).contains(i) && in.phi(i) < -3 * in.grid.h &&
           in.solid(i) > 3 * in.grid.h;
  }
  GLUG_INLINE double deep_stiffness() const {
    return in.viscosity * in.dt / (in.density * in.grid.h * in.grid.h);
  }

  // (V2) Mass that moves with a face / that of a face within the liquid.
  GLUG_INLINE double mass(int axis, const Index<D>& i) const {
    const double share = liquid(i, on_face(axis)), room = open(i, on_face(axis));
    if (!(in.gas_density > 0)) return share * room;
    const double ratio = in.gas_density / in.density;
    return (ratio + share * (1 - ratio)) * room;
  }
  // (V3) dt mu L / (rho h^2) of a stress sample.
  GLUG_INLINE double stiffness(const Index<D>& i, LowAxes low) const {
    const double share = liquid(i, low);
    const double viscosity = in.gas_density > 0 ? in.gas_viscosity + share * (in.viscosity - in.gas_viscosity)
                             : share < least_viscous_share ? 0.0
                                                           : share * in.viscosity;
    return viscosity * in.dt / (in.density * in.grid.h * in.grid.h);
  }
  GLUG_INLINE double in_cell(const Index<D>& i) const {
    return in.grid.cell_range().contains(i) ? stiffness(i, 0) : 0.0;
  }
  // No shear across a side that is open or slips.
  GLUG_INLINE double at_edge(int a, int b, const Index<D>& i) const {
    for (int axis : {a, b})
      for (int high = 0; high < 2; ++high)
        if (i[axis] == (high ? in.grid.cells[axis] : 0) &&
            (in.sides.open[axis][high] || in.slips[axis][high]))
          return 0;
    for (int axis = 0; axis < D; ++axis)
      if (i[axis] < 0 || i[axis] > in.grid.cells[axis] - (axis == a || axis == b ? 0 : 1)) return 0;
    return stiffness(i, on_edge(a, b));
  }
  // A face without mass follows whatever touches it: as an unknown it takes the strain from one sample, which
  // then is of no effect, and makes the system ill-conditioned.
  GLUG_FN bool idle(int axis, const Index<D>& i) const {
    return !beyond(axis, i) && !held(axis, i) && mass(axis, i) < least_viscous_share;
  }
  GLUG_FN bool touches_idle(int axis, int along, const Index<D>& i) const {
    if (idle(axis, i) || idle(axis, i - Index<D>::unit(along))) return true;
    return axis != along && (idle(along, i) || idle(along, i - Index<D>::unit(axis)));
  }
  // The sample between the faces i - unit(along) and i of an axis, if no solid cut it.
  GLUG_FN double stress(int axis, int along, const Index<D>& i) const {
    const double all = axis == along ? in_cell(i - Index<D>::unit(axis)) : at_edge(axis, along, i);
    return all > 0 && !touches_idle(axis, along, i) ? all : 0.0;
  }
  // How much it resists the difference of those two faces alone.
  GLUG_FN double between(int axis, int along, const Index<D>& i) const {
    const double whole = stress(axis, along, i);
    return whole > 0 ? whole * room(axis, along, i) : 0.0;
  }

  GLUG_FN bool beyond(int axis, const Index<D>& i) const { return !in.grid.face_range(axis).contains(i); }
  // In the plane of a closed side.
  GLUG_FN bool in_side(int axis, const Index<D>& i) const {
    return (i[axis] == 0 && !in.sides.open[axis][0]) ||
           (i[axis] == in.grid.cells[axis] && !in.sides.open[axis][1]);
  }
  // Whether a wall says how fast this face moves.
  GLUG_FN bool held(int axis, const Index<D>& i) const {
    if (beyond(axis, i)) return true;
    return in_side(axis, i) ||
           (in.sticky.data && nodal(in.sticky, i, on_face(axis)) < least_wall_distance * in.grid.h);
  }
  // (V4) 1 / distance, in cells, between what the faces i - unit(along) and i of an axis are, or from the one
  // that is free to the wall that holds the other.
  GLUG_FN double slope(int axis, int along, const Index<D>& i) const {
    const Index<D> low = i - Index<D>::unit(along);
    const bool low_held = held(axis, low), high_held = held(axis, i);
    if (low_held == high_held) return 1;
    const Index<D> wall = low_held ? low : i, free = low_held ? i : low;
    if (beyond(axis, wall)) return 2;  // a side of the domain
    if (in_side(axis, wall)) return 1;
    const double outside = nodal(in.sticky, free, on_face(axis));
    const double inside = nodal(in.sticky, wall, on_face(axis));
    return outside > inside ? (outside - inside) / outside : 1.0;
  }
  // (V4) The share of the way between the faces i - unit(along) and i of an axis that lies outside solids;
  // negative where both are held: there is no way.
  GLUG_FN double way(int axis, int along, const Index<D>& i) const {
    const bool low_held = held(axis, i - Index<D>::unit(along)), high_held = held(axis, i);
    if (low_held && high_held) return -1;
    if (low_held || high_held) return 1 / slope(axis, along, i);
    // Solids that do not hold the liquid take their share of the sample itself, and so do thin ones between
    // two faces that are free.
    const LowAxes low = axis == along ? 0 : on_edge(axis, along);
    const Index<D> place = axis == along ? i - Index<D>::unit(axis) : i;
    const double clear = in.sticky.data ? nodal(in.sticky, place, low) : -1.0;
    if (clear >= 0 && nodal(in.solid, place, low) > clear - 1e-6 * in.grid.h) return 1;
    const double share = open(place, low);
    return share < least_viscous_share ? 0.0 : share;
  }
  // Whether a wall holds one of the faces i - unit(along) and i of an axis, and not the other.
  GLUG_FN bool cut(int axis, int along, const Index<D>& i) const {
    return held(axis, i - Index<D>::unit(along)) != held(axis, i);
  }
  // (V4) omega of a cell that walls cut: the product of its two shortest ways, 0 where one lies wholly inside
  // walls; negative where no wall cuts the cell.
  GLUG_FN double omega(const Index<D>& cell) const {
    double least = HUGE_VAL, next = HUGE_VAL;
    bool any = false;
    for (int a = 0; a < D; ++a) {
      const Index<D> upper = cell + Index<D>::unit(a);
      const double own = way(a, a, upper);
      any = any || own < 0 || (own != 1 && cut(a, a, upper));
      next = own < least ? least : own < next ? own : next;
      least = own < least ? own : least;
    }
    if (!any) return -1;
    return least > 0 ? least * next : 0.0;
  }
  // (V4) What a sample's stiffness multiplies the square of that difference quotient by.
  GLUG_FN double room(int axis, int along, const Index<D>& i) const {
    const double own = way(axis, along, i);
    if (!(own > 0)) return 0;
    if (axis != along) return own;
    const double w = omega(i - Index<D>::unit(axis));
    return w < 0 ? 2 * own : own + w;
  }
  // (V4) What that difference brings into its product with another one: all of it where a wall cuts it.
  GLUG_FN double part(int axis, int along, const Index<D>& i) const {
    const double own = way(axis, along, i);
    if (!(own > 0)) return 0;
    return cut(axis, along, i) ? (own < 1 ? 1.0 : 1 / std::sqrt(own)) : std::sqrt(own);
  }
  // (V5) C_e: what multiplies the product of an edge's two differences.
  GLUG_FN double across_edge(int a, int b, const Index<D>& i) const {
    const double whole = stress(a, b, i);
    return whole > 0 ? whole * part(a, b, i) * part(b, a, i) : 0.0;
  }
  // (V5) C_c: the same of a cell's differences along two axes; 0 but where walls cut it, and always in 2D.
  GLUG_FN double across_cell(int a, int b, const Index<D>& cell) const {
    if (D == 2) return 0;
    const double w = omega(cell);
    if (w < 0) return 0;
    const Index<D> ia = cell + Index<D>::unit(a), ib = cell + Index<D>::unit(b);
    const double whole = stress(a, a, ia);
    if (!(whole > 0 && stress(b, b, ib) > 0 && way(a, a, ia) > 0 && way(b, b, ib) > 0)) return 0;
    return whole * (w * slope(a, a, ia) * slope(b, b, ib) - part(a, a, ia) * part(b, b, ib));
  }

  // How the wall that holds one of the faces i - unit(along) and i of an axis moves: as fast as `here` where
  // the other, free face is, and `turn` faster for every cell along the axis `along`.
  template <class V>
  struct WallMotion {
    V here{}, turn{};
  };
  // speed(axis, face) of solids, in any numbers that they depend on linearly.
  template <class Speed>
  GLUG_FN auto wall_motion(int axis, int along, const Index<D>& i, Speed speed) const
      -> WallMotion<decltype(speed(axis, i))> {
    const bool high = held(axis, i);
    const Index<D> free = high ? i - Index<D>::unit(along) : i;
    // A face that is held though it lies just outside may be wholly open: no solid's velocity is known there.
    const auto inside = [&](int cells) {
      Index<D> f = free;
      f[along] += high ? cells : -cells;
      return f;
    };
    if (beyond(axis, inside(1))) return {};
    const bool outside = in.sticky.data && nodal(in.sticky, inside(1), on_face(axis)) > 0;
    const int first = outside && !beyond(axis, inside(2)) && held(axis, inside(2)) ? 2 : 1;
    const auto there = speed(axis, inside(first));
    const Index<D> deeper = inside(first + 1);
    if (beyond(axis, deeper) || !held(axis, deeper)) return {there, {}};
    const auto change = speed(axis, deeper) - there;
    return {there - static_cast<double>(first) * change, high ? change : -change};
  }
  // (V6) What the motion of walls adds to the difference of the faces i - unit(along) and i of an axis:
  // liquid is strained by how it moves as seen from the wall.
  template <class Speed>
  GLUG_FN auto wall_step(int axis, int along, const Index<D>& i, Speed speed) const
      -> decltype(speed(axis, i)) {
    if (cut(axis, along, i)) {
      const auto here = wall_motion(axis, along, i, speed).here;
      return held(axis, i) ? here : -here;
    }
    if (axis == along || held(axis, i) || !cut(along, axis, i)) return {};
    return wall_motion(along, axis, i, speed).turn;  // a wall turns in both components
  }
  // The same of all solids as they move.
  GLUG_FN double wall_step(int axis, int along, const Index<D>& i) const {
    const MacView<D, const T> us = in.solid_velocity;
    return wall_step(axis, along, i, [=](int a, const Index<D>& f) { return static_cast<double>(us[a](f)); });
  }
  // (V6) What acts on the faces i - unit(along) and i of an axis, the sample's stress times h^2, is a sum
  // over differences: f(axis, along, face, weight), weight() being what multiplies the difference of the
  // faces of that axis there: it is asked for where there is one.
  template <class F>
  GLUG_FN void visit_pulls(int axis, int along, const Index<D>& i, F&& f) const {
    f(axis, along, i, [&] {
      const double steep = slope(axis, along, i);
      return between(axis, along, i) * steep * steep;
    });
    if (axis != along) return f(along, axis, i, [&] { return across_edge(axis, along, i); });
    const Index<D> cell = i - Index<D>::unit(axis);
    for (int b = 0; b < D; ++b)
      if (b != axis) f(b, b, cell + Index<D>::unit(b), [&] { return across_cell(axis, b, cell); });
  }
  // That sum, where faces of an axis a differ by step(a, b, j) from one to the next along b.
  template <class Step>
  GLUG_FN double pull(int axis, int along, const Index<D>& i, Step step) const {
    double sum = 0;
    visit_pulls(axis, along, i, [&](int a, int b, const Index<D>& j, auto weight) {
      const double difference = step(a, b, j);
      if (difference != 0) sum += weight() * difference;
    });
    return sum;
  }
};

}  // namespace glug
