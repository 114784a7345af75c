// Worker: one thread's event loop. Runs the coroutines whose home it is, their timers and their
// file descriptors, and what other threads post to it.
//
// Thread safety: post() and call() may be called from any thread; everything else only from the
// worker's own thread (the one inside run_until()). The statistics may be read from anywhere.
//
// Invariants: a worker that has nothing to do sleeps in the kernel. After `turn_budget` resumptions
// it looks at timers, descriptors and the inbox again, so that no herd of ready tasks starves them.
#pragma once

#include <time.h>

#include <atomic>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "coro/clock.h"
#include "coro/timer_wheel.h"
#include "coro/worker_seat.h"

namespace drover::coro {

class FdWatch;

// A FIFO ring of coroutines; grows, never shrinks. An entry keeps its position until it is popped,
// so it can be withdrawn at no cost: a null handle stays in its place.
class ReadyQueue {
 public:
  ReadyQueue() : ring_(64) {}

  bool empty() const noexcept { return head_ == tail_; }
  std::size_t size() const noexcept { return tail_ - head_; }

  // Says the position, for withdraw().
  std::size_t push(std::coroutine_handle<> handle) {
    if (size() == ring_.size()) grow();
    ring_[tail_ & (ring_.size() - 1)] = handle;
    return tail_++;
  }

  // Null if it was withdrawn.
  std::coroutine_handle<> pop() noexcept { return ring_[head_++ & (ring_.size() - 1)]; }

  // Fetches the beginning of the frame that will be popped so many pops later into the cache. With
  // fewer entries that is of no use, and does no harm: whatever stood there is not looked at.
  void prefetch(std::size_t distance) const noexcept {
    __builtin_prefetch(ring_[(head_ + distance) & (ring_.size() - 1)].address());
  }

  // Requires: what was pushed at `position` has not been popped or withdrawn.
  void withdraw(std::size_t position) noexcept {
    ring_[position & (ring_.size() - 1)] = nullptr;
    while (!empty() && !ring_[head_ & (ring_.size() - 1)]) ++head_;
    while (!empty() && !ring_[(tail_ - 1) & (ring_.size() - 1)]) --tail_;
  }

 private:
  void grow();

  std::vector<std::coroutine_handle<>> ring_;  // the size is a power of two
  std::size_t head_ = 0;
  std::size_t tail_ = 0;
};

// Written by the worker, read by anyone.
struct WorkerStatistics {
  std::atomic<std::uint64_t> resumptions{0};
  std::atomic<std::uint64_t> idle_ns{0};  // asleep in the kernel
  std::atomic<std::uint64_t> sleeps{0};
  std::atomic<std::uint64_t> timer_lag_ns_max{0};  // of one turn: due until fired
};

class Worker {
 public:
  static constexpr std::size_t turn_budget = 256;

  // After so many resumptions the clock is read for the timers that were added without one.
  static constexpr std::size_t undated_budget = 32;

  // With so many ready at the beginning of a turn, their frames are fetched ahead: a frame that
  // waits behind so many others has left the cache. Twice the turn's budget, so that there is one
  // to fetch until its end.
  static constexpr std::size_t long_queue = 2 * turn_budget;

  explicit Worker(Clock& clock = SteadyClock::instance());
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker();

  // The worker whose thread this is. Requires: inside run_until().
  static Worker& current() noexcept;

  // The same, or null on a thread that runs none.
  static Worker* try_current() noexcept;

  // Whether some thread is inside run_until(), or call() in its place. From any thread.
  bool running() const noexcept { return seat_.taken(); }

  // Runs the loop on the calling thread until `done()` says true; asked once a turn. What
  // block_on() is made of.
  template <class Done>
  void run_until(Done done) {
    enter();
    while (!done()) {
      run_turn();
      if (!done()) poll();
    }
    leave();
  }

  Instant now() const noexcept { return clock_->now(); }

  // Queues a coroutine whose home this is. Says its position in the queue, for withdraw().
  std::size_t ready(std::coroutine_handle<> handle) { return ready_.push(handle); }

  // Takes a coroutine that was not resumed yet out of the queue: it may then be destroyed.
  void withdraw(std::size_t position) noexcept { ready_.withdraw(position); }

  TimerWheel& timers() noexcept { return timers_; }

  // Runs `function` on this worker's thread, soon. From any thread; the worker must outlive the
  // call. `function` must not throw. What is still posted when the worker dies is destroyed unrun.
  template <class F>
  void post(F function) {
    push_posted(new PostedFunction<F>(std::move(function)));
  }

  // Runs `function` where nothing else of this worker runs, and waits for that. On the worker's own
  // thread it is just called. While no thread is inside run_until(), this one takes the worker's
  // place, and run_until() waits. Otherwise the loop runs it, as if it were posted; if the loop
  // ends before, this thread does. From any thread; the worker must outlive the call. Throws what
  // `function` throws. Two workers that call each other at the same time wait for ever.
  template <class F>
  void call(F function) {
    call_erased({[](void* context) { (*static_cast<F*>(context))(); }, &function});
  }

  // Blocks another thread than the worker's until `done()` says true or no thread is inside
  // run_until(). What `done` reads is written on the worker's thread, before tell_waiters().
  template <class Done>
  void wait_while_running(Done done) noexcept {
    if (!seat_.wait_or_take(done)) seat_.leave();
  }
  void tell_waiters() noexcept { seat_.tell(); }

  const WorkerStatistics& statistics() const noexcept { return statistics_; }

  // The CPU time of the thread inside run_until(), the kernel's part included; afterwards, what it
  // had come to. From any thread.
  Duration cpu_time() const noexcept;

 private:
  friend class FdWatch;

  static constexpr clockid_t no_clock = CLOCK_REALTIME;  // never that of a thread

  struct Posted {
    virtual ~Posted() = default;
    virtual void run() noexcept = 0;
    Posted* next = nullptr;
  };

  template <class F>
  struct PostedFunction final : Posted {
    explicit PostedFunction(F f) : function(std::move(f)) {}
    void run() noexcept override { function(); }
    F function;
  };

  struct Callee {
    void operator()() const { function(context); }
    void (*function)(void* context);
    void* context;
  };

  void call_erased(Callee callee);
  void call_here(Callee callee);
  void push_posted(Posted* posted) noexcept;
  bool run_posted() noexcept;
  void enter() noexcept;
  void leave() noexcept;
  void run_turn();
  void run_ready();
  void date_timers() noexcept {
    if (timers_.has_undated()) timers_.date(clock_->now());
  }
  void expire_timers() noexcept;
  void poll() noexcept;
  void wait_for_events(std::optional<Instant> until) noexcept;
  void advance_to(Instant instant) noexcept;
  void collect_events(std::optional<Duration> timeout) noexcept;
  void wake() noexcept;

  void add_watch(FdWatch& watch);
  void change_watch(FdWatch& watch) noexcept;
  void remove_watch(FdWatch& watch) noexcept;

  // Written by the worker's thread only.
  Clock* clock_;
  TimerWheel timers_;
  ReadyQueue ready_;
  int epoll_fd_ = -1;
  int wake_fd_ = -1;
  std::size_t watch_count_ = 0;
  WorkerStatistics statistics_;
  std::atomic<clockid_t> cpu_clock_{no_clock};
  std::atomic<std::int64_t> cpu_ns_at_enter_{0};  // published by cpu_clock_ becoming a clock
  std::atomic<std::int64_t> cpu_ns_at_leave_{0};  // published by it becoming no_clock again

  // Written by any thread. push_posted() publishes to `inbox_` and then reads `asleep_`; the worker
  // sets `asleep_` and then reads `inbox_`. Both pairs are sequentially consistent, so at least one
  // side sees the other: no post is slept over.
  alignas(64) std::atomic<Posted*> inbox_{nullptr};
  std::atomic<bool> asleep_{false};
  WorkerSeat seat_;
};

}  // namespace drover::coro
