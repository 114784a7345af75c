// Durations: within a year, or refused with a sentence.
#include "cli/option/option.h"

#include "fuzz.h"
#include "run/usage_error.h"

using namespace drover;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(fuzz::text_of(data, size));
  try {
    const coro::Duration duration = cli::parse_duration("--duration", text);
    fuzz::require(duration.count() >= 0, "no duration is negative", text);
    fuzz::require(duration <= std::chrono::hours(24) * 365, "no duration is above a year", text);
  } catch (const UsageError& error) {
    fuzz::require(std::string_view(error.what()).starts_with("--duration "), "it names the option");
  }
  return 0;
}
