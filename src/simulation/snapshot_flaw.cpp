#include "simulation/snapshot_flaw.h"
#include "simulation/stream_stage.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace glug {
namespace {

constexpr std::int64_t most_particles = 0xfffffff0;  // they are numbered in 32 bits

template <class T>
bool all_finite(const Buffer<T>& values) {
  return std::all_of(values.begin(), values.end(), [](T v) { return std::isfinite(v); });
}

bool finite(std::initializer_list<double> values) {
  return std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
}

// A byte that is neither 0 nor 1 is no bool, and must not be read as one.
bool is_bool(const bool& flag) {
  unsigned char byte;
  std::memcpy(&byte, &flag, 1);
  return byte <= 1;
}

bool lists_blocks(const Buffer<std::int32_t>& ids, std::int32_t total) {
  std::int32_t last = -1;
  for (std::int32_t id : ids) {
    if (id <= last || id >= total) return false;
    last = id;
  }
  return true;
}

// Of the particles of a phase and the cells they are in.
template <int D>
std::string places_flaw(const Grid<D>& grid, std::int64_t count, const Buffer<std::int32_t>& occupied,
                        const Buffer<std::uint32_t>& cell_begin, const ParticleArrays<D>& arrays) {
  if (!lists_blocks(occupied, Blocks<D>(grid).total())) return "blocks of particles lie outside the domain";
  if (cell_begin.size() != occupied.size() * block_volume<D> + 1 || cell_begin[0] != 0)
    return "particles are listed for another number of cells";
  const Blocks<D> blocks = blocks_of(grid, occupied);
  const BlocksView<D> view = blocks.view();
  for (std::int32_t slot = 0; slot < view.count; ++slot)
    for (int c = 0; c < block_volume<D>; ++c) {
      const std::size_t k = static_cast<std::size_t>(slot) * block_volume<D> + static_cast<std::size_t>(c);
      if (cell_begin[k + 1] < cell_begin[k]) return "particles are not in the order of their cells";
      if (cell_begin[k + 1] > cell_begin[k] &&
          !grid.cell_range().contains(cell_of_number<D>(c, view.indices(slot).lo)))
        return "particles lie outside the domain";
    }
  if (cell_begin[cell_begin.size() - 1] != static_cast<std::uint64_t>(count))
    return "cells hold another number of particles than there are";
  const ParticleViewOf<D, const float> p = arrays.view();
  for (std::int64_t i = 0; i < count; ++i)
    for (int a = 0; a < D; ++a) {
      if (!(p.offset[a][i] >= 0 && p.offset[a][i] < 1)) return "particles lie outside their cells";
      if (!std::isfinite(p.velocity[a][i])) return "velocities of particles are no numbers";
    }
  if (arrays.has_affine())
    for (std::int64_t i = 0; i < count; ++i)
      for (int n = 0; n < D * D; ++n)
        if (!std::isfinite(p.affine[n][i])) return "velocities of particles are no numbers";
  return {};
}

template <int D>
std::string scalars_flaw(const typename Snapshot<D>::Scalars& s, const Setup<D>& setup) {
  if (s.step < 0 || s.frame < 0 || s.frame > s.step) return "it is of no substep";
  const double frame = 1 / setup.time.fps;
  if (!finite({s.time, s.frame_time, s.dt, s.speed}) || s.frame_time < 0 || s.frame_time > frame ||
      s.dt < 0 || s.dt > frame * (1 + 1e-9) ||
      std::abs(s.time - s.frame * frame - s.frame_time) > 1e-6 * frame)
    return "its times do not fit together";
  if (!finite({s.target_volume,
               s.particle_volume,
               s.volume,
               s.hidden_volume,
               s.gathered,
               s.deep_spare,
               s.deep_beside[0],
               s.deep_beside[1],
               s.deep_beside[2],
               s.ledger.inflow,
               s.ledger.outflow,
               s.ledger.solid_work,
               s.ledger.pending_work,
               s.ledger.kinetic_energy,
               s.ledger.smoke,
               s.ledger.heat,
               s.ledger.smoke_inflow,
               s.ledger.smoke_outflow,
               s.ledger.smoke_error,
               s.ledger.energy.high,
               s.ledger.energy.moving,
               s.ledger.energy.fallen,
               s.ledger.energy.worked,
               s.ledger.energy.released,
               s.ledger.energy.now,
               s.ledger.energy.least,
               s.ledger.energy.grain,
               s.ledger.energy.lifting,
               s.ledger.energy.begun}) ||
      !(s.particle_volume > 0))
    return "its volumes are no numbers";
  // One fills a cell or a part of it.
  constexpr double least = 1e-6, most = 1e3;
  const double cells = s.particle_volume / setup.grid.cell_volume();
  if (!(cells > least && cells < most)) return "its particles are of an impossible size";
  if (s.particle_count < 0 || s.particle_count > most_particles || s.gas_count < 0 ||
      s.gas_count > most_particles || (s.gas_count > 0 && !setup.has_gas()))
    return "it has an impossible number of particles";
  if ((s.affine != 0) != (setup.liquid.transfer == Transfer::apic))
    return "its particles are of another liquid.transfer";
  return {};
}

template <int D>
std::string bubbles_flaw(const Snapshot<D>& s, const Setup<D>& setup) {
  const Range<D> cells = setup.grid.cell_range();
  for (const Index<D>& i : s.voids)
    if (!cells.contains(i)) return "voids lie outside the domain";
  for (const Index<D>& i : s.let_go)
    if (!cells.contains(i)) return "cells that leave walls lie outside the domain";
  for (const Index<D>& i : s.film_cells)
    if (!cells.contains(i)) return "films lie outside the domain";
  for (const FilmFace<D>& f : s.film) {
    if (f.axis < 0 || f.axis >= D || !cells.contains(f.face)) return "films lie outside the domain";
    if (!std::isfinite(f.velocity) || !(f.opening > 0)) return "its films are no numbers";
  }
  if (s.sources.size() > 0 && setup.emitters.empty()) return "it has sources where the scene has none";
  for (const CellSource<D>& source : s.sources) {
    if (!cells.contains(source.cell)) return "sources lie outside the domain";
    if (!std::isfinite(source.rate)) return "its sources are no numbers";
  }
  if (!setup.has_bubbles()) {
    if (s.air.size() + s.bubbles.size() + s.remembered.size() + s.bodies.size() > 0)
      return "it has bubbles where the scene has none";
    return {};
  }
  if (static_cast<std::int64_t>(s.air.size()) != cells.grown(1).size())
    return "its air is of another number of cells";
  const std::int64_t regions = static_cast<std::int64_t>(s.bubbles.size() + s.bodies.size());
  for (std::int32_t r : s.air)
    if (r < -1 || r >= regions) return "cells belong to bubbles that are not there";
  for (const Bubble<D>& b : s.bubbles) {
    if (!is_bool(b.ambient) || !is_bool(b.free) || !is_bool(b.tracked) || !is_bool(b.was_free) ||
        !finite({b.volume, b.rest_volume, b.area, b.pressure, b.viscous_pressure, norm(b.center)}))
      return "its bubbles are none";
    if (b.unknown < -1 || b.unknown >= static_cast<std::int32_t>(s.bubbles.size()))
      return "its bubbles have impossible unknowns";
  }
  for (const RememberedBubble<D>& b : s.remembered)
    if (!finite({b.volume, b.rest_volume, norm(b.center)})) return "bubbles it remembers are none";
  for (const LiquidRegion& b : s.bodies)
    if (!finite({b.volume, b.rest_volume})) return "its bodies of liquid are none";
  return {};
}

}  // namespace

template <int D>
std::string snapshot_flaw(const Snapshot<D>& s, const State<D>& state) {
  const Setup<D>& setup = state.setup;
  const auto& scalars = s.scalars;
  if (const std::string flaw = scalars_flaw<D>(scalars, setup); !flaw.empty()) return flaw;
  if (const std::string flaw =
          places_flaw(setup.grid, scalars.particle_count, s.occupied, s.cell_begin, state.particles.arrays);
      !flaw.empty())
    return flaw;
  std::size_t rigid = 0;
  for (const SolidBody& body : state.solids) rigid += body.rigid;
  if (s.rigid.size() != rigid) return "it has another number of rigid bodies";
  for (const Pose& p : s.rigid) {
    double size = norm(p.position) + norm(p.velocity) + norm(p.angular_velocity);
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) size += std::abs(p.world_from_body.m[i][j]);
    if (!std::isfinite(size)) return "its rigid bodies are nowhere";
  }
  if (setup.has_gas()) {
    if (const std::string flaw = places_flaw(setup.grid, scalars.gas_count, s.gas_occupied, s.gas_cell_begin,
                                             state.gas.particles.arrays);
        !flaw.empty())
      return flaw;
  }
  const Blocks<D> needed = setup.has_gas() || setup.has_smoke()
                               ? Blocks<D>::all(setup.grid)
                               : blocks_of(setup.grid, s.occupied).dilated(1);
  if (!lists_blocks(s.active, needed.total()) ||
      !std::includes(s.active.begin(), s.active.end(), needed.ids().begin(), needed.ids().end()))
    return "its fields are of other blocks than its particles";
  const std::size_t n = s.active.size() * block_volume<D>;
  if (s.thickness.size() != n || s.phi.size() != n || s.pressure.size() != n || s.correction.size() != n ||
      s.velocity.size() != n * D || s.displacement.size() != (scalars.displaced ? n * D : 0) ||
      (s.viscous_pressure.size() != n && s.viscous_pressure.size() != 0) ||
      s.gas_velocity.size() != (setup.has_gas() ? n * D : 0) ||
      s.deep_mark.size() != (state.deep.used() ? n : 0) || s.deep_stock.size() != s.deep_mark.size() ||
      s.smoke_density.size() != (setup.has_smoke() ? n : 0) ||
      s.smoke_temperature.size() != (setup.has_smoke() ? n : 0) ||
      s.stream.size() != (uses_stream(state) ? n * stream_kinds<D> : 0))
    return "its fields have another number of cells than its blocks";
  if (!all_finite(s.phi) || !all_finite(s.velocity) || !all_finite(s.displacement) ||
      !all_finite(s.pressure) || !all_finite(s.correction) || !all_finite(s.viscous_pressure) ||
      !all_finite(s.gas_velocity) || !all_finite(s.deep_stock) || !all_finite(s.smoke_density) ||
      !all_finite(s.smoke_temperature) || !all_finite(s.stream) ||
      std::any_of(s.stream_columns.begin(), s.stream_columns.end(),
                  [](const StreamColumn& c) { return !std::isfinite(c.value); }))
    return "its fields hold what is no number";
  if (std::any_of(s.thickness.begin(), s.thickness.end(), [](std::uint8_t t) { return t > spray_liquid; }))
    return "its liquid has an impossible thickness";
  if (std::any_of(s.deep_mark.begin(), s.deep_mark.end(), [](std::uint8_t m) { return m > is_deep; }))
    return "its liquid is neither deep nor not";
  return bubbles_flaw(s, setup);
}

template std::string snapshot_flaw<2>(const Snapshot<2>&, const State<2>&);
template std::string snapshot_flaw<3>(const Snapshot<3>&, const State<3>&);

}  // namespace glug
