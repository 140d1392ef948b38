#include "output/frame_of_state.h"

#include "output/particle_places.h"
#include "simulation/stream_stage.h"

namespace glug {

template <int D>
FrameData<D> frame_of(const Exec& exec, const State<D>& state) {
  FrameData<D> data;
  const Particles<D>& particles = state.particles;
  data.positions = Buffer<Vec<D, float>>(static_cast<std::size_t>(particles.count));
  data.velocities = Buffer<Vec<D, float>>(static_cast<std::size_t>(particles.count));
  Vec<D, float>*x = data.positions.data(), *v = data.velocities.data();
  const ParticleViewOf<D, const float> p = particles.arrays.view();
  for_each_particle(exec, state, [=](std::uint32_t n, const Index<D>&, const Vec<D, double>& place) {
    x[n] = place.template as<float>();
    for (int a = 0; a < D; ++a) v[n][a] = p.velocity[a][n];
  });
  Frame<D>& f = data.frame;
  f.number = state.frame;
  f.time = state.time;
  f.fps = state.setup.time.fps;
  f.grid = state.setup.grid;
  f.sides = state.setup.sides;
  f.blocks = state.active.view();
  f.phi = state.phi.read();
  f.solid = state.solid.read();
  f.velocity = state.velocity.read();
  f.pressure = state.pressure.cells.read();
  f.volume = state.volume;
  f.particle_count = particles.count;
  f.positions = data.positions.data();
  f.velocities = data.velocities.data();
  f.ids = particles.arrays.id.data();
  if (!state.bubbles.list.empty()) {
    f.air = state.bubbles.regions.of_cell.read();
    for (const Bubble<D>& b : state.bubbles.list) f.bubble_ids.push_back(b.free ? 0 : b.id);
  }
  if (!state.tiles.list.empty()) f.tile = state.tiles.of_cell.read();
  if (state.stream) f.stream = state.stream->psi.read();
  if (state.setup.has_smoke()) {
    f.density = state.smoke.density.read();
    f.temperature = state.smoke.temperature.read();
  }
  for (std::size_t n = 0; n < state.solids.size(); ++n) {
    const SolidBody& body = state.solids[n];
    const SolidSetup& setup = state.setup.solids[n];
    f.solids.push_back({&body.shape, body.pose, body.moves(), setup.look, setup.name});
  }
  return data;
}

template FrameData<2> frame_of<2>(const Exec&, const State<2>&);
template FrameData<3> frame_of<3>(const Exec&, const State<3>&);

}  // namespace glug
