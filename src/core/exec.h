// exec.h: where loops run. Passed to everything that loops; there is no global thread count.
#pragma once

namespace glug {

struct Exec {
  int threads = 1;
};

}  // namespace glug
