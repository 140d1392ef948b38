// stopwatch.h: wall-clock time. Reports only: no result depends on it.
#pragma once

#include <chrono>

namespace glug {

class Stopwatch {
 public:
  // Since it was made.
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
  // Adds the seconds since the last lap to whoever is named.
  void lap(double& seconds) {
    const Clock::time_point now = Clock::now();
    seconds += std::chrono::duration<double>(now - last_).count();
    last_ = now;
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_ = start_;
};

}  // namespace glug
