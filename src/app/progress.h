// progress.h: how far a run is. On a terminal one live line; in a pipe or a log a plain line at most once a
// second, at frames. Everything goes to stderr, so that stdout stays clean.
#pragma once

#include <chrono>
#include <string>

#include "simulation/report.h"

namespace glug {

enum class ProgressStyle { none, live, lines };
// live on a terminal, lines elsewhere.
ProgressStyle progress_style_of_stderr();

// "1:05:09", "12:30", "0:07"
std::string duration_text(double seconds);
// "950", "12.3 k", "8.50 M"
std::string count_text(double count);

class Progress {
 public:
  // `first_frame` is where this session starts: what was done before it says nothing about its speed.
  Progress(ProgressStyle style, int first_frame, int frames, double seconds_per_frame);
  ~Progress() { finish(); }
  void update(const StepReport& report);
  // A line of text that stays.
  void say(const std::string& text);
  void finish();

 private:
  using Clock = std::chrono::steady_clock;
  std::string line(const StepReport& report) const;
  ProgressStyle style_;
  int first_frame_, frames_;
  double frame_length_;  // s of simulated time
  Clock::time_point start_ = Clock::now(), shown_{};
  bool open_ = false;  // a live line stands on the terminal
};

}  // namespace glug
