// random_scene.h: the grammar: scenes that a reader should take, small, and seldom sensible.
// Nearly everything docs/reference.md lists occurs, in every combination that is allowed and a few that are
// not: those have to be refused with a word. A scene runs in well under a second.
#pragma once

#include <string>
#include <vector>

#include "fuzz/dice.h"

namespace glug::fuzz {

struct NamedBytes {
  std::string name;
  std::string bytes;
};

struct RandomScene {
  std::string text;                // TOML
  std::vector<NamedBytes> meshes;  // lie beside it
};

RandomScene random_scene(Dice& dice);

}  // namespace glug::fuzz
