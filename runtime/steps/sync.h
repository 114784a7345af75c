// Primitives of Steps::sync(): Mutex, Throttle, and Limiter, which combines both. Each admits the
// flows of one worker, first come, first served. A flow of another worker gets InternalError. A
// primitive must outlive the sections that it admits. Not thread-safe.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "coro/clock.h"
#include "coro/detail/intrusive.h"
#include "coro/timer_wheel.h"
#include "coro/worker.h"
#include "steps/detail/step_kinds.h"

namespace drover::steps {

class SyncPrimitive;

enum class Admission : std::uint8_t { admitted, queued, rejected };

inline constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();

// Place of a section at its primitive, inside or in a queue. Attachment of the sync's step.
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

  // A section is `inside` when it has the permit, even if it then waits for a window.
  enum class Stage : std::uint8_t { outside, awaits_permit, awaits_window, inside };

  // End the wait of a queued section.
  void admit() noexcept;
  void reject() noexcept;

  // Returns true if a section of the same flow around this one is at the same primitive.
  bool nested() const noexcept;

  Stage stage_ = Stage::outside;
  bool has_permit_ = false;  // a nested section has none of its own
  SyncPrimitive& primitive_;
  Steps& step_;
};

// FIFO of up to `max` sections that wait in the stage `stage`.
class HoldQueue {
 public:
  HoldQueue(SyncHold::Stage stage, std::size_t max) noexcept : stage_(stage), max_(max) {}

  bool empty() const noexcept { return holds_.empty(); }
  std::size_t size() const noexcept { return size_; }

  // Returns `queued` or `rejected`.
  Admission push(SyncHold& hold) noexcept;

  // Returns false if the section does not wait here.
  bool remove(SyncHold& hold) noexcept;

  // Removes the longest waiter, which then is inside. Requires: not empty.
  SyncHold& pop() noexcept;

 private:
  SyncHold::Stage stage_;
  std::size_t max_;
  std::size_t size_ = 0;
  coro::IntrusiveList<SyncHold> holds_;
};

// Permits and, optionally, windows. A section gets a permit first, and keeps it while it waits for
// a window.
//
// Permits limit the number of flows that are in a section at a time. A returned permit goes
// directly to the longest waiter. Re-entrant by flow: a section inside a section of the same
// primitive needs none. A child of a parallel inherits none: if it waits for the permit of the
// section around it, it waits for ever.
//
// Windows limit the entries per period. They follow each other without drift from the construction
// on. Each entry counts, including nested ones, and none is given back. At the end of a window the
// longest waiters are admitted, and count for the next window. If none waits then, the timer stops
// until the next entry begins a window.
class SyncPrimitive : coro::TimerNode {
 protected:
  SyncPrimitive(std::size_t permits, std::size_t permit_queue) noexcept
      : free_(permits), permit_queue_(SyncHold::Stage::awaits_permit, permit_queue) {}
  // Adds windows. Requires: period > 0.
  SyncPrimitive(std::size_t permits, std::size_t permit_queue, coro::Worker& timing_worker,
                std::size_t entries, coro::Duration period, std::size_t window_queue) noexcept;
  ~SyncPrimitive();

  // Ends the current window.
  void reset() noexcept;

  bool ticking() const noexcept { return armed(); }
  std::size_t awaiting_permit() const noexcept { return permit_queue_.size(); }
  std::size_t awaiting_window() const noexcept { return window_queue_.size(); }

 private:
  friend class SyncHold;

  Admission enter(SyncHold& hold) noexcept;
  Admission enter_window(SyncHold& hold) noexcept;

  // Ends a section, or its wait.
  void leave(SyncHold& hold) noexcept;

  void on_timer() noexcept override;
  void begin_window(coro::Instant start) noexcept;
  bool admit_waiters() noexcept;

  std::atomic<coro::Worker*> worker_{nullptr};  // of the first flow; only compared
  std::size_t free_;                            // permits
  HoldQueue permit_queue_;

  coro::Worker* timing_worker_ = nullptr;  // null without windows
  std::size_t entries_max_ = 0;
  std::size_t entries_ = 0;  // of the current window
  coro::Duration period_{};
  coro::Instant window_end_{};
  HoldQueue window_queue_{SyncHold::Stage::awaits_window, 0};
};

class Mutex final : public SyncPrimitive {
 public:
  explicit Mutex(std::size_t max = 1, std::size_t max_queue = unlimited) noexcept
      : SyncPrimitive(max, max_queue) {}

  std::size_t waiting() const noexcept { return awaiting_permit(); }
};

// Made and destroyed on the worker's thread, or while the worker does not run.
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
  std::size_t concurrent = 1;  // sections at a time
  std::size_t max_queue = 0;   // sections that wait for a permit
  std::size_t rate = 1;        // entries per period
  coro::Duration period = std::chrono::seconds(1);
  std::size_t burst = 0;  // sections that wait for a window
};

// Made and destroyed like a Throttle.
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
