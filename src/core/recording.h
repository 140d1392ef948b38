// recording.h: a fixed sequence of loops that a device plays again without being told each one anew, which
// costs more than a small loop itself. On the CPU the loops simply run.
//
//   recording.play(exec, [&] { ... });   // loops alone: no copies, no new memory, the same things every time
//   recording.forget();                  // when they change
#pragma once

#include <memory>

#include "core/exec.h"

namespace glug {

class Recording {
 public:
  template <class F>
  void play(const Exec& exec, F f) {
    if (exec.device == Device::cpu) return f();
    if (!known_) {
      begin();
      try {
        f();
      } catch (...) {
        end();
        throw;
      }
      end();
      known_ = true;
    }
    launch();
  }
  void forget() { known_ = false; }

 private:
  struct Forget {
    void operator()(void* graph) const;
  };
  void begin();
  void end();
  void launch();
  std::unique_ptr<void, Forget> graph_;  // kept: a sequence of the same kind takes its place quickly
  bool known_ = false;
};

}  // namespace glug
