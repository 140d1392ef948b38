// union_find.h: sets of numbers that are joined pair by pair; a set is known by its least member.
#pragma once

#include <cstdint>
#include <vector>

namespace glug {

class UnionFind {
 public:
  explicit UnionFind(std::size_t count) : parent_(count) {
    for (std::size_t n = 0; n < count; ++n) parent_[n] = static_cast<std::int32_t>(n);
  }
  // A new set of one member, its number.
  std::int32_t add() {
    parent_.push_back(static_cast<std::int32_t>(parent_.size()));
    return parent_.back();
  }
  std::int32_t root(std::int32_t n) {
    while (parent_[n] != n) n = parent_[n] = parent_[parent_[n]];
    return n;
  }
  // Returns the root of both.
  std::int32_t join(std::int32_t x, std::int32_t y) {
    x = root(x);
    y = root(y);
    return x < y ? parent_[y] = x : parent_[x] = y;
  }

 private:
  std::vector<std::int32_t> parent_;
};

}  // namespace glug
