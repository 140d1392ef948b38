#include "core/guarded.h"

#include <cstdio>
#include <exception>
#include <new>

#include "core/error.h"

namespace glug {
namespace {

void print_error(const char* text) { std::fprintf(stderr, "%s\n", text); }

}  // namespace

int guarded(const std::function<void()>& command) {
  try {
    command();
    return exit_done;
  } catch (const InputError& error) {
    print_error(error.what());
    return exit_bad_input;
  } catch (const Interrupted& error) {
    print_error(error.what());
    return exit_interrupted;
  } catch (const SimulationError& error) {
    print_error(error.what());
  } catch (const std::bad_alloc&) {
    print_error(
        "out of memory: a smaller grid.resolution needs less (`glug check SCENE` prints the estimate)");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "failed: %s\n", error.what());
  }
  return exit_failed;
}

}  // namespace glug
