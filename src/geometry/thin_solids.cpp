#include "geometry/thin_solids.h"

#include <cmath>

namespace glug {
namespace {

// Cells. What is thinner and nowhere inside is no wall.
constexpr double seam_thickness = 2e-3;

// How wide a cell is at most, along its diagonal.
template <int D>
double widest_cell(double h) {
  return std::sqrt(static_cast<double>(D)) * h;
}

template <int D>
struct ThinProbe {
  const SolidInstance& solid;
  double h;

  GLUG_INLINE double at(const Vec<D, double>& x) const {
    return solid.shape.distance(solid.pose.to_body(embed(x)));
  }

  // Which way the distance falls fastest, axis by axis, reversed: on a smooth surface its normal, in a
  // concave corner the diagonal, where it is longer than 1.
  Vec<D, double> away(const Vec<D, double>& x, double d) const {
    const double step = 0.01 * h;
    Vec<D, double> g{};
    for (int a = 0; a < D; ++a) {
      Vec<D, double> low = x, high = x;
      low[a] -= step;
      high[a] += step;
      const double fall_low = (d - at(low)) / step, fall_high = (d - at(high)) / step;
      if (fall_low > 0 && fall_low >= fall_high) g[a] = fall_low;
      if (fall_high > 0 && fall_high > fall_low) g[a] = -fall_high;
    }
    return g;
  }

  struct Wall {
    double missing = 0;     // m, of the width that a cell needs
    double needed = 0;      // m, 0 = not known
    double slope = 1;       // of the distance along the way in, inverse
    bool is_thick = false;  // for sure: a ball as wide as needed fits in
    // How fast the distance falls along the grid's axis on which it falls fastest, and how thick the wall is
    // after it was made thicker, both as the distance tells it; infinite where that is two cells or more.
    double fall = 1, thickness = HUGE_VAL;
    // There is none: shapes that are taken away touch here, and the distance to their common face is 0. What
    // it would be without that face, about.
    bool is_seam = false;
    double without_seam = 0;
  };

  // The wall nearest to x, whose distance is d. is_beside: asks for its thickness up to two cells too.
  Wall wall(Vec<D, double> x, double d, bool is_beside) const {
    Vec<D, double> g = away(x, d);
    if (norm(g) < 0.7) {
      // In the middle of the wall the normal has no sign: a little beside it has one.
      constexpr double generic[3] = {0.016, 0.0106, 0.0056};
      for (int a = 0; a < D; ++a) x[a] += generic[a] * h;
      d = at(x);
      g = away(x, d);
    }
    const double length = norm(g);
    if (!(length >= 0.3)) return {};
    const Vec<D, double> n = g * (1 / length);
    double width = 0, fall = 0;
    for (int a = 0; a < D; ++a) {
      width += std::abs(n[a]) * h;
      fall = std::abs(n[a]) > fall ? std::abs(n[a]) : fall;
    }
    const double needed = solid.turns ? widest_cell<D>(h) : width;
    const double slope = length > 1 ? length : 1;
    const double two_cells = 2 * fall * h;
    const double widest = is_beside && two_cells > needed ? two_cells : needed;
    Passage way = passage(x, n, d, needed, widest);
    if (way.is_thin && !way.is_inside) {
      // It only brushes past a corner: a little beside, if that leads inside, is meant.
      constexpr double aside = 0.02;
      double deepest = 0;
      Vec<D, double> start = x;
      for (int a = 0; a < D; ++a)
        for (double sign : {-1.0, 1.0}) {
          Vec<D, double> y = x;
          y[a] += sign * aside * h;
          const double depth = at(y - n * (way.entry + aside * h));
          if (depth < deepest) deepest = depth, start = y;
        }
      if (deepest < -1e-6 * h) {
        way = passage(start, n, at(start), needed, widest);
      } else if (way.thickness < seam_thickness * h) {
        const double this_side = at(x + n * h), other_side = at(x - n * (2 * way.entry + h));
        Wall none;
        none.is_seam = true;
        none.without_seam = this_side < other_side ? this_side : other_side;
        return none;
      }
    }
    if (way.is_lost) return {};
    Wall found{0, needed, 1, way.is_thick, fall * slope};
    if (!way.is_thin) return found;
    const double missing = needed - way.thickness;
    if (missing > 1e-4 * h) {
      found.missing = missing;
      found.slope = slope;
    }
    found.thickness = (way.thickness > needed ? way.thickness : needed) / slope;
    return found;
  }

  // The way from x against n through the solid, as far as `widest` behind its surface. d: the distance at x.
  struct Passage {
    double entry = 0, thickness = 0;
    bool is_lost = false;    // it did not reach the solid
    bool is_thick = false;   // a ball as wide as needed fits in behind the surface
    bool is_thin = false;    // it comes out again, after `thickness`
    bool is_inside = false;  // half way it is inside indeed
  };
  Passage passage(const Vec<D, double>& x, const Vec<D, double>& n, double d, double needed,
                  double widest) const {
    const auto along = [&](double s) { return at(x - n * s); };
    Passage way;
    const double on_surface = 1e-3 * h;
    double entry = d;
    for (int k = 0; d > 0; ++k) {
      const double rest = along(entry);
      if (rest <= on_surface) break;
      if (k == 8) {
        way.is_lost = true;
        return way;
      }
      entry += rest;
    }
    way.entry = entry;
    // A ball that touches the surface from inside and is as wide as needed: most solids are done here.
    const auto holds_ball = [&](double width) {
      return along(entry + 0.5 * width) <= -0.5 * width * (1 - 1e-6);
    };
    way.is_thick = holds_ball(widest);
    if (way.is_thick) return way;
    way.is_thick = widest > needed && holds_ball(needed);
    constexpr int samples = 4;
    for (int k = way.is_thick ? samples + 1 : 1; k == 1 || needed * (k - 1) < widest * samples; ++k) {
      double exit = entry + needed * k / samples;
      double beyond = along(exit);
      if (!(beyond > surface_nudge * h)) continue;
      for (int back = 0; back < 4 && beyond > surface_nudge * h; ++back) {
        exit -= beyond;
        beyond = along(exit);
      }
      way.thickness = exit > entry ? exit - entry : 0;
      way.is_thin = true;
      way.is_inside = along(0.5 * (entry + exit)) < -1e-6 * h;
      break;
    }
    return way;
  }

  // How far from p towards q, which is `length` away, the solid begins; `length` where it does not. d: at p.
  double first_hit(const Vec<D, double>& p, const Vec<D, double>& q, double length, double d) const {
    const double least = 0.05 * h;  // walls thinner than this may be missed
    for (double s = d; s < length;) {
      const double here = at(p + (q - p) * (s / length));
      if (here <= surface_nudge * h) return s + here > 0 ? s + here : 0;
      s += here > least ? here : least;
    }
    return length;
  }

  // Corners and rims: beside one arm of a corner the way in leads along the other, and no wall seems thin. So
  // the corners of each cell around the node x, which lies outside, are asked: two that no edges between
  // corners join while solid lies between them are on different sides, and the nearer one counts as inside.
  // On a plane wall that is what `wall` says. Returns the distance, as small as that demands.
  double parted(const Vec<D, double>& x, double d) const {
    constexpr int corners = 1 << D, around = power(3, D);
    double values[around];  // of the nodes around, axis 0 fastest
    for (int n = 0; n < around; ++n) {
      Vec<D, double> y = x;
      for (int a = 0, m = n; a < D; ++a, m /= 3) y[a] += (m % 3 - 1) * h;
      values[n] = n == around / 2 ? d : at(y);
    }
    double least = d;
    for (int octant = 0; octant < corners; ++octant) {
      Vec<D, double> place[corners];
      double value[corners];
      bool reached[corners] = {};
      for (int c = 0; c < corners; ++c) {
        place[c] = x;
        int n = around / 2;
        for (int a = 0; a < D; ++a) {
          if (!(c >> a & 1)) continue;
          const int step = octant >> a & 1 ? 1 : -1;
          place[c][a] += step * h;
          n += step * power(3, a);
        }
        value[c] = values[n];
      }
      const auto is_free = [&](int c, int other) {
        if (value[c] + value[other] >= h) return true;
        return first_hit(place[c], place[other], h, value[c]) >= h;
      };
      reached[0] = true;
      for (bool more = true; more;) {
        more = false;
        for (int c = 0; c < corners; ++c)
          for (int a = 0; a < D && reached[c]; ++a) {
            const int other = c ^ 1 << a;
            if (reached[other] || !(value[other] > surface_nudge * h) || !is_free(c, other)) continue;
            reached[other] = more = true;
          }
      }
      for (int c = 1; c < corners; ++c) {
        if (reached[c] || !(value[c] > surface_nudge * h)) continue;
        const double length = norm(place[c] - x);
        const double mine = first_hit(x, place[c], length, d);
        if (mine >= length) continue;
        const double other = first_hit(place[c], x, length, value[c]);
        const double wanted = mine > 0 ? 0.5 * d * (mine - other) / mine : -0.5 * other;
        least = wanted < least ? wanted : least;
      }
    }
    return least;
  }
};

// The distance d > 0 of a node whose neighbour lies inside a wall, nearer to the wall's other side: that
// one's distance is thickness - depth instead of its depth below this side. Made smaller by as much, the
// straight line between the two crosses zero where the surface is.
double beside_kink(double d, double way, double thickness, double least) {
  const double depth = way - d, other_side = thickness - depth;
  if (!(other_side < depth)) return d;
  const double scaled = d * (other_side > 0 ? other_side / depth : 0);
  return scaled > least ? scaled : least;
}

}  // namespace

template <int D>
double distance_on_grid(const SolidInstance& solid, const Vec<D, double>& x, double h) {
  const ThinProbe<D> probe{solid, h};
  double d = probe.at(x);
  // A cell is at most sqrt(D) h wide. The shift is felt by all corners of a face that it may close, and fades
  // over one more cell.
  const double widest = widest_cell<D>(h);
  const double whole = 0.5 * widest + std::sqrt(D - 1.0) * h;
  const bool may_be_thin = solid.shape.thinnest < widest && d < whole + h && d > -0.5 * widest;
  const bool is_beside =
      solid.shape.thinnest < 2 * h && d > surface_nudge * h && d < (may_be_thin ? h + 0.5 * widest : h);
  if (may_be_thin || is_beside) {
    const typename ThinProbe<D>::Wall wall = probe.wall(x, d, is_beside);
    if (wall.is_seam && wall.without_seam > d) return wall.without_seam;
    const double raw = d;
    if (wall.missing > 0) {
      const double fade = d > whole ? (whole + h - d) / h : 1;
      d -= 0.5 * wall.missing / wall.slope * fade;
    }
    if (!wall.is_thick && d > surface_nudge * h && raw < 0.5 * widest) {
      const double sealed = probe.parted(x, raw);
      if (sealed < d) d = sealed;
    }
    if (d > surface_nudge * h) d = beside_kink(d, wall.fall * h, wall.thickness, surface_nudge * h);
  }
  return std::abs(d) < surface_nudge * h ? -surface_nudge * h : d;
}

template <int D>
ThinPlace thin_place(const SolidInstance& solid, const Vec<D, double>& x, double h) {
  if (solid.shape.thinnest >= widest_cell<D>(h)) return {};
  const ThinProbe<D> probe{solid, h};
  const double d = probe.at(x);
  if (!std::isfinite(d)) return {};
  const typename ThinProbe<D>::Wall wall = probe.wall(x, d, false);
  return wall.missing > 0 ? ThinPlace{wall.needed - wall.missing, wall.needed} : ThinPlace{};
}

#define GLUG_INSTANTIATE(D)                                                                 \
  template double distance_on_grid<D>(const SolidInstance&, const Vec<D, double>&, double); \
  template ThinPlace thin_place<D>(const SolidInstance&, const Vec<D, double>&, double);
GLUG_INSTANTIATE(2)
GLUG_INSTANTIATE(3)
#undef GLUG_INSTANTIATE

}  // namespace glug
