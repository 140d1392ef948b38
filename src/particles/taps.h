// taps.h: particles that emitters let in and drains let out, between advection and sorting.
// An emitter's liquid stands on a lattice that moves with its stream, one jittered particle per sub-cell. A
// point of the lattice that has entered the shape during the step is let in, whatever is there: the stream is
// as wide and as fast as the shape and its velocity say, also under water. Where the stream begins at a solid
// or in liquid it leaves no room behind it: that is told, and how much room the stream needs, steadily, while
// its particles come one by one. When it is opened, and always where there is no stream, cells of the shape
// that hold nothing are filled.
#pragma once

#include <vector>

#include "geometry/tap_view.h"
#include "particles/particles.h"

namespace glug {

// What came into a cell during a step, or left it.
template <int D>
struct CellFlow {
  Index<D> cell{};
  std::int32_t particles = 0;  // < 0: left
  std::int32_t pushed = 0;     // of those that came in: without room
  std::int32_t streamed = 0;   // .. and with a stream that leaves room behind it; the rest fills the shape
};

// An emitter or drain during a step.
template <int D>
struct TapStep {
  Grid<D> grid{};
  View<D, const float> solid{};  // m, at nodes; current in `cells`
  BlocksView<D> known{};         // where phi is
  View<D, const float> phi{};    // m, of the last surface
  int per_axis = 2;              // per_axis^D particles fill a cell
  Range<D> cells{};              // that may hold it
  TapView now{};                 // at the end of the step
  bool was_open = false;         // at its beginning
  Vec3 low{}, high{};            // m, the shape's box in its own frame
  Vec3 velocity{};               // m/s, of the stream, own frame
  Vec3 way{};                    // m, how far the lattice has come at the end of the step, own frame
  double dt = 0;                 // s
};

struct LetIn {
  std::int64_t particles = 0;
  double kinetic = 0;  // sum of v^2 / 2, m^2/s^2
  Vec3 place{};        // sum of positions, m
};

// What of a stream begins in a cell, m^D/s.
template <int D>
struct RoomRate {
  Index<D> cell{};
  double rate = 0;       // at a solid or in liquid: it needs room
  double free_rate = 0;  // .. and in air, which it displaces
};

// Appends the particles that come in, with their keys, and says what happened in each cell.
template <int D>
LetIn let_in(const Exec& exec, const TapStep<D>& tap, Particles<D>& particles,
             std::vector<CellFlow<D>>& flows);

// The cells where an open emitter's stream begins, and the cross-section of it that begins there times its
// speed. Theory: (E1).
template <int D>
std::vector<RoomRate<D>> stream_rates(const Exec& exec, const TapStep<D>& tap);

// Marks particles inside as gone.
template <int D>
void let_out(const Exec& exec, const TapStep<D>& tap, Particles<D>& particles,
             std::vector<CellFlow<D>>& flows);

}  // namespace glug
