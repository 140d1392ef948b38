#include "core/team.h"

#include <omp.h>
#include <strings.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <utility>

namespace glug {
namespace {

void pause_briefly() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("isb");
#endif
}

std::int64_t nanoseconds() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// As OpenMP: threads that wait keep their cores for a while, unless there are too few or the user says no.
std::int64_t patience_of(int threads) {
  const char* policy = std::getenv("OMP_WAIT_POLICY");
  if (threads > omp_get_num_procs() || (policy && strcasecmp(policy, "passive") == 0)) return 0;
  return 1'000'000;
}

// Returns when the number is not `old` any more, with what it is then.
std::uint32_t wait_until_not(const std::atomic<std::uint32_t>& number, std::uint32_t old,
                             std::int64_t patience) {
  const std::int64_t until = patience > 0 ? nanoseconds() + patience : 0;
  do {
    for (int look = 0; look < 64; ++look) {
      const std::uint32_t now = number.load(std::memory_order_acquire);
      if (now != old) return now;
      pause_briefly();
    }
  } while (patience > 0 && nanoseconds() < until);
  number.wait(old);
  return number.load(std::memory_order_acquire);
}

}  // namespace

Team::Team(int threads)
    : threads_(threads),
      patience_(patience_of(threads)),
      seats_(std::make_unique<Seat[]>(static_cast<std::size_t>(threads))) {}

void Team::do_share(int thread) noexcept {
  const Pieces& p = pieces_;
  try {
    if (p.deal == Deal::same) {
      const std::ptrdiff_t count = (p.n + p.piece - 1) / p.piece;
      const std::ptrdiff_t begin = count * thread / threads_ * p.piece;
      const std::ptrdiff_t end = std::min(p.n, count * (thread + 1) / threads_ * p.piece);
      if (begin < end) items_(loop_, begin, end);
      return;
    }
    // Much at first, so that threads seldom ask; little in the end, so that none is waited for.
    for (std::ptrdiff_t begin = next_.load(std::memory_order_relaxed); begin < p.n;) {
      const std::ptrdiff_t end = begin + std::max(p.piece, (p.n - begin) / (4 * threads_));
      if (!next_.compare_exchange_weak(begin, end, std::memory_order_relaxed)) continue;
      items_(loop_, begin, std::min(p.n, end));
      begin = next_.load(std::memory_order_relaxed);
    }
  } catch (...) {
    next_.store(p.n, std::memory_order_relaxed);
    if (!threw_.test_and_set()) thrown_ = std::current_exception();
  }
}

void Team::run(const Pieces& pieces, Items items, void* loop) {
  if (busy_) return items(loop, 0, pieces.n);
  busy_ = true;
  pieces_ = pieces;
  items_ = items;
  loop_ = loop;
  next_.store(0, std::memory_order_relaxed);
  const std::uint32_t number = current_.load(std::memory_order_relaxed) + 1;
  current_.store(number);
  current_.notify_all();
  do_share(0);
  for (int thread = 1; thread < threads_; ++thread) {
    Seat& seat = seats_[thread];
    if (seat.taken.load(std::memory_order_relaxed) != number && seat.take(number)) {
      if (pieces_.deal == Deal::same) do_share(thread);
      continue;
    }
    std::uint32_t last = seat.finished.load(std::memory_order_acquire);
    while (last != number) last = wait_until_not(seat.finished, last, patience_);
  }
  busy_ = false;
  if (thrown_) {
    threw_.clear();
    std::rethrow_exception(std::exchange(thrown_, nullptr));
  }
}

void Team::serve(int thread) {
  Seat& seat = seats_[thread];
  for (std::uint32_t last = 0;;) {
    last = wait_until_not(current_, last, patience_);
    if (over_) return;
    if (!seat.take(last)) continue;  // too late
    do_share(thread);
    seat.finished.store(last);
    seat.finished.notify_one();
  }
}

void Team::dismiss() {
  over_ = true;
  current_.fetch_add(1);
  current_.notify_all();
}

void with_team(const Exec& exec, void (*body)(void*, const Exec&), void* context) {
  if (exec.threads == 1 || exec.team) return body(context, exec);
  Team team(exec.threads);
  Exec own = exec;
  own.team = &team;
  std::exception_ptr thrown;
#pragma omp parallel num_threads(exec.threads)
  {
#pragma omp single
    team.threads_ = omp_get_num_threads();  // inside another loop it is one
    if (omp_get_thread_num() > 0) {
      team.serve(omp_get_thread_num());
    } else {
      try {
        body(context, own);
      } catch (...) {
        thrown = std::current_exception();
      }
      team.dismiss();
    }
  }
  if (thrown) std::rethrow_exception(thrown);
}

}  // namespace glug
