// probe.h: gauges in a simulation: pressure, velocity and level at a point, force and torque on a solid or a
// side of the domain. They look at the state after a substep and change nothing.
//
// Pressure is that of the last solve, relative to free air. Between centres of cells it goes on linearly, by
// differences among cells that have one, so that water at rest is measured exactly, at walls too. Theory:
// docs/theory.md (L1)-(L3).
#pragma once

#include <optional>
#include <string>

#include "core/error.h"
#include "simulation/state.h"

namespace glug {

struct Probe {
  std::string name;
  std::string on;             // a solid's name or a side of the domain; empty = a point
  std::optional<Vec3> at;     // m, of a point
  std::optional<Vec3> about;  // m, what torque is about; a rigid body's centre of mass or 0 unless given
  SourceLocation where;
};

// What is not there is not known: no liquid at the point, no surface in its column.
struct ProbeReading {
  std::optional<double> pressure;  // Pa
  std::optional<Vec3> velocity;    // m/s
  std::optional<double> level;     // m, coordinate of the surface above the point, or below it in air
  std::optional<Vec3> force;       // N (2D: N/m), of pressure alone
  std::optional<Vec3> torque;      // N m
};

template <int D>
ProbeReading read_probe(const Exec& exec, const State<D>& state, const Probe& probe);

// The side of the domain that is called so: axis and 0 (low) or 1 (high); nothing where none is.
struct DomainSide {
  int axis = 0, side = 0;
};
std::optional<DomainSide> side_called(const std::string& name);

}  // namespace glug
