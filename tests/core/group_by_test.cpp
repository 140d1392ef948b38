// What entries lead to is numbered as it first appears, near or far, of either sign.
#include "core/group_by.h"

#include <gtest/gtest.h>

#include <map>

namespace glug {
namespace {

struct Entry {
  std::ptrdiff_t to;
};

TEST(NumberTargets, AsTheyFirstAppear) {
  std::vector<std::ptrdiff_t> found{7};
  EXPECT_EQ(number_targets(std::vector<Entry>{{40}, {-3}, {40}, {41}, {-3}, {1 << 30}}, found),
            (std::vector<std::int32_t>{0, 1, 0, 2, 1, 3}));
  EXPECT_EQ(found, (std::vector<std::ptrdiff_t>{40, -3, 41, 1 << 30}));
  EXPECT_TRUE(number_targets(std::vector<Entry>{}, found).empty());
  EXPECT_TRUE(found.empty());
}

// Rows whose distance is a power of two, as those of a grid may be.
TEST(NumberTargets, EachOnceWhateverTheirDistance) {
  for (const std::ptrdiff_t distance : {1, 16, 64, 4096, 1 << 20}) {
    std::vector<Entry> entries;
    for (std::ptrdiff_t row = 0; row < 50; ++row)
      for (std::ptrdiff_t k = 0; k < 40; ++k) entries.push_back({row * distance + k - 300});
    for (std::ptrdiff_t k = 0; k < 999; ++k) entries.push_back(entries[(7 * k) % entries.size()]);
    std::map<std::ptrdiff_t, std::int32_t> expected;
    std::vector<std::ptrdiff_t> found;
    const std::vector<std::int32_t> number = number_targets(entries, found);
    ASSERT_EQ(number.size(), entries.size());
    for (std::size_t n = 0; n < entries.size(); ++n) {
      const auto [at, is_new] = expected.emplace(entries[n].to, static_cast<std::int32_t>(expected.size()));
      ASSERT_EQ(number[n], at->second);
      ASSERT_EQ(found[number[n]], entries[n].to);
    }
    EXPECT_EQ(found.size(), expected.size());
  }
}

}  // namespace
}  // namespace glug
