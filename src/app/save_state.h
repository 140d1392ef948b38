// save_state.h: a State as a checkpoint file and back.
#pragma once

#include <filesystem>
#include <string>

#include "core/exec.h"
#include "simulation/state.h"

namespace glug {

// Writes checkpoint/checkpoint.<step>.glug and drops older ones but one.
template <int D>
void save_state(const Exec& exec, const State<D>& state, const std::string& scene,
                const std::filesystem::path& folder);

// Puts a checkpoint into a freshly initialised state of the same scene. InputError when it belongs to
// another.
template <int D>
void load_state(const Exec& exec, const std::filesystem::path& checkpoint, State<D>& state);

}  // namespace glug
