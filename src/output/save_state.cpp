#include "output/save_state.h"

#include <fmt/format.h>

#include <sstream>

#include "core/error.h"
#include "output/atomic_file.h"
#include "output/checkpoint.h"
#include "output/checkpoint_folder.h"
#include "simulation/snapshot_flaw.h"

namespace glug {

template <int D>
void write_state(const Exec& exec, const State<D>& state, const std::string& scene,
                 const std::vector<TableRows>& tables, const std::filesystem::path& file,
                 const ParticleOrigins<D>* origins) {
  const Snapshot<D> snapshot = take_snapshot(exec, state);
  CheckpointWriter writer;
  writer.add_text("scene", scene);
  std::string lines;
  for (const TableRows& t : tables) lines += fmt::format("{} {}\n", t.name, t.rows);
  writer.add_text("tables", lines);
  writer.add_value("dimension", static_cast<std::int32_t>(D));
  writer.add_value("scalars", snapshot.scalars);
  visit_snapshot<D>(snapshot, state.particles.arrays, state.gas.particles.arrays,
                    [&](const char* name, const auto& buffer, std::int64_t count) {
                      writer.add(name, buffer.data(),
                                 count == whole_array ? buffer.size() : static_cast<std::size_t>(count));
                    });
  if (origins) origins->save(writer);
  writer.commit(file);
}

template <int D>
void save_state(const Exec& exec, const State<D>& state, const std::string& scene,
                const std::vector<TableRows>& tables, const std::filesystem::path& folder,
                const ParticleOrigins<D>* origins) {
  make_subfolder(folder);
  write_state(exec, state, scene, tables, checkpoint_path(folder, state.step), origins);
  prune_checkpoints(folder);
}

std::vector<TableRows> tables_at(const std::filesystem::path& checkpoint) {
  std::istringstream lines(CheckpointReader(checkpoint).text("tables"));
  std::vector<TableRows> tables;
  for (TableRows t; lines >> t.name >> t.rows;) tables.push_back(t);
  return tables;
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
  const auto refuse = [&](const std::string& flaw) {
    throw InputError({checkpoint.string(), 0, 0},
                     "is not what this program writes: " + flaw + "; delete it, resume uses the one before");
  };
  // Before memory is taken for as many as it says.
  if (snapshot.scalars.gas_count > 0 && !state.setup.has_gas()) refuse("it has gas where the scene has none");
  if (snapshot.scalars.particle_count != static_cast<std::int64_t>(reader.count("particle_id")) ||
      snapshot.scalars.gas_count != static_cast<std::int64_t>(reader.count("gas_id")))
    refuse("it holds another number of particles than it says");
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
  if (const std::string flaw = snapshot_flaw(snapshot, state); !flaw.empty()) refuse(flaw);
  restore_snapshot(exec, snapshot, state);
}

#define GLUG_INSTANTIATE(D)                                                                 \
  template void write_state<D>(const Exec&, const State<D>&, const std::string&,            \
                               const std::vector<TableRows>&, const std::filesystem::path&, \
                               const ParticleOrigins<D>*);                                  \
  template void save_state<D>(const Exec&, const State<D>&, const std::string&,             \
                              const std::vector<TableRows>&, const std::filesystem::path&,  \
                              const ParticleOrigins<D>*);                                   \
  template void load_state<D>(const Exec&, const std::filesystem::path&, State<D>&);
GLUG_INSTANTIATE(2)
GLUG_INSTANTIATE(3)
#undef GLUG_INSTANTIATE

}  // namespace glug
