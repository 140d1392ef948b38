// guarded.h: a command of a program: what it throws becomes a message on stderr and an exit status.
#pragma once

#include <functional>

namespace glug {

inline constexpr int exit_done = 0;
inline constexpr int exit_bad_input = 2;
inline constexpr int exit_failed = 3;
inline constexpr int exit_interrupted = 130;

int guarded(const std::function<void()>& command);

}  // namespace glug
