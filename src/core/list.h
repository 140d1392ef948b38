// list.h: a list the CPU makes and kernels read (or work on), wherever they run.
//
//   list.host.push_back(...);      // the CPU's copy
//   list.publish(exec);            // kernels under this exec see it now; free on the CPU
//   const T* items = list.data();  // for kernels
//   list.make_room(exec);          // the same where kernels write first: nothing is copied
//   list.fetch();                  // what kernels wrote, in `host`; free on the CPU
//
// Invariant: data() is what the last publish() showed; on the CPU it is `host` itself.
#pragma once

#include <vector>

#include "core/buffer.h"

namespace glug {

template <class T>
class List {
 public:
  std::vector<T> host;

  void publish(const Exec& exec) {
    make_room(exec);
    if (memory_ == Memory::device)
      copy_bytes(device_.data(), memory_, host.data(), Memory::host, host.size() * sizeof(T));
  }
  void make_room(const Exec& exec) {
    memory_ = memory_of(exec);
    if (memory_ == Memory::device && device_.size() < host.size())
      device_ = Buffer<T>::unset(host.size() + host.size() / 2, memory_);
  }
  // Brings back what kernels wrote.
  void fetch() {
    if (memory_ == Memory::device)
      copy_bytes(host.data(), Memory::host, device_.data(), memory_, host.size() * sizeof(T));
  }
  T* data() { return memory_ == Memory::host ? host.data() : device_.data(); }
  const T* data() const { return memory_ == Memory::host ? host.data() : device_.data(); }
  std::size_t size() const { return host.size(); }
  bool empty() const { return host.empty(); }

 private:
  Buffer<T> device_;
  Memory memory_ = Memory::host;
};

// Shows several lists, or what consists of lists.
template <class... Lists>
void publish(const Exec& exec, Lists&... lists) {
  Sending all;
  (lists.publish(exec), ...);
  all.send();
}

}  // namespace glug
