// advice.h: what a run's figures say in plain words: why it was slow, what went wrong, what to change.
// Pure: rows of stats.csv and a few keys of the scene in, sentences out. A sentence names the figure, where
// it was seen and the key that changes it.
#pragma once

#include <string>
#include <vector>

#include "simulation/report.h"

namespace glug {

// What the advice depends on besides the figures.
struct RunFacts {
  double cell = 0;              // m
  double fps = 24, cfl = 1;     // time.*
  int max_substeps = 60;        //
  double tolerance = 1e-5;      // solver.tolerance
  double capillary_dt = 0;      // s, the longest substep that surface tension allows; 0 = there is none
  bool pictures = false;        // output.preview
  bool other_files = false;     // any of the other outputs
  bool corrects_volume = true;  // liquid.volume_correction
  bool has_solids_that_move = false, has_emitters = false;
  std::string preconditioner = "multigrid";
};

// Empty: nothing is out of the ordinary.
std::vector<std::string> advice_on(const std::vector<StepReport>& steps, const RunFacts& facts);

}  // namespace glug
