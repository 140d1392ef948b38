// memory.h: the two places numbers can lie: with the CPU, or on the GPU. Loops on a device reach only what
// lies there (core/buffer.h, core/list.h); everything else stays with the CPU.
#pragma once

#include <cstddef>
#include <string>

#include "core/exec.h"

namespace glug {

enum class Memory { host, device };
inline Memory memory_of(const Exec& exec) {
  return exec.device == Device::cuda ? Memory::device : Memory::host;
}

// Zeroed. Throws std::bad_alloc.
void* allocate_zeroed(std::size_t bytes, Memory memory);
// The same, with anything in it where clearing would take time.
void* allocate_unset(std::size_t bytes, Memory memory);
void release(void* data, Memory memory) noexcept;
void copy_bytes(void* to, Memory to_memory, const void* from, Memory from_memory, std::size_t bytes);

// While one lives, what this thread copies to a device is collected; send() copies it all at once, which
// costs little more than one copy. Until then nothing of it may change.
class Sending {
 public:
  Sending();
  ~Sending();
  Sending(const Sending&) = delete;
  Sending& operator=(const Sending&) = delete;
  void send();

 private:
  bool outermost_;
};

// Empty where a GPU can be used, else why not, in words for the user.
std::string why_no_cuda();
// Such as "NVIDIA H200"; empty without one.
std::string cuda_name();
// Waits until the device has done all it was told: before a clock is read.
void finish(const Exec& exec);

namespace cuda {
// A loop was asked to run on a device, but the host's compiler made it: an error in our own code.
[[noreturn]] void not_built_for_device();
// The stream all loops and copies run in, one after the other.
void* loop_stream();
// Throws SimulationError if the device reported an error since the last call.
void check(const char* what);
// Device memory for partial results, at least this large; the same at every call.
void* scratch(std::size_t bytes);
}  // namespace cuda

}  // namespace glug
