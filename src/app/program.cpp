#include "app/program.h"
namespace glug {
int run_program(int, char**) { return 0; }
}  // namespace glug
