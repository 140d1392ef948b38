// snapshot.h: the part of a State that the next step depends on, as plain arrays: what a checkpoint holds.
// Fields are packed to the active blocks. A state restored from a snapshot goes on with the same bits.
#pragma once

#include <cstdint>
#include <string>

#include "projection/stream_column.h"
#include "simulation/cell_source.h"
#include "simulation/state.h"

namespace glug {

template <int D>
struct Snapshot {
  struct Scalars {
    std::int64_t step, particle_count;
    double time, frame_time, dt, speed, target_volume, particle_volume, volume, hidden_volume;
    std::int32_t frame, displaced;
    std::uint32_t next_id, affine;
    std::int64_t next_bubble;
    std::int64_t bubbles_known;
    std::int64_t gas_count;
    std::uint32_t gas_next_id, padding;
    Ledger ledger;
    double gathered;
    double deep_spare, deep_beside[3];
  } scalars{};
  Buffer<std::int32_t> occupied, active;  // block ids
  Buffer<std::uint32_t> cell_begin;
  Buffer<std::uint8_t> thickness;             // packed
  Buffer<float> phi, velocity, displacement;  // packed; MAC components one after another
  Buffer<double> pressure, correction;
  Buffer<double> viscous_pressure;  // empty where nothing is viscous
  Buffer<Bubble<D>> bubbles;
  Buffer<std::int32_t> air;  // bubble or body of liquid of each cell of the domain; empty without bubbles
  Buffer<RememberedBubble<D>> remembered;
  Buffer<LiquidRegion> bodies;
  Buffer<Index<D>> voids, let_go, film_cells;
  Buffer<FilmFace<D>> film;
  Buffer<CellSource<D>> sources;
  Buffer<Pose> rigid;  // of the solids that are rigid bodies
  // With air.model = two_phase:
  Buffer<std::int32_t> gas_occupied;
  Buffer<std::uint32_t> gas_cell_begin;
  Buffer<float> gas_velocity;
  // With liquid.narrow_band:
  Buffer<std::uint8_t> deep_mark;  // packed
  Buffer<float> deep_stock;
  // Of smoke:
  Buffer<float> smoke_density, smoke_temperature;
  // With solver.method = "stream_function": packed, kinds of edges one after another, and what solids have.
  Buffer<double> stream;
  Buffer<StreamColumn> stream_columns;
};

// Everything but the particles, which are large and already plain arrays: state.particles.arrays, and
// state.gas.particles.arrays.
template <int D>
Snapshot<D> take_snapshot(const Exec& exec, const State<D>& state);

// Puts a snapshot into a freshly initialised state of the same setup whose particle arrays have been filled.
template <int D>
void restore_snapshot(const Exec& exec, const Snapshot<D>& snapshot, State<D>& state);

// The count that visit_snapshot gives for an array that is saved whole.
inline constexpr std::int64_t whole_array = -1;

// Calls visit(name, buffer, count) for every array of a snapshot and its particles, so that saving and
// loading agree. Particle arrays have room to grow: only the first `count` are in use.
template <int D, class S, class P, class Visitor>
void visit_snapshot(S& snapshot, P& particles, P& gas, Visitor&& visit) {
  const auto v = [&](const char* name, auto& buffer) { visit(name, buffer, whole_array); };
  v("occupied", snapshot.occupied);
  v("active", snapshot.active);
  v("cell_begin", snapshot.cell_begin);
  v("thickness", snapshot.thickness);
  v("phi", snapshot.phi);
  v("velocity", snapshot.velocity);
  v("displacement", snapshot.displacement);
  v("pressure", snapshot.pressure);
  v("correction", snapshot.correction);
  v("viscous_pressure", snapshot.viscous_pressure);
  v("bubbles", snapshot.bubbles);
  v("air", snapshot.air);
  v("remembered", snapshot.remembered);
  v("bodies", snapshot.bodies);
  v("voids", snapshot.voids);
  v("let_go", snapshot.let_go);
  v("film_cells", snapshot.film_cells);
  v("film", snapshot.film);
  v("sources", snapshot.sources);
  v("rigid", snapshot.rigid);
  v("gas_occupied", snapshot.gas_occupied);
  v("gas_cell_begin", snapshot.gas_cell_begin);
  v("gas_velocity", snapshot.gas_velocity);
  v("deep_mark", snapshot.deep_mark);
  v("deep_stock", snapshot.deep_stock);
  v("smoke_density", snapshot.smoke_density);
  v("smoke_temperature", snapshot.smoke_temperature);
  v("stream", snapshot.stream);
  v("stream_columns", snapshot.stream_columns);
  const auto visit_particles = [&](const std::string& name, P& arrays, std::int64_t count) {
    if (count == 0) return;
    visit((name + "_id").c_str(), arrays.id, count);
    for (int n = 0; n < 2 * D + (snapshot.scalars.affine ? D * D : 0); ++n)
      visit((name + "_" + std::to_string(n)).c_str(), arrays.floats(n), count);
  };
  visit_particles("particle", particles, snapshot.scalars.particle_count);
  visit_particles("gas", gas, snapshot.scalars.gas_count);
}

}  // namespace glug
