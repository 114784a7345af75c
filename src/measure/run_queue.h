// How long a thread ran, and how long it was ready to run and waited for a processor: what tells a
// client that had too much to do from one that others kept from its work.
//
// Thread safety: read_run_queue_times() may be called by any thread, about any thread of this
// process. It reads /proc/self/task/<tid>/schedstat: some tens of microseconds, for a sampler and
// not for a hot path. The times are the kernel's: of a thread that runs at the moment they may lag
// by a tick of the scheduler, a few milliseconds. The difference of two readings is what counts.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

namespace drover::measure {

// All since the thread began.
struct RunQueueTimes {
  std::chrono::nanoseconds running{};  // had a processor
  std::chrono::nanoseconds waited{};   // was ready and had none
  std::uint64_t slices = 0;            // times that it was given a processor
};

// Nothing if the kernel does not say (it was built without CONFIG_SCHED_INFO), or if this process
// has no such thread.
std::optional<RunQueueTimes> read_run_queue_times(pid_t tid);

// The text of a schedstat file: three numbers in the order above. Nothing if it is something else.
std::optional<RunQueueTimes> parse_run_queue_times(std::string_view schedstat);

}  // namespace drover::measure
