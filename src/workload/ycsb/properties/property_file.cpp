#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <system_error>
#include <utility>

#include "text/utf8.h"
#include "workload/ycsb/properties/properties.h"

namespace drover::ycsb {
namespace {

constexpr std::string_view property_blanks = " \t\f";
constexpr std::string_view half_surrogate = "expected both halves of a surrogate pair";

[[noreturn]] void refuse_line(std::size_t line, std::string_view what) {
  throw PropertyError(fmt::format("line {}: {}", line, what));
}

// Throws if the file is not text, as binary files are.
void require_text(std::string_view text) {
  std::size_t line = 1;
  while (!text.empty()) {
    const text::Utf8Character character = text::first_character(text);
    if (!character.valid) refuse_line(line, "expected text in UTF-8, found other bytes");
    const char32_t point = character.point;
    const bool may_be = point == '\t' || point == '\f' || point == '\r' || point == '\n';
    if (!may_be && !text::is_printable(point)) {
      refuse_line(line, fmt::format("expected text, found the control character U+{:04X}",
                                    static_cast<unsigned>(point)));
    }
    if (point == '\n' || (point == '\r' && !text.starts_with("\r\n"))) ++line;
    text.remove_prefix(character.bytes);
  }
}

// Iterates over the lines, which logical lines may join.
class NaturalLines {
 public:
  explicit NaturalLines(std::string_view text) : rest_(text) {}

  // Returns the next line without leading blanks and line end, or nothing after the last line.
  std::optional<std::string_view> next() {
    if (rest_.empty()) return std::nullopt;
    ++number_;
    const std::size_t end = std::min(rest_.find_first_of("\r\n"), rest_.size());
    std::string_view line = rest_.substr(0, end);
    rest_.remove_prefix(end);
    if (!rest_.empty()) rest_.remove_prefix(rest_.starts_with("\r\n") ? 2 : 1);
    line.remove_prefix(std::min(line.find_first_not_of(property_blanks), line.size()));
    return line;
  }

  [[nodiscard]] std::size_t number() const noexcept { return number_; }

 private:
  std::string_view rest_;
  std::size_t number_ = 0;
};

// Returns true if the line ends with a backslash that no other backslash escapes.
bool takes_next_line(std::string_view line) {
  const std::size_t last_other = line.find_last_not_of('\\');
  const std::size_t backslashes =
      line.size() - (last_other == std::string_view::npos ? 0 : last_other + 1);
  return backslashes % 2 == 1;
}

// Returns the end of the key: the first blank, = or : without a backslash before it.
std::size_t key_end(std::string_view line) {
  std::size_t at = 0;
  while (at < line.size() && std::string_view("=: \t\f").find(line[at]) == std::string_view::npos) {
    at += line[at] == '\\' ? 2 : 1;
  }
  return std::min(at, line.size());
}

// Removes the four digits after \u from `rest` and returns their value.
char32_t take_unit(std::string_view& rest, std::size_t line) {
  const std::string_view digits = rest.substr(0, 4);
  std::uint32_t unit = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), unit, 16);
  if (error != std::errc() || digits.size() != 4 || end != digits.data() + 4) {
    refuse_line(line, "expected four hexadecimal digits after \\u");
  }
  rest.remove_prefix(4);
  return unit;
}

void append_unicode(std::string& result, std::string_view& rest, std::size_t line) {
  char32_t point = take_unit(rest, line);
  if (point >= 0xd800 && point < 0xdc00 && rest.starts_with("\\u")) {
    rest.remove_prefix(2);
    const char32_t low = take_unit(rest, line);
    if (low < 0xdc00 || low >= 0xe000) refuse_line(line, half_surrogate);
    point = 0x10000 + ((point - 0xd800) << 10) + (low - 0xdc00);
  }
  if (point >= 0xd800 && point < 0xe000) refuse_line(line, half_surrogate);
  text::append_utf8(result, point);
}

std::string unescaped(std::string_view rest, std::size_t line) {
  constexpr std::string_view letters = "tnrf";
  constexpr std::string_view meanings = "\t\n\r\f";
  std::string result;
  while (!rest.empty()) {
    const char first = rest.front();
    rest.remove_prefix(1);
    if (first != '\\' || rest.empty()) {
      if (first != '\\') result += first;
      continue;
    }
    const char escaped = rest.front();
    rest.remove_prefix(1);
    const std::size_t letter = letters.find(escaped);
    if (escaped == 'u') {
      append_unicode(result, rest, line);
    } else {
      result += letter == std::string_view::npos ? escaped : meanings[letter];
    }
  }
  return result;
}

PropertyEntry entry_of(std::string_view logical_line, std::size_t line) {
  const auto skip_blanks = [](std::string_view& text) {
    text.remove_prefix(std::min(text.find_first_not_of(property_blanks), text.size()));
  };
  const std::size_t end = key_end(logical_line);
  std::string_view value = logical_line.substr(end);
  skip_blanks(value);
  if (value.starts_with('=') || value.starts_with(':')) value.remove_prefix(1);
  skip_blanks(value);
  PropertyEntry entry = {.key = unescaped(logical_line.substr(0, end), line),
                         .value = unescaped(value, line),
                         .line = line};
  if (entry.key.empty()) refuse_line(line, "expected key=value, found no key");
  return entry;
}

}  // namespace

std::vector<PropertyEntry> parse_property_file(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);  // byte order mark
  require_text(text);
  std::vector<PropertyEntry> entries;
  NaturalLines lines(text);
  while (const std::optional<std::string_view> first = lines.next()) {
    if (first->empty() || first->front() == '#' || first->front() == '!') continue;
    const std::size_t number = lines.number();
    std::string logical_line(*first);
    while (takes_next_line(logical_line)) {
      logical_line.pop_back();
      const std::optional<std::string_view> next = lines.next();
      if (!next) break;
      logical_line += *next;
    }
    entries.push_back(entry_of(logical_line, number));
  }
  return entries;
}

}  // namespace drover::ycsb
