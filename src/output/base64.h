// base64.h: bytes as text, written as they come, for files that are XML.
#pragma once

#include <cstddef>

#include "output/atomic_file.h"

namespace glug {

class Base64 {
 public:
  explicit Base64(AtomicFile& file) : file_(file) {}
  void write(const void* data, std::size_t bytes);
  // The last bytes, padded. Call once, at the end.
  void finish();

 private:
  AtomicFile& file_;
  unsigned char waiting_[3] = {};
  std::size_t count_ = 0;  // of them
};

}  // namespace glug
