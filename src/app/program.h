// program.h: the command line: which command, with what; errors become messages and exit statuses.
#pragma once

namespace glug {

enum ExitStatus : int { exit_done = 0, exit_bad_input = 2, exit_failed = 3, exit_interrupted = 130 };

int run_program(int argc, char** argv);

}  // namespace glug
