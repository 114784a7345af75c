// Whole numbers and times on the command line. What is wrong is a UsageError, which says what was expected of
// the option `name`.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/option/command.h"
#include "coro/clock.h"

namespace drover::cli {

// A whole number in [low, high].
std::int64_t parse_count(std::string_view name, const std::string& text, std::int64_t low,
                         std::int64_t high);

// The same, or nothing for "auto".
std::optional<std::int64_t> parse_count_or_auto(std::string_view name, const std::string& text,
                                                std::int64_t low, std::int64_t high);

// The value that one of these words means.
template <class Value>
Value parse_choice(std::string_view name, const std::string& text,
                   const std::vector<std::pair<std::string, Value>>& choices) {
  std::vector<std::string> words;
  for (const auto& [word, value] : choices) {
    if (text == word) return value;
    words.push_back(word);
  }
  throw UsageError(fmt::format("{} {}: expected {}", name, text, alternatives(words)));
}

// "2/4", the second of four: {2, 4}, 1 <= 2 <= 4 <= most.
std::pair<std::uint64_t, std::uint64_t> parse_part(std::string_view name, const std::string& text,
                                                   std::uint64_t most);

// "1-100": {1, 100}, 1 <= 1 <= 100 <= most.
std::pair<std::uint64_t, std::uint64_t> parse_range(std::string_view name, const std::string& text,
                                                    std::uint64_t most);

// A number and a unit, "90s", "1.5m", "250ms"; "0" needs no unit.
coro::Duration parse_duration(std::string_view name, const std::string& text);

}  // namespace drover::cli
