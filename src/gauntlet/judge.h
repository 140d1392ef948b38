// judge.h: what every liquid must obey, whatever the scene: a run's figures, held against limits.
// Pure functions over a series of numbers, one sample per substep; who runs the scene is play.h. No limit is
// of a scene's own but that of thin puddles, and what is known of a scene that is made to land flat.
// docs/validation.md, The gauntlet, says why each is what it is.
#pragma once

#include <string>
#include <vector>

namespace glug {

// One substep, or (the first of a series) the initial state.
struct GauntletSample {
  double time = 0;              // s
  bool frame_done = false;      // the last substep of a frame; true of the initial state
  double liquid_volume = 0;     // m^D
  double spray_volume = 0;      // m^D
  double inflow_volume = 0;     // m^D since the start
  double outflow_volume = 0;    // m^D since the start
  double kinetic_energy = 0;    // J
  double potential_energy = 0;  // J
  double surface_energy = 0;    // J
  double body_energy = 0;       // J, of free rigid bodies
  double solid_work = 0;        // J since the start
  double speed_max = 0;         // m/s
  double bubble_error = 0;      // largest |volume - rest volume| / rest volume of a bubble that counts
  double lost_air = 0;          // m^D of rest volume lost in this substep
  double smoke = 0;             // density times m^D, less inflow since the start
  double fast_share = 0;        // of the liquid, that is faster than allowed_speed
};

// Liquid that falls on something nearly as its surface lies: round on round, or flat at a small angle.
struct FlatImpact {
  double fall = 0;    // m, that gives the speed at which they close; 0 = nothing lands so
  double radius = 0;  // m, 1 / the difference of the curvatures; 0 = they are flat, with
  double angle = 0;   // this angle between them, rad
};

// What no scene file tells, but who lists the scene knows of it.
struct GauntletOwnTerms {
  double volume_limit = 0.01;  // share of what was poured; 0.02 where it is a cell or two deep, mostly edge
  FlatImpact impact = {};
};

// What is known of a scene before it runs.
struct GauntletTerms {
  double spacing = 1;      // m per cell
  double cell_volume = 1;  // m^D
  double gravity = 0;      // m/s^2
  double fall = 0;         // m, extent of the domain along gravity
  double poured = 0;       // m^D of liquid at the start
  double density = 1000;   // kg/m^D
  double first_speed = 0;  // m/s, of the fastest body of liquid
  double surface_speed =
      0;                   // m/s, of liquid that the sharpest surface drives: sqrt(2 (D - 1) sigma / (rho h))
  double solid_speed = 0;  // m/s, of the fastest point of a solid inside the domain
  double frame_seconds = 1.0 / 24;
  double cfl = 1;
  bool air_has_mass = false;  // then the columns hold only a part of the energy
  bool walls_pull = false;    // contact_angle != 90: then walls hold a part of the energy
  bool drops_fall = true;     // not without gravity, nor in air of a tenth of the liquid's density or more:
                              // there they may float
  bool has_bubbles = false;   // air.model = constraint
  double air_at_start = 0;    // m^D in all bubbles
  GauntletOwnTerms own;
  // Of smoke, which has no volume of its own:
  bool smoke = false;
  bool smoke_kept = false;  // nothing opens or fades: as much must stay as was there and came in
  bool smoke_fed = false;   // sources feed energy in, or confinement does: it is not judged
};

inline constexpr double energy_limit = 0.01;        // of the energy released so far
inline constexpr double smoke_energy_limit = 0.25;  // likewise, of smoke
inline constexpr double bubble_limit = 0.05;        // of a bubble's rest volume
inline constexpr double bubble_cells = 50;          // smaller ones are not judged
inline constexpr double lost_air_limit = 0.01;      // of all air at the start ..
inline constexpr double lost_air_cells = 20;        // .. and so many cells
inline constexpr double jet_allowance =
    2;  // over the speed of the fall: streams that meet, waves that fill a corner
inline constexpr double spare_substeps = 2;  // a frame
inline constexpr double least_fall = 0.05;   // cells: energy below the whole liquid's fall by so much
                                             // is not told from the seeding's unevenness

inline constexpr double surface_grain = 0.05;  // of the surface energy: its area is of a smoothed surface,
                                               // one of two drops a few cells apart

// Largest rise of E = kinetic + potential + surface - solid work above its smallest value since the first
// frame's end, over the energy released by then: the most that gravity, surface tension and solids have put
// into motion, initial kinetic energy + the most that potential and surface energy have fallen by + the most
// that solids have worked, but no less than the whole liquid falling by least_fall. Of the surface energy
// nobody knows more than a share of surface_grain: that much of its largest value is no rise.
double energy_rise(const GauntletTerms& terms, const std::vector<GauntletSample>& series);

// Of smoke, in the second half of the run: how far E rose above its value at the start, over the energy
// released. Positions follow velocities by half a step there (docs/theory.md, Smoke), so that a puff that
// starts from rest is not judged while it gathers speed.
double smoke_energy_rise(const GauntletTerms& terms, const std::vector<GauntletSample>& series);

// Of smoke that nothing lets out: largest change of smoke - inflow, over the most smoke there was.
double smoke_change(const std::vector<GauntletSample>& series, double at_most_there);

// Largest |liquid + spray - (poured + inflow - outflow)| over that sum, at the frames' ends.
double volume_error(const GauntletTerms& terms, const std::vector<GauntletSample>& series);

// The most that falling from the top of the domain and solids that hit the liquid can give, m/s:
// jet_allowance (sqrt(first_speed^2 + surface_speed^2 + 2 g fall) + 2 solid_speed). A wall that moves at V
// throws what it meets at 2 V. Streams that meet make jets faster than either, hence the allowance. No less
// than impact_jet.
double allowed_speed(const GauntletTerms& terms);
// The jet of a flat impact, m/s: twice as fast as the edge of what is wet already, by Wagner's theory. That
// edge runs at sqrt(V R / t) along what is round, first seen once V t = h, and at pi/2 V / tan(angle) along
// what is flat.
double impact_jet(const GauntletTerms& terms);
double speed_excess(const GauntletTerms& terms, const std::vector<GauntletSample>& series);

// How much of the liquid was that fast at once, and for how long any was, s: told, not judged.
double fast_share(const std::vector<GauntletSample>& series);
double fast_seconds(const std::vector<GauntletSample>& series);

// Substeps a frame, on average, and what the CFL condition asks at the allowed speed, and spare_substeps.
double mean_substeps(const std::vector<GauntletSample>& series);
double allowed_substeps(const GauntletTerms& terms);

// Over all samples; and the air lost over what may be lost.
double bubble_error(const std::vector<GauntletSample>& series);
double lost_air(const GauntletTerms& terms, const std::vector<GauntletSample>& series);

struct GauntletVerdict {
  bool energy_judged = false;  // not where air has mass or walls pull
  double energy_rise = 0, volume_error = 0, speed_excess = 0, substeps = 0, bubble_error = 0, lost_air = 0;
  double spray_share = 0;  // of the liquid, at the end
  double fast_share = 0, fast_seconds = 0;
  int hovering = 0;                 // particles, at the end
  std::vector<std::string> failed;  // one word each; empty = passed
};

// `hovering`: particles that hung in the air at the end (hovering.h).
GauntletVerdict judge(const GauntletTerms& terms, const std::vector<GauntletSample>& series, int hovering);

}  // namespace glug
