// parts.h: the parts of the suite `validation`: rows of docs/validation.md that take minutes, each a scene
// simulated and held against a known answer.
#pragma once

#include <string>
#include <vector>

#include "core/exec.h"
#include "validation/check.h"

namespace glug {

struct ValidationPart {
  const char* name;
  const char* about;
  const char* unit;  // what `cells` are counted along
  int cells;         // of the finest run
  // Coarser runs, where it has them, have a half and a quarter of `cells`.
  void (*run)(const Exec& exec, int cells, Found& found);
};

const std::vector<ValidationPart>& validation_parts();

// Those that were asked for, in the order of the list; empty = all. Throws InputError for a name it lacks.
std::vector<ValidationPart> chosen_parts(const std::vector<std::string>& only);

// Hysing et al. 2009.
void run_hysing_1(const Exec& exec, int cells, Found& found);
void run_hysing_2(const Exec& exec, int cells, Found& found);
void run_hysing_2_constraint(const Exec& exec, int cells, Found& found);
// Surface tension without gravity.
void run_drop_2d(const Exec& exec, int cells, Found& found);
void run_drop_3d(const Exec& exec, int cells, Found& found);
void run_bubble_2d(const Exec& exec, int cells, Found& found);
void run_bubble_3d(const Exec& exec, int cells, Found& found);
void run_still_disk(const Exec& exec, int cells, Found& found);
// Waves.
void run_capillary_decay(const Exec& exec, int cells, Found& found);
void run_standing_wave(const Exec& exec, int cells, Found& found);
// Fronts.
void run_dam_front(const Exec& exec, int cells, Found& found);
void run_benjamin(const Exec& exec, int cells, Found& found);

// Costs.
void run_stiff_honey(const Exec& exec, int cells, Found& found);
void run_tension_cost(const Exec& exec, int cells, Found& found);
void run_separation_cost(const Exec& exec, int cells, Found& found);

}  // namespace glug
