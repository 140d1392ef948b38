// `glug bench` is a program of its own: no run needs the suites, so the first build does without them.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "app/commands.h"
#include "core/error.h"

namespace glug {

void bench_command(const std::vector<std::string>& words) {
  std::error_code unknown;
  const std::filesystem::path suites =
      std::filesystem::read_symlink("/proc/self/exe", unknown).parent_path() / "glug_bench";
  if (!std::filesystem::exists(suites))
    throw InputError(
        fmt::format("glug bench is a program of its own, and {} is not there: `./glug bench` in the checkout "
                    "builds it, as "
                    "does `cmake --build --preset release --target bench_program`",
                    suites.string()));
  std::vector<char*> arguments{const_cast<char*>(suites.c_str())};
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  execv(suites.c_str(), arguments.data());
  throw InputError(fmt::format("cannot start {}: {}", suites.string(), std::strerror(errno)));
}

}  // namespace glug
