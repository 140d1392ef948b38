// problems.h: collects everything that is wrong with a scene, so that the user sees all of it at once.
#pragma once

#include <string>
#include <vector>

#include "core/error.h"

namespace glug {

class Problems {
 public:
  void add(SourceLocation where, std::string message) {
    list_.push_back({std::move(where), std::move(message)});
  }
  bool empty() const { return list_.empty(); }
  std::size_t count() const { return list_.size(); }
  // Throws one InputError with all of them, in the order of the file.
  void throw_if_any() const;

 private:
  std::vector<Problem> list_;
};

}  // namespace glug
