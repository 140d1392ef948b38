// random_rooms.h: scenes drawn by chance, as a stranger might put them together in the plane: liquid that
// lies, leans, falls or breaks loose; planks, cups, slots and wedges; something that is driven through it;
// bodies, taps, and every model. What is drawn does not begin inside something else and is not driven into
// it, so that what fails is the simulator's to answer for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "gauntlet/entries.h"

namespace glug {

// A scene file that can be read: what is refused is drawn again. A pure function of the number.
std::string room_text(std::uint64_t number);

// The entry `room_<number>`; none of another name.
GauntletEntry room_entry(std::uint64_t number);
std::optional<GauntletEntry> room_called(const std::string& name);

}  // namespace glug
