// mutate.h: files as they become on bad disks, in bad editors and in bad hands.
#pragma once

#include <string>

#include "fuzz/dice.h"

namespace glug::fuzz {

// One to four changes: bytes flipped, overwritten, cut out, the end cut off; lines doubled, deleted, swapped;
// numbers replaced by unlikely ones; words exchanged.
std::string mutated(Dice& dice, std::string bytes);

// What stands where a number should: too large, too small, none at all.
std::string unlikely_value(Dice& dice);

}  // namespace glug::fuzz
