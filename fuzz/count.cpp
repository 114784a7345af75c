// Options that are whole numbers: within their range and without anything around them, or refused.
// The first line is the text, the next two are the range.
#include <charconv>
#include <limits>

#include "cli/option/option.h"
#include "fuzz.h"
#include "run/usage_error.h"

using namespace drover;

namespace {

std::int64_t bound(const std::string& text, std::int64_t otherwise) {
  std::int64_t value = otherwise;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::string> lines = fuzz::lines_of(data, size);
  lines.resize(3);
  const std::int64_t low = bound(lines[1], std::numeric_limits<std::int64_t>::min());
  const std::int64_t high = bound(lines[2], std::numeric_limits<std::int64_t>::max());
  std::optional<std::int64_t> count;
  cli::Option option("--count", &count, "N|auto", "",
                     cli::in_range(static_cast<long double>(low), static_cast<long double>(high)));
  try {
    option.give({lines[0]});
    if (!count) {
      fuzz::require(lines[0] == "auto", "nothing else is auto", lines[0]);
      return 0;
    }
    const std::int64_t value = *count;
    fuzz::require(value >= low && value <= high, "it is in its range", lines[0]);
    std::string digits = lines[0];
    if (digits.starts_with('+')) digits.erase(0, 1);
    const std::size_t sign = digits.starts_with('-') ? 1 : 0;
    digits.erase(sign, std::min(digits.find_first_not_of('0', sign), digits.size() - 1) - sign);
    fuzz::require(digits == std::to_string(value) || value == 0, "the text is the number",
                  lines[0]);
  } catch (const UsageError& error) {
    const std::string_view text = error.what();
    fuzz::require(text.starts_with("--count") || text == "pass a connection string with --db",
                  "it names the option");
  }
  return 0;
}
