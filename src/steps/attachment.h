// Attachments: what a step may have besides its callables, in a list from the newest to the oldest:
// a timer, a cancel handler, objects that live as long as the step, the frame of a loop and so on.
// Destroyed with the step, newest first. For the engine's own use; not thread-safe.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include "coro/clock.h"
#include "coro/timer_wheel.h"
#include "steps/limits.h"

namespace drover::steps {

class Steps;
class Strand;

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

struct Attachment {
  explicit Attachment(const AttachmentOps& o) noexcept : ops(&o) {}
  Attachment(const Attachment&) = delete;
  Attachment& operator=(const Attachment&) = delete;

  Attachment* next = nullptr;
  const AttachmentOps* ops;
};

template <class T>
void* destroy_attachment(Attachment& attachment) noexcept {
  T* object = static_cast<T*>(&attachment);
  object->~T();
  return object;
}

// Raises Timeout in the strand of its step.
struct TimeoutAttachment final : Attachment, coro::TimerNode {
  TimeoutAttachment(Steps& step, coro::Duration timeout) noexcept;
  ~TimeoutAttachment();

  void on_timer() noexcept override;

  static const AttachmentOps operations;
  Steps& owner;
};

template <class Handler>
struct CancelAttachment final : Attachment {
  explicit CancelAttachment(Handler h) : Attachment(operations), handler(std::move(h)) {}

  static void call(Attachment& attachment, Steps& step) {
    static_cast<CancelAttachment&>(attachment).handler(step);
  }

  static const AttachmentOps operations;
  [[no_unique_address]] Handler handler;
};

template <class Handler>
const AttachmentOps CancelAttachment<Handler>::operations{
    Slot::cancel, sizeof(CancelAttachment), true, &destroy_attachment<CancelAttachment>, &call};

template <class T>
struct ObjectAttachment final : Attachment {
  template <class... Args>
  explicit ObjectAttachment(Args&&... args)
      : Attachment(operations), object(std::forward<Args>(args)...) {}

  static const AttachmentOps operations;
  T object;
};

template <class T>
const AttachmentOps ObjectAttachment<T>::operations{Slot::stack, sizeof(ObjectAttachment), false,
                                                    &destroy_attachment<ObjectAttachment>, nullptr};

// Memory whose size is known only at run time; it lies behind this header.
struct MemoryAttachment final : Attachment {
  MemoryAttachment(std::size_t size, void (*function)(void*)) noexcept
      : Attachment(operations), memory_size(size), destroy(function) {}
  ~MemoryAttachment() { destroy(memory()); }

  void* memory() noexcept { return this + 1; }

  static const AttachmentOps operations;  // its size is 0: see attachment_size()
  std::size_t memory_size;
  void (*destroy)(void*);
};

inline std::size_t attachment_size(const Attachment& attachment) noexcept {
  if (attachment.ops->size != 0) return attachment.ops->size;
  return sizeof(MemoryAttachment) + static_cast<const MemoryAttachment&>(attachment).memory_size;
}

}  // namespace detail
}  // namespace drover::steps
