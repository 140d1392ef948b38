// child.h: the program as a child with limits, and how it ended.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace glug::fuzz {

struct Limits {
  int cpu_seconds = 40;    // of computing: what others do on the machine does not count
  int wall_seconds = 120;  // for what neither computes nor ends: of waiting without computing
  int memory_mb = 4096;    // of address space; 0 = any (sanitizers reserve terabytes)
};

struct Ended {
  int status = 0;     // exit status; meaningless if ..
  int signal = 0;     // .. it was ended by one
  bool late = false;  // by us, or by the limit of its time
  std::string out, err;
};

// Safe to call from several threads with different folders, which the child works in.
Ended run_child(const std::filesystem::path& program, const std::vector<std::string>& arguments,
                const std::filesystem::path& folder, const Limits& limits);

}  // namespace glug::fuzz
