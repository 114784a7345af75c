// NitroSteps: a flow whose steps and all that belongs to them lie in one buffer in the object
// itself. The engine takes nothing from the heap after the construction, on its ordinary way: what
// does is a thrown exception, an awaited task, an ExternalEvent, values in state(), and the objects
// of the program.
//
// The limits, in any order, count what is alive at a time. What each costs of the buffer is for
// callables, handlers and objects of the size that is given; larger ones cost 32 bytes more for each
// further 32 bytes. docs/runtime-reference.md says more.
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
// says what. Blocks do not move, so a large one may find no room in a buffer that is nearly full:
// give a flow with large callables some more. A step that is larger than the buffer does not compile
// at the root; below it, Steps& does not know the kind of its flow.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>

#include "steps/async_steps.h"

namespace drover::steps {

namespace detail {

enum class LimitKind : std::uint8_t {
  steps,
  timeouts,
  cancels,
  extended,
  stack_allocs,
  parallel,
  error_code,
  burst,
  buffer
};

// A limit of NitroSteps: its kind and its figure.
template <LimitKind limit_kind, std::size_t n>
struct LimitOption {
  static constexpr LimitKind kind = limit_kind;
  static constexpr std::size_t value = n;
};

template <LimitKind kind, class... Options>
inline constexpr bool option_said = ((Options::kind == kind) || ...);

template <LimitKind kind, std::size_t fallback, class... Options>
consteval std::size_t option_value() {
  std::size_t value = fallback;
  ((Options::kind == kind ? void(value = Options::value) : void()), ...);
  return value;
}

}  // namespace detail

template <std::size_t n>
using MaxSteps = detail::LimitOption<detail::LimitKind::steps, n>;
template <std::size_t n>
using MaxTimeouts = detail::LimitOption<detail::LimitKind::timeouts, n>;
template <std::size_t n>
using MaxCancels = detail::LimitOption<detail::LimitKind::cancels, n>;
template <std::size_t n>
using MaxExtended = detail::LimitOption<detail::LimitKind::extended, n>;
template <std::size_t n>
using MaxStackAllocs = detail::LimitOption<detail::LimitKind::stack_allocs, n>;
template <std::size_t n>
using MaxParallel = detail::LimitOption<detail::LimitKind::parallel, n>;
template <std::size_t n>
using ErrorCodeMaxSize = detail::LimitOption<detail::LimitKind::error_code, n>;
template <std::size_t n>
using BurstSize = detail::LimitOption<detail::LimitKind::burst, n>;
template <std::size_t n>
using BufferSize = detail::LimitOption<detail::LimitKind::buffer, n>;

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
      option_value<LimitKind::steps, 16, Options...>(),
      option_value<LimitKind::timeouts, 4, Options...>(),
      option_value<LimitKind::cancels, 4, Options...>(),
      option_value<LimitKind::extended, 4, Options...>(),
      option_value<LimitKind::stack_allocs, 8, Options...>(),
      option_value<LimitKind::parallel, 4, Options...>(),
      limit_max,
  };
  static constexpr std::size_t code_size = option_value<LimitKind::error_code, 32, Options...>();
  static constexpr std::size_t burst = option_value<LimitKind::burst, 100, Options...>();
  static_assert(counts[0] > 0, "MaxSteps: a flow needs at least one step");
  static_assert(burst > 0 && burst <= limit_max, "BurstSize: from 1 to 32767");
  static_assert(code_size >= 16 && code_size <= Text::inline_size,
                "ErrorCodeMaxSize: the engine's own codes need 16 characters, the buffer has 40");

  static consteval std::size_t room_for_all() {
    const std::size_t children = option_said<LimitKind::parallel, Options...> ? counts[5] : 0;
    return counts[0] * nitro_cost::step + counts[1] * nitro_cost::timeout +
           counts[2] * nitro_cost::cancel + counts[3] * nitro_cost::extended +
           counts[4] * nitro_cost::stack + children * nitro_cost::parallel + nitro_cost::results;
  }

  static constexpr std::size_t buffer_size =
      cell_cost(option_value<LimitKind::buffer, room_for_all(), Options...>());
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
      : Flow(worker, this->cell_memory, &Of::limits, this->state_memory, Of::burst) {}

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
