// verdict.h: what the program may answer to any input, and what a run that came to its end must show.
// Limits are far from what any scene needs: they tell a collapse from a simulation, no more. The gauntlet
// (gauntlet/judge.h) judges finer, where scenes are sensible.
#pragma once

#include <string>
#include <vector>

#include "fuzz/child.h"
#include "scene/scene.h"
#include "simulation/report.h"

namespace glug::fuzz {

enum class Outcome {
  finished,
  refused,  // status 2, with a place
  gave_up,  // status 3, with the reason
  fault     // anything else: crash, hang, no word, or numbers that no liquid has
};

struct Verdict {
  Outcome outcome = Outcome::finished;
  std::string why;  // a word, a colon and more: "signal: 11"; of what finished, the remark that excuses it
};

inline constexpr double volume_slack = 0.2;     // of what was poured, ..
inline constexpr double volume_cells = 2;       // .. as many cells (small drops are measured by the cell), ..
inline constexpr double open_side_cells = 0.5;  // .. and of open sides: half a cell away the surface is there
inline constexpr int passing_frames = 3;        // a film that becomes bulk is measured anew, a collapse stays
inline constexpr double speed_slack = 2;        // times what the gauntlet allows
inline constexpr double energy_slack = 2;       // times what fall, first speed and solids can give
inline constexpr double substeps_slack = 2;     // times what speed asks
inline constexpr double gas_slack = 4;  // times more where both fluids have mass: one squeezes the other

// Whether a column of stats.csv tells of the machine: all others are the same in every run of a scene.
bool is_measured(const std::string& column);

// By status and words alone. A refusal must name one of `places`.
Verdict judge_end(const Ended& ended, const std::vector<std::string>& places);

// A table of substeps that has numbers in all its cells and time that goes on.
Verdict judge_numbers(const std::vector<StepReport>& steps);

// Runs of one scene, however they were stopped and resumed: the same figures.
Verdict judge_sameness(const std::vector<StepReport>& a, const std::vector<StepReport>& b);

// Numbers as above, and volume, speed, energy and substeps within what the scene can give. `said`: the run's
// own remarks; what they announce is no silent collapse.
Verdict judge_physics(const Scene& scene, const std::vector<StepReport>& steps, const std::string& said);

}  // namespace glug::fuzz
