// team.h: the threads of a loop, and of many loops one after the other. OpenMP needs 4 to 6 microseconds to
// start and end a loop on 16 threads, more than a short loop takes; threads that stay together and are told
// by one number what comes next need half of one. with_team() keeps them together; a loop outside of it
// gathers its own.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "core/exec.h"
#include "core/run_items.h"

namespace glug {

// Who has which pieces of a loop.
enum class Deal {
  same,  // a thread has the same ones in every loop of as many, so that what they work on stays in its caches
  next,  // whoever is free has the next one, or several while many are left: pieces may differ in weight
};

class Team {
 public:
  // Items [0, n) of a loop in pieces of `piece`.
  struct Pieces {
    std::ptrdiff_t n = 0;
    std::ptrdiff_t piece = 1;  // items
    Deal deal = Deal::next;
  };

  explicit Team(int threads);

  // items(loop, begin, end) for all pieces, by all threads that come: whoever sleeps or lacks a core is not
  // waited for, the first thread does its share. What a piece throws is thrown when no other is at work any
  // more; what is left of the loop is not done then. A loop inside a loop is its thread's alone.
  using Items = void (*)(void* loop, std::ptrdiff_t begin, std::ptrdiff_t end);
  void run(const Pieces& pieces, Items items, void* loop);

 private:
  friend void with_team(const Exec& exec, void (*body)(void*, const Exec&), void* context);
  // What the other threads do until they are dismissed.
  void serve(int thread);
  void dismiss();
  void do_share(int thread) noexcept;

  // In a cache line of its own, numbers of loops: the last one of which somebody has taken a thread's share,
  // itself or the first thread, and the last that it has finished.
  struct alignas(64) Seat {
    std::atomic<std::uint32_t> taken{0}, finished{0};
    bool take(std::uint32_t loop) {
      std::uint32_t before = loop - 1;
      return taken.compare_exchange_strong(before, loop);
    }
  };

  int threads_;
  std::int64_t patience_;  // ns for which a thread looks for what it waits for before it sleeps
  std::unique_ptr<Seat[]> seats_;
  bool busy_ = false;
  Pieces pieces_;
  Items items_ = nullptr;
  void* loop_ = nullptr;
  std::exception_ptr thrown_;
  std::atomic_flag threw_{};
  std::atomic<bool> over_{false};
  alignas(64) std::atomic<std::uint32_t> current_{0};  // number of the loop
  alignas(64) std::atomic<std::ptrdiff_t> next_{0};    // of Deal::next: the first item nobody has
};

// body(context, exec) with a team of exec.threads, unless exec has one.
void with_team(const Exec& exec, void (*body)(void*, const Exec&), void* context);

// body(exec) with a team for all loops in it; returns what body does.
template <class F>
auto with_team(const Exec& exec, F body) {
  using Result = std::invoke_result_t<F&, const Exec&>;
  if constexpr (std::is_void_v<Result>) {
    with_team(
        exec, [](void* f, const Exec& together) { (*static_cast<F*>(f))(together); }, &body);
  } else {
    std::optional<Result> result;
    with_team(exec, [&](const Exec& together) { result.emplace(body(together)); });
    return *std::move(result);
  }
}

// kernel(i) for all items of the pieces, in any order.
template <class F>
void run_pieces(const Exec& exec, const Team::Pieces& pieces, F& kernel) {
  if (exec.threads == 1 || pieces.n <= pieces.piece) return run_items(kernel, 0, pieces.n);
  with_team(exec, [&](const Exec& together) {
    together.team->run(
        pieces,
        [](void* f, std::ptrdiff_t begin, std::ptrdiff_t end) { run_items(*static_cast<F*>(f), begin, end); },
        const_cast<std::remove_const_t<F>*>(&kernel));
  });
}

}  // namespace glug
