// buffer.h: owned, zeroed memory, with the CPU or on a device.
// Large buffers come straight from the operating system, so a field over a huge domain only
// occupies the pages its active blocks touch. Elements of a device buffer are reached by kernels alone.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include "core/memory.h"

namespace glug {

template <class T>
class Buffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Buffer() = default;
  explicit Buffer(std::size_t n, Memory memory = Memory::host) { allocate(n, memory); }
  Buffer(const Buffer& o) : Buffer(o, o.memory_) {}
  // Not zeroed: for what writes all of it first.
  static Buffer unset(std::size_t n, Memory memory) {
    Buffer made;
    made.allocate(n, memory, allocate_unset);
    return made;
  }
  // A copy that lies elsewhere.
  Buffer(const Buffer& o, Memory memory) {
    allocate(o.size_, memory);
    copy_bytes(data_, memory_, o.data_, o.memory_, size_ * sizeof(T));
  }
  Buffer(Buffer&& o) noexcept { swap(o); }
  Buffer& operator=(Buffer o) noexcept {
    swap(o);
    return *this;
  }
  ~Buffer() {
    if (data_) release(data_, memory_);
  }

  void swap(Buffer& o) noexcept {
    std::swap(data_, o.data_);
    std::swap(size_, o.size_);
    std::swap(memory_, o.memory_);
  }
  Memory memory() const { return memory_; }
  T* data() { return data_; }
  const T* data() const { return data_; }
  std::size_t size() const { return size_; }
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }

 private:
  void allocate(std::size_t n, Memory memory, void* (*some)(std::size_t, Memory) = allocate_zeroed) {
    memory_ = memory;
    if (n == 0) return;
    data_ = static_cast<T*>(some(n * sizeof(T), memory));
    size_ = n;
  }
  T* data_ = nullptr;
  std::size_t size_ = 0;
  Memory memory_ = Memory::host;
};

// Between buffers of one size, wherever they lie.
template <class T>
void copy_numbers(const Buffer<T>& from, Buffer<T>& to) {
  copy_bytes(to.data(), to.memory(), from.data(), from.memory(), from.size() * sizeof(T));
}

}  // namespace glug
