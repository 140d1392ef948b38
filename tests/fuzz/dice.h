// dice.h: chance with a seed: what the grammar and the mutator ask for.
#pragma once

#include <cmath>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <vector>

#include "core/random.h"

namespace glug::fuzz {

class Dice {
 public:
  Dice(std::uint64_t seed, std::uint64_t key) : random_(seed, key) {}

  bool chance(double p) { return random_.uniform() < static_cast<float>(p); }
  double between(double low, double high) {
    return low + (high - low) * static_cast<double>(random_.uniform());
  }
  double log_between(double low, double high) { return std::exp(between(std::log(low), std::log(high))); }
  int whole(int low, int high) {
    return low + static_cast<int>(below(static_cast<std::size_t>(high - low + 1)));
  }
  std::size_t below(std::size_t count) { return static_cast<std::size_t>(random_.bits() >> 11) % count; }
  std::string word(std::initializer_list<const char*> words) { return words.begin()[below(words.size())]; }
  template <class T>
  const T& pick(const std::vector<T>& list) {
    return list[below(list.size())];
  }

 private:
  Rng random_;
};

}  // namespace glug::fuzz
