#include "app/last_words.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>

#include "core/guarded.h"

namespace glug {
namespace {

// Neither std::terminate nor exit has arguments: this must be global. Room of its own, since there may be no
// other left.
char words[4096] = "";

void say(const char* text) { (void)!write(STDERR_FILENO, text, std::strlen(text)); }

[[noreturn]] void end(const char* why) {
  say(why);
  say("\n");
  say(words);
  _exit(exit_failed);
}

[[noreturn]] void on_terminate() {
  static bool entered = false;
  if (entered) _exit(exit_failed);
  entered = true;
  try {
    if (std::current_exception()) std::rethrow_exception(std::current_exception());
  } catch (const std::bad_alloc&) {
    end("the run failed: out of memory");
  } catch (const std::exception& error) {
    say("a thread failed, as happens when memory or threads run out: ");
    end(error.what());
  } catch (...) {
  }
  end("the run failed: a thread ended without a reason");
}

// A run never calls exit: only a library that gives up does.
void on_exit() {
  if (words[0] != 0) end("the run failed: no thread could be started, as happens when memory runs out");
}

}  // namespace

LastWords::LastWords(const std::string& text) { std::snprintf(words, sizeof words, "%s\n", text.c_str()); }
LastWords::~LastWords() { words[0] = 0; }

void prepare_last_words() {
  std::set_terminate(on_terminate);
  std::atexit(on_exit);
}

}  // namespace glug
