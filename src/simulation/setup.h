// setup.h: everything a simulation is told before its first step; made from a scene, kept unchanged in the
// State.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bodies/body_forces.h"
#include "bodies/tap.h"
#include "core/domain.h"
#include "core/grid.h"
#include "geometry/shape.h"
#include "simulation/options.h"
#include "simulation/smoke_options.h"

namespace glug {

struct BodySetup {
  Shape shape;
  Vec3 velocity{};  // m/s
};

// How pictures show a solid; the simulation does not read it.
enum class Look { matte, glass };
template <>
struct EnumNames<Look> {
  static constexpr EnumName<Look> names[] = {{Look::matte, "matte"}, {Look::glass, "glass"}};
};

// What a viscous liquid does along a wall: it moves with it, or slides freely.
enum class Slip { no_slip, free_slip };
template <>
struct EnumNames<Slip> {
  static constexpr EnumName<Slip> names[] = {{Slip::no_slip, "no_slip"}, {Slip::free_slip, "free_slip"}};
};

// A solid that moves as forces tell, once its motion has ended.
struct RigidSetup {
  double density = 1000;  // kg/m^D
  Vec3 velocity{};        // m/s, of its centre, at the start
  Vec3 spin{};            // rad/s
  double friction = 0.3, restitution = 0.2;
  std::optional<Hinge> hinge{};
  BodyForces forces{};
};

struct SolidSetup {
  Shape shape;
  Motion motion;
  Look look = Look::matte;
  std::string name{};  // what files call it
  Slip slip = Slip::no_slip;
  std::optional<RigidSetup> rigid{};
};

// An emitter or a drain.
struct TapSetup {
  Shape shape;
  Motion motion;
  TapHours hours;
  Vec3 velocity{};  // m/s, of an emitter's stream, in the shape's frame
};

template <int D>
struct Setup {
  Grid<D> grid;
  Sides<D> sides;
  Sides<D> slippery_sides;  // `open`: walls that viscous liquid slides along
  Vec<D, double> gravity{};
  TimeOptions time;
  LiquidOptions liquid;
  AirOptions air;
  AdaptivityOptions adaptivity;
  SolverOptions solver;
  std::vector<BodySetup> bodies;
  std::vector<Shape> air_bodies;  // air, also where a body of liquid is
  std::vector<SolidSetup> solids;
  std::vector<TapSetup> emitters, drains;
  SmokeSetup smoke;

  // Whether there is no liquid but smoke, which fills the domain.
  bool has_smoke() const { return !smoke.bodies.empty() || !smoke.sources.empty(); }
  // Whether air is a fluid of its own.
  bool has_gas() const { return air.model == AirModel::two_phase || air.model == AirModel::affine; }
  // Whether pockets of air keep their volumes.
  bool has_bubbles() const { return air.model != AirModel::void_air; }
};

}  // namespace glug
