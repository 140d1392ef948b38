// device_measure.h: one pressure system solved on a GPU, timed, and held against the CPU's answer. The suites
// that also run there share it.
#pragma once

#include <string>

#include "bench/figures.h"
#include "projection/device_pressure.h"

namespace glug {

// Prints two rows for each tolerance, 1e-5 and 1e-10, and sets <prefix>ours.iterations ..., and with tight_
// before them those of the second. Throws SimulationError where the two answers differ by more than a
// thousand tolerances.
void measure_on_device(const Exec& cpu, const PressureSystem<3, float>& system, const Vector<3>& rhs,
                       const std::string& prefix, Figures& figures);

}  // namespace glug
