// thin_solids.h: one solid's distance as a grid can hold it. Between two nodes a wall thinner than a cell is
// not seen, and water walks through. So where a solid is thinner than the width |n|_1 h of a cell along its
// normal n, its surface is moved outwards by half of what is missing: no cell then has corners on both sides,
// and liquid on one side is not connected to the other. A continuous change of thickness changes the distance
// continuously, and solids thick enough are left alone, to the bit. One that is driven round needs the width
// sqrt(D) h of a cell's diagonal, at every angle: else a thin cup would narrow as it tilts. Theory:
// docs/theory.md, P1.
//
// Inside a wall thinner than two cells a node may be nearer to the far side, and the line from it to a node
// outside would cross zero too soon. The node outside is given less than its distance there, so that the zero
// lies where the surface does and the wall keeps its thickness while it moves. So distances just beside such
// walls are too small (never of another sign): where they matter, use where they are zero.
#pragma once

#include "geometry/solid_distance.h"

namespace glug {

// Nodes this close to a solid's surface (in cells) count as inside it.
inline constexpr double surface_nudge = 1e-5;

// Signed distance (m) at x, made thick enough for cells of width h.
template <int D>
double distance_on_grid(const SolidInstance& solid, const Vec<D, double>& x, double h);

// How thick a solid is along its normal where x is nearest to it, and how thick a cell of width h needs it;
// both 0 where it is thick enough, or where the normal is in doubt.
struct ThinPlace {
  double thickness = 0, needed = 0;  // m
};
template <int D>
ThinPlace thin_place(const SolidInstance& solid, const Vec<D, double>& x, double h);

}  // namespace glug
