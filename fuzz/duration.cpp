// Durations: within a year, or refused with a sentence; and what format_duration() makes of them
// means the same to the millisecond.
#include "cli/duration.h"

#include "cli/usage_error.h"
#include "fuzz.h"

using namespace drover;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(fuzz::text_of(data, size));
  try {
    const coro::Duration duration = cli::parse_duration("--duration", text);
    fuzz::require(duration.count() >= 0, "no duration is negative", text);
    fuzz::require(duration <= std::chrono::hours(24) * 365, "no duration is above a year", text);
    const std::string formatted = cli::format_duration(duration);
    const auto again = cli::parse_duration("--duration", formatted);
    const auto difference = again > duration ? again - duration : duration - again;
    fuzz::require(difference <= std::chrono::milliseconds(1), "the text means the same", formatted);
  } catch (const cli::UsageError& error) {
    fuzz::require(std::string_view(error.what()).starts_with("--duration "), "it names the option");
  }
  return 0;
}
