// Figures, nouns and sentences for people. Pure functions; any thread.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace drover::text {

// Returns the noun after a count: "connection" after 1, "connections" after 0 and 2, "Deliveries"
// for "Delivery".
std::string plural(std::uint64_t count, std::string_view noun);

std::string counted(std::uint64_t count, std::string_view noun);          // "12345 connections"
std::string counted_grouped(std::uint64_t count, std::string_view noun);  // "12,345 connections"

// Returns "1 worker" and "2 workers" for "workers". A text that is not a single word does not
// change.
std::string counted_of_plural(std::int64_t count, std::string_view plural);

std::string grouped(std::uint64_t number);  // "12,345"

// Returns three significant digits, without an exponent: 0.0123, 1.5, 12, 2034.
std::string figure_text(double value);

std::string length_text(double seconds);             // "4.3 s", "2 min 0 s", "1 h 2 min 3 s"
std::string bytes_text(std::uint64_t bytes);         // "16.4 MiB", "1.50 GiB"
std::string moment_text(std::int64_t unix_seconds);  // "2026-11-21 17:29:05 UTC"

// Returns the text without the blanks at both ends.
std::string_view trimmed(std::string_view text, std::string_view blanks = " \t\r\n");

// Replaces each `from`. Requires: `from` is not empty.
std::string replaced(std::string text, std::string_view from, std::string_view to);

// Returns the number that the whole text is, or nothing.
template <class Number>
std::optional<Number> number_of(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// Returns the text with a full stop, unless it ends with ".", "?" or "!" already, as messages of
// some servers do.
inline std::string sentence(std::string_view text) {
  std::string ended(text);
  if (ended.empty() || std::string_view(".?!").find(ended.back()) == std::string_view::npos)
    ended += '.';
  return ended;
}

// Columns of a line of text in a terminal.
inline constexpr std::size_t folded_columns = 100;

// Appends the text, folded at blanks to lines of at most `width` columns, and a line break. Appends
// nothing for an empty text. Lines after the first begin with `indent`. A word longer than a line
// is broken. The first `label` bytes are not broken.
void append_folded(std::string& out, std::string_view text, std::size_t width = folded_columns,
                   std::string_view indent = "  ", std::size_t label = 0);

}  // namespace drover::text
