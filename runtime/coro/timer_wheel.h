// Timers: a hierarchical wheel of intrusive nodes. Adding and removing cost a few instructions
// each, however many timers there are, and nothing is allocated.
//
// Nine levels of 64 slots; a slot of the lowest level is one tick of 8.192 µs, a slot of each
// further level is as wide as the whole level below. A node lies at the level of the highest digit
// in which its tick differs from the current one, so it moves down at most eight times. That is
// room for every Instant there is: none is too far away.
//
// A timer never fires early: its deadline is rounded up to a tick; it fires at most one tick late,
// plus whatever the worker was busy with.
//
// Reading a clock costs as much as all the rest. So a timer that should fire some time from now may
// be added undated: date() gives all of those the deadlines that count from the instant of its
// call, which is later than theirs, so that they are not early either.
//
// Not thread-safe; belongs to one worker.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "coro/clock.h"
#include "coro/detail/pinned.h"

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

  // Called once, already disarmed; must not resume anything, only queue it.
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

  // Adds it undated: to fire `duration` after the next date(). Requires: not armed.
  void add_undated(TimerNode& node, Duration duration) noexcept;

  bool has_undated() const noexcept { return slots_[undated].next_ != &slots_[undated]; }

  void date(Instant now) noexcept;

  // Does nothing if the node is not armed.
  void remove(TimerNode& node) noexcept;

  // Fires every timer that is due at `now`, in the order of their ticks. Requires: none is undated.
  void expire(Instant now) noexcept;

  // When to call expire() next: never later than the first timer's tick, sometimes earlier.
  // Requires: none is undated.
  std::optional<Instant> next_expiry() const noexcept;

  std::size_t size() const noexcept { return size_; }

 private:
  static constexpr int digit_bits = 6;
  static constexpr std::uint32_t slots_per_level = 1U << digit_bits;
  static constexpr std::uint32_t levels = 9;
  static constexpr std::uint32_t undated =
      levels * slots_per_level;  // the slot behind the last level

  // The ring of a slot's nodes.
  struct Slot final : TimerNode {
    void on_timer() noexcept override {}
  };

  static std::uint64_t tick_after(Instant deadline) noexcept;
  std::uint64_t slot_start(std::uint32_t level, std::uint32_t slot) const noexcept;
  void link(TimerNode& node, std::uint64_t tick) noexcept;
  void link_into(TimerNode& node, std::uint32_t slot) noexcept;
  void unlink(TimerNode& node) noexcept;
  void empty_slot(Slot& slot) noexcept;

  std::uint64_t current_;  // every tick before this one, and this one, has been fired
  std::size_t size_ = 0;
  std::array<std::uint64_t, levels + 1> occupied_{};  // a bit a slot
  std::array<Slot, undated + 1> slots_;
};

}  // namespace drover::coro
