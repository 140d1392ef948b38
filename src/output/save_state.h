// save_state.h: a State as a checkpoint file and back.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/exec.h"
#include "output/particle_origins.h"
#include "simulation/state.h"

namespace glug {

// A table of the run, and how many rows it has when a checkpoint is written.
struct TableRows {
  std::string name;
  std::int64_t rows = 0;
};

// Writes one file; whatever had the name before is replaced. `origins` may be null.
template <int D>
void write_state(const Exec& exec, const State<D>& state, const std::string& scene,
                 const std::vector<TableRows>& tables, const std::filesystem::path& file,
                 const ParticleOrigins<D>* origins = nullptr);

// Writes checkpoint/checkpoint.<step>.glug and drops older ones but one.
template <int D>
void save_state(const Exec& exec, const State<D>& state, const std::string& scene,
                const std::vector<TableRows>& tables, const std::filesystem::path& folder,
                const ParticleOrigins<D>* origins = nullptr);

// The tables as they were when a checkpoint was written.
std::vector<TableRows> tables_at(const std::filesystem::path& checkpoint);

// Puts a checkpoint into a freshly initialised state of the same scene. InputError when it belongs to
// another.
template <int D>
void load_state(const Exec& exec, const std::filesystem::path& checkpoint, State<D>& state);

}  // namespace glug
