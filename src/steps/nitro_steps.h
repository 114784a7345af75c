// NitroSteps: a flow whose steps and all that belongs to them lie in the object itself. The engine
// takes nothing from the heap after the construction, on its ordinary way: what does is a thrown
// exception, an awaited task, an ExternalEvent, values in state(), and the objects of the program.
//
// The limits, in any order, count what is alive at a time:
//   MaxSteps        steps that were added and have not ended
//   MaxTimeouts     timers            MaxCancels      cancel handlers
//   MaxExtended     loops, sync sections, awaited tasks, parallels (sync takes two steps, too)
//   MaxStackAllocs  objects on stack()
//   MaxParallel     children of parallels
//   ErrorCodeMaxSize  characters of an error's code; the information is cut at 40
//   BurstSize       steps until the flow queues behind the others
// And in bytes: callables of one step 56, a cancel handler 32, an object on stack() 48, a result
// 32, the frame of a loop (its callable and its container) 112. Whatever exceeds a limit raises
// InternalError, whose information names it. A callable that is too large for the root does not
// compile; for one that a step adds this cannot be seen, as Steps& does not know the kind of its
// flow.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>

#include "steps/async_steps.h"

namespace drover::steps {

namespace detail {

// A limit of NitroSteps: its kind and its figure.
template <class Kind, std::size_t n>
struct LimitOption {
  using Of = Kind;
  static constexpr std::size_t value = n;
};

template <class Kind, std::size_t fallback, class... Options>
consteval std::size_t option_value() {
  std::size_t value = fallback;
  ((std::is_same_v<typename Options::Of, Kind> ? void(value = Options::value) : void()), ...);
  return value;
}

// `count` blocks of `size` bytes, handed out and taken back one by one.
template <std::size_t size, std::size_t count>
class BlockPool {
 public:
  void* allocate() noexcept {
    if (free_ != nullptr) {
      Block* block = free_;
      free_ = block->next;
      return block;
    }
    return used_ < count ? static_cast<void*>(blocks_.data() + used_++) : nullptr;
  }

  void release(void* block) noexcept { free_ = ::new (block) Block{free_}; }

 private:
  struct Block {
    Block* next;
  };
  struct Memory {
    alignas(16) std::byte bytes[size];
  };

  Block* free_ = nullptr;
  std::size_t used_ = 0;
  std::array<Memory, count> blocks_;  // NOLINT(*-member-init): written before it is read
};

}  // namespace detail

namespace limit_kinds {
struct Steps;
struct Timeouts;
struct Cancels;
struct Extended;
struct StackAllocs;
struct Parallel;
struct ErrorCode;
struct Burst;
}  // namespace limit_kinds

template <std::size_t n>
struct MaxSteps : detail::LimitOption<limit_kinds::Steps, n> {};
template <std::size_t n>
struct MaxTimeouts : detail::LimitOption<limit_kinds::Timeouts, n> {};
template <std::size_t n>
struct MaxCancels : detail::LimitOption<limit_kinds::Cancels, n> {};
template <std::size_t n>
struct MaxExtended : detail::LimitOption<limit_kinds::Extended, n> {};
template <std::size_t n>
struct MaxStackAllocs : detail::LimitOption<limit_kinds::StackAllocs, n> {};
template <std::size_t n>
struct MaxParallel : detail::LimitOption<limit_kinds::Parallel, n> {};
template <std::size_t n>
struct ErrorCodeMaxSize : detail::LimitOption<limit_kinds::ErrorCode, n> {};
template <std::size_t n>
struct BurstSize : detail::LimitOption<limit_kinds::Burst, n> {};

namespace detail {

// Apart from the flow, and its first base, so that it is there until the flow is gone.
template <class... Options>
class NitroStorage : public Storage {
 public:
  void* allocate(Slot slot, std::size_t size) noexcept override {
    if (size > limit(slot).size) return nullptr;
    switch (slot) {
      case Slot::step:
        return steps_.allocate();
      case Slot::timeout:
        return timeouts_.allocate();
      case Slot::cancel:
        return cancels_.allocate();
      case Slot::extended:
        return extended_.allocate();
      case Slot::stack:
        return stack_.allocate();
      case Slot::parallel:
        return parallel_.allocate();
      case Slot::state:
        return state_.allocate();
    }
    return nullptr;
  }

  void release(Slot slot, void* block) noexcept override {
    switch (slot) {
      case Slot::step:
        return steps_.release(block);
      case Slot::timeout:
        return timeouts_.release(block);
      case Slot::cancel:
        return cancels_.release(block);
      case Slot::extended:
        return extended_.release(block);
      case Slot::stack:
        return stack_.release(block);
      case Slot::parallel:
        return parallel_.release(block);
      case Slot::state:
        return state_.release(block);
    }
  }

  Limit limit(Slot slot) const noexcept override {
    switch (slot) {
      case Slot::step:
        return {"MaxSteps", step_count, step_size};
      case Slot::timeout:
        return {"MaxTimeouts", timeout_count, sizeof(TimeoutAttachment)};
      case Slot::cancel:
        return {"MaxCancels", cancel_count, cancel_size};
      case Slot::extended:
        return {"MaxExtended", extended_count, extended_size};
      case Slot::stack:
        return {"MaxStackAllocs", stack_count, stack_size};
      case Slot::parallel:
        return {"MaxParallel", parallel_count, sizeof(ParallelChild)};
      case Slot::state:
        return {"State", 1, sizeof(State)};
    }
    return {};
  }

  std::size_t error_code_size_max() const noexcept override { return code_size; }

  static constexpr std::size_t step_size = sizeof(Steps) + 56;

 protected:
  NitroStorage() noexcept = default;
  ~NitroStorage() = default;

 private:
  static constexpr std::size_t step_count = option_value<limit_kinds::Steps, 16, Options...>();
  static constexpr std::size_t timeout_count = option_value<limit_kinds::Timeouts, 4, Options...>();
  static constexpr std::size_t cancel_count = option_value<limit_kinds::Cancels, 4, Options...>();
  static constexpr std::size_t extended_count =
      option_value<limit_kinds::Extended, 4, Options...>();
  static constexpr std::size_t stack_count =
      option_value<limit_kinds::StackAllocs, 8, Options...>();
  static constexpr std::size_t parallel_count =
      option_value<limit_kinds::Parallel, 4, Options...>();
  static constexpr std::size_t code_size = option_value<limit_kinds::ErrorCode, 32, Options...>();
  static_assert(step_count > 0, "MaxSteps: a flow needs at least one step");
  static_assert(code_size >= 16 && code_size <= Text::inline_size,
                "ErrorCodeMaxSize: the engine's own codes need 16 characters, the buffer has 40");

  static constexpr std::size_t cancel_size = sizeof(Attachment) + 32;
  static constexpr std::size_t extended_size = sizeof(LoopFrame) + 112;
  static constexpr std::size_t stack_size = sizeof(Attachment) + 48;

  BlockPool<step_size, step_count> steps_;
  BlockPool<sizeof(TimeoutAttachment), timeout_count> timeouts_;
  BlockPool<cancel_size, cancel_count> cancels_;
  BlockPool<extended_size, extended_count> extended_;
  BlockPool<stack_size, stack_count> stack_;
  BlockPool<sizeof(ParallelChild), parallel_count> parallel_;
  BlockPool<sizeof(State), 1> state_;
};

}  // namespace detail

template <class... Options>
class NitroSteps final : detail::NitroStorage<Options...>, public Flow {
 public:
  explicit NitroSteps(coro::Worker& worker)
      : Flow(worker, this, nullptr,
             static_cast<std::uint32_t>(
                 detail::option_value<limit_kinds::Burst, default_burst, Options...>())) {}

  template <class Body, class Handler = detail::NoHandler>
  Steps& add(Body&& body, Handler&& handler = {}) {
    using Step = detail::CallableStep<std::decay_t<Body>, std::decay_t<Handler>>;
    static_assert(sizeof(Step) <= NitroSteps::step_size,
                  "NitroSteps: the body and the handler of a step have 56 bytes together");
    return Flow::add(std::forward<Body>(body), std::forward<Handler>(handler));
  }

  std::unique_ptr<Flow> make_new() const override { return std::make_unique<NitroSteps>(worker()); }
};

}  // namespace drover::steps
