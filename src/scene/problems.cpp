#include "scene/problems.h"

#include <algorithm>
#include <tuple>

namespace glug {

void Problems::throw_if_any() const {
  if (list_.empty()) return;
  std::vector<Problem> sorted = list_;
  // What the command line said comes after what the file says.
  const auto place = [](const Problem& p) {
    return std::tuple(p.where.line == 0, p.where.line, p.where.column);
  };
  std::stable_sort(sorted.begin(), sorted.end(),
                   [&](const Problem& a, const Problem& b) { return place(a) < place(b); });
  throw InputError(std::move(sorted));
}

}  // namespace glug
