// entries.h: the scenes of the gauntlet: those in scenes/gauntlet, and shipped ones made small.
#pragma once

#include <string>
#include <vector>

#include "gauntlet/judge.h"

namespace glug {

struct GauntletEntry {
  std::string name;                    // in tables and figures
  std::string scene;                   // for find_scene
  std::vector<std::string> overrides;  // as --set takes them
  GauntletOwnTerms terms = {};
  std::string text = {};  // not empty: the scene itself, and `scene` is no name
};

const std::vector<GauntletEntry>& gauntlet_entries();

}  // namespace glug
