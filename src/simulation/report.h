// report.h: what a substep did; the members are the columns of stats.csv.
#pragma once

#include <cstdint>
#include <string>

namespace glug {

// What a user should hear once about how the pressure is solved, not at every substep.
enum class SolveNote { none, cycles_spent, handed_over };

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
  double memory_mb = 0;    // peak resident memory so far
  std::int64_t tiles = 0;  // regions that moved as one
  int handed_over = 0;     // solves that multigrid alone gave up and conjugate gradients finished
  // Of bubbles, with air.model = constraint:
  int bubble_splits = 0, bubble_merges = 0;
  int bubble_voids = 0;                          // pockets that came from nowhere and are filled
  double bubble_lost_volume = 0;                 // m^D of rest volume whose bubble vanished in this substep
  double spray_volume = 0;                       // m^D, particles that the surface cannot show
  double speed_max = 0;                          // m/s, of a particle
  double solid_work = 0;                         // J that moving solids did on the liquid since the start
  double inflow_volume = 0, outflow_volume = 0;  // m^D since the start
  double courant =
      0;  // cells that the fastest liquid moved in the substep: above time.cfl only by max_substeps
  // Not columns:
  bool frame_done = false;
  std::string remark;  // anything a user should know about this substep; empty = nothing
  SolveNote note = SolveNote::none;
  std::string note_text;

  template <class Self, class Visitor>
  static void columns(Self& s, Visitor& v) {
    v("step", s.step);
    v("frame", s.frame);
    v("time", s.time);
    v("dt", s.dt);
    v("particles", s.particles);
    v("liquid_cells", s.liquid_cells);
    v("bubbles", s.bubbles);
    v("unknowns", s.unknowns);
    v("iterations", s.iterations);
    v("residual", s.residual);
    v("divergence_max", s.divergence_max);
    v("liquid_volume", s.liquid_volume);
    v("kinetic_energy", s.kinetic_energy);
    v("potential_energy", s.potential_energy);
    v("seconds_total", s.seconds_total);
    v("seconds_advect", s.seconds_advect);
    v("seconds_transfer", s.seconds_transfer);
    v("seconds_surface", s.seconds_surface);
    v("seconds_regions", s.seconds_regions);
    v("seconds_assemble", s.seconds_assemble);
    v("seconds_solve", s.seconds_solve);
    v("seconds_output", s.seconds_output);
    v("memory_mb", s.memory_mb);
    v("bubble_splits", s.bubble_splits);
    v("bubble_merges", s.bubble_merges);
    v("bubble_voids", s.bubble_voids);
    v("bubble_lost_volume", s.bubble_lost_volume);
    v("handed_over", s.handed_over);
    v("tiles", s.tiles);
    v("spray_volume", s.spray_volume);
    v("speed_max", s.speed_max);
    v("solid_work", s.solid_work);
    v("inflow_volume", s.inflow_volume);
    v("outflow_volume", s.outflow_volume);
    v("courant", s.courant);
  }
};

}  // namespace glug
