// Figures, nouns and sentences as people read them. Pure functions; any thread.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace drover::text {

// The noun as it stands behind the count: "connection" behind 1, "connections" behind 0 and 2;
// "Deliveries" of "Delivery".
std::string plural(std::uint64_t count, std::string_view noun);

// "1 connection", "12345 connections"
std::string counted(std::uint64_t count, std::string_view noun);

// "1 connection", "12,345 connections"
std::string counted_grouped(std::uint64_t count, std::string_view noun);

// "1 worker" and "2 workers", both of "workers"; what is no single word stays as it is.
std::string counted_of_plural(std::int64_t count, std::string_view plural);

// With thousands separated: 12,345.
std::string grouped(std::uint64_t number);

// Three digits that matter, without an exponent: 0.0123, 1.5, 12, 2034.
std::string figure_text(double value);

std::string length_text(double seconds);             // "4.3 s", "2 min 0 s", "1 h 2 min 3 s"
std::string bytes_text(std::uint64_t bytes);         // "16.4 MiB", "1.50 GiB"
std::string moment_text(std::int64_t unix_seconds);  // "2026-11-21 17:29:05 UTC"

// Without the blanks at both ends.
std::string_view trimmed(std::string_view text, std::string_view blanks = " \t\r\n");

// With all that is `from` replaced. Requires: `from` is not empty.
std::string replaced(std::string text, std::string_view from, std::string_view to);

// The number that all of the text is, or nothing.
template <class Number>
std::optional<Number> number_of(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// Sentences for a terminal are folded at blanks, so that no line is wider than this.
inline constexpr std::size_t folded_columns = 100;

// Appends the text and a line break; nothing of no text. Lines after the first begin with `indent`;
// a word that is wider than a line is broken. The blanks of the first `label` bytes are no place for
// a break.
void append_folded(std::string& out, std::string_view text, std::size_t width = folded_columns,
                   std::string_view indent = "  ", std::size_t label = 0);

}  // namespace drover::text
