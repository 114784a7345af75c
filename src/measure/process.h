// What this process itself costs: the client's own figures in a result.
//
// Thread safety: read_process_usage() may be called by any thread. It reads /proc/self/status and
// getrusage: some tens of microseconds, for a sampler and not for a hot path.
//
// The peak of memory is that of the whole life of the process: nothing here resets it, so that the
// peak of a run includes what its import or its start took. Report it as such.
#pragma once

#include <cstdint>
#include <string_view>

namespace drover::measure {

struct ProcessUsage {
  double cpu_seconds = 0;            // user and system time of all threads since the start
  std::uint64_t rss_bytes = 0;       // resident now; 0 if the system does not say
  std::uint64_t peak_rss_bytes = 0;  // the most that was ever resident
  std::uint64_t threads = 0;         // 0 if the system does not say
};

ProcessUsage read_process_usage();

// The part that comes of the text of /proc/self/status. Lines that are missing or unreadable
// leave their figure at 0.
ProcessUsage parse_process_status(std::string_view status);

}  // namespace drover::measure
