// How much counted work takes how long on this machine.
#pragma once

#include <cstdint>

#include "coro/clock.h"

namespace drover::lab {

// How many steps of compute() take so long, at least one. By the fastest of many short runs: what
// interrupts the others (an interrupt, another process, a host that takes the processor away) can
// only make a run longer. Takes some tens of milliseconds of the calling thread.
std::uint64_t steps_in(coro::Duration duration);

}  // namespace drover::lab
