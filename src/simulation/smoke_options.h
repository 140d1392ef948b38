// smoke_options.h: what a scene says of smoke: a fluid that fills the domain and has no surface. Density
// tells how thick the smoke is (1 = thick), temperature how much warmer than its surroundings (K).
#pragma once

#include <vector>

#include "bodies/tap.h"
#include "core/options.h"
#include "geometry/shape.h"

namespace glug {

struct SmokeOptions {
  double fluid_density = 1.2;
  double buoyancy = 0.0034;
  double weight = 0;
  double dissipation = 0;
  double cooling = 0;
  double vorticity = 0;
  int markers = 0;

  template <class Self, class Visitor>
  static void declare(Self& s, Visitor& v) {
    v.option("fluid_density", s.fluid_density,
             {.unit = "kg/m^D",
              .above = 0,
              .at_most = 1e9,
              .help = "Mass per volume of the fluid that carries the smoke; pressures and energies are "
                      "proportional to it, the flow is not changed."});
    v.option("buoyancy", s.buoyancy,
             {.unit = "1/K",
              .at_least = 0,
              .at_most = 1e3,
              .help = "How strongly what is warm rises: by this share of gravity for each kelvin (K1)."});
    v.option("weight", s.weight,
             {.at_least = -1e3,
              .at_most = 1e3,
              .help = "How strongly smoke of density 1 sinks: by this share of gravity (K1)."});
    v.option("dissipation", s.dissipation,
             {.unit = "1/s", .at_least = 0, .at_most = 1e6, .help = "Rate at which density fades."});
    v.option("cooling", s.cooling,
             {.unit = "1/s", .at_least = 0, .at_most = 1e6, .help = "Rate at which temperature fades."});
    v.option("vorticity", s.vorticity,
             {.at_least = 0,
              .at_most = 1,
              .help = "Strength of vorticity confinement, which gives small eddies back what carrying them "
                      "smears, never more (K6); 0 = none."});
    v.option("markers", s.markers,
             {.at_least = 0,
              .at_most = 64,
              .help = "Marker particles in a cell of a [[smoke.body]] at the start; they go with the flow. A "
                      "square (2D) or cube (3D); 0 = none."});
  }
};

// Smoke at the start.
struct SmokeBodySetup {
  Shape shape;
  double density = 1;
  double temperature = 0;  // K
  Vec3 velocity{};         // m/s
  Vec3 spin{};             // rad/s, about the middle of the shape's box
};

// Where smoke is made.
struct SmokeSourceSetup {
  Shape shape;
  Motion motion;
  TapHours hours;
  double density = 1;
  double temperature = 0;  // K
  Vec3 velocity{};         // m/s, in the shape's frame; 0 = the flow is left alone
};

struct SmokeSetup {
  SmokeOptions options;
  std::vector<SmokeBodySetup> bodies;
  std::vector<SmokeSourceSetup> sources;
};

}  // namespace glug
