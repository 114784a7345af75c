// Worker: one thread's event loop. Runs the coroutines whose home it is, their timers and their
// file descriptors, and what other threads post to it.
//
// Thread safety: post() and call() may be called from any thread; everything else only from the
// worker's own thread (the one inside run_until()). The statistics may be read from anywhere. A
// process that was forked off does not run its parent's worker: the two would share one epoll.
//
// Invariants: a worker that has nothing to do sleeps in the kernel. After `turn_budget` resumptions
// it looks at timers, descriptors and the inbox again, so that no herd of ready tasks starves them.
// Virtual time does not advance while a pool computes for a task of the worker: the call may end
// before the next timer. A worker cannot know that of a Promise, which a task of its own may keep.
#pragma once

#include <time.h>

#include <atomic>
#include <concepts>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "coro/clock.h"
#include "coro/detail/pinned.h"
#include "coro/detail/worker_seat.h"
#include "coro/task.h"
#include "coro/timer_wheel.h"

struct epoll_event;

namespace drover::coro {

class FdWatch;

namespace detail {
class PoolCallBase;
}

// What another thread gives a worker to run. Who posts a Posted of its own keeps it alive until one
// of the two is called; from then on the worker does not touch it, so that they may destroy it.
class Posted : Pinned {
 public:
  // On the worker's thread.
  virtual void deliver() noexcept = 0;

  // In place of deliver(): the worker dies.
  virtual void drop() noexcept = 0;

 protected:
  ~Posted() = default;

 private:
  friend class Worker;
  Posted* next_ = nullptr;
};

// A file descriptor of the worker's own.
class OwnedDescriptor : Pinned {
 public:
  // Takes what a system call handed back: throws its error, std::system_error, if that is below 0.
  OwnedDescriptor(int fd, const char* call);
  ~OwnedDescriptor();

  int get() const noexcept { return fd_; }

 private:
  int fd_;
};

// A FIFO ring of coroutines; grows, never shrinks. An entry keeps its position until it is popped,
// so it can be withdrawn at no cost: a null handle stays in its place.
class ReadyQueue {
 public:
  ReadyQueue() : ring_(64) {}

  bool empty() const noexcept { return head_ == tail_; }
  std::size_t size() const noexcept { return tail_ - head_; }

  // Makes room for one more push, which then does not throw. Throws std::bad_alloc.
  void reserve() {
    if (size() == ring_.size()) grow();
  }

  // Says the position, for withdraw().
  std::size_t push(std::coroutine_handle<> handle) {
    reserve();
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

class Worker : Pinned {
 public:
  static constexpr std::size_t turn_budget = 256;

  // So many awaits that need not wait may follow each other before their task queues behind the
  // others: a task that never waits for anything starves nobody.
  static constexpr std::uint32_t await_budget = 128;

  // After so many resumptions the clock is read for the timers that were added without one.
  static constexpr std::size_t undated_budget = 32;

  // With so many ready at the beginning of a turn, their frames are fetched ahead: a frame that
  // waits behind so many others has left the cache. Twice the turn's budget, so that there is one
  // to fetch until its end.
  static constexpr std::size_t long_queue = 2 * turn_budget;

  // Throws std::system_error if the kernel has no epoll or no descriptor left.
  explicit Worker(Clock& clock = SteadyClock::instance());
  ~Worker();

  // The worker whose thread this is. Requires: inside run_until().
  static Worker& current() noexcept;

  // The same, or null on a thread that runs none.
  static Worker* try_current() noexcept;

  // Whether some thread is inside run_until(), or call() in its place. From any thread.
  bool running() const noexcept { return seat_.taken(); }

  // Runs the loop on the calling thread until `done()` says true; asked once a turn. What
  // block_on() is made of. Throws std::logic_error as check_idle().
  template <class Done>
  void run_until(Done done) {
    const Inside inside(*this);
    while (!done()) {
      run_turn();
      if (!done()) poll();
    }
  }

  // Throws std::logic_error on a thread that runs a worker already, this or another one, and while
  // another thread runs this one.
  void check_idle() const;

  Instant now() const noexcept { return clock_->now(); }

  // Queues a coroutine whose home this is. Says its position in the queue, for withdraw().
  std::size_t ready(std::coroutine_handle<> handle) { return ready_.push(handle); }

  // Makes room for it, so that the next ready() does not throw. Throws std::bad_alloc.
  void reserve_ready() { ready_.reserve(); }

  // Takes a coroutine that was not resumed yet out of the queue: it may then be destroyed.
  void withdraw(std::size_t position) noexcept { ready_.withdraw(position); }

  TimerWheel& timers() noexcept { return timers_; }

  // Runs `function` on this worker's thread, soon. From any thread; the worker must outlive the
  // call. `function` must not throw. What is still posted when the worker dies is destroyed unrun.
  // Throws std::bad_alloc, and what moving the function throws.
  template <class F>
    requires(!std::derived_from<F, Posted>)
  void post(F function) {
    post(*new PostedFunction<F>(std::move(function)));
  }

  // The same without any allocation.
  void post(Posted& posted) noexcept;

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
  friend class detail::PoolCallBase;
  friend bool detail::queue_behind(std::coroutine_handle<> handle) noexcept;

  static constexpr clockid_t no_clock = CLOCK_REALTIME;  // never that of a thread

  template <class F>
  struct PostedFunction final : Posted {
    explicit PostedFunction(F f) : function(std::move(f)) {}
    void deliver() noexcept override {
      function();
      delete this;
    }
    void drop() noexcept override { delete this; }
    F function;
  };

  struct Callee {
    void operator()() const { function(context); }
    void (*function)(void* context);
    void* context;
  };

  struct Inside : Pinned {
    explicit Inside(Worker& w) : worker(w) { worker.enter(); }
    ~Inside() { worker.leave(); }
    Worker& worker;
  };

  void call_erased(Callee callee);
  void call_here(Callee callee);
  bool run_posted() noexcept;
  void enter();
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
  void fetch_watches(std::span<const epoll_event> events) const noexcept;
  void wake() noexcept;

  // Throws std::system_error.
  void add_watch(FdWatch& watch);
  bool is_watching(const FdWatch& watch) const noexcept;
  // False if the descriptor is watched no more: it was closed before its watch was destroyed.
  bool change_watch(FdWatch& watch) noexcept;
  void remove_watch(FdWatch& watch) noexcept;
  FdWatch* watch_of(int fd) const noexcept {
    const auto place = static_cast<std::size_t>(fd);
    return place < watches_.size() ? watches_[place] : nullptr;
  }

  // Written by the worker's thread only.
  Clock* clock_;
  TimerWheel timers_;
  ReadyQueue ready_;
  OwnedDescriptor epoll_fd_;
  OwnedDescriptor wake_fd_;
  std::vector<FdWatch*> watches_;  // by descriptor: whose it is in the epoll
  std::size_t watch_count_ = 0;
  bool awaits_ran_out_ = false;       // of a task in this turn
  std::size_t outside_ = 0;           // calls that a pool has in hand
  unsigned long timer_slack_ns_ = 0;  // of the thread before it came inside
  WorkerStatistics statistics_;
  std::atomic<clockid_t> cpu_clock_{no_clock};
  std::atomic<std::int64_t> cpu_ns_at_enter_{0};  // published by cpu_clock_ becoming a clock
  std::atomic<std::int64_t> cpu_ns_at_leave_{0};  // published by it becoming no_clock again

  // Written by any thread. post() publishes to `inbox_` and then reads `asleep_`; the worker
  // sets `asleep_` and then reads `inbox_`. Both pairs are sequentially consistent, so at least one
  // side sees the other: no post is slept over.
  alignas(64) std::atomic<Posted*> inbox_{nullptr};
  std::atomic<bool> asleep_{false};
  WorkerSeat seat_;
  std::atomic<bool> looping_{false};  // some thread is inside run_until(), or about to be
};

}  // namespace drover::coro
