// unseen_levels.h: levels of pressure that the system does not see, in components of the fluid that touch no
// free air: constants that push no body, of one component or of several together. Theory: docs/theory.md
// (R5), (R18).
#pragma once

#include <cstdint>
#include <vector>

#include "projection/build_pressure_system.h"
#include "solvers/component_means.h"

namespace glug {

struct UnseenLevels {
  std::vector<std::int32_t> set_of;  // per component: the number of its constant, -1 = no level has it
  std::vector<UnseenLevel> levels;   // the largest constant of each is 1
  // Pockets: closed components whose levels bodies see, but for what they leave unseen of several. Per
  // component the pocket's number, -1 = it is none.
  std::vector<std::int32_t> pocket_of;
};

// of_cell: components, in the blocks; closed: those that touch no air whose pressure is given.
template <int D, class T>
UnseenLevels find_unseen_levels(const Exec& exec, const ProjectionInput<D, T>& input,
                                const BlocksView<D>& blocks, View<D, const std::int32_t> of_cell,
                                const std::vector<std::uint8_t>& closed);

// (P6) Rates per set which, times the volumes, leave nothing of a level in the net fluxes when taken from
// them.
template <int D, class T>
std::vector<double> rates_to_remove(const PressureSystem<D, T>& system, const std::vector<double>& net,
                                    const std::vector<double>& volumes);

}  // namespace glug
