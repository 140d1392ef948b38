// program.h: the command line: which command, with what; errors become messages and exit statuses.
#pragma once

namespace glug {

int run_program(int argc, char** argv);

}  // namespace glug
