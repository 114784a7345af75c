#include "measure/run_queue.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <fstream>
#include <iterator>
#include <string>

namespace drover::measure {

std::optional<RunQueueTimes> parse_run_queue_times(std::string_view schedstat) {
  std::array<std::int64_t, 3> numbers{};
  const char* at = schedstat.data();
  const char* const end = at + schedstat.size();
  for (std::int64_t& number : numbers) {
    while (at != end && *at == ' ') ++at;
    const auto [next, error] = std::from_chars(at, end, number);
    if (error != std::errc() || number < 0) return std::nullopt;
    at = next;
  }
  if (at != end && *at != '\n' && *at != ' ') return std::nullopt;
  return RunQueueTimes{.running = std::chrono::nanoseconds(numbers[0]),
                       .waited = std::chrono::nanoseconds(numbers[1]),
                       .slices = static_cast<std::uint64_t>(numbers[2])};
}

std::optional<RunQueueTimes> read_run_queue_times(pid_t tid) {
  std::ifstream file(fmt::format("/proc/self/task/{}/schedstat", tid));
  const std::string text(std::istreambuf_iterator<char>(file), {});
  return parse_run_queue_times(text);
}

}  // namespace drover::measure
