// background_run.h: another `glug`, started beside this one and left to itself: it outlives us, and a Ctrl-C
// in our terminal is not for it.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace glug {

class BackgroundRun {
 public:
  ~BackgroundRun();
  // Starts this program with these arguments. SimulationError if that fails.
  void start(const std::vector<std::string>& arguments);
  // Whether the one that was started last is still there.
  bool going();
  // What it said before it ended, if it failed.
  const std::string& last_words() const { return last_words_; }

 private:
  void close_log();
  pid_t child_ = 0;
  int log_ = -1;  // a file without a name: its stderr
  std::string last_words_;
};

}  // namespace glug
