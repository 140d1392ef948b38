// report.h: what a substep did; the members are the columns of stats.csv.
#pragma once

#include <cstdint>
#include <string>

#include "core/options.h"

namespace glug {

// What a user should hear once about how the pressure is solved, not at every substep.
enum class SolveNote { none, cycles_spent, handed_over };

// A solve that stalls this close is used, with a remark; beyond, the run ends.
inline constexpr double tolerable_residual = 1e-2;

struct StepReport {
  std::int64_t step = 0;  // 0 = the initial state
  int frame = 0;          // the frame this substep leads to
  double time = 0;        // s, after the substep
  double dt = 0;
  std::int64_t particles = 0;
  std::int64_t liquid_cells = 0;
  int bubbles = 0;
  std::int64_t unknowns = 0;
  int iterations = 0;         // of the velocity solve and the volume-correction solve together
  double residual = 0;        // relative, of the velocity solve
  double divergence_max = 0;  // m/s
  double liquid_volume = 0;   // m^D, of the tracked surface
  double kinetic_energy = 0;  // J
  double potential_energy = 0;
  double seconds_total = 0;
  double seconds_advect = 0;    // particles moved and sorted
  double seconds_transfer = 0;  // particles to grid and back
  double seconds_surface = 0;   // level set, solids, extrapolation
  double seconds_regions = 0;   // labels and components
  double seconds_assemble = 0;  // pressure systems and their right-hand sides
  double seconds_solve = 0;
  double seconds_output = 0;
  int viscosity_iterations = 0;
  double seconds_viscosity = 0;
  double memory_mb = 0;         // peak resident memory so far
  std::int64_t deep_cells = 0;  // of liquid, without particles
  std::int64_t tiles = 0;       // regions that moved as one
  int handed_over = 0;          // solves that multigrid alone gave up and conjugate gradients finished
  // Of bubbles, with air.model = constraint:
  int bubble_splits = 0, bubble_merges = 0;
  int bubble_voids = 0;                          // pockets that came from nowhere and are filled
  double bubble_lost_volume = 0;                 // m^D of rest volume whose bubble vanished in this substep
  double spray_volume = 0;                       // m^D, particles that the surface cannot show
  double speed_max = 0;                          // m/s, of a particle
  double surface_energy = 0;                     // J
  double body_energy = 0;                        // J, kinetic and potential, of free rigid bodies
  double solid_work = 0;                         // J that moving solids and emitters did
  double inflow_volume = 0, outflow_volume = 0;  // m^D since the start
  double courant =
      0;  // cells that the fastest liquid moved in the substep: above time.cfl only by max_substeps
  // Of smoke, density times m^D:
  double smoke = 0, smoke_inflow = 0, smoke_outflow = 0, smoke_error = 0;
  // Of solver.wall_separation:
  int separation_policies = 0;
  std::int64_t separated_cells = 0;
  double separation_gap = 0;
  // Not columns:
  bool frame_done = false;
  std::string remark;  // anything a user should know about this substep; empty = nothing
  SolveNote note = SolveNote::none;
  std::string note_text;

  // v(name, value, what the reference says of it).
  template <class Self, class Visitor>
  static void columns(Self& s, Visitor& v) {
    v("step", s.step, OptionInfo{.help = "0 is the initial state"});
    v("frame", s.frame, OptionInfo{.help = "the frame that the substep leads to"});
    v("time", s.time, OptionInfo{.unit = "s", .help = "after the substep"});
    v("dt", s.dt, OptionInfo{.unit = "s", .help = "how long the substep was"});
    v("particles", s.particles, OptionInfo{.help = "of the liquid"});
    v("liquid_cells", s.liquid_cells, OptionInfo{.unit = "cells", .help = "of the grid that are liquid"});
    v("bubbles", s.bubbles,
      OptionInfo{.help = "pockets of air that touch liquid and are not open to the outside"});
    v("unknowns", s.unknowns, OptionInfo{.help = "of the pressure system"});
    v("iterations", s.iterations,
      OptionInfo{.help = "of the velocity solve and the volume correction together"});
    v("residual", s.residual, OptionInfo{.help = "of the velocity solve, relative"});
    v("divergence_max", s.divergence_max,
      OptionInfo{
          .unit = "m/s",
          .help = "largest net flux out of a pressure region over a face's area, less what was asked for"});
    v("liquid_volume", s.liquid_volume, OptionInfo{.unit = "m^D", .help = "of the tracked surface"});
    v("kinetic_energy", s.kinetic_energy, OptionInfo{.unit = "J", .help = "of the liquid"});
    v("potential_energy", s.potential_energy,
      OptionInfo{.unit = "J", .help = "of the liquid, against the lowest corner of the domain"});
    v("seconds_total", s.seconds_total, OptionInfo{.unit = "s", .help = "of computing"});
    v("seconds_advect", s.seconds_advect, OptionInfo{.unit = "s", .help = "particles moved and sorted"});
    v("seconds_transfer", s.seconds_transfer, OptionInfo{.unit = "s", .help = "particles to grid and back"});
    v("seconds_surface", s.seconds_surface,
      OptionInfo{.unit = "s", .help = "level set, solids, extrapolation"});
    v("seconds_regions", s.seconds_regions, OptionInfo{.unit = "s", .help = "labels, bubbles, tiles"});
    v("seconds_assemble", s.seconds_assemble,
      OptionInfo{.unit = "s", .help = "pressure systems and their right-hand sides"});
    v("seconds_solve", s.seconds_solve, OptionInfo{.unit = "s", .help = "pressure systems solved"});
    v("seconds_output", s.seconds_output,
      OptionInfo{.unit = "s",
                 .help = "what the simulation waited for files: frames copied or waited for, the checkpoint "
                         "of the substep before; what is written beside it is not in here"});
    v("memory_mb", s.memory_mb, OptionInfo{.unit = "MB", .help = "largest resident memory so far"});
    v("bubble_splits", s.bubble_splits, OptionInfo{.help = "bubbles that came apart"});
    v("bubble_merges", s.bubble_merges, OptionInfo{.help = "bubbles that became one"});
    v("bubble_voids", s.bubble_voids, OptionInfo{.help = "pockets that came from nowhere and are filled"});
    v("bubble_lost_volume", s.bubble_lost_volume,
      OptionInfo{.unit = "m^D", .help = "rest volume whose bubble vanished"});
    v("handed_over", s.handed_over,
      OptionInfo{.help = "solves that multigrid alone gave up and conjugate gradients finished"});
    v("tiles", s.tiles, OptionInfo{.help = "regions that moved as one"});
    v("spray_volume", s.spray_volume,
      OptionInfo{.unit = "m^D",
                 .help = "particles that the surface cannot show: with liquid_volume it is what was poured"});
    v("speed_max", s.speed_max, OptionInfo{.unit = "m/s", .help = "of a particle"});
    v("solid_work", s.solid_work,
      OptionInfo{.unit = "J",
                 .help = "that moving solids, driven bodies and emitters did on the liquid since the start; "
                         "free bodies have `body_energy`"});
    v("inflow_volume", s.inflow_volume,
      OptionInfo{.unit = "m^D", .help = "that emitters let in since the start"});
    v("outflow_volume", s.outflow_volume,
      OptionInfo{.unit = "m^D", .help = "through open sides and drains since the start"});
    v("surface_energy", s.surface_energy,
      OptionInfo{.unit = "J",
                 .help = "liquid.surface_tension times the area of the smoothed surface outside solids; with "
                         "another liquid.contact_angle than 90 what wetted walls and solids hold (theory, "
                         "C4) is not in it"});
    v("body_energy", s.body_energy,
      OptionInfo{.unit = "J", .help = "kinetic and potential energy of free rigid bodies"});
    v("courant", s.courant,
      OptionInfo{.unit = "cells",
                 .help = "that the fastest liquid moved; above time.cfl only by time.max_substeps"});
    v("smoke", s.smoke, OptionInfo{.unit = "m^D", .help = "amount of smoke: density times volume"});
    v("smoke_inflow", s.smoke_inflow, OptionInfo{.unit = "m^D", .help = "that sources made since the start"});
    v("smoke_outflow", s.smoke_outflow,
      OptionInfo{.unit = "m^D", .help = "that left through open sides since the start"});
    v("smoke_error", s.smoke_error,
      OptionInfo{.unit = "m^D", .help = "of smoke that came or went by inaccuracy since the start"});
    v("viscosity_iterations", s.viscosity_iterations, OptionInfo{.help = "of the viscosity solve"});
    v("seconds_viscosity", s.seconds_viscosity,
      OptionInfo{.unit = "s", .help = "viscosity, without the second solve for the pressure that it needs"});
    v("separation_policies", s.separation_policies,
      OptionInfo{.help =
                     "choices of cells that open which solver.wall_separation tried, each a linear system"});
    v("separated_cells", s.separated_cells,
      OptionInfo{.unit = "cells", .help = "in which liquid leaves a wall"});
    v("separation_gap", s.separation_gap,
      OptionInfo{.help = "what is left of 0 <= p and its complement at walls, relative to the pressure"});
    v("deep_cells", s.deep_cells,
      OptionInfo{.unit = "cells", .help = "of liquid that has no particles, with liquid.narrow_band"});
  }
};

}  // namespace glug
