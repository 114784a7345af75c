// Attachments: what a step may have besides its callables, in a list from the newest to the oldest:
// a timer, a cancel handler, objects that live as long as the step, the frame of a loop and so on.
// Destroyed with the step, newest first. And what memory an engine may have limits for. For the
// engine's own use; not thread-safe.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "coro/clock.h"
#include "coro/detail/pinned.h"
#include "coro/timer_wheel.h"

namespace drover::steps {

class Steps;
class Strand;

// What memory is asked for. Each has a limit of its own, except for `other`: results, labels
// of loops.
enum class Slot : std::uint8_t { step, timeout, cancel, extended, stack, parallel, other };

inline constexpr std::size_t slot_count = 7;

using SlotCounts = std::array<std::uint16_t, slot_count>;

inline constexpr std::uint16_t limit_max = 0x7fff;

inline constexpr SlotCounts no_limits{limit_max, limit_max, limit_max, limit_max,
                                      limit_max, limit_max, limit_max};

// What an engine with limits allows to be alive at a time. An engine without limits has
// none, and takes what its own buffer has no room for from the coroutines' pool.
struct Limits {
  static constexpr std::array<std::string_view, slot_count> names{
      "MaxSteps",       "MaxTimeouts", "MaxCancels", "MaxExtended",
      "MaxStackAllocs", "MaxParallel", "Other"};

  SlotCounts counts;
  std::size_t error_code_size_max;
  std::size_t buffer_size;  // bytes
};

namespace detail {

// What a timer waits at most: more is never, and so long from now no clock ends.
inline constexpr coro::Duration longest_wait = std::chrono::years(50);

struct AttachmentKind {
  Slot slot;
  bool ends_with_wait;  // gone when the step stops waiting, and not only when the step ends
  std::size_t size;     // bytes
};

struct Attachment : coro::Pinned {
  virtual AttachmentKind kind() const noexcept = 0;
  // Says where its memory begins: the attachment need not be the first base.
  virtual void* destroy() noexcept = 0;
  // Of a cancel handler.
  virtual void cancel(Steps&) {}

  Attachment* next = nullptr;

 protected:
  ~Attachment() = default;
};

// What an attachment `A` derives from: it counts for this slot, and is gone when its step stops
// waiting, or else when the step ends.
template <class A, Slot its_slot, bool gone_after_wait, class Base = Attachment>
struct AttachmentOf : Base {
  static constexpr Slot slot = its_slot;

  AttachmentKind kind() const noexcept override { return {its_slot, gone_after_wait, sizeof(A)}; }
  void* destroy() noexcept override {
    A* object = static_cast<A*>(this);
    object->~A();
    return object;
  }

 protected:
  ~AttachmentOf() = default;
};

// Raises Timeout in the strand of its step.
struct TimeoutAttachment final : AttachmentOf<TimeoutAttachment, Slot::timeout, true>,
                                 coro::TimerNode {
  TimeoutAttachment(Steps& step, coro::Duration timeout) noexcept;
  ~TimeoutAttachment();

  void on_timer() noexcept override;

  Steps& owner;
};

template <class Handler>
struct CancelAttachment final : AttachmentOf<CancelAttachment<Handler>, Slot::cancel, true> {
  explicit CancelAttachment(Handler h) : handler(std::move(h)) {}

  void cancel(Steps& step) override { handler(step); }

  [[no_unique_address]] Handler handler;
};

template <class T>
struct ObjectAttachment final : AttachmentOf<ObjectAttachment<T>, Slot::stack, false> {
  template <class... Args>
  explicit ObjectAttachment(Args&&... args) : object(std::forward<Args>(args)...) {}

  T object;
};

// Memory whose size is known only at run time; it lies behind this header.
struct MemoryAttachment final : AttachmentOf<MemoryAttachment, Slot::stack, false> {
  MemoryAttachment(std::size_t size, void (*function)(void*)) noexcept
      : memory_size(size), destroy_memory(function) {}
  ~MemoryAttachment() { destroy_memory(memory()); }

  AttachmentKind kind() const noexcept override {
    return {slot, false, sizeof(MemoryAttachment) + memory_size};
  }
  void* memory() noexcept { return this + 1; }

  std::size_t memory_size;
  void (*destroy_memory)(void*);
};

}  // namespace detail
}  // namespace drover::steps
