#include "app/background_run.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>

#include "core/error.h"
#include "core/guarded.h"

extern char** environ;

namespace glug {

BackgroundRun::~BackgroundRun() { close_log(); }

void BackgroundRun::close_log() {
  if (log_ >= 0) close(log_);
  log_ = -1;
}

void BackgroundRun::start(const std::vector<std::string>& arguments) {
  close_log();
  last_words_.clear();
  log_ = memfd_create("stderr of a run", MFD_CLOEXEC);
  std::vector<std::string> words{"glug"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& w : words) argv.push_back(w.data());
  argv.push_back(nullptr);

  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&files);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&files, log_, 2);
  posix_spawn_file_actions_addclosefrom_np(&files, 3);  // above all the server's sockets
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
  const int error = posix_spawn(&child_, "/proc/self/exe", &files, &attributes, argv.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  if (error != 0) {
    child_ = 0;
    throw SimulationError(std::string("the run could not be started: ") + std::strerror(error));
  }
}

bool BackgroundRun::going() {
  if (child_ == 0) return false;
  int status = 0;
  if (waitpid(child_, &status, WNOHANG) == 0) return true;
  child_ = 0;
  const bool well =
      WIFEXITED(status) && (WEXITSTATUS(status) == exit_done || WEXITSTATUS(status) == exit_interrupted);
  struct stat log;
  if (!well && fstat(log_, &log) == 0) {
    last_words_.resize(static_cast<std::size_t>(log.st_size));
    const ssize_t got = pread(log_, last_words_.data(), last_words_.size(), 0);
    last_words_.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    if (last_words_.empty()) last_words_ = "the run ended without a word";
  }
  close_log();
  return false;
}

}  // namespace glug
