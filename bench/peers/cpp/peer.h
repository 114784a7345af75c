// What the C++ peers share: how they read their arguments, and the line that bench/peers/run reads.
//
// For one thread. An argument that is wrong ends the process with exit code 2 and a message.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace drover::peers {

// The whole number at `position` of the command line, at least 1.
std::size_t count_argument(int argc, char** argv, int position, std::string_view name);

// Like it, but seconds, more than 0.
double seconds_argument(int argc, char** argv, int position, std::string_view name);

[[noreturn]] void fail(std::string_view message);        // exit code 1
[[noreturn]] void fail_usage(std::string_view message);  // exit code 2

struct StepsFigures {
  std::uint64_t operations = 0;  // flows, or waits
  double seconds = 0;
  double cpu_seconds = 0;              // of the process, user and system
  std::uint64_t rss_before_bytes = 0;  // resident before the test
};

// One line of JSON on the standard output, with the peak memory of the process so far. `version` is
// that of the peer's library.
void print_steps(std::string_view version, const StepsFigures& figures);

}  // namespace drover::peers
