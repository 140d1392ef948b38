#include "core/memory.h"

#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <vector>

#include "core/error.h"

#ifdef GLUG_CUDA
#include <cuda_runtime.h>
#endif

namespace glug {
namespace {

// From so many bytes on memory comes straight from the operating system and goes straight back: pages that
// nobody touches cost nothing. The C library keeps what was given back (it raises its own limit to 32 MB with
// the first such block), and hands it out again with every page touched by clearing it.
inline constexpr std::size_t large = std::size_t{1} << 20;
// Before every block: how much was mapped, 0 = by the C library. As long as keeps the block's alignment.
inline constexpr std::size_t head_bytes = 64;

void* host_zeroed(std::size_t bytes) {
  const std::size_t all = bytes + head_bytes;
  void* block = nullptr;
  if (bytes < large) {
    block = std::calloc(all, 1);
  } else {
    block = mmap(nullptr, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (block == MAP_FAILED) block = nullptr;
  }
  if (!block) throw std::bad_alloc();
  *static_cast<std::size_t*>(block) = bytes < large ? 0 : all;
  return static_cast<char*>(block) + head_bytes;
}

void host_release(void* data) noexcept {
  void* block = static_cast<char*>(data) - head_bytes;
  const std::size_t mapped = *static_cast<std::size_t*>(block);
  if (mapped > 0)
    (void)munmap(block, mapped);
  else
    std::free(block);
}

}  // namespace

#ifdef GLUG_CUDA

namespace {

cudaStream_t the_stream() {
  static const cudaStream_t stream = [] {
    // Memory that is given back is kept for the next that asks: asking the driver costs a tenth of a
    // millisecond.
    cudaMemPool_t pool{};
    std::uint64_t keep = UINT64_MAX;
    if (cudaDeviceGetDefaultMemPool(&pool, 0) == cudaSuccess)
      (void)cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep);
    cudaStream_t made{};
    (void)cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking);
    return made;
  }();
  return stream;
}

// Copies to the device that wait to be sent.
struct Copies {
  std::vector<void*> to;
  std::vector<const void*> from;
  std::vector<std::size_t> bytes;

  void add(void* at, const void* data, std::size_t n) {
    to.push_back(at);
    from.push_back(data);
    bytes.push_back(n);
  }
  void clear() {
    to.clear();
    from.clear();
    bytes.clear();
  }
};
thread_local Copies collected;
thread_local bool collecting = false;

}  // namespace

Sending::Sending() : outermost_(!collecting) { collecting = true; }
Sending::~Sending() {
  if (!outermost_) return;
  collecting = false;
  collected.clear();
}
void Sending::send() {
  if (!outermost_ || collected.to.empty()) return;
  bool sent = false;
#if CUDART_VERSION >= 13000
  cudaMemcpyAttributes how{};
  how.srcAccessOrder = cudaMemcpySrcAccessOrderDuringApiCall;
  std::size_t first = 0;
  sent = cudaMemcpyBatchAsync(collected.to.data(), collected.from.data(), collected.bytes.data(),
                              collected.to.size(), &how, &first, 1, the_stream()) == cudaSuccess;
  if (!sent) (void)cudaGetLastError();
#endif
  for (std::size_t k = 0; k < collected.to.size() && !sent; ++k)
    (void)cudaMemcpyAsync(collected.to[k], collected.from[k], collected.bytes[k], cudaMemcpyDefault,
                          the_stream());
  collected.clear();
  cuda::check("sending lists");
}

void* allocate_unset(std::size_t bytes, Memory memory) {
  if (memory == Memory::host) return host_zeroed(bytes);
  void* data = nullptr;
  if (cudaMallocAsync(&data, bytes, the_stream()) != cudaSuccess) {
    (void)cudaGetLastError();
    throw std::bad_alloc();
  }
  return data;
}

void* allocate_zeroed(std::size_t bytes, Memory memory) {
  void* data = allocate_unset(bytes, memory);
  if (memory == Memory::device) (void)cudaMemsetAsync(data, 0, bytes, the_stream());
  return data;
}

void release(void* data, Memory memory) noexcept {
  if (memory == Memory::host)
    host_release(data);
  else
    (void)cudaFreeAsync(data, the_stream());
}

void copy_bytes(void* to, Memory to_memory, const void* from, Memory from_memory, std::size_t bytes) {
  if (bytes == 0) return;
  if (to_memory == Memory::host && from_memory == Memory::host) {
    std::memcpy(to, from, bytes);
    return;
  }
  if (collecting && from_memory == Memory::host) return collected.add(to, from, bytes);
  (void)cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, the_stream());
  if (to_memory == Memory::host) (void)cudaStreamSynchronize(the_stream());
  cuda::check("copying");
}

std::string why_no_cuda() {
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error == cudaSuccess && count > 0) return "";
  (void)cudaGetLastError();
  return std::string("no GPU can be used: ") +
         (error == cudaSuccess ? "this machine has none" : cudaGetErrorString(error));
}

std::string cuda_name() {
  cudaDeviceProp properties{};
  if (!why_no_cuda().empty() || cudaGetDeviceProperties(&properties, 0) != cudaSuccess) return "";
  return properties.name;
}

void finish(const Exec& exec) {
  if (exec.device != Device::cuda) return;
  (void)cudaDeviceSynchronize();
  cuda::check("the device's loops");
}

namespace cuda {

void* loop_stream() { return the_stream(); }

void check(const char* what) {
  const cudaError_t error = cudaGetLastError();
  if (error != cudaSuccess)
    throw SimulationError(std::string("the GPU failed while ") + what + ": " + cudaGetErrorString(error));
}

void* scratch(std::size_t bytes) {
  static void* data = nullptr;
  static std::size_t size = 0;
  if (bytes > size) {
    if (data) release(data, Memory::device);
    size = bytes + bytes / 2;
    data = allocate_zeroed(size, Memory::device);
  }
  return data;
}

}  // namespace cuda

#else

namespace {
constexpr const char* no_cuda = "this build has no CUDA: configure with `cmake --preset cuda`";
}

void* allocate_zeroed(std::size_t bytes, Memory memory) {
  if (memory == Memory::device) throw SimulationError(no_cuda);
  return host_zeroed(bytes);
}
void* allocate_unset(std::size_t bytes, Memory memory) { return allocate_zeroed(bytes, memory); }
void release(void* data, Memory) noexcept { host_release(data); }
void copy_bytes(void* to, Memory to_memory, const void* from, Memory from_memory, std::size_t bytes) {
  if (to_memory == Memory::device || from_memory == Memory::device) throw SimulationError(no_cuda);
  if (bytes > 0) std::memcpy(to, from, bytes);
}
Sending::Sending() : outermost_(false) {}
Sending::~Sending() = default;
void Sending::send() {}
std::string why_no_cuda() { return no_cuda; }
std::string cuda_name() { return ""; }
void finish(const Exec& exec) {
  if (exec.device == Device::cuda) throw SimulationError(no_cuda);
}

#endif

void cuda::not_built_for_device() {
  throw std::logic_error("a loop that was not built for the GPU ran there");
}

}  // namespace glug
