// state.h: everything a simulation is between two substeps.
// What must survive a checkpoint is told by snapshot.h; the rest is scratch kept to spare allocations, or
// follows from it. Fields are dense and lazily paged: only blocks near liquid are ever touched (`active`).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "bodies/solid_body.h"
#include "core/blocks.h"
#include "core/mac_field.h"
#include "geometry/curvature.h"
#include "particles/narrow_band.h"
#include "particles/particles.h"
#include "particles/taps.h"
#include "projection/project.h"
#include "projection/rigid_bodies.h"
#include "regions/bubbles.h"
#include "regions/labels.h"
#include "regions/thin_liquid.h"
#include "regions/tiles.h"
#include "simulation/ledger.h"
#include "simulation/setup.h"
#include "simulation/smoke_state.h"

namespace glug {

// The gas, with air.model = two_phase; empty otherwise. Its velocity holds the projected one of both phases
// while the pressure acts (two_phase_stage.h).
template <int D>
struct Gas {
  Particles<D> particles;
  MacField<D, float> velocity;         // m/s, extrapolated
  MacField<D, float> velocity_before;  // scratch, as the particles brought it
  MacField<D, std::uint8_t> layer;     // scratch
};

template <int D, class T>
class WallSeparation;  // projection/wall_separation.h
template <int D, class T>
class ViscositySolver;  // projection/viscosity_solver.h

// openings: the open shares, and the sign of the distance at nodes. all: the distance itself too; a solid
// that moves changes it much farther away.
enum class SolidKnown : std::uint8_t { nothing, openings, all };

// A face that bodies closed and that is kept open a little (slits.h).
template <int D>
struct FaceSlit {
  Index<D> face{};
  std::int32_t axis = 0;
};

// A face of a film of liquid between a body and what it lies on (lift_off.h).
template <int D>
struct FilmFace {
  Index<D> face{};
  std::int32_t axis = 0;
  float opening = 0;   // of the face
  float velocity = 0;  // m/s, in it
};

template <int D>
struct StreamProjection;  // stream_stage.h

template <int D>
struct State {
  Setup<D> setup;

  // Time. `frame` is the last frame completed; `frame_time` what has passed of the one under way.
  int frame = 0;
  std::int64_t step = 0;
  double time = 0;        // s
  double frame_time = 0;  // s
  double dt = 0;          // s, of the coming substep; 0 = there was none yet
  double speed = 0;       // m/s, of nearly all liquid when dt was chosen

  // Liquid.
  Particles<D> particles;
  DeepLiquid<D> deep;                // liquid without particles, with liquid.narrow_band
  double target_volume = 0;          // m^D: what was poured, less what left
  double particle_volume = 0;        // m^D that a particle stands for: what was poured over their number
  double volume = 0;                 // m^D, of the surface
  double hidden_volume = 0;          // m^D, of thin liquid and spray beyond what the surface shows (S4)
  Field<D, std::uint8_t> thickness;  // of each cell: Thickness
  Field<D, std::uint8_t>
      measured;  // scratch, with air.model = constraint: how much of it the surface measures
  Ledger ledger;
  Blocks<D> active;                 // where fields mean something: blocks with liquid and their neighbours
  Field<D, float> phi;              // m, signed distance to the surface, negative inside
  MacField<D, float> velocity;      // m/s, extrapolated
  MacField<D, float> displacement;  // m, the volume correction for the next advection; between steps only
  bool displaced = false;           // whether `displacement` holds one
  Vector<D> pressure;               // Pa, of the last solve: first guess of the next
  Vector<D> correction;             // likewise of the volume correction

  // Air, unless air.model = void.
  Gas<D> gas;
  Bubbles<D> bubbles;
  Blocks<D> everywhere;                    // all blocks
  Field<D, float> open_part, liquid_part;  // of each cell, in [0, 1]
  std::vector<std::int32_t> air_unknown;   // per bubble
  std::vector<Index<D>> voids;             // cells that were filled and wait for particles
  std::vector<Index<D>> let_go;            // cells that walls let go of in the last solve (W1)

  Smoke<D> smoke;  // instead of liquid and air, with setup.has_smoke()

  // Solids.
  std::vector<SolidBody> solids;
  Field<D, float> solid;                // m, at nodes
  MacField<D, float> open;              // open share of each face
  MacField<D, float> solid_velocity;    // m/s; empty when nothing moves
  std::vector<SolidKnown> solid_known;  // per block: what is up to date there
  std::vector<std::uint8_t>
      solid_changed;                 // per block: whether openings may differ since bubbles were followed
  Blocks<D> swept;                   // blocks that a moving solid touches: solid_velocity is 0 elsewhere
  double solid_interval = 0;         // s, that solid_velocity is meant over
  std::vector<FaceSlit<D>> slits;    // scratch: of this substep, in `open`
  std::vector<FilmFace<D>> film;     // of films below light bodies, sorted by faces, ..
  std::vector<Index<D>> film_cells;  // .. and the cells between
  double film_volume = 0;            // scratch: m^D there, where no particle is
  std::vector<BodyInput<D>> bodies;  // scratch: the free ones, as the pressure system sees them

  // Emitters and drains.
  std::vector<Tap> emitters, drains;
  std::vector<CellFlow<D>> flows;      // of the last substep
  Field<D, float> source;              // m/s, wanted net flux out of a cell / face area; empty = no emitters
  std::vector<Index<D>> source_cells;  // where it is not 0
  bool has_sources = false;

  // Scratch of a substep.
  MacField<D, float> velocity_before;  // as the particles brought it
  MacField<D, std::uint8_t> layer;
  Field<D, float> crowding;  // of the liquid's particles, where its volume is corrected
  CellLabels<D> labels;
  SurfaceCurvature<D> curvature;  // with liquid.surface_tension
  Tiles<D> tiles;                 // empty unless something moves by the tile
  PressureSystem<D, float> system;
  PressureSolver<D, float> solver;
  Vector<D> rhs;
  std::shared_ptr<WallSeparation<D, float>> separation;  // made with solver.wall_separation, held here alone
  std::shared_ptr<ViscositySolver<D, float>> viscosity;  // made when a fluid is viscous, held here alone
  Vector<D>
      viscous_pressure;  // Pa, the part of the pressure that viscosity makes (V11); kept from step to step
  Vector<D> viscous_change;  // Pa, of it in this substep
  Field<D, float> sticky;    // m, at nodes, to the solids that hold the liquid where others do not

  // Made with solver.method = "stream_function". This is its one owner: shared, so that not everybody need
  // know what it is.
  std::shared_ptr<StreamProjection<D>> stream;

  int dimension() const { return D; }
  bool solids_move() const {
    for (const SolidBody& s : solids)
      if (s.moves()) return true;
    return false;
  }
  bool solids_move_now() const { return solids_move() && swept.count() > 0; }
};

// Particles that fill a cell.
template <int D>
int particles_per_cell(const LiquidOptions& liquid) {
  return liquid.filling(D);
}

}  // namespace glug
