// Facts about this process, its threads and its machine, for results. From any thread.
//
// Reading /proc takes some tens of microseconds.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace drover::measure {

struct ProcessUsage {
  double cpu_seconds = 0;            // user and system time of all threads since the start
  std::uint64_t rss_bytes = 0;       // 0 if unknown
  std::uint64_t peak_rss_bytes = 0;  // since the start of the process
  std::uint64_t threads = 0;         // 0 if unknown
};

ProcessUsage read_process_usage();

// Returns the CPU time alone, in less than a microsecond.
double process_cpu_seconds();

// Returns the facts in the text of /proc/self/status. A missing or unreadable line leaves its
// figure at 0.
ProcessUsage parse_process_status(std::string_view status);

// How long a thread ran, and how long it was ready but waited for a processor, since its start.
// This tells an overloaded client from one that other processes slowed down. The kernel's times of
// a thread that runs may lag by a tick of the scheduler, a few milliseconds.
struct RunQueueTimes {
  std::chrono::nanoseconds running{};
  std::chrono::nanoseconds waited{};
  std::uint64_t slices = 0;  // times that it was given a processor
};

// Returns nothing if the kernel was built without CONFIG_SCHED_INFO, or this process has no such
// thread.
std::optional<RunQueueTimes> read_run_queue_times(pid_t tid);

// Parses a schedstat file: three numbers in the order above. Returns nothing for any other text.
std::optional<RunQueueTimes> parse_run_queue_times(std::string_view schedstat);

// Returns the Unix time in seconds at which this process was started, or the present time if that
// is unknown.
double process_start_unix_s();

// Returns the field "starttime" of the text of /proc/self/stat: clock ticks since the machine was
// booted.
std::optional<double> start_ticks_of(std::string_view stat);

// The machine of this process. Unknown texts are empty.
struct Host {
  std::string hostname;
  std::string os;         // name of the distribution, release of the kernel
  unsigned cpus = 0;      // that this process may use
  std::string cpu_model;  // see cpu_model()
};

Host describe_host();

// Returns the value of the first line `key : value` or KEY="value", as in /proc/cpuinfo and
// /etc/os-release, or an empty text.
std::string value_of_line(std::string_view text, std::string_view key);

// Returns the name of the processors in a /proc/cpuinfo, or on ARM, which has no names, their
// numbers.
std::string cpu_model(std::string_view cpuinfo);

}  // namespace drover::measure
