// rate_reader.h: when an emitter or a drain is open and how far, as a scene file writes it.
//
//   start = 0.5
//   stop = 3
//   rate = 0.5    or keys: rate = [ { time = 0, rate = 0 }, { time = 1, rate = 1 } ]
#pragma once

#include "bodies/tap.h"
#include "scene/table_reader.h"

namespace glug {

void read_hours(TableReader& table, TapHours& hours);

}  // namespace glug
