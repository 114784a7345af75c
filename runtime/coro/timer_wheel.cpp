#include "coro/timer_wheel.h"

#include <algorithm>
#include <bit>
#include <cassert>

namespace drover::coro {
namespace {

constexpr int tick_bits = 13;  // 8.192 µs
constexpr std::uint64_t tick_ns = 1U << tick_bits;

// Ticks are counted from the first instant.
constexpr std::uint64_t before_epoch_ns = std::uint64_t{1} << 63;

// First tick that begins after the last instant. It has 51 bits. All
// levels of the wheel together cover 54.
constexpr std::uint64_t tick_end = std::uint64_t{1} << (64 - tick_bits);

constexpr std::uint64_t nanoseconds(Instant instant) noexcept {
  return static_cast<std::uint64_t>(instant.time_since_epoch().count()) + before_epoch_ns;
}

constexpr std::uint64_t tick_before(Instant instant) noexcept {
  return nanoseconds(instant) >> tick_bits;
}

constexpr Instant start_of(std::uint64_t tick) noexcept {
  if (tick >= tick_end) return Instant::max();
  return Instant(Duration(static_cast<std::int64_t>((tick << tick_bits) - before_epoch_ns)));
}

}  // namespace

std::uint64_t TimerWheel::tick_after(Instant deadline) noexcept {
  return tick_before(deadline) + (nanoseconds(deadline) % tick_ns != 0 ? 1 : 0);
}

TimerWheel::TimerWheel(Instant start) noexcept : current_(tick_before(start)) {
  for (Slot& slot : slots_) slot.previous_ = slot.next_ = &slot;
}

void TimerWheel::add(TimerNode& node, Instant deadline) noexcept {
  assert(!node.armed());
  node.deadline_ = deadline;
  // The current tick's slot has been fired already, so an overdue timer goes into the next one.
  const std::uint64_t tick = tick_after(deadline);
  link(node, tick > current_ ? tick : current_ + 1);
  ++size_;
}

void TimerWheel::add(TimerNode& node, Duration duration) noexcept {
  assert(!node.armed());
  node.deadline_ = Instant(duration);
  link_into(node, undated);
  ++size_;
}

void TimerWheel::date(Instant now) noexcept {
  Slot& head = slots_[undated];
  while (head.next_ != &head) {
    TimerNode& node = *head.next_;
    unlink(node);
    --size_;
    add(node, instant_after(now, node.deadline_.time_since_epoch()));
  }
}

void TimerWheel::remove(TimerNode& node) noexcept {
  if (!node.armed()) return;
  unlink(node);
  --size_;
}

void TimerWheel::link(TimerNode& node, std::uint64_t tick) noexcept {
  const int highest_bit = 63 - std::countl_zero((tick ^ current_) | 1U);
  const auto level = static_cast<std::uint32_t>(highest_bit / digit_bits);
  const auto slot = static_cast<std::uint32_t>(tick >> (level * digit_bits)) % slots_per_level;
  assert(level < levels);
  link_into(node, level * slots_per_level + slot);
}

void TimerWheel::link_into(TimerNode& node, std::uint32_t slot) noexcept {
  node.slot_ = slot;
  Slot& head = slots_[slot];
  node.previous_ = head.previous_;
  node.next_ = &head;
  head.previous_->next_ = &node;
  head.previous_ = &node;
  occupied_[slot / slots_per_level] |= std::uint64_t{1} << slot % slots_per_level;
}

void TimerWheel::unlink(TimerNode& node) noexcept {
  node.previous_->next_ = node.next_;
  node.next_->previous_ = node.previous_;
  node.previous_ = node.next_ = nullptr;
  const Slot& head = slots_[node.slot_];
  if (head.next_ == &head) {
    occupied_[node.slot_ / slots_per_level] &= ~(std::uint64_t{1} << node.slot_ % slots_per_level);
  }
}

std::uint64_t TimerWheel::slot_start(std::uint32_t level, std::uint32_t slot) const noexcept {
  const std::uint32_t above = (level + 1) * digit_bits;
  return (current_ >> above << above) | (std::uint64_t{slot} << (level * digit_bits));
}

// All timers of a lower level are due before those of a higher one, because they agree with the
// current tick in every higher digit. Within a level no slot at or before the current digit is
// occupied.
void TimerWheel::expire(Instant now) noexcept {
  // At the last instant all timers are due.
  const std::uint64_t target =
      now == Instant::max() ? std::max(current_, tick_end) + 1 : tick_before(now);
  while (size_ > 0) {
    std::uint32_t level = 0;
    while (level < levels && occupied_[level] == 0) ++level;
    if (level == levels) break;
    const auto slot = static_cast<std::uint32_t>(std::countr_zero(occupied_[level]));
    const std::uint64_t start = slot_start(level, slot);
    if (start > target) break;
    current_ = start;
    empty_slot(slots_[level * slots_per_level + slot]);
  }
  if (target > current_) current_ = target;
}

// Fires the timers that are due (all timers of a slot of the lowest level), and moves the others
// down.
void TimerWheel::empty_slot(Slot& slot) noexcept {
  while (slot.next_ != &slot) {
    TimerNode& node = *slot.next_;
    unlink(node);
    const std::uint64_t tick = tick_after(node.deadline_);
    if (tick > current_) {
      link(node, tick);
    } else {
      --size_;
      node.on_timer();
    }
  }
}

std::optional<Instant> TimerWheel::next_expiry() const noexcept {
  for (std::uint32_t level = 0; level < levels; ++level) {
    if (occupied_[level] == 0) continue;
    const auto slot = static_cast<std::uint32_t>(std::countr_zero(occupied_[level]));
    return start_of(slot_start(level, slot));
  }
  return std::nullopt;
}

}  // namespace drover::coro
