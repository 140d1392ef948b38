// play.h: a scene simulated to its end, without pictures, as the judge's numbers.
#pragma once

#include <string>
#include <vector>

#include "core/exec.h"
#include "gauntlet/judge.h"
#include "scene/scene.h"
#include "simulation/report.h"
#include "simulation/setup.h"

namespace glug {

struct Played {
  GauntletTerms terms;
  std::vector<GauntletSample> series;
  int hovering = 0;
  std::vector<int> cells;  // along each axis
  double seconds = 0;      // wall clock
  std::string error;       // why it did not finish; empty = it did
};

// Never throws what the simulation throws: that is a result.
Played play(const Exec& exec, const Scene& scene, const GauntletOwnTerms& own = {});

// What a scene allows, without what is known only once it is poured: poured, air_at_start.
template <int D>
GauntletTerms terms_of(const Setup<D>& setup);

GauntletSample sample_of(const StepReport& report);

// Speed of the fastest point of a solid or an emitter inside the domain until `end`, m/s; of a rigid body as
// it is thrown and its force pushes it, without the liquid.
template <int D>
double fastest_solid_point(const Setup<D>& setup, double end);

}  // namespace glug
