// Throttle: at most so many entries a period, first come, first served.
//
// The windows are fixed and do not drift: they follow each other from the construction on. Each
// entry counts, nested ones too, and none is given back. At the end of a window the longest waiters
// are let in, and count for the next one. When nobody waits then, the timer stops; the next entry
// begins a window. For the flows of one worker; not thread-safe. Made and destroyed on the worker's
// thread or while it does not run.
#pragma once

#include <chrono>
#include <cstddef>

#include "coro/clock.h"
#include "coro/timer_wheel.h"
#include "coro/worker.h"
#include "steps/sync.h"

namespace drover::steps {

// The count and the queue; also a part of the Limiter.
class ThrottleGate final : coro::TimerNode {
 public:
  // Requires: period > 0.
  ThrottleGate(coro::Worker& worker, std::size_t max, coro::Duration period,
               std::size_t max_queue) noexcept;
  ThrottleGate(const ThrottleGate&) = delete;
  ThrottleGate& operator=(const ThrottleGate&) = delete;
  ~ThrottleGate() { worker_.timers().remove(*this); }

  Admission enter(SyncHold& hold) noexcept;
  void leave(SyncHold& hold) noexcept { queue_.remove(hold); }

  // Ends the window now.
  void reset() noexcept;

  std::size_t waiting() const noexcept { return queue_.size(); }
  bool ticking() const noexcept { return armed(); }

 private:
  void on_timer() noexcept override;
  void begin_window(coro::Instant start) noexcept;
  bool let_waiters_in() noexcept;

  coro::Worker& worker_;
  std::size_t max_;
  coro::Duration period_;
  std::size_t count_ = 0;  // of this window
  coro::Instant window_end_{};
  HoldQueue queue_;
};

class Throttle final : public SyncPrimitive {
 public:
  explicit Throttle(coro::Worker& worker, std::size_t max,
                    coro::Duration period = std::chrono::seconds(1),
                    std::size_t max_queue = unlimited) noexcept
      : gate_(worker, max, period, max_queue) {}

  void reset() noexcept { gate_.reset(); }
  std::size_t waiting() const noexcept { return gate_.waiting(); }
  bool ticking() const noexcept { return gate_.ticking(); }

 private:
  Admission enter(SyncHold& hold) override { return gate_.enter(hold); }
  void let_in(SyncHold& hold) noexcept override { hold.admit(); }
  void leave(SyncHold& hold) noexcept override { gate_.leave(hold); }
  std::string_view rejection() const noexcept override { return "Throttle queue limit"; }

  ThrottleGate gate_;
};

}  // namespace drover::steps
