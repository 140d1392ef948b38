// parting_liquid.h: where liquid parts from solids it touches, as solver.wall_separation lets it. While the
// gap is narrower than half a cell the surface shows liquid up to the wall, so there particles measure it.
// Theory: docs/theory.md (W7).
#pragma once

#include "core/mac_field.h"
#include "regions/thin_liquid.h"

namespace glug {

template <int D>
struct PartingLiquid {
  View<D, const double> pressure{};  // Pa, that pressed on the liquid last; data null = it clings to walls
  MacView<D, const float> open{};    // shares of faces
  View<D, const Cell> label{};

  // Whether a cell touches a solid and nothing presses its liquid there.
  GLUG_INLINE bool operator()(const Index<D>& i) const {
    if (!pressure.data || label(i) != Cell::liquid || pressure(i) > 0) return false;
    for (int a = 0; a < D; ++a)
      if (open[a](i) < 1 || open[a](i + Index<D>::unit(a)) < 1) return true;
    return false;
  }
};

// As find_thin_liquid of thin_liquid.h; what parts from solids counts as thin: its particles measure
// it, no volume correction grows it and reseeding does not fill the gap.
template <int D>
double find_thin_liquid(const Exec& exec, const ThinLiquidInput<D>& input, const PartingLiquid<D>& parting,
                        const Particles<D>& particles, const ThinLiquid<D>& found);

}  // namespace glug
