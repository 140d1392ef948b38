// bubble_memory_test.cpp: what a bubble gets back that free air had swallowed (B4).
#include "regions/bubble_memory.h"

#include <gtest/gtest.h>

namespace glug {
namespace {

// Free air remembers one bubble of 100 cells that should have 104, and gives back one of so many cells.
struct GivenBack {
  std::vector<RememberedBubble<2>> remembered;
  std::vector<Bubble<2>> now;
  BubbleEvents events;

  explicit GivenBack(double volume) {
    remembered.push_back({7, 100, 104, {10, 10}, 1});
    Bubble<2> young, outside;
    young.id = 9;
    young.volume = young.rest_volume = volume;
    young.center = {11, 10};
    outside.id = 7;  // what swallowed it goes by its name
    outside.volume = outside.rest_volume = 1000;
    outside.center = {10, 40};
    outside.free = outside.ambient = true;
    now = {young, outside};
    recall_bubbles<2>({}, Kinship{{}, {}, {1, 1}, {}}, 1.0, remembered, now, events);
  }
};

TEST(BubbleMemory, AFlickerOfAFewCellsGivesTheWholeRestVolumeBack) {
  for (double volume : {96.0, 100.0, 104.0}) {
    const GivenBack b(volume);
    EXPECT_EQ(b.now[0].id, 7);
    EXPECT_EQ(b.now[1].id, 9);
    EXPECT_EQ(b.now[0].rest_volume, 104);
    EXPECT_EQ(b.events.gathered, volume - 104);
    EXPECT_TRUE(b.remembered.empty());
  }
}

// Of a bubble that comes back in two parts the larger was grown to the size of both.
TEST(BubbleMemory, APartOfABubbleGetsItsPartOfTheRestVolume) {
  for (double volume : {80.0, 90.0, 120.0}) {
    const GivenBack b(volume);
    EXPECT_EQ(b.now[0].id, 7);
    EXPECT_DOUBLE_EQ(b.now[0].rest_volume, 1.04 * volume);
    EXPECT_DOUBLE_EQ(b.now[0].rest_volume + b.events.gathered, volume);
  }
}

TEST(BubbleMemory, WhatIsLessThanThreeQuartersIsAnotherBubble) {
  const GivenBack b(70);
  EXPECT_EQ(b.now[0].id, 9);
  EXPECT_EQ(b.now[0].rest_volume, 70);
  EXPECT_EQ(b.events.gathered, 0);
  EXPECT_EQ(b.remembered.size(), 1u);
}

}  // namespace
}  // namespace glug
