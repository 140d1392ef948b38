#include "simulation/snapshot.h"

#include <string>
#include <vector>

#include "core/for_each.h"
#include "simulation/snapshot_flaw.h"
#include "simulation/stream_stage.h"

namespace glug {
namespace {

// Copies between the cells of listed blocks (clipped to the field) and `packed`, block after block.
template <int D, class T>
void pack(const Exec& exec, const BlocksView<D>& blocks, View<D, const T> field, T* packed) {
  for_each_block(exec, blocks, [=](std::int32_t slot) {
    T* out = packed + static_cast<std::size_t>(slot) * block_volume<D>;
    const Range<D> block = blocks.indices(slot);
    visit(block, [&](const Index<D>& i) { *out++ = field.range.contains(i) ? field(i) : T{}; });
  });
}

template <int D, class T>
void unpack(const Exec& exec, const BlocksView<D>& blocks, const T* packed, View<D, T> field) {
  for_each_block(exec, blocks, [=](std::int32_t slot) {
    const T* in = packed + static_cast<std::size_t>(slot) * block_volume<D>;
    visit(blocks.indices(slot), [&](const Index<D>& i) {
      if (field.range.contains(i)) field(i) = *in;
      ++in;
    });
  });
}

template <int D>
Buffer<std::int32_t> ids_of(const Blocks<D>& blocks) {
  Buffer<std::int32_t> ids(blocks.ids().size());
  std::copy(blocks.ids().begin(), blocks.ids().end(), ids.begin());
  return ids;
}

// Which cells the particles are in.
template <int D>
void take_places(const Particles<D>& particles, Buffer<std::int32_t>& occupied,
                 Buffer<std::uint32_t>& cell_begin) {
  occupied = ids_of(particles.occupied);
  const std::size_t cells = occupied.size() * block_volume<D> + 1;
  cell_begin = Buffer<std::uint32_t>(cells);
  std::copy_n(particles.cell_begin.begin(), cells, cell_begin.begin());
}

template <int D>
void restore_places(const Grid<D>& grid, std::int64_t count, std::uint32_t next_id,
                    const Buffer<std::int32_t>& occupied, const Buffer<std::uint32_t>& cell_begin,
                    Particles<D>& particles) {
  particles.count = count;
  particles.next_id = next_id;
  particles.cell_begin = cell_begin;
  particles.occupied = blocks_of(grid, occupied);
  particles.key = Buffer<std::uint32_t>(static_cast<std::size_t>(particles.arrays.capacity()));
  particles.spare = ParticleArrays<D>();
}

template <int D>
void take_stream(const Exec& exec, const State<D>& state, Snapshot<D>& s) {
  const std::size_t n = s.active.size() * block_volume<D>;
  s.stream = Buffer<double>(n * stream_kinds<D>);
  if (!state.stream) return;
  for (std::size_t k = 0; k < stream_kinds<D>; ++k)
    pack<D, double>(exec, state.active.view(), state.stream->psi.read()[k], s.stream.data() + n * k);
  s.stream_columns = Buffer<StreamColumn>(state.stream->psi.columns.size());
  std::copy(state.stream->psi.columns.begin(), state.stream->psi.columns.end(), s.stream_columns.begin());
}

template <int D>
void restore_stream(const Exec& exec, const Snapshot<D>& s, State<D>& state) {
  state.stream = std::make_shared<StreamProjection<D>>(state.setup.grid);
  StreamFunction<D>& psi = state.stream->psi;
  const BlocksView<D> active = state.active.view();
  const std::size_t n = s.active.size() * block_volume<D>;
  for (std::size_t k = 0; k < stream_kinds<D>; ++k)
    unpack<D, double>(exec, active, s.stream.data() + n * k, psi.kind(static_cast<int>(k)));
  psi.edges.restrict_to(exec, psi.stack.blocks(active, state.active.ids()).view());
  psi.columns.assign(s.stream_columns.begin(), s.stream_columns.end());
}

}  // namespace

template <int D>
Snapshot<D> take_snapshot(const Exec& exec, const State<D>& state) {
  Snapshot<D> s;
  s.scalars = {state.step,
               state.particles.count,
               state.time,
               state.frame_time,
               state.dt,
               state.speed,
               state.target_volume,
               state.particle_volume,
               state.volume,
               state.hidden_volume,
               state.frame,
               state.displaced ? 1 : 0,
               state.particles.next_id,
               state.particles.arrays.has_affine() ? 1u : 0u,
               state.bubbles.next_id,
               state.bubbles.known ? 1 : 0,
               state.gas.particles.count,
               state.gas.particles.next_id,
               0,
               state.ledger,
               state.bubbles.gathered,
               state.deep.spare,
               {}};
  for (int a = 0; a < D; ++a) s.scalars.deep_beside[a] = state.deep.beside[a];
  s.bubbles = Buffer<Bubble<D>>(state.bubbles.list.size());
  std::copy(state.bubbles.list.begin(), state.bubbles.list.end(), s.bubbles.begin());
  s.remembered = Buffer<RememberedBubble<D>>(state.bubbles.remembered.size());
  std::copy(state.bubbles.remembered.begin(), state.bubbles.remembered.end(), s.remembered.begin());
  s.air = state.bubbles.regions.of_cell.values();
  s.bodies = Buffer<LiquidRegion>(state.bubbles.bodies.size());
  std::copy(state.bubbles.bodies.begin(), state.bubbles.bodies.end(), s.bodies.begin());
  s.voids = Buffer<Index<D>>(state.voids.size());
  std::copy(state.voids.begin(), state.voids.end(), s.voids.begin());
  s.let_go = Buffer<Index<D>>(state.let_go.size());
  std::copy(state.let_go.begin(), state.let_go.end(), s.let_go.begin());
  s.film_cells = Buffer<Index<D>>(state.film_cells.size());
  std::copy(state.film_cells.begin(), state.film_cells.end(), s.film_cells.begin());
  s.film = Buffer<FilmFace<D>>(state.film.size());
  std::copy(state.film.begin(), state.film.end(), s.film.begin());
  const std::vector<CellSource<D>> sources = sources_of(state);
  s.sources = Buffer<CellSource<D>>(sources.size());
  std::copy(sources.begin(), sources.end(), s.sources.begin());
  std::vector<Pose> rigid;
  for (const SolidBody& body : state.solids)
    if (body.rigid) rigid.push_back(body.pose);
  s.rigid = Buffer<Pose>(rigid.size());
  std::copy(rigid.begin(), rigid.end(), s.rigid.begin());
  s.active = ids_of(state.active);
  take_places(state.particles, s.occupied, s.cell_begin);
  const bool gas = state.setup.has_gas();
  if (gas) take_places(state.gas.particles, s.gas_occupied, s.gas_cell_begin);
  const BlocksView<D> active = state.active.view();
  const std::size_t n = s.active.size() * block_volume<D>;
  s.thickness = Buffer<std::uint8_t>(n);
  s.phi = Buffer<float>(n);
  s.pressure = Buffer<double>(n);
  s.correction = Buffer<double>(n);
  s.velocity = Buffer<float>(n * D);
  s.displacement = Buffer<float>(state.displaced ? n * D : 0);
  s.gas_velocity = Buffer<float>(gas ? n * D : 0);
  const bool smoke = state.setup.has_smoke();
  s.smoke_density = Buffer<float>(smoke ? n : 0);
  s.smoke_temperature = Buffer<float>(smoke ? n : 0);
  if (smoke) {
    pack<D, float>(exec, active, state.smoke.density.read(), s.smoke_density.data());
    pack<D, float>(exec, active, state.smoke.temperature.read(), s.smoke_temperature.data());
  }
  if (uses_stream(state)) take_stream(exec, state, s);
  if (state.deep.used()) {
    s.deep_mark = Buffer<std::uint8_t>(n);
    s.deep_stock = Buffer<float>(n);
    pack<D, std::uint8_t>(exec, active, state.deep.mark.read(), s.deep_mark.data());
    pack<D, float>(exec, active, state.deep.stock.read(), s.deep_stock.data());
  }
  pack<D, std::uint8_t>(exec, active, state.thickness.read(), s.thickness.data());
  pack<D, float>(exec, active, state.phi.read(), s.phi.data());
  pack<D, double>(exec, active, state.pressure.cells.read(), s.pressure.data());
  pack<D, double>(exec, active, state.correction.cells.read(), s.correction.data());
  if (state.viscous_pressure.cells.range().size() > 0) {
    s.viscous_pressure = Buffer<double>(n);
    pack<D, double>(exec, active, state.viscous_pressure.cells.read(), s.viscous_pressure.data());
  }
  for (int a = 0; a < D; ++a) {
    pack<D, float>(exec, active, state.velocity[a].read(),
                   s.velocity.data() + n * static_cast<std::size_t>(a));
    if (state.displaced)
      pack<D, float>(exec, active, state.displacement[a].read(),
                     s.displacement.data() + n * static_cast<std::size_t>(a));
    if (gas)
      pack<D, float>(exec, active, state.gas.velocity[a].read(),
                     s.gas_velocity.data() + n * static_cast<std::size_t>(a));
  }
  return s;
}

template <int D>
void restore_snapshot(const Exec& exec, const Snapshot<D>& s, State<D>& state) {
  state.step = s.scalars.step;
  state.frame = s.scalars.frame;
  state.time = s.scalars.time;
  state.frame_time = s.scalars.frame_time;
  state.dt = s.scalars.dt;
  state.speed = s.scalars.speed;
  state.hidden_volume = s.scalars.hidden_volume;
  state.target_volume = s.scalars.target_volume;
  state.particle_volume = s.scalars.particle_volume;
  state.volume = s.scalars.volume;
  state.displaced = s.scalars.displaced != 0;
  state.ledger = s.scalars.ledger;
  restore_places(state.setup.grid, s.scalars.particle_count, s.scalars.next_id, s.occupied, s.cell_begin,
                 state.particles);
  if (state.setup.has_gas())
    restore_places(state.setup.grid, s.scalars.gas_count, s.scalars.gas_next_id, s.gas_occupied,
                   s.gas_cell_begin, state.gas.particles);
  state.active = blocks_of(state.setup.grid, s.active);
  const BlocksView<D> active = state.active.view();
  const std::size_t n = s.active.size() * block_volume<D>;
  if (state.setup.has_smoke()) {
    unpack<D, float>(exec, active, s.smoke_density.data(), state.smoke.density.view());
    unpack<D, float>(exec, active, s.smoke_temperature.data(), state.smoke.temperature.view());
    state.smoke.system_ready = false;  // solids are not where they were at the start
  }
  if (uses_stream(state)) restore_stream(exec, s, state);
  if (state.deep.used()) {
    state.deep = DeepLiquid<D>(state.setup.grid);
    state.deep.spare = s.scalars.deep_spare;
    for (int a = 0; a < D; ++a) state.deep.beside[a] = s.scalars.deep_beside[a];
    unpack<D, std::uint8_t>(exec, active, s.deep_mark.data(), state.deep.mark.view());
    unpack<D, float>(exec, active, s.deep_stock.data(), state.deep.stock.view());
    list_deep(exec, active, state.deep);
  }
  unpack<D, std::uint8_t>(exec, active, s.thickness.data(), state.thickness.view());
  unpack<D, float>(exec, active, s.phi.data(), state.phi.view());
  unpack<D, double>(exec, active, s.pressure.data(), state.pressure.cells.view());
  unpack<D, double>(exec, active, s.correction.data(), state.correction.cells.view());
  if (s.viscous_pressure.size() > 0) {
    state.viscous_pressure = Vector<D>(state.setup.grid);
    unpack<D, double>(exec, active, s.viscous_pressure.data(), state.viscous_pressure.cells.view());
    state.viscous_pressure.restrict_to(exec, active);
  }
  state.pressure.restrict_to(exec, active);
  state.correction.restrict_to(exec, active);
  for (int a = 0; a < D; ++a) {
    unpack<D, float>(exec, active, s.velocity.data() + n * static_cast<std::size_t>(a),
                     state.velocity[a].view());
    if (state.displaced)
      unpack<D, float>(exec, active, s.displacement.data() + n * static_cast<std::size_t>(a),
                       state.displacement[a].view());
    if (state.setup.has_gas())
      unpack<D, float>(exec, active, s.gas_velocity.data() + n * static_cast<std::size_t>(a),
                       state.gas.velocity[a].view());
  }
  state.voids.assign(s.voids.begin(), s.voids.end());
  state.let_go.assign(s.let_go.begin(), s.let_go.end());
  state.film_cells.assign(s.film_cells.begin(), s.film_cells.end());
  state.film.assign(s.film.begin(), s.film.end());
  for (const CellSource<D>& source : s.sources) {
    state.source_cells.push_back(source.cell);
    state.source(source.cell) = source.rate;
  }
  if (s.air.size() > 0) {
    state.bubbles = Bubbles<D>(state.setup.grid);
    state.bubbles.regions.of_cell.values() = s.air;
    state.bubbles.list.assign(s.bubbles.begin(), s.bubbles.end());
    state.bubbles.remembered.assign(s.remembered.begin(), s.remembered.end());
    state.bubbles.gathered = s.scalars.gathered;
    state.bubbles.bodies.assign(s.bodies.begin(), s.bodies.end());
    state.bubbles.next_id = s.scalars.next_bubble;
    state.bubbles.known = s.scalars.bubbles_known != 0;
  }
  std::size_t rigid = 0;
  for (SolidBody& body : state.solids) {
    body.time = state.time;
    body.pose = body.rigid ? s.rigid[rigid++] : pose_at(body.motion, state.time);
  }
  std::fill(state.solid_known.begin(), state.solid_known.end(), SolidKnown::nothing);
}

#define GLUG_INSTANTIATE(D)                                            \
  template Snapshot<D> take_snapshot<D>(const Exec&, const State<D>&); \
  template void restore_snapshot<D>(const Exec&, const Snapshot<D>&, State<D>&);
GLUG_INSTANTIATE(2)
GLUG_INSTANTIATE(3)
#undef GLUG_INSTANTIATE

}  // namespace glug
