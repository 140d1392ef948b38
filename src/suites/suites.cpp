#include "suites/suites.h"

#include "core/error.h"

namespace glug {

const std::vector<BenchSuite>& bench_suites() {
  static const std::vector<BenchSuite> all = {
      {"pressure", "one liquid's pressure system by our solver, the papers' and the libraries'"},
      {"maze", "a serpentine duct, where coarse grids see through walls"},
      {"bubbles", "tanks with 8 and hundreds of bubbles, one unknown each"},
      {"affine",
       "a splash and a sinking bubble whose calm fluid moves by the tile, against all cells as unknowns"},
      {"stream", "a velocity made free of divergence by a stream function, against the pressure"},
      {"bandwidth", "copy and triad of this machine, and the share of it the smoother reaches"},
      {"gauntlet", "everyday scenes run to their ends and judged by energy, volume, speed and trapped air",
       SuiteNeeds::scenes},
      {"smoke", "a paddle stirs smoke, 40x20x30 and 80x40x60 cells", SuiteNeeds::scenes},
      {"validation", "rising bubbles, drops, waves and fronts beside their known answers: minutes",
       SuiteNeeds::scenes},
  };
  return all;
}

void demand_fitting(const BenchOptions& options) {
  const bool gauntlet = options.suite == "gauntlet", validation = options.suite == "validation";
  if (!options.series.empty() && !gauntlet && !validation)
    throw InputError("--series: only the suites gauntlet and validation have it");
  if (options.rooms > 0 && !gauntlet) throw InputError("--rooms: only the suite gauntlet has it");
  if (options.rooms > 0 && !options.only.empty())
    throw InputError("--rooms, --only: the gauntlet takes one of them; --only room_7 takes one room");
  if (options.vary && !gauntlet) throw InputError("--vary: only the suite gauntlet has it");
  if (!options.set.empty() && !gauntlet) throw InputError("--set: only the suite gauntlet has it");
  if (!options.only.empty() && !gauntlet && !validation)
    throw InputError("--only: only the suites gauntlet and validation have it");
}

}  // namespace glug
