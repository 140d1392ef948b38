#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "bench/yardsticks.h"

namespace glug {
namespace {

// A folder of our own that goes away with us.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "glug_hypre.XXXXXX").string();
    if (mkdtemp(name.data())) path_ = name;
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// Runs a command with its words as they are, output to a file; returns the exit status, or -1.
int run_words(const std::vector<std::string>& words, const std::filesystem::path& log) {
  const pid_t child = fork();
  if (child < 0) return -1;
  if (child == 0) {
    // A helper for a measurement on one machine: MPI need not mind who starts it.
    setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
    setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
    if (!std::freopen(log.c_str(), "w", stdout) || dup2(fileno(stdout), fileno(stderr)) < 0) _exit(126);
    std::vector<char*> argv;
    for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    execvp(argv[0], argv.data());
    _exit(127);
  }
  int status = 0;
  if (waitpid(child, &status, 0) != child || !WIFEXITED(status)) return -1;
  return WEXITSTATUS(status);
}

std::string last_line(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::string line, last;
  while (std::getline(in, line))
    if (!line.empty()) last = line;
  return last;
}

}  // namespace

HypreRuns solve_with_hypre(const std::filesystem::path& program, int resolution,
                           const std::vector<double>& tolerances, int ranks) {
  HypreRuns result;
  const std::filesystem::path helper = program.parent_path() / "glug_hypre";
  if (!std::filesystem::exists(helper)) {
    result.reason = "this build has no hypre (package libhypre-dev)";
    return result;
  }
  const ScratchFolder scratch;
  if (scratch.path().empty()) {
    result.reason = "no temporary folder could be made";
    return result;
  }
  std::vector<std::string> words = {"mpirun",
                                    "-np",
                                    std::to_string(ranks),
                                    "--oversubscribe",
                                    helper.string(),
                                    std::to_string(resolution),
                                    scratch.path().string()};
  for (double tolerance : tolerances) words.push_back(fmt::format("{}", tolerance));
  const int status = run_words(words, scratch.path() / "log");
  if (status != 0) {
    result.reason = status == 127 ? "mpirun is not installed (package mpi-default-bin)"
                                  : "it failed: " + last_line(scratch.path() / "log");
    return result;
  }
  // One line per run: method, tolerance, set-up, solve, iterations, file of the solution.
  std::ifstream in(scratch.path() / "runs");
  std::string line;
  while (std::getline(in, line)) {
    std::istringstream words_in(line);
    HypreRun run;
    std::string file;
    words_in >> run.method >> run.tolerance >> run.outcome.setup >> run.outcome.solve >>
        run.outcome.iterations >> file;
    const std::filesystem::path path = scratch.path() / file;
    std::error_code missing;
    const std::uintmax_t bytes = std::filesystem::file_size(path, missing);
    if (!words_in || missing) continue;
    run.outcome.solution.resize(static_cast<std::size_t>(bytes / sizeof(double)));
    std::ifstream solution(path, std::ios::binary);
    solution.read(reinterpret_cast<char*>(run.outcome.solution.data()), static_cast<std::streamsize>(bytes));
    result.runs.push_back(std::move(run));
  }
  if (result.runs.empty()) result.reason = "it gave no result: " + last_line(scratch.path() / "log");
  return result;
}

}  // namespace glug
