// What this process and its threads cost, and when it began: the client's own figures in a result.
//
// Any thread may ask, about any thread of this process. What is read from /proc takes some tens of
// microseconds: for a sampler and not for a hot path.
//
// The peak of memory is that of the whole life of the process: nothing here resets it, so that the
// peak of a run includes what its import or its start took. Report it as such.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

namespace drover::measure {

struct ProcessUsage {
  double cpu_seconds = 0;            // user and system time of all threads since the start
  std::uint64_t rss_bytes = 0;       // resident now; 0 if the system does not say
  std::uint64_t peak_rss_bytes = 0;  // the most that was ever resident
  std::uint64_t threads = 0;         // 0 if the system does not say
};

ProcessUsage read_process_usage();

// The CPU time alone, by a clock that is read in less than a microsecond.
double process_cpu_seconds();

// The part that comes of the text of /proc/self/status. Lines that are missing or unreadable
// leave their figure at 0.
ProcessUsage parse_process_status(std::string_view status);

// How long a thread ran, and how long it was ready to run and waited for a processor, both since it
// began: what tells a client that had too much to do from one that others kept from its work. The
// times are the kernel's: those of a thread that runs at the moment may lag by a tick of the
// scheduler, a few milliseconds. The difference of two readings is what counts.
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

// When this process was started: Unix time in seconds; now, if the kernel does not say.
double process_start_unix_s();

// The field "starttime" of the text of /proc/self/stat: clock ticks since the machine was booted.
std::optional<double> start_ticks_of(std::string_view stat);

}  // namespace drover::measure
