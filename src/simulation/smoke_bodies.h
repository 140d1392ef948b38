// smoke_bodies.h: free rigid bodies in smoke. They are movers of its pressure system as in a liquid's (R1) to
// (R4). The pressure of smoke leaves out what the fluid weighs where it is alike everywhere, so that it rests
// exactly; bodies get that part of it here (K8). Contacts act when bodies move (solids.h).
#pragma once

#include "simulation/state.h"

namespace glug {

// (K8) Gravity, forces, and the lift of the fluid whose acceleration of (1 + level) g the pressure leaves
// out, on free bodies for so many seconds.
template <int D>
void pull_bodies_in_smoke(State<D>& state, double seconds, double level);

// Potential energy of the fluid that free bodies displace, as if it were alike everywhere, J.
template <int D>
double displaced_energy(const State<D>& state);

}  // namespace glug
