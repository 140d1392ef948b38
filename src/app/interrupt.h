// interrupt.h: Ctrl-C asks; the run loop answers between two substeps. A second Ctrl-C ends the program at
// once.
#pragma once

namespace glug {

// While it lives, SIGINT and SIGTERM only raise a flag.
class InterruptGuard {
 public:
  InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
  ~InterruptGuard();
  bool asked() const;
};

}  // namespace glug
