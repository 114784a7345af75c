// Computing that is counted in steps, not timed by a clock: who shares a processor with others
// makes fewer slices of it in a second, and that is seen. Pure; any thread.
#pragma once

#include <cstdint>

#include "coro/clock.h"

namespace drover::lab {

// `steps` steps, each of which needs the result of the one before (xorshift64: Marsaglia,
// "Xorshift RNGs", 2003), so that no processor does two at a time. Requires: `value` is not 0; nor
// is the result then.
//
// Never inlined: every caller runs the same instructions.
std::uint64_t compute(std::uint64_t steps, std::uint64_t value) noexcept;

// How many steps of compute() take so long, at least one. By the fastest of many short runs: what
// interrupts the others (an interrupt, another process, a host that takes the processor away) can
// only make a run longer. Takes some tens of milliseconds of the calling thread.
std::uint64_t steps_in(coro::Duration duration);

}  // namespace drover::lab
