#include "fuzz/child.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <stdexcept>
#include <thread>

#include "fuzz/files.h"

namespace glug::fuzz {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

void limit(int what, rlim_t most, rlim_t grace = 0) {
  const rlimit value{most, most + grace};
  setrlimit(what, &value);
}

inline constexpr double some_computing = 0.2;  // s

double cpu_seconds_of(pid_t child) {
  clockid_t clock{};
  timespec time{};
  if (clock_getcpuclockid(child, &clock) != 0 || clock_gettime(clock, &time) != 0) return 0;
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// Only what may be called between fork and exec in a program with threads.
[[noreturn]] void become(const char* program, char** argv, const char* folder, const Limits& limits) {
  if (chdir(folder) != 0) _exit(99);
  dup2(open("stdout", O_WRONLY | O_CREAT | O_TRUNC, 0644), 1);
  dup2(open("stderr", O_WRONLY | O_CREAT | O_TRUNC, 0644), 2);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_CPU, static_cast<rlim_t>(limits.cpu_seconds), 5);  // SIGXCPU first, which tells the cause
  if (limits.memory_mb > 0) limit(RLIMIT_AS, static_cast<rlim_t>(limits.memory_mb) << 20);
  execv(program, argv);
  _exit(98);
}

}  // namespace

Ended run_child(const fs::path& program, const std::vector<std::string>& arguments, const fs::path& folder,
                const Limits& limits) {
  std::vector<std::string> words = arguments;
  words.insert(words.begin(), program.string());
  std::vector<char*> argv;
  for (std::string& w : words) argv.push_back(w.data());
  argv.push_back(nullptr);
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("no process can be started");
  if (child == 0) become(program.c_str(), argv.data(), folder.c_str(), limits);

  Ended ended;
  int status = 0;
  // On a busy machine a child may wait for minutes: it hangs only if it has not computed meanwhile.
  Clock::time_point seen = Clock::now();
  double computed = 0;
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (!ended.late && Clock::now() - seen > std::chrono::seconds(limits.wall_seconds)) {
      const double now = cpu_seconds_of(child);
      ended.late = now < computed + some_computing;
      if (ended.late) kill(child, SIGKILL);
      computed = now;
      seen = Clock::now();
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  if (WIFSIGNALED(status)) {
    ended.signal = WTERMSIG(status);
    if (ended.signal == SIGXCPU) ended.late = true;
  } else {
    ended.status = WEXITSTATUS(status);
  }
  ended.out = read_bytes(folder / "stdout");
  ended.err = read_bytes(folder / "stderr");
  return ended;
}

}  // namespace glug::fuzz
