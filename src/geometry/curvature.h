// curvature.h: how much the liquid's surface is curved, from a phi that is as grainy as particles are.
// (C2) phi is smoothed by a few steps of diffusion, what that took away is smoothed and given back once, and
// kappa = div (grad phi / |grad phi|) is taken of the result. Level sets of a ball stay balls under
// diffusion, so smoothing leaves the curvature of a round drop as it is; waves shorter than some five cells
// are left alone. Owner: allocated once for a grid; only blocks near the surface are touched.
#pragma once

#include <cmath>
#include <vector>

#include "core/blocks.h"
#include "core/domain.h"
#include "geometry/views.h"

namespace glug {

// Curvature wherever it is asked for near the surface, 1/m; positive for a drop.
template <int D>
struct CurvatureView {
  Grid<D> grid{};
  BlocksView<D> near{};
  View<D, const float> kappa{};   // 1/m; data null = `uniform` everywhere
  View<D, const float> value{};   // m, the smoothed phi
  View<D, const float> weight{};  // how well kappa is known; 0 = not at all
  double uniform = 0;             // 1/m

  // At the point of the smoothed surface that is nearest to x; 0 where nothing is known. Not at x itself: a
  // crest that smoothing has taken away would feel the curvature of a larger drop, a trough that of a
  // smaller one, and both would grow.
  GLUG_INLINE double at(const Vec<D, double>& x) const {
    if (!kappa.data) return uniform;
    const Place p = place(x);
    double s = 0;
    Vec<D, double> slope{};
    for (int corner = 0; corner < (1 << D); ++corner) {
      const Index<D> i = p.corner(grid.cell_range(), corner);
      if (near.slot_of_cell(i) < 0) return linear(p);
      const double v = value(i);
      s += v * p.weight(corner, -1);
      for (int a = 0; a < D; ++a) slope[a] += (corner >> a & 1 ? v : -v) * p.weight(corner, a);
    }
    double slope2 = 0;
    for (int a = 0; a < D; ++a) slope2 += slope[a] * slope[a];
    if (slope2 < 0.05 * grid.h * grid.h) return linear(p);
    const double most = 3 * grid.h;  // farther away there is another surface, or none
    const double way = clamp(s * grid.h / std::sqrt(slope2), -most, most);
    Vec<D, double> foot = x;
    for (int a = 0; a < D; ++a) foot[a] -= way * slope[a] / std::sqrt(slope2);
    return linear(place(foot));
  }

 private:
  struct Place {
    Index<D> base{};
    Vec<D, double> t{};

    GLUG_INLINE Index<D> corner(const Range<D>& cells, int number) const {
      Index<D> i = base;
      for (int a = 0; a < D; ++a) i[a] += number >> a & 1;
      return cells.clamped(i);
    }
    // Of a corner; without the factor of the axis `but`.
    GLUG_INLINE double weight(int number, int but) const {
      double w = 1;
      for (int a = 0; a < D; ++a)
        if (a != but) w *= number >> a & 1 ? t[a] : 1 - t[a];
      return w;
    }
  };
  GLUG_INLINE Place place(const Vec<D, double>& x) const {
    Place p;
    for (int a = 0; a < D; ++a) {
      const double s = x[a] / grid.h - 0.5;
      p.base[a] = static_cast<int>(std::floor(s));
      p.t[a] = s - p.base[a];
    }
    return p;
  }
  // Between samples that are known.
  GLUG_INLINE double linear(const Place& p) const {
    double sum = 0, weights = 0;
    for (int corner = 0; corner < (1 << D); ++corner) {
      const Index<D> i = p.corner(grid.cell_range(), corner);
      if (near.slot_of_cell(i) < 0) continue;
      const double w = p.weight(corner, -1) * static_cast<double>(weight(i));
      sum += w * static_cast<double>(kappa(i));
      weights += w;
    }
    return weights > 0 ? sum / weights : 0;
  }
};

// What curvature is found from. phi: a distance near the surface, in the listed blocks, continued into
// solids; solid: at nodes.
template <int D>
struct CurvatureInput {
  BlocksView<D> blocks{};
  Grid<D> grid{};
  Sides<D> sides{};
  View<D, const float> phi{};
  View<D, const float> solid{};
  double wall_slope = 0;  // (C3) cosine of the contact angle
  float reach = 5;        // cells from the surface; farther away phi is not known as a distance
};

template <int D>
class SurfaceCurvature {
 public:
  SurfaceCurvature() = default;
  explicit SurfaceCurvature(const Grid<D>& grid);

  void update(const Exec& exec, const CurvatureInput<D>& input);
  CurvatureView<D> view() const;
  // Of the smoothed surface outside solids, m^(D-1).
  double area() const { return area_; }

 private:
  void find_surface(const Exec& exec, const CurvatureInput<D>& input);
  void smooth(const Exec& exec, const CurvatureInput<D>& input, Field<D, float>& field, float slope);
  void continue_into_walls(const Exec& exec, const CurvatureInput<D>& input, View<D, float> field,
                           float slope) const;
  void differentiate(const Exec& exec, const CurvatureInput<D>& input);

  Grid<D> grid_{};
  Blocks<D> filled_, near_, walled_;  // with values; those that the surface passes; and walls besides
  Field<D, float> value_, spare_, kappa_, weight_;
  double area_ = 0;
};

}  // namespace glug
