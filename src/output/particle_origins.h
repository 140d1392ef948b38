// particle_origins.h: when each particle of liquid was born and what it came from, by its id. Ids are given
// in order and never again, so nothing is carried with the particles: a number per id, and the time at which
// each batch of ids was given. Kept only where output.particle_attributes asks for age or source.
#pragma once

#include <vector>

#include "output/checkpoint.h"
#include "simulation/state.h"

namespace glug {

template <int D>
class ParticleOrigins {
 public:
  // Of a state as it was poured.
  ParticleOrigins(const Exec& exec, const State<D>& poured);
  // After every substep.
  void follow(const Exec& exec, const State<D>& state);

  // The number of its [[liquid.body]] (the first that holds it), or of its [[emitter]], counted on from
  // those.
  int source(std::uint32_t id) const { return sources_[id]; }
  double birth(std::uint32_t id) const;  // s

  void save(CheckpointWriter& writer) const;
  // InputError where the checkpoint has none.
  void load(const CheckpointReader& reader, const State<D>& state, const std::filesystem::path& path);

 private:
  struct Batch {
    std::uint32_t first = 0, padding = 0;  // id
    double time = 0;                       // s
  };
  std::vector<std::uint16_t> sources_;  // by id
  std::vector<Batch> batches_;          // ids ascend
};

}  // namespace glug
