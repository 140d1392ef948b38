// Threads that stay together from loop to loop.
#include "core/team.h"

#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <vector>

#include "core/equal_tasks.h"
#include "core/reduce.h"

namespace glug {
namespace {

TEST(Team, ManyShortLoopsDoEveryItemOnce) {
  for (const int threads : {1, 2, 3, 8}) {
    std::vector<int> count(1000, 0);
    int* of = count.data();
    with_team(Exec{threads}, [&](const Exec& exec) {
      auto add = [=](std::ptrdiff_t i) { ++of[i]; };
      for (std::ptrdiff_t n = 0; n < 1000; ++n)
        run_pieces(exec, {n, 7, n % 2 ? Deal::same : Deal::next}, add);
    });
    for (int i = 0; i < 1000; ++i) ASSERT_EQ(count[i], 999 - i);
  }
}

TEST(Team, ReturnsWhatWasFound) {
  const double sum = with_team(Exec{3}, [](const Exec& exec) {
    return reduce(exec, 100000, 0.0, Plus{}, [](std::ptrdiff_t i) { return static_cast<double>(i); });
  });
  EXPECT_EQ(sum, 0.5 * 100000 * 99999);
}

TEST(Team, IsOneTeamHoweverOftenItIsAskedFor) {
  with_team(Exec{2}, [](const Exec& outer) {
    ASSERT_NE(outer.team, nullptr);
    with_team(outer, [&](const Exec& inner) { EXPECT_EQ(inner.team, outer.team); });
  });
}

// The first thread does what others, who may have no core, have not begun.
TEST(Team, GivesEqualTasksToTheSameThreadsInEveryLoop) {
  with_team(Exec{4}, [&](const Exec& exec) {
    for (int loop = 0; loop < 100; ++loop) {
      std::vector<int> by(64);
      for_each_equal_task(exec, 64,
                          [out = by.data()](std::ptrdiff_t task) { out[task] = omp_get_thread_num(); });
      for (int task = 0; task < 64; ++task) EXPECT_TRUE(by[task] == task / 16 || by[task] == 0);
    }
  });
}

TEST(Team, DoesNotWaitForThreadsThatSleep) {
  std::atomic<int> awake{0};
  with_team(Exec{64}, [&](const Exec& exec) {  // more than there are cores
    for (int loop = 0; loop < 2000; ++loop) for_each_equal_task(exec, 64, [&](std::ptrdiff_t) { ++awake; });
  });
  EXPECT_EQ(awake, 2000 * 64);
}

TEST(SharedTasks, HaveEachTaskOnceAndSharesOfEqualWeight) {
  const auto before = [](std::int32_t n) {
    return std::int64_t{7} * n * n + 100;
  };  // the last ones weigh most
  for (const int threads : {1, 2, 5, 16, 300}) {
    SharedTasks tasks;
    tasks.share(threads, 200, before);
    EXPECT_LE(tasks.shares(), threads);
    std::vector<int> by(200, -1);
    int* thread = by.data();
    EXPECT_EQ(with_team(Exec{threads < 16 ? threads : 2},
                        [&](const Exec& exec) {
                          return tasks.sum(exec, [=](std::int32_t n) {
                            thread[n] = omp_get_thread_num();
                            return static_cast<double>(n);
                          });
                        }),
              199 * 100);
    if (threads > 5) continue;
    for (int t = 1; t < threads; ++t) {
      std::int64_t weight = 0;
      for (std::int32_t n = 0; n < 200; ++n)
        if (by[n] == t) weight += before(n + 1) - before(n);
      EXPECT_LT(static_cast<double>(weight), 7.0 * 200 * 200 / threads + 2 * 7 * 400);
    }
  }
}

TEST(Team, ALoopInsideALoopIsItsThreadsAlone) {
  std::vector<double> sums(40, 0);
  double* out = sums.data();
  with_team(Exec{4}, [&](const Exec& exec) {
    for_each_task(exec, 40, [=](std::ptrdiff_t task) {
      out[task] = reduce(exec, 10000, 0.0, Plus{}, [](std::ptrdiff_t) { return 1.0; });
    });
  });
  for (const double sum : sums) EXPECT_EQ(sum, 10000);
}

TEST(Team, GoesOnAfterALoopThatThrew) {
  with_team(Exec{3}, [](const Exec& exec) {
    for (int n = 0; n < 20; ++n) {
      EXPECT_THROW(for_each_equal_task(exec, 50,
                                       [=](std::ptrdiff_t task) {
                                         if (task % 9 == n % 9) throw std::runtime_error("one of several");
                                       }),
                   std::runtime_error);
      std::atomic<int> done{0};
      std::atomic<int>* count = &done;
      for_each_task(exec, 100, [=](std::ptrdiff_t) { ++*count; });
      EXPECT_EQ(done, 100);
    }
  });
}

TEST(Team, WhatItsWorkThrowsLeavesIt) {
  EXPECT_THROW(with_team(Exec{2}, [](const Exec&) { throw std::runtime_error("out"); }), std::runtime_error);
}

TEST(Team, InsideALoopOfAnotherIsOneThread) {
  std::vector<double> sums(8, 0);
  double* out = sums.data();
  for_each_task(Exec{2}, 8, [=](std::ptrdiff_t task) {
    out[task] = with_team(Exec{2}, [](const Exec& exec) {
      return reduce(exec, 20000, 0.0, Plus{}, [](std::ptrdiff_t) { return 1.0; });
    });
  });
  for (const double sum : sums) EXPECT_EQ(sum, 20000);
}

}  // namespace
}  // namespace glug
