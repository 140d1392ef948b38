// exec.h: where loops run. Passed to everything that loops; there is no global thread count.
#pragma once

namespace glug {

enum class Device { cpu, cuda };

struct Exec {
  int threads = 1;
  Device device = Device::cpu;  // cuda: on the GPU, where the code was built for it (core/memory.h)
};

}  // namespace glug
