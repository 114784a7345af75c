#include "coro/timer_wheel.h"

#include <bit>
#include <cassert>

namespace drover::coro {
namespace {

constexpr int tick_bits = 13;  // 8.192 µs

std::uint64_t nanoseconds(Instant instant) noexcept {
  const auto count = instant.time_since_epoch().count();
  return count > 0 ? static_cast<std::uint64_t>(count) : 0;
}

std::uint64_t tick_before(Instant instant) noexcept {
  return nanoseconds(instant) >> tick_bits;
}

}  // namespace

std::uint64_t TimerWheel::tick_after(Instant deadline) noexcept {
  return (nanoseconds(deadline) + (1U << tick_bits) - 1) >> tick_bits;
}

TimerWheel::TimerWheel(Instant start) noexcept : current_(tick_before(start)) {
  for (Slot& slot : slots_) slot.previous_ = slot.next_ = &slot;
}

void TimerWheel::add(TimerNode& node, Instant deadline) noexcept {
  assert(!node.armed());
  node.deadline_ = deadline;
  // The current tick's slot has been fired already, so what is overdue goes into the next one.
  const std::uint64_t tick = tick_after(deadline);
  link(node, tick > current_ ? tick : current_ + 1);
  ++size_;
}

void TimerWheel::add_undated(TimerNode& node, Duration duration) noexcept {
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
    add(node, now + node.deadline_.time_since_epoch());
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

// Nodes of a lower level are all due before those of a higher one: they agree with the current tick
// in every digit above. And within a level no slot at or before the current digit is occupied.
void TimerWheel::expire(Instant now) noexcept {
  const std::uint64_t target = tick_before(now);
  while (size_ > 0) {
    std::uint32_t level = 0;
    while (level < levels && occupied_[level] == 0) ++level;
    if (level == levels) break;
    const auto slot = static_cast<std::uint32_t>(std::countr_zero(occupied_[level]));
    const std::uint64_t start = slot_start(level, slot);
    if (start > target) break;
    current_ = start;
    Slot& head = slots_[level * slots_per_level + slot];
    if (level == 0) {
      fire_slot(head);
    } else {
      cascade_slot(head);
    }
  }
  if (target > current_) current_ = target;
}

void TimerWheel::fire_slot(Slot& slot) noexcept {
  while (slot.next_ != &slot) {
    TimerNode& node = *slot.next_;
    unlink(node);
    --size_;
    node.on_timer();
  }
}

void TimerWheel::cascade_slot(Slot& slot) noexcept {
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
    return Instant(Duration(static_cast<std::int64_t>(slot_start(level, slot) << tick_bits)));
  }
  return std::nullopt;
}

}  // namespace drover::coro
