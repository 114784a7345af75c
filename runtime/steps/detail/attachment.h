// Attachments: the parts of a step besides its callables, in a list from the newest to the oldest:
// timer, cancel handler, objects of stack(), frame of a loop and others. Destroyed with the step,
// newest first. Also the kinds of memory that a flow may limit. For the engine; not thread-safe.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "coro/clock.h"
#include "coro/detail/intrusive.h"
#include "coro/timer_wheel.h"

namespace drover::steps {

class Steps;

// Purpose of a block of memory. Each has a limit of its own, except `other`: results and labels of
// loops.
enum class Slot : std::uint8_t { step, timeout, cancel, extended, stack, parallel, other };

inline constexpr std::size_t slot_count = 7;

using SlotCounts = std::array<std::uint16_t, slot_count>;

inline constexpr std::uint16_t limit_max = 0x7fff;

inline constexpr SlotCounts no_limits{limit_max, limit_max, limit_max, limit_max,
                                      limit_max, limit_max, limit_max};

// Limits of a NitroSteps on the objects alive at a time. An AsyncSteps has none, and takes memory
// from the coroutines' pool when its buffer is full.
struct Limits {
  static constexpr std::array<std::string_view, slot_count> names{
      "MaxSteps",       "MaxTimeouts", "MaxCancels", "MaxExtended",
      "MaxStackAllocs", "MaxParallel", "Other"};

  SlotCounts counts;
  std::size_t error_code_size_max;
  std::size_t buffer_size;  // bytes
};

namespace detail {

// Longest time of a timer, which no clock reaches.
inline constexpr coro::Duration longest_wait = std::chrono::years(50);

struct Attachment;

struct AttachmentOps {
  Slot slot;
  std::uint32_t size;
  bool ends_with_wait;  // destroyed when the step stops waiting, and not only when it ends
  // Returns the begin of the memory, because Attachment need not be the first base.
  void* (*destroy)(Attachment& attachment) noexcept;
  void (*cancel)(Attachment& attachment, Steps& step);  // null except in a cancel handler
};

struct Attachment : coro::Pinned {
  explicit Attachment(const AttachmentOps& o) noexcept : ops(&o) {}

  Attachment* next = nullptr;
  const AttachmentOps* ops;
};

template <class A>
inline constexpr AttachmentOps attachment_ops{A::slot, sizeof(A), A::ends_with_wait,
                                              [](Attachment& attachment) noexcept -> void* {
                                                A* object = static_cast<A*>(&attachment);
                                                object->~A();
                                                return object;
                                              },
                                              A::cancel_function};

// Base of an attachment `A`, which counts for `its_slot`.
template <class A, Slot its_slot, bool gone_after_wait>
struct AttachmentOf : Attachment {
  static constexpr Slot slot = its_slot;
  static constexpr bool ends_with_wait = gone_after_wait;
  static constexpr std::nullptr_t cancel_function = nullptr;

 protected:
  AttachmentOf() noexcept : Attachment(attachment_ops<A>) {}
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

  static void cancel_function(Attachment& attachment, Steps& step) {
    static_cast<CancelAttachment&>(attachment).handler(step);
  }

  [[no_unique_address]] Handler handler;
};

template <class T>
struct ObjectAttachment final : AttachmentOf<ObjectAttachment<T>, Slot::stack, false> {
  template <class... Args>
  explicit ObjectAttachment(Args&&... args) : object(std::forward<Args>(args)...) {}

  T object;
};

// Header of memory whose size is known only at run time. The memory follows it.
struct MemoryAttachment final : AttachmentOf<MemoryAttachment, Slot::stack, false> {
  MemoryAttachment(std::size_t size, void (*function)(void*)) noexcept
      : memory_size(size), destroy(function) {}
  ~MemoryAttachment() { destroy(memory()); }

  void* memory() noexcept { return this + 1; }

  std::size_t memory_size;
  void (*destroy)(void*);
};

inline std::size_t attachment_size(const Attachment& attachment) noexcept {
  if (attachment.ops != &attachment_ops<MemoryAttachment>) return attachment.ops->size;
  return sizeof(MemoryAttachment) + static_cast<const MemoryAttachment&>(attachment).memory_size;
}

}  // namespace detail
}  // namespace drover::steps
