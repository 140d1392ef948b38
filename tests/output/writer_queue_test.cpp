#include "output/writer_queue.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <vector>

namespace glug {
namespace {

TEST(WriterQueue, DoesJobsInTheOrderTheyCame) {
  std::vector<int> done;
  {
    WriterQueue queue(3);
    for (int n = 0; n < 50; ++n) queue.push([&done, n] { done.push_back(n); });
  }
  ASSERT_EQ(done.size(), 50u);
  for (int n = 0; n < 50; ++n) EXPECT_EQ(done[static_cast<std::size_t>(n)], n);
}

// What jobs hold is what waits in memory.
TEST(WriterQueue, HoldsNoMoreThanItMay) {
  std::atomic<int> alive{0}, most{0};
  struct Held {
    std::atomic<int>& alive;
    explicit Held(std::atomic<int>& a) : alive(a) { ++alive; }
    Held(const Held&) = delete;
    ~Held() { --alive; }
  };
  WriterQueue queue(2);
  for (int n = 0; n < 20; ++n) {
    auto held = std::make_shared<Held>(alive);
    queue.push([held] { std::this_thread::sleep_for(std::chrono::milliseconds(2)); });
    held.reset();
    most = std::max(most.load(), alive.load());
  }
  queue.drain();
  EXPECT_EQ(alive, 0);
  EXPECT_LE(most, 3);  // two in the queue and, for an instant, the one that is being let go
}

TEST(WriterQueue, ThrowsOnceWhatAJobThrewAndDropsThoseBehindIt) {
  WriterQueue queue(4);
  std::atomic<int> done{0};
  std::atomic<bool> open{false};
  queue.push([&] {
    while (!open) std::this_thread::yield();
    throw std::runtime_error("full");
  });
  queue.push([&] { ++done; });
  open = true;
  EXPECT_THROW(queue.drain(), std::runtime_error);
  EXPECT_EQ(done, 0);
  queue.push([&] { ++done; });
  queue.drain();
  EXPECT_EQ(done, 1);
}

TEST(WriterQueue, AFailureIsSeenByTheNextPush) {
  WriterQueue queue(1);
  queue.push([] { throw std::runtime_error("full"); });
  EXPECT_THROW(
      {
        for (int n = 0; n < 1000; ++n) queue.push([] {});
      },
      std::runtime_error);
}

TEST(WriterQueue, WithoutRoomDoesJobsAtOnce) {
  WriterQueue queue(0);
  int done = 0;
  queue.push([&] { ++done; });
  EXPECT_EQ(done, 1);
  EXPECT_THROW(queue.push([] { throw std::runtime_error("full"); }), std::runtime_error);
  queue.drain();
}

}  // namespace
}  // namespace glug
