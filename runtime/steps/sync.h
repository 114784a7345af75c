// What Steps::sync() waits at: Mutex, Throttle, and Limiter, which is both. Each admits the flows of
// one worker, first come, first served; a flow of another worker gets InternalError. It must outlive
// the sections that it admits. Not thread-safe.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "coro/clock.h"
#include "coro/detail/intrusive_list.h"
#include "coro/timer_wheel.h"
#include "coro/worker.h"
#include "steps/detail/callable_step.h"

namespace drover::steps {

class SyncPrimitive;

enum class Admission : std::uint8_t { admitted, queued, rejected };

inline constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();

// A section's place at its primitive: in one of its queues, or inside. An attachment of the sync's
// step.
class SyncHold final : public detail::AttachmentOf<SyncHold, Slot::extended, false>,
                       public coro::ListNode<SyncHold> {
 public:
  SyncHold(SyncPrimitive& primitive, Steps& step) noexcept : primitive_(primitive), step_(step) {}
  ~SyncHold();

  // Runs the sync's step.
  void enter();

 private:
  friend class HoldQueue;
  friend class SyncPrimitive;

  // `inside` is past the permit, though the section may have to wait for a window yet.
  enum class Stage : std::uint8_t { outside, awaits_permit, awaits_window, inside };

  // The queued section may run, or must not.
  void admit() noexcept;
  void reject() noexcept;

  // Whether a section around this one, of the same flow, is at the same primitive.
  bool nested() const noexcept;

  Stage stage_ = Stage::outside;
  bool has_permit_ = false;  // a nested section has none of its own
  SyncPrimitive& primitive_;
  Steps& step_;
};

// Where sections wait in the stage `stage`: a FIFO with a limit; the links lie in them.
class HoldQueue {
 public:
  HoldQueue(SyncHold::Stage stage, std::size_t max) noexcept : stage_(stage), max_(max) {}

  bool empty() const noexcept { return holds_.empty(); }
  std::size_t size() const noexcept { return size_; }

  // Queues it, or rejects it if so many wait already.
  Admission push(SyncHold& hold) noexcept;

  // False if it does not wait here.
  bool remove(SyncHold& hold) noexcept;

  // The longest waiter, which then is inside. Requires: not empty.
  SyncHold& pop() noexcept;

 private:
  SyncHold::Stage stage_;
  std::size_t max_;
  std::size_t size_ = 0;
  coro::IntrusiveList<SyncHold> holds_;
};

// A section gets a permit first and keeps it while it waits for a window, if there are such.
//
// Permits: at most so many flows in a section at once. One that is given back goes to the longest
// waiter itself, so nobody barges in. Re-entrant by flow: a section in a section of the same
// primitive needs none. The child of a parallel inherits nothing: one that waits for the permit of
// the section around it waits for ever.
//
// Windows: at most so many entries a period. They are fixed and do not drift: they follow each other
// from the construction on. Each entry counts, nested ones too, and none is given back. At the end of
// a window the longest waiters are let in, and count for the next one. When nobody waits then, the
// timer stops; the next entry begins a window.
class SyncPrimitive : coro::TimerNode {
 protected:
  SyncPrimitive(std::size_t permits, std::size_t permit_queue) noexcept
      : free_(permits), permit_queue_(SyncHold::Stage::awaits_permit, permit_queue) {}
  // With windows. Requires: period > 0.
  SyncPrimitive(std::size_t permits, std::size_t permit_queue, coro::Worker& timing_worker,
                std::size_t entries, coro::Duration period, std::size_t window_queue) noexcept;
  ~SyncPrimitive();

  // Ends the window now.
  void reset() noexcept;

  bool ticking() const noexcept { return armed(); }
  std::size_t awaiting_permit() const noexcept { return permit_queue_.size(); }
  std::size_t awaiting_window() const noexcept { return window_queue_.size(); }

 private:
  friend class SyncHold;

  Admission enter(SyncHold& hold) noexcept;
  Admission enter_window(SyncHold& hold) noexcept;

  // The end of a section, or of the wait for it.
  void leave(SyncHold& hold) noexcept;

  void on_timer() noexcept override;
  void begin_window(coro::Instant start) noexcept;
  bool let_waiters_in() noexcept;

  std::atomic<coro::Worker*> worker_{nullptr};  // of the first flow; only compared
  std::size_t free_;                            // permits
  HoldQueue permit_queue_;

  coro::Worker* timing_worker_ = nullptr;  // null: there are no windows
  std::size_t entries_max_ = 0;
  std::size_t entries_ = 0;  // of this window
  coro::Duration period_{};
  coro::Instant window_end_{};
  HoldQueue window_queue_{SyncHold::Stage::awaits_window, 0};
};

// Permits alone.
class Mutex final : public SyncPrimitive {
 public:
  explicit Mutex(std::size_t max = 1, std::size_t max_queue = unlimited) noexcept
      : SyncPrimitive(max, max_queue) {}

  std::size_t waiting() const noexcept { return awaiting_permit(); }
};

// Windows alone. Made and destroyed on the worker's thread or while it does not run.
class Throttle final : public SyncPrimitive {
 public:
  // Requires: period > 0.
  explicit Throttle(coro::Worker& worker, std::size_t max,
                    coro::Duration period = std::chrono::seconds(1),
                    std::size_t max_queue = unlimited) noexcept
      : SyncPrimitive(unlimited, 0, worker, max, period, max_queue) {}

  using SyncPrimitive::reset;
  using SyncPrimitive::ticking;
  std::size_t waiting() const noexcept { return awaiting_window(); }
};

struct LimiterOptions {
  std::size_t concurrent = 1;  // at once
  std::size_t max_queue = 0;   // waiting for a permit
  std::size_t rate = 1;        // a period
  coro::Duration period = std::chrono::seconds(1);
  std::size_t burst = 0;  // waiting for a window
};

// Both. Made and destroyed as a Throttle.
class Limiter final : public SyncPrimitive {
 public:
  explicit Limiter(coro::Worker& worker, LimiterOptions options = {}) noexcept
      : SyncPrimitive(options.concurrent, options.max_queue, worker, options.rate, options.period,
                      options.burst) {}

  using SyncPrimitive::reset;
};

namespace detail {

inline constexpr StepOps sync_step_ops{
    Kind::sync, sizeof(PlainStep),
    [](Steps& step) { static_cast<SyncHold&>(*StepAccess::attachments(step)).enter(); }, nullptr,
    nullptr};

}  // namespace detail
}  // namespace drover::steps
