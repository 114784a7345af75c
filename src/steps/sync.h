// SyncPrimitive: what Steps::sync() waits at; the base of Mutex, Throttle and Limiter.
//
// A primitive admits the flows of one worker, whichever comes first; a flow of another one gets
// InternalError. It must outlive the sections that it admits. Not thread-safe.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>

#include "steps/callable_step.h"

namespace drover::steps {

class SyncHold;

enum class Admission : std::uint8_t { admitted, queued, rejected };

class SyncPrimitive {
 public:
  SyncPrimitive() = default;
  SyncPrimitive(const SyncPrimitive&) = delete;
  SyncPrimitive& operator=(const SyncPrimitive&) = delete;

 protected:
  ~SyncPrimitive() = default;

 private:
  friend class SyncHold;
  friend class HoldQueue;
  friend class MutexGate;
  friend class ThrottleGate;

  virtual Admission enter(SyncHold& hold) = 0;

  // What was queued has come to the head of `gate`'s queue and was let in.
  virtual void let_in(SyncHold& hold) noexcept = 0;

  // The end of a section, or of the wait for it.
  virtual void leave(SyncHold& hold) noexcept = 0;

  virtual std::string_view rejection() const noexcept = 0;

  std::atomic<coro::Worker*> worker_{nullptr};  // of the first flow; only compared
};

// A section's place at its primitive: in its queue, or inside. An attachment of the sync's step.
class SyncHold final : public detail::Attachment {
 public:
  enum class Stage : std::uint8_t { outside, at_mutex, at_throttle, inside };

  SyncHold(SyncPrimitive& primitive, Steps& step) noexcept
      : Attachment(operations), primitive_(primitive), step_(step) {}
  ~SyncHold() {
    if (stage != Stage::outside) primitive_.leave(*this);
  }

  // Runs the sync's step.
  void enter();

  // To be called by the primitive. Inside of it, though the section may have to wait for a further
  // one.
  Admission go_in() noexcept {
    stage = Stage::inside;
    return Admission::admitted;
  }

  // To be called by the primitive: the queued section may run, or must not.
  void admit() noexcept;
  void reject() noexcept;

  // Whether a section around this one, of the same flow, has the permit of the same primitive.
  bool nested() const noexcept;

  SyncPrimitive& primitive() const noexcept { return primitive_; }

  Stage stage = Stage::outside;
  bool has_permit = false;  // of the mutex; a nested section has none of its own
  bool counted = false;     // let in by the throttle, after a wait

 private:
  friend class HoldQueue;

  static const detail::AttachmentOps operations;

  SyncPrimitive& primitive_;
  Steps& step_;
  SyncHold* before_ = nullptr;
  SyncHold* behind_ = nullptr;
};

inline constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();

// Where sections wait in the stage `stage`: a FIFO with a limit; the links lie in them.
class HoldQueue {
 public:
  HoldQueue(SyncHold::Stage stage, std::size_t max) noexcept : stage_(stage), max_(max) {}

  bool empty() const noexcept { return first_ == nullptr; }
  std::size_t size() const noexcept { return size_; }

  // Queues it, or rejects it if so many wait already.
  Admission push(SyncHold& hold) noexcept;

  // False if it does not wait here.
  bool remove(SyncHold& hold) noexcept;

  // The longest waiter, which is inside then. Requires: not empty.
  SyncHold& pop() noexcept;

 private:
  SyncHold::Stage stage_;
  std::size_t max_;
  SyncHold* first_ = nullptr;
  SyncHold* last_ = nullptr;
  std::size_t size_ = 0;
};

namespace detail {

void run_sync(Steps& step);

inline constexpr StepOps sync_step_ops{Kind::sync, sizeof(Steps), &run_sync, nullptr, nullptr};

}  // namespace detail
}  // namespace drover::steps
