// tap_stage.h: emitters and drains in a substep: what they let in and out, and the room it needs.
#pragma once

#include "core/exec.h"
#include "simulation/state.h"

namespace glug {

template <int D>
void make_taps(State<D>& state);

// After advection over dt, before sorting: particles come in and go out.
template <int D>
void let_through(const Exec& exec, State<D>& state, double dt);

// On the grid, before the pressure acts: liquid inside emitters is brought to their streams' velocity (E3).
// `moved`: s, the step that was made; `seconds`: that gravity has acted for. Reads velocity_before,
// thickness; writes velocity, the particles' velocities and the ledger. Returns the work of the coming kick,
// J.
template <int D>
double drive_streams(const Exec& exec, State<D>& state, double moved, double seconds);

// Liquid inside emitters, held against viscosity: it has the velocity again that it had when this was made.
// (E3)
template <int D>
class HeldStreams {
 public:
  HeldStreams(const Exec& exec, const State<D>& state, MacView<D, const float> velocity);

  // Writes the ledger.
  void hold(const Exec& exec, State<D>& state, MacView<D, float> velocity) const;

 private:
  std::vector<TapStep<D>> steps_;
  Buffer<float> kept_;
};

// J of the step made, after curvature is known: what came in at the beginning of a stream in free air came in
// against the tension there. The drive, which holds that end against it, has gained as much.
template <int D>
double work_against_tension(const State<D>& state);

// The wanted divergence, and whether there is any: a stream has what it needs, always, where it begins
// without room behind it or in a bubble, which lets out as much; what filled a shape inside a bubble during
// the step made, `moved` s long, it lets out over `seconds`, that step or the coming one, whichever is
// longer, as far as the bubble lacks it.
template <int D>
bool update_sources(const Exec& exec, State<D>& state, double moved, double seconds);

// Cells inside open drains: air there is open to the outside.
template <int D>
std::vector<Index<D>> drain_cells(const State<D>& state);

// Cells of running streams' emitters, and those around them.
template <int D>
std::vector<Index<D>> fed_cells(const State<D>& state);

// The cells that each emitter and drain may reach at a time.
template <int D>
std::vector<Range<D>> cells_of_taps(const State<D>& state, double time);

// Whether liquid may still come in.
template <int D>
bool more_to_come(const State<D>& state);

}  // namespace glug
