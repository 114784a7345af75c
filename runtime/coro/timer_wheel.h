// TimerWheel: a hierarchical wheel of intrusive timers. Adding and removing a timer costs a few
// instructions for any number of timers, and allocates nothing.
//
// Nine levels have 64 slots each. A slot of the lowest level is one tick of 8.192 µs, and a slot of
// each further level is as wide as the whole level below. A timer lies at the level of the highest
// digit in which its tick differs from the current tick, so it moves down at most eight times. The
// levels cover every Instant.
//
// A timer never fires early, because its deadline is rounded up to a tick. It fires at most one
// tick late, plus the time for which the worker is busy.
//
// Reading a clock costs as much as all the rest. So a timer may be added with a duration instead of
// an instant: it is undated until date() sets its deadline, which is later than the instant of the
// addition plus the duration, so that the timer does not fire early.
//
// Not thread-safe; belongs to one worker.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "coro/clock.h"
#include "coro/detail/intrusive.h"

namespace drover::coro {

class TimerNode : Pinned {
 public:
  bool armed() const noexcept { return next_ != nullptr; }

  // Requires: dated.
  Instant deadline() const noexcept { return deadline_; }

 protected:
  ~TimerNode() = default;

 private:
  friend class TimerWheel;

  // Called once, when disarmed. Must not resume a task, only make it ready.
  virtual void on_timer() noexcept = 0;

  TimerNode* previous_ = nullptr;
  TimerNode* next_ = nullptr;
  Instant deadline_{};
  std::uint32_t slot_ = 0;  // level * 64 + slot
};

class TimerWheel : Pinned {
 public:
  explicit TimerWheel(Instant start) noexcept;

  // Requires: not armed. A deadline in the past fires at the next expire().
  void add(TimerNode& node, Instant deadline) noexcept;

  // Adds an undated timer, which fires `duration` after the next date(). Requires: not armed.
  void add(TimerNode& node, Duration duration) noexcept;

  bool has_undated() const noexcept { return slots_[undated].next_ != &slots_[undated]; }

  // Sets the deadlines of all undated timers.
  void date(Instant now) noexcept;

  // Has no effect on a timer that is not armed.
  void remove(TimerNode& node) noexcept;

  // Fires every timer that is due at `now`, in the order of ticks. Requires: no timer is undated.
  void expire(Instant now) noexcept;

  // Returns when to call expire() next: at the first timer's tick or earlier. Requires: no timer is
  // undated.
  std::optional<Instant> next_expiry() const noexcept;

  std::size_t size() const noexcept { return size_; }

 private:
  static constexpr int digit_bits = 6;
  static constexpr std::uint32_t slots_per_level = 1U << digit_bits;
  static constexpr std::uint32_t levels = 9;
  static constexpr std::uint32_t undated = levels * slots_per_level;  // slot of undated timers

  // Head of the ring of a slot's timers.
  struct Slot final : TimerNode {
    void on_timer() noexcept override {}
  };

  static std::uint64_t tick_after(Instant deadline) noexcept;
  std::uint64_t slot_start(std::uint32_t level, std::uint32_t slot) const noexcept;
  void link(TimerNode& node, std::uint64_t tick) noexcept;
  void link_into(TimerNode& node, std::uint32_t slot) noexcept;
  void unlink(TimerNode& node) noexcept;
  void empty_slot(Slot& slot) noexcept;

  std::uint64_t current_;  // this tick and all before it have been fired
  std::size_t size_ = 0;
  std::array<std::uint64_t, levels + 1> occupied_{};  // one bit per slot
  std::array<Slot, undated + 1> slots_;
};

}  // namespace drover::coro
