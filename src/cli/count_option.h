// Whole numbers and "auto" on the command line, with the range in the message.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace drover::cli {

// Throws UsageError unless `text` is a whole number in [low, high].
std::int64_t parse_count(std::string_view name, const std::string& text, std::int64_t low,
                         std::int64_t high);

// The same, and "auto": then `automatic`.
std::int64_t parse_count_or_auto(std::string_view name, const std::string& text, std::int64_t low,
                                 std::int64_t high, std::int64_t automatic);

}  // namespace drover::cli
