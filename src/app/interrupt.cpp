#include "app/interrupt.h"

#include <csignal>

namespace glug {
namespace {

// A signal handler has no arguments: this is the one place that must be global.
volatile std::sig_atomic_t asked_to_stop = 0;

void on_signal(int signal) {
  if (asked_to_stop) std::signal(signal, SIG_DFL), std::raise(signal);
  asked_to_stop = 1;
}

}  // namespace

InterruptGuard::InterruptGuard() {
  asked_to_stop = 0;
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
}
InterruptGuard::~InterruptGuard() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}
bool InterruptGuard::asked() const { return asked_to_stop != 0; }

}  // namespace glug
