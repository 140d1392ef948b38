// program.h: the command line: which command, with what; errors become messages and exit statuses.
#pragma once

namespace glug {

inline constexpr int exit_done = 0;
inline constexpr int exit_bad_input = 2;
inline constexpr int exit_failed = 3;
inline constexpr int exit_interrupted = 130;

int run_program(int argc, char** argv);

}  // namespace glug
