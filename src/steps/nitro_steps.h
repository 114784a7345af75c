// NitroSteps: a flow whose steps and all that belongs to them lie in one buffer in the object
// itself. The engine takes nothing from the heap after the construction, on its ordinary way: what
// does is a thrown exception, an awaited task, an ExternalEvent, values in state(), and the objects
// of the program.
//
// The limits, in any order, count what is alive at a time. What each costs of the buffer is for
// callables, handlers and objects of the size that is given; larger ones cost 32 bytes more for
// each further 32 bytes.
//
//   MaxSteps<16>        steps that were added and have not ended          64 bytes, up to 16
//   MaxTimeouts<4>      timers                                            64
//   MaxCancels<4>       cancel handlers                                   32, up to 16
//   MaxExtended<4>      loops, sync sections (a sync takes two steps,
//                       too), awaited tasks, events, parallels            64, up to 32 for a loop's
//                                                                         callable and container
//   MaxStackAllocs<8>   objects on stack()                                32, up to 16
//   MaxParallel<4>      children of parallels                            160
//   ErrorCodeMaxSize<32>  characters of an error's code, up to 40; the information is cut at 40
//   BurstSize<100>      steps until the flow queues behind the others
//   BufferSize<bytes>   the buffer. Without it: room for all that the limits allow at a time, and
//                       64 bytes for results. MaxParallel counts if it is said: its default is a
//                       limit without room of its own.
//
// Beside these, results cost 8 bytes and their sizes, rounded up to 32, until others are given
// (while a step that takes them by reference gives its own, both), and the label of a loop 64.
// Whatever exceeds a limit, or finds no room in the buffer, raises InternalError, whose information
// says what. Blocks do not move, so that a large one may find no room in a buffer that is nearly
// full: of what is larger than the sizes above give the buffer some more. A step too large for any
// buffer of the flow does not compile at the root; for one that a step adds this cannot be seen, as
// Steps& does not know the kind of its flow.
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

template <class Kind, class... Options>
inline constexpr bool option_said = (std::is_same_v<typename Options::Of, Kind> || ...);

template <class Kind, std::size_t fallback, class... Options>
consteval std::size_t option_value() {
  std::size_t value = fallback;
  ((std::is_same_v<typename Options::Of, Kind> ? void(value = Options::value) : void()), ...);
  return value;
}

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
struct Buffer;
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
template <std::size_t n>
struct BufferSize : detail::LimitOption<limit_kinds::Buffer, n> {};

// What one of each costs of the buffer: see the table above.
namespace nitro_cost {
inline constexpr std::size_t step = cell_cost(sizeof(Steps) + 16);
inline constexpr std::size_t timeout = cell_cost(sizeof(detail::TimeoutAttachment));
inline constexpr std::size_t cancel = cell_cost(sizeof(detail::Attachment) + 16);
inline constexpr std::size_t extended = cell_cost(
    std::max({sizeof(SyncHold), sizeof(detail::AwaitAttachment), sizeof(detail::LinkAttachment),
              sizeof(detail::ParallelFrame), sizeof(detail::RepeatLoop<std::array<void*, 4>>)}));
inline constexpr std::size_t stack = cell_cost(sizeof(detail::Attachment) + 16);
inline constexpr std::size_t parallel = cell_cost(sizeof(detail::ParallelChild));
inline constexpr std::size_t results = 64;
}  // namespace nitro_cost

namespace detail {

template <class... Options>
struct NitroLimits {
  static constexpr SlotCounts counts{
      option_value<limit_kinds::Steps, 16, Options...>(),
      option_value<limit_kinds::Timeouts, 4, Options...>(),
      option_value<limit_kinds::Cancels, 4, Options...>(),
      option_value<limit_kinds::Extended, 4, Options...>(),
      option_value<limit_kinds::StackAllocs, 8, Options...>(),
      option_value<limit_kinds::Parallel, 4, Options...>(),
      limit_max,
  };
  static constexpr std::size_t code_size = option_value<limit_kinds::ErrorCode, 32, Options...>();
  static constexpr std::size_t burst = option_value<limit_kinds::Burst, 100, Options...>();
  static_assert(counts[0] > 0, "MaxSteps: a flow needs at least one step");
  static_assert(burst > 0 && burst <= limit_max, "BurstSize: from 1 to 32767");
  static_assert(code_size >= 16 && code_size <= Text::inline_size,
                "ErrorCodeMaxSize: the engine's own codes need 16 characters, the buffer has 40");

  static consteval std::size_t room_for_all() {
    const std::size_t children = option_said<limit_kinds::Parallel, Options...> ? counts[5] : 0;
    return counts[0] * nitro_cost::step + counts[1] * nitro_cost::timeout +
           counts[2] * nitro_cost::cancel + counts[3] * nitro_cost::extended +
           counts[4] * nitro_cost::stack + children * nitro_cost::parallel + nitro_cost::results;
  }

  static constexpr std::size_t buffer_size =
      cell_cost(option_value<limit_kinds::Buffer, room_for_all(), Options...>());
  static_assert(buffer_size > 0, "BufferSize: a flow needs room for a step");

  static constexpr Limits limits{counts, code_size, buffer_size};
};

// Apart from the flow, and its first base, so that it is there until the flow is gone.
template <std::size_t buffer_size>
struct NitroMemory {
  alignas(State) std::byte state_memory[sizeof(State)];  // NOLINT(*-member-init): State's own
  CellMemory<buffer_size> cell_memory;
};

}  // namespace detail

template <class... Options>
class NitroSteps final : detail::NitroMemory<detail::NitroLimits<Options...>::buffer_size>,
                         public Flow {
  using Of = detail::NitroLimits<Options...>;

 public:
  static constexpr std::size_t buffer_size = Of::buffer_size;

  explicit NitroSteps(coro::Worker& worker)
      : Flow(worker, this->cell_memory, Of::limits, this->state_memory, Of::burst) {}

  template <class Body, class Handler = detail::NoHandler>
  Steps& add(Body&& body, Handler&& handler = {}) {
    using Step = detail::CallableStep<std::decay_t<Body>, std::decay_t<Handler>>;
    static_assert(sizeof(Step) <= std::min(buffer_size, CellBuffer::block_size_max),
                  "NitroSteps: the body and the handler are larger than the flow's buffer");
    return Flow::add(std::forward<Body>(body), std::forward<Handler>(handler));
  }

  std::unique_ptr<Flow> make_new() const override { return std::make_unique<NitroSteps>(worker()); }
};

}  // namespace drover::steps
