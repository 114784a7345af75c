// Worker: the event loop of one thread. It runs the coroutines whose home it is, their timers and
// file descriptors, and the functions that other threads post to it.
//
// Thread safety: post(), call() and functions marked so from any thread; all others only on the
// worker's own thread, which is inside run_until(). A forked process must not run its parent's
// worker, because both would share one epoll instance.
//
// Invariants: a worker with nothing to do sleeps in the kernel. After `turn_budget` resumptions it
// serves timers, descriptors and the inbox, so that many ready tasks do not starve them. Virtual
// time does not advance while a pool computes for a task of the worker, because the call may end
// before the next timer. A worker does not wait for a Promise in this way, because one of its own
// tasks may hold the promise.
#pragma once

#include <time.h>

#include <atomic>
#include <concepts>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "coro/clock.h"
#include "coro/detail/intrusive.h"
#include "coro/task.h"
#include "coro/timer_wheel.h"

struct epoll_event;

namespace drover::coro {

class FdWatch;

namespace detail {
class PoolCallBase;
}

// Message of another thread to a worker. The poster keeps it alive until deliver() or drop() is
// called, which may destroy it.
class Posted : Pinned {
 public:
  // Called on the worker's thread.
  virtual void deliver() noexcept = 0;

  // Called instead of deliver() if the worker is destroyed.
  virtual void drop() noexcept = 0;

 protected:
  ~Posted() = default;

 private:
  friend class Worker;
  Posted* next_ = nullptr;
};

namespace detail {

// Adds to a counter that only the calling thread writes.
inline void add(std::atomic<std::uint64_t>& counter, std::uint64_t amount) noexcept {
  counter.store(counter.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);
}

// File descriptor that a worker owns.
class OwnedDescriptor : Pinned {
 public:
  // Takes the result of a system call. Throws its error, std::system_error, if it is negative.
  OwnedDescriptor(int fd, const char* call);
  ~OwnedDescriptor();

  int get() const noexcept { return fd_; }

 private:
  int fd_;
};

// Right of one thread at a time to act as the worker's thread: the thread inside run_until(), or
// one that acts in its place while there is none. From any thread.
class WorkerSeat {
 public:
  bool taken() const noexcept {
    return is_taken(word_.load(std::memory_order_acquire));  // pairs with leave()
  }

  bool try_take() noexcept {
    std::uint32_t seen = word_.load(std::memory_order_relaxed);
    return !is_taken(seen) && take_from(seen);
  }

  void take() noexcept {
    wait_or_take([] { return false; });
  }

  // Gives the seat back. Requires: this thread has it.
  void leave() noexcept { change(1); }

  // Lets all waiting threads call `done()` again. Requires: this thread has the seat.
  void tell() noexcept { change(2); }

  // Waits until `done()` returns true, and returns true; or until the seat is free, takes it, and
  // returns false. `done` may read what was written before a tell() or leave().
  template <class Done>
  bool wait_or_take(Done done) noexcept {
    for (;;) {
      // Acquire: pairs with change(). Loaded before done() is called, so that a change after its
      // answer ends the wait.
      std::uint32_t seen = word_.load(std::memory_order_acquire);
      if (done()) return true;
      if (is_taken(seen)) {
        word_.wait(seen, std::memory_order_relaxed);
      } else if (take_from(seen)) {
        return false;
      }
    }
  }

 private:
  static bool is_taken(std::uint32_t word) noexcept { return (word & 1) != 0; }

  // Acquire: pairs with change(). The new holder sees what earlier holders did.
  bool take_from(std::uint32_t& seen) noexcept {
    return word_.compare_exchange_strong(seen, seen + 1, std::memory_order_acquire,
                                         std::memory_order_relaxed);
  }

  void change(std::uint32_t by) noexcept {
    word_.fetch_add(by, std::memory_order_release);  // pairs with wait_or_take() and taken()
    word_.notify_all();
  }

  std::atomic<std::uint32_t> word_{0};  // odd: taken. Does not repeat a value before it overflows
};

}  // namespace detail

// FIFO ring of coroutines, which grows and never shrinks. An entry keeps its position until it is
// popped. Withdrawing it leaves a null handle in its place.
class ReadyQueue {
 public:
  ReadyQueue() : ring_(64) {}

  bool empty() const noexcept { return head_ == tail_; }
  std::size_t size() const noexcept { return tail_ - head_; }

  // Makes room for one more push, which then does not throw. Throws std::bad_alloc.
  void reserve() {
    if (size() == ring_.size()) grow();
  }

  // Returns the position, for withdraw().
  std::size_t push(std::coroutine_handle<> handle) {
    reserve();
    ring_[tail_ & (ring_.size() - 1)] = handle;
    return tail_++;
  }

  // Returns null if the oldest entry was withdrawn.
  std::coroutine_handle<> pop() noexcept { return ring_[head_++ & (ring_.size() - 1)]; }

  // Prefetches the beginning of the frame that will be popped after `distance` other pops. Harmless
  // with fewer entries: the frame is not accessed.
  void prefetch(std::size_t distance) const noexcept {
    __builtin_prefetch(ring_[(head_ + distance) & (ring_.size() - 1)].address());
  }

  // Requires: the entry at `position` was neither popped nor withdrawn.
  void withdraw(std::size_t position) noexcept {
    ring_[position & (ring_.size() - 1)] = nullptr;
    while (!empty() && !ring_[head_ & (ring_.size() - 1)]) ++head_;
    while (!empty() && !ring_[(tail_ - 1) & (ring_.size() - 1)]) --tail_;
  }

 private:
  void grow();

  std::vector<std::coroutine_handle<>> ring_;  // its size is a power of two
  std::size_t head_ = 0;
  std::size_t tail_ = 0;
};

// Written by the worker, read by any thread.
struct WorkerStatistics {
  std::atomic<std::uint64_t> resumptions{0};
  std::atomic<std::uint64_t> idle_ns{0};  // asleep in the kernel
  std::atomic<std::uint64_t> sleeps{0};
  std::atomic<std::uint64_t> timer_lag_ns_max{
      0};  // longest time from a timer's instant to its firing
};

class Worker : Pinned {
 public:
  static constexpr std::size_t turn_budget = 256;

  // Awaits without a wait that may follow each other before their task queues behind the other
  // ready tasks.
  static constexpr std::uint32_t await_budget = 128;

  // Resumptions after which the worker reads the clock for timers without an instant.
  static constexpr std::size_t undated_budget = 32;

  // Ready coroutines at the beginning of a turn from which on their frames are prefetched: a frame
  // that waits behind so many others has left the cache. Twice the turn's budget, so that there is
  // a frame to prefetch until the turn's end.
  static constexpr std::size_t long_queue = 2 * turn_budget;

  // Throws std::system_error if epoll or a descriptor is not available.
  explicit Worker(Clock& clock = SteadyClock::instance());
  ~Worker();

  // Returns the calling thread's worker. Requires: inside run_until().
  static Worker& current() noexcept;

  // Returns the calling thread's worker, or null if it runs none.
  static Worker* try_current() noexcept;

  // Returns true if a thread is inside run_until(), or acts in its place by call(). From any
  // thread.
  bool running() const noexcept { return seat_.taken(); }

  // Runs the loop on the calling thread until `done()`, called once per turn, returns true. The
  // base of block_on(). Throws as check_idle() does.
  template <class Done>
  void run_until(Done done) {
    const Inside inside(*this);
    while (!done()) {
      run_turn();
      if (!done()) poll();
    }
  }

  // Throws std::logic_error on a thread that runs a worker already, and while another thread runs
  // this one.
  void check_idle() const;

  Instant now() const noexcept { return clock_->now(); }

  // Queues a coroutine whose home this is. Returns its position in the queue, for withdraw().
  std::size_t ready(std::coroutine_handle<> handle) { return ready_.push(handle); }

  // Makes room for one coroutine, so that the next ready() does not throw. Throws std::bad_alloc.
  void reserve_ready() { ready_.reserve(); }

  // Removes a coroutine that was not resumed from the queue. It may then be destroyed.
  void withdraw(std::size_t position) noexcept { ready_.withdraw(position); }

  TimerWheel& timers() noexcept { return timers_; }

  // Runs `function`, which must not throw, on this worker's thread, soon. From any thread. The
  // worker must outlive the call. If the worker is destroyed first, the function is destroyed
  // without a call. Throws std::bad_alloc, and what moving the function throws.
  template <class F>
    requires(!std::derived_from<F, Posted>)
  void post(F function) {
    post(*new PostedFunction<F>(std::move(function)));
  }

  // Posts an object, without an allocation. From any thread.
  void post(Posted& posted) noexcept;

  // Runs `function` while no other code of this worker runs, waits for its end, and throws its
  // error. On the worker's own thread it calls the function. While no thread is inside run_until(),
  // the calling thread takes the worker's place, and run_until() waits. Otherwise the loop runs the
  // function like a posted one, or, if the loop ends before, the calling thread does. From any
  // thread. The worker must outlive the call. Two workers that call each other at the same time
  // deadlock.
  template <class F>
  void call(F function) {
    call_erased(std::ref(function));
  }

  // Blocks a thread other than the worker's until `done()` returns true or no thread is inside
  // run_until(). The worker's thread writes what `done` reads before tell_waiters().
  template <class Done>
  void wait_while_running(Done done) noexcept {
    if (!seat_.wait_or_take(done)) seat_.leave();
  }
  void tell_waiters() noexcept { seat_.tell(); }

  // From any thread.
  const WorkerStatistics& statistics() const noexcept { return statistics_; }

  // Returns the CPU time, in the program and the kernel, of the thread that is inside run_until(),
  // or of the last one. From any thread.
  Duration cpu_time() const noexcept;

 private:
  friend class FdWatch;
  friend class detail::PoolCallBase;
  friend bool detail::queue_behind(std::coroutine_handle<> handle) noexcept;

  static constexpr clockid_t no_clock = CLOCK_REALTIME;  // never the clock of a thread

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

  struct Inside : Pinned {
    explicit Inside(Worker& w) : worker(w) { worker.enter(); }
    ~Inside() { worker.leave(); }
    Worker& worker;
  };

  using Callee = std::function<void()>;  // a reference

  void call_erased(const Callee& callee);
  void call_here(const Callee& callee);
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
  void prefetch_watches(std::span<const epoll_event> events) const noexcept;
  void wake() noexcept;

  // Throws std::system_error.
  void add_watch(FdWatch& watch);
  bool is_watching(const FdWatch& watch) const noexcept;
  // Returns false if the descriptor was closed before its watch was destroyed.
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
  detail::OwnedDescriptor epoll_fd_;
  detail::OwnedDescriptor wake_fd_;
  std::vector<FdWatch*> watches_;  // by descriptor: its watch in the epoll instance
  std::size_t watch_count_ = 0;
  bool awaits_ran_out_ = false;       // a task used up its await budget in this turn
  std::size_t outside_ = 0;           // calls that run on a pool
  unsigned long timer_slack_ns_ = 0;  // of the thread before it entered
  WorkerStatistics statistics_;
  std::atomic<clockid_t> cpu_clock_{no_clock};
  std::atomic<std::int64_t> cpu_ns_at_enter_{0};  // published when cpu_clock_ becomes a clock
  std::atomic<std::int64_t> cpu_ns_at_leave_{0};  // published when cpu_clock_ becomes no_clock

  // Written by any thread. post() publishes to `inbox_` and then reads `asleep_`. The worker sets
  // `asleep_` and then reads `inbox_`. Both pairs are sequentially consistent, so at least one side
  // sees the other's write: the worker does not sleep while a post waits.
  alignas(64) std::atomic<Posted*> inbox_{nullptr};
  std::atomic<bool> asleep_{false};
  detail::WorkerSeat seat_;
  std::atomic<bool> looping_{false};  // a thread is inside run_until(), or about to enter
};

}  // namespace drover::coro
