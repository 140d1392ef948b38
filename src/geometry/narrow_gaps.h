// narrow_gaps.h: gaps between two solids that are narrower than a cell. The grid knows a solid by its
// distance at nodes: a gap that no node lies in is closed, and one that a node lies in is narrowed, by up to
// its whole width, since a straight line from one solid's distance to the other's crosses zero too soon. So
// whether a plunger in a tube lets water by would be chance. The distance of the node nearest to the middle
// of such a gap is made as large as it must be for the faces across the gap to be as open as it is wide.
// Theory: docs/theory.md (P11).
#pragma once

#include <cstdint>

#include "geometry/solid_distance.h"

namespace glug {

// Cells. Narrower gaps stay as nodes find them, those up to the second one are opened in part: between solids
// that touch, or nearly so, nothing flows. Wider ones than the third hold two nodes on any line across.
inline constexpr double narrowest_gap = 0.2, surely_gap = 0.4, widest_gap = 1.5;

// Of n solids, those at solids[near[k]]: the distance (m) that a node at x has for what passes between the
// two nearest, where that is more than `distance`, the least one; else `distance`.
template <int D>
double distance_in_gap(const SolidInstance* solids, const std::int32_t* near, int n, const Vec<D, double>& x,
                       double h, double distance);

}  // namespace glug
