// rate.h: a share that changes with time: how far an emitter or a drain is opened.
#pragma once

#include <vector>

namespace glug {

struct RateKey {
  double time = 0;  // s
  double rate = 1;  // 0 = shut, 1 = all of it
};

// Linear between keys, constant before the first and after the last.
struct Rate {
  std::vector<RateKey> keys;  // ascending times; empty = always 1

  double at(double time) const {
    if (keys.empty()) return 1;
    if (time <= keys.front().time) return keys.front().rate;
    for (std::size_t k = 1; k < keys.size(); ++k) {
      if (time > keys[k].time) continue;
      const double s = (time - keys[k - 1].time) / (keys[k].time - keys[k - 1].time);
      return keys[k - 1].rate + s * (keys[k].rate - keys[k - 1].rate);
    }
    return keys.back().rate;
  }
};

}  // namespace glug
