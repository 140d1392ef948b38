// exec.h: where loops run. Passed to everything that loops; there is no global thread count.
#pragma once

namespace glug {

enum class Device { cpu, cuda };

class Team;

struct Exec {
  int threads = 1;
  Device device = Device::cpu;  // cuda: on the GPU, where the code was built for it (core/memory.h)
  Team* team = nullptr;         // the threads, where they stay together from loop to loop (core/team.h)
};

}  // namespace glug
