#include "validation/parts.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"

namespace glug {

const std::vector<ValidationPart>& validation_parts() {
  static const std::vector<ValidationPart> all = {
      {"hysing_1", "rising bubble, case 1, two phases", "the box's width", 128, run_hysing_1},
      {"hysing_2", "rising bubble, case 2, two phases", "the box's width", 128, run_hysing_2},
      {"hysing_2_constraint", "the same with air that has no mass", "the box's width", 128,
       run_hysing_2_constraint},
      {"drop_2d", "a drop swings, mode 2", "the radius", 20, run_drop_2d},
      {"drop_3d", "the same in space", "the radius", 20, run_drop_3d},
      {"bubble_2d", "a bubble swings in liquid, mode 2", "the radius", 20, run_bubble_2d},
      {"bubble_3d", "the same in space", "the radius", 20, run_bubble_3d},
      {"still_disk", "currents of a disk at rest", "the radius", 40, run_still_disk},
      {"capillary_decay", "a ripple on thick liquid dies away", "the box's width", 64, run_capillary_decay},
      {"standing_wave", "a wave in a box keeps its period and energy", "the box's width", 192,
       run_standing_wave},
      {"dam_front", "the front of a breaking dam, Martin and Moyce 1952", "the column's width", 24,
       run_dam_front},
      {"benjamin", "a cavity enters a duct", "the duct's height", 48, run_benjamin},
      {"stiff_honey", "iterations of the viscosity solve in thick liquid", "the tank", 128, run_stiff_honey},
      {"tension_cost", "what surface tension adds to a step", "the tank", 96, run_tension_cost},
      {"separation_cost", "what liquid that may leave walls adds to the solve", "the domain's height", 128,
       run_separation_cost},
  };
  return all;
}

std::vector<ValidationPart> chosen_parts(const std::vector<std::string>& only) {
  const std::vector<ValidationPart>& all = validation_parts();
  std::string names;
  for (const ValidationPart& p : all) names += (names.empty() ? "" : ", ") + std::string(p.name);
  for (const std::string& name : only)
    if (std::none_of(all.begin(), all.end(), [&](const ValidationPart& p) { return p.name == name; }))
      throw InputError(
          fmt::format("--only {}: the suite validation has no such part; it has {}", name, names));
  if (only.empty()) return all;
  std::vector<ValidationPart> chosen;
  for (const ValidationPart& p : all)
    if (std::find(only.begin(), only.end(), p.name) != only.end()) chosen.push_back(p);
  return chosen;
}

}  // namespace glug
