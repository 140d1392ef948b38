// writer_queue.h: what is written beside the simulation: one thread that does jobs in the order they came.
// Bounded: push() waits while `most` jobs are waiting or under way. What a job throws is thrown by the next
// push() or drain(), once; jobs behind it are dropped, for they would come after a hole.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

namespace glug {

class WriterQueue {
 public:
  // most = 0: push() does the job itself, at once.
  explicit WriterQueue(int most);
  WriterQueue(const WriterQueue&) = delete;
  WriterQueue& operator=(const WriterQueue&) = delete;
  // Does what is waiting; what that throws is lost: drain() before, where it matters.
  ~WriterQueue();

  void push(std::function<void()> job);
  // Returns when nothing is waiting or under way.
  void drain();

 private:
  void work();
  void throw_failure();  // under the lock
  const std::size_t most_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> jobs_;  // the first is under way
  std::exception_ptr failure_;
  bool closing_ = false;
  std::thread thread_;
};

}  // namespace glug
