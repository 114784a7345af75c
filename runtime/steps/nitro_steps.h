// NitroSteps: a flow whose steps and their parts lie in a buffer inside the object. After the
// construction the engine takes nothing from the heap, except for thrown exceptions, awaited tasks,
// ExternalEvents, values in state(), and the objects of the program.
//
// The limits, in any order, count objects that are alive at a time. The costs in bytes of the
// buffer are for callables, handlers and objects up to the stated size. Larger ones cost 32 more
// for each further 32 bytes. docs/runtime-reference.md says more.
//
//   MaxSteps<16>        steps that were added and have not ended          64 bytes, up to 16
//   MaxTimeouts<4>      timers                                            64
//   MaxCancels<4>       cancel handlers                                   32, up to 16
//   MaxExtended<4>      loops, sync sections (each also takes two         64, up to 32 for a loop's
//                       steps), awaited tasks, events, parallels          callable and container
//   MaxStackAllocs<8>   objects on stack()                                32, up to 16
//   MaxParallel<4>      children of parallels                            160
//   ErrorCodeMaxSize<32>  characters of an error code, up to 40; the information is cut at 40
//   BurstSize<100>      steps until the flow queues behind the other flows
//   BufferSize<bytes>   the buffer. Default: room for all objects that the limits allow, and 64
//                       bytes for results. MaxParallel counts only if it is given.
//
// Results cost 8 bytes and their sizes, rounded up to 32, until others replace them. While a step
// that takes results by reference gives its own, both cost. The label of a loop costs 64. An object
// that exceeds a limit or finds no room in the buffer raises InternalError, whose information says
// why. Blocks do not move, so a large one may find no room in a nearly full buffer: give a flow
// with large callables more. A step that is larger than the buffer does not compile at the root;
// below it, Steps& does not know the type of its flow.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <type_traits>

#include "steps/async_steps.h"

namespace drover::steps {

namespace detail {

struct NitroOptions {
  std::size_t steps = 16;
  std::size_t timeouts = 4;
  std::size_t cancels = 4;
  std::size_t extended = 4;
  std::size_t stack_allocs = 8;
  std::size_t parallel = unlimited;  // not given
  std::size_t error_code = 32;
  std::size_t burst = 100;
  std::size_t buffer = unlimited;  // not given
};

// Sets one of the options to `n`.
template <std::size_t NitroOptions::* option, std::size_t n>
struct NitroOption {
  static constexpr void set(NitroOptions& options) { options.*option = n; }
};

}  // namespace detail

template <std::size_t n>
using MaxSteps = detail::NitroOption<&detail::NitroOptions::steps, n>;
template <std::size_t n>
using MaxTimeouts = detail::NitroOption<&detail::NitroOptions::timeouts, n>;
template <std::size_t n>
using MaxCancels = detail::NitroOption<&detail::NitroOptions::cancels, n>;
template <std::size_t n>
using MaxExtended = detail::NitroOption<&detail::NitroOptions::extended, n>;
template <std::size_t n>
using MaxStackAllocs = detail::NitroOption<&detail::NitroOptions::stack_allocs, n>;
template <std::size_t n>
using MaxParallel = detail::NitroOption<&detail::NitroOptions::parallel, n>;
template <std::size_t n>
using ErrorCodeMaxSize = detail::NitroOption<&detail::NitroOptions::error_code, n>;
template <std::size_t n>
using BurstSize = detail::NitroOption<&detail::NitroOptions::burst, n>;
template <std::size_t n>
using BufferSize = detail::NitroOption<&detail::NitroOptions::buffer, n>;

// Bytes of the buffer that one object costs: see the table above.
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
  static constexpr NitroOptions options = [] {
    NitroOptions all;
    (Options::set(all), ...);
    return all;
  }();
  static constexpr bool limits_children = options.parallel != unlimited;
  static_assert(options.steps > 0, "MaxSteps: a flow needs at least one step");
  static_assert(options.burst > 0 && options.burst <= limit_max, "BurstSize: from 1 to 32767");
  static_assert(options.error_code >= 16 && options.error_code <= Text::inline_size,
                "ErrorCodeMaxSize: the engine's own codes need 16 characters, the buffer has 40");

  static constexpr std::size_t room_for_all =
      options.steps * nitro_cost::step + options.timeouts * nitro_cost::timeout +
      options.cancels * nitro_cost::cancel + options.extended * nitro_cost::extended +
      options.stack_allocs * nitro_cost::stack +
      (limits_children ? options.parallel : 0) * nitro_cost::parallel + nitro_cost::results;

  static constexpr std::size_t buffer_size =
      cell_cost(options.buffer != unlimited ? options.buffer : room_for_all);
  static_assert(buffer_size > 0, "BufferSize: a flow needs room for a step");

  static constexpr Limits limits{
      {options.steps, options.timeouts, options.cancels, options.extended, options.stack_allocs,
       limits_children ? options.parallel : 4, limit_max},
      options.error_code,
      buffer_size};
};

// Memory of a flow, as its first base, so that it outlives the flow.
template <std::size_t buffer_size>
struct NitroMemory {
  alignas(State) std::byte state_memory[sizeof(State)];  // NOLINT(*-member-init): for a State
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
      : Flow(worker, this->cell_memory, &Of::limits, this->state_memory, Of::options.burst) {}

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
