// say.h: what commands that work tell beside it. Never throws: a run goes on though nobody listens any more,
// the disk of its log is full or the pipe is closed.
#pragma once

#include <cstdio>
#include <string>

namespace glug {

inline void say(const std::string& line, std::FILE* to = stderr) {
  const std::string text = line + "\n";
  std::fwrite(text.data(), 1, text.size(), to);
  std::fflush(to);
}

}  // namespace glug
