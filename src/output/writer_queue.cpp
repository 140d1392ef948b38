#include "output/writer_queue.h"

#include <execinfo.h>
#include <omp.h>
#include <sys/resource.h>
#include <unistd.h>

#include <utility>

namespace glug {

WriterQueue::WriterQueue(int most) : most_(static_cast<std::size_t>(most)) {
  if (most <= 0) return;
  // The first thread that ends early has the C library load what unwinds it, and ends the program where there
  // is no memory for that. It is loaded now.
  void* caller = nullptr;
  (void)backtrace(&caller, 1);
  thread_ = std::thread([this] { work(); });
}

WriterQueue::~WriterQueue() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void WriterQueue::push(std::function<void()> job) {
  if (most_ == 0) return job();
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return failure_ || jobs_.size() < most_; });
  throw_failure();
  jobs_.push_back(std::move(job));
  changed_.notify_all();
}

void WriterQueue::drain() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return jobs_.empty(); });
  throw_failure();
}

void WriterQueue::throw_failure() {
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void WriterQueue::work() {
  // The simulation comes first: it may have all cores, and a loop lasts as long as its slowest thread.
  constexpr int later = 5;
  (void)setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), later);
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return closing_ || !jobs_.empty(); });
    if (jobs_.empty()) return;
    std::exception_ptr thrown;
    {
      // Moved out, so that what it holds is freed before the place is.
      const std::function<void()> job = std::move(jobs_.front());
      lock.unlock();
      try {
        job();
      } catch (...) {
        thrown = std::current_exception();
      }
    }
    // Its threads go: while there are more of them than cores OpenMP puts those of the simulation to sleep
    // after every loop.
    (void)omp_pause_resource_all(omp_pause_soft);
    lock.lock();
    if (thrown) {
      failure_ = thrown;
      jobs_.clear();
    } else {
      jobs_.pop_front();
    }
    changed_.notify_all();
  }
}

}  // namespace glug
