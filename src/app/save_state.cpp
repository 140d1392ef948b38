#include "app/save_state.h"

#include <fmt/format.h>

#include "core/error.h"
#include "output/atomic_file.h"
#include "output/checkpoint.h"
#include "output/checkpoint_folder.h"
#include "simulation/snapshot.h"

namespace glug {

template <int D>
void save_state(const Exec& exec, const State<D>& state, const std::string& scene,
                const std::filesystem::path& folder) {
  const Snapshot<D> snapshot = take_snapshot(exec, state);
  CheckpointWriter writer;
  writer.add_text("scene", scene);
  writer.add_value("dimension", static_cast<std::int32_t>(D));
  writer.add_value("scalars", snapshot.scalars);
  visit_snapshot<D>(snapshot, state.particles.arrays, state.gas.particles.arrays,
                    [&](const char* name, const auto& buffer, std::int64_t count) {
                      writer.add(name, buffer.data(),
                                 count == whole_array ? buffer.size() : static_cast<std::size_t>(count));
                    });
  make_folder(folder);
  writer.commit(checkpoint_path(folder, state.step));
  prune_checkpoints(folder);
}

template <int D>
void load_state(const Exec& exec, const std::filesystem::path& checkpoint, State<D>& state) {
  const CheckpointReader reader(checkpoint);
  if (const int dimension = reader.value<std::int32_t>("dimension"); dimension != D)
    throw InputError(
        {checkpoint.string(), 0, 0},
        fmt::format("is of a run in {}D, the scene is in {}D: --overwrite starts again", dimension, D));
  Snapshot<D> snapshot;
  snapshot.scalars = reader.value<typename Snapshot<D>::Scalars>("scalars");
  const auto room = [&](std::int64_t count) {
    return ParticleArrays<D>(count + count / 16 + 64, snapshot.scalars.affine != 0);
  };
  state.particles.arrays = room(snapshot.scalars.particle_count);
  if (state.setup.has_gas()) state.gas.particles.arrays = room(snapshot.scalars.gas_count);
  visit_snapshot<D>(snapshot, state.particles.arrays, state.gas.particles.arrays,
                    [&]<class T>(const char* name, Buffer<T>& buffer, std::int64_t count) {
                      if (count == whole_array)
                        buffer = reader.get<T>(name);
                      else
                        reader.copy_to(name, buffer.data(), static_cast<std::size_t>(count));
                    });
  restore_snapshot(exec, snapshot, state);
}

#define GLUG_INSTANTIATE(D)                                                     \
  template void save_state<D>(const Exec&, const State<D>&, const std::string&, \
                              const std::filesystem::path&);                    \
  template void load_state<D>(const Exec&, const std::filesystem::path&, State<D>&);
GLUG_INSTANTIATE(2)
GLUG_INSTANTIATE(3)
#undef GLUG_INSTANTIATE

}  // namespace glug
