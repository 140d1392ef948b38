// smoke_state.h: what a State holds of smoke besides velocity, pressure and solids; empty in a liquid.
#pragma once

#include <vector>

#include "bodies/tap.h"
#include "core/field.h"
#include "core/mac_field.h"

namespace glug {

// A carried field on its way: what it becomes, and the bounds that (K4) keeps it in.
template <int D>
struct Carried {
  Field<D, float> value, least, most;
  Field<D, float> first;  // scratch: before its error is taken off

  Carried() = default;
  explicit Carried(const Range<D>& range) : value(range), least(range), most(range), first(range) {}
};

template <int D>
struct Smoke {
  Field<D, float> density, temperature;  // at cell centres; continued into solids
  // Follows from the setup:
  std::vector<Tap> sources;
  bool sealed = false;  // no side of the domain is open
  bool warm = false;    // there may be a temperature other than 0
  // Scratch:
  Carried<D> carried_density, carried_temperature;
  Carried<D> carried_velocity[D];
  Field<D, std::uint8_t> layer;
  Field<D, float> eddies[D == 3 ? 3 : 1];  // vorticity, 1/s
  Field<D, float> eddy_force[D];           // m/s^2, at cell centres
  bool system_ready = false;               // whether the matrix is that of the solids as they are
};

}  // namespace glug
