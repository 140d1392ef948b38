// beyond_liquid.h: face fields where there is no liquid, for the particles that will be there.
#pragma once

#include "core/exec.h"
#include "simulation/state.h"

namespace glug {

// Continues u from the faces with layer = 1 as far as particles may get in a step; layer is state.layer
// unless given.
template <int D>
void extend_beyond_liquid(const Exec& exec, State<D>& state, MacView<D, float> u,
                          MacView<D, std::uint8_t> layer);
template <int D>
void extend_beyond_liquid(const Exec& exec, State<D>& state, MacView<D, float> u) {
  extend_beyond_liquid(exec, state, u, state.layer.view());
}

// The same for the new velocity, and beside it (T11) for the one that the forces found: beyond liquid that is
// thin (S4), where neither was solved for, the difference of both becomes that of the liquid there. Faces
// that solids close keep the former. scratch: another field.
template <int D>
void extend_kicked(const Exec& exec, State<D>& state, MacView<D, float> u, MacView<D, float> before,
                   MacView<D, float> scratch, MacView<D, std::uint8_t> layer);

// Takes from u what leads into solids that move with `solid_velocity` (data null: at rest), and what leads
// away from them, but for cells that liquid leaves (data null: none). layer: as extend_beyond_liquid left it.
template <int D>
void slide_along_solids(const Exec& exec, const State<D>& state, MacView<D, const float> solid_velocity,
                        MacView<D, float> u, MacView<D, const std::uint8_t> layer,
                        View<D, const std::uint8_t> leaving = {});

// Null when no solid moves.
template <int D>
MacView<D, const float> solid_velocity_of(const State<D>& state) {
  return state.solids_move() ? state.solid_velocity.read() : MacView<D, const float>{};
}

// After transfer_to_grid, without a solve: continues what the particles say of a phase's velocity.
template <int D>
void extend_transferred(const Exec& exec, State<D>& state, MacView<D, float> u,
                        MacView<D, std::uint8_t> layer);

}  // namespace glug
