// buffer.h: owned, zeroed memory whose untouched pages cost nothing.
// Large buffers come straight from the operating system, so a field over a huge domain only
// occupies the pages its active blocks touch.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>

namespace glug {

template <class T>
class Buffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Buffer() = default;
  explicit Buffer(std::size_t n) { allocate(n); }
  Buffer(const Buffer& o) {
    allocate(o.size_);
    if (size_) std::memcpy(static_cast<void*>(data_), o.data_, size_ * sizeof(T));
  }
  Buffer(Buffer&& o) noexcept { swap(o); }
  Buffer& operator=(Buffer o) noexcept {
    swap(o);
    return *this;
  }
  ~Buffer() { std::free(data_); }

  void swap(Buffer& o) noexcept {
    std::swap(data_, o.data_);
    std::swap(size_, o.size_);
  }
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
  void allocate(std::size_t n) {
    if (n == 0) return;
    data_ = static_cast<T*>(std::calloc(n, sizeof(T)));
    if (!data_) throw std::bad_alloc();
    size_ = n;
  }
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace glug
