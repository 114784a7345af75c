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

struct Attachment;

struct AttachmentOps {
  Slot slot;
  std::uint32_t size;
  // Whether it is gone when the step stops waiting, and not only when the step ends.
  bool ends_with_wait;
  // Says where its memory begins: the attachment need not be the first base.
  void* (*destroy)(Attachment& attachment) noexcept;
  void (*cancel)(Attachment& attachment, Steps& step);  // null except for a cancel handler
};

struct Attachment : coro::Pinned {
  explicit Attachment(const AttachmentOps& o) noexcept : ops(&o) {}

  Attachment* next = nullptr;
  const AttachmentOps* ops;
};

template <class A>
void* destroy_attachment(Attachment& attachment) noexcept {
  A* object = static_cast<A*>(&attachment);
  object->~A();
  return object;
}

template <class A>
constexpr auto cancel_function() noexcept -> void (*)(Attachment&, Steps&) {
  if constexpr (A::slot == Slot::cancel) {
    return [](Attachment& attachment, Steps& step) { static_cast<A&>(attachment).cancel(step); };
  } else {
    return nullptr;
  }
}

template <class A>
inline constexpr AttachmentOps attachment_ops{A::slot, sizeof(A), A::ends_with_wait,
                                              &destroy_attachment<A>, cancel_function<A>()};

// What an attachment `A` derives from: it counts for this slot, and is gone when its step stops
// waiting, or else when the step ends.
template <class A, Slot its_slot, bool gone_after_wait>
struct AttachmentOf : Attachment {
  static constexpr Slot slot = its_slot;
  static constexpr bool ends_with_wait = gone_after_wait;

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

  void cancel(Steps& step) { handler(step); }

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
