#include "output/particle_origins.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/for_each.h"
#include "output/particle_places.h"

namespace glug {

template <int D>
ParticleOrigins<D>::ParticleOrigins(const Exec& exec, const State<D>& poured)
    : sources_(poured.particles.next_id), batches_{{}} {
  std::vector<ShapeSdf> bodies;
  for (const BodySetup& b : poured.setup.bodies) bodies.emplace_back(b.shape);
  std::vector<ShapeView> views;
  for (const ShapeSdf& b : bodies) views.push_back(b.view());
  const ShapeView* body = views.data();
  const std::size_t count = views.size();
  const std::uint32_t* id = poured.particles.arrays.id.data();
  std::uint16_t* out = sources_.data();
  // Liquid that was poured up to a wall may lie a little outside: the nearest one is its body then.
  for_each_particle(exec, poured, [=](std::uint32_t i, const Index<D>&, const Vec<D, double>& x) {
    double least = HUGE_VAL;
    for (std::size_t b = 0; b < count && least > 0; ++b)
      if (const double d = body[b].distance(embed<D>(x)); d < least) {
        least = d;
        out[id[i]] = static_cast<std::uint16_t>(b);
      }
  });
}

template <int D>
void ParticleOrigins<D>::follow(const Exec& exec, const State<D>& state) {
  const auto known = static_cast<std::uint32_t>(sources_.size());
  if (state.particles.next_id == known) return;
  batches_.push_back({known, 0, state.time});
  sources_.resize(state.particles.next_id);
  struct Place {
    ShapeView shape;
    Pose pose;
  };
  std::vector<Place> places;
  for (const Tap& t : state.emitters)
    places.push_back({t.body.shape.view(), pose_at(t.body.motion, state.time)});
  const Place* emitter = places.data();
  const std::size_t count = places.size(), bodies = state.setup.bodies.size();
  const std::uint32_t* id = state.particles.arrays.id.data();
  std::uint16_t* out = sources_.data();
  for_each_particle(exec, state, [=](std::uint32_t i, const Index<D>&, const Vec<D, double>& x) {
    if (id[i] < known) return;
    double least = HUGE_VAL;
    for (std::size_t e = 0; e < count; ++e)
      if (const double d = emitter[e].shape.distance(emitter[e].pose.to_body(embed<D>(x))); d < least) {
        least = d;
        out[id[i]] = static_cast<std::uint16_t>(bodies + e);
      }
  });
}

template <int D>
double ParticleOrigins<D>::birth(std::uint32_t id) const {
  const auto after = std::upper_bound(batches_.begin(), batches_.end(), id,
                                      [](std::uint32_t i, const Batch& b) { return i < b.first; });
  return (after - 1)->time;
}

template <int D>
void ParticleOrigins<D>::save(CheckpointWriter& writer) const {
  writer.add("particle_sources", sources_.data(), sources_.size());
  writer.add("particle_births", batches_.data(), batches_.size());
}

template <int D>
void ParticleOrigins<D>::load(const CheckpointReader& reader, const State<D>& state,
                              const std::filesystem::path& path) {
  if (!reader.has("particle_sources") || !reader.has("particle_births"))
    throw InputError({path.string(), 0, 0},
                     "does not know how old particles are and where they came from: the run began without "
                     "output.particle_attributes; resume without \"age\" and \"source\", or start again with "
                     "--overwrite");
  sources_ = reader.get_vector<std::uint16_t>("particle_sources");
  batches_ = reader.get_vector<Batch>("particle_births");
  bool good = sources_.size() == state.particles.next_id && !batches_.empty() && batches_[0].first == 0;
  for (std::size_t n = 1; good && n < batches_.size(); ++n) good = batches_[n - 1].first < batches_[n].first;
  if (!good)
    throw InputError({path.string(), 0, 0},
                     "is not what this program writes: its particles' origins do not fit them; delete it, "
                     "resume uses the one before");
}

template class ParticleOrigins<2>;
template class ParticleOrigins<3>;

}  // namespace glug
