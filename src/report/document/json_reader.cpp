#include "report/document/json_reader.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <system_error>
#include <type_traits>

#include "text/utf8.h"

namespace drover::report {
namespace {

constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

constexpr bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

constexpr bool begins_value(char c) {
  return is_digit(c) || c == '{' || c == '[' || c == '"' || c == '-' || c == 't' || c == 'f' ||
         c == 'n';
}

// Returns true if `rest` is the beginning of a valid character.
bool is_cut_character(std::string_view rest) {
  const auto lead = static_cast<unsigned char>(rest.front());
  const std::size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || rest.size() >= bytes) return false;
  for (const char c : rest.substr(1)) {
    if ((static_cast<unsigned char>(c) & 0xc0) != 0x80) return false;
  }
  return true;
}

}  // namespace

JsonReader::JsonReader(std::string_view text) : text_(text) {
  steps_.reserve(json_depth_max);
  if (text_.starts_with("\xef\xbb\xbf")) at_ = 3;  // the mark that some editors leave
}

std::string JsonReader::text(std::size_t bytes_max) {
  if (next_character() != '"') refuse_value("a text");
  const std::size_t start = at_;
  std::string result;
  scan_text(&result);
  if (result.size() > bytes_max) {
    at_ = start;
    refuse(fmt::format("a text of at most {} bytes", bytes_max),
           fmt::format("one of {}", result.size()));
  }
  return result;
}

bool JsonReader::boolean() {
  const char first = next_character();
  if (first == 't' && take("true")) return true;
  if (first == 'f' && take("false")) return false;
  refuse_value("true or false");
}

template <class Whole>
Whole JsonReader::scan_whole_number(Whole low, Whole high) {
  const char first = next_character();
  const std::size_t start = at_;
  if (is_digit(first) || (first == '-' && std::is_signed_v<Whole>)) {
    const std::string_view digits = scan_number();
    Whole value = 0;
    const auto [end, error] = std::from_chars(digits.begin(), digits.end(), value);
    if (error == std::errc() && end == digits.end() && value >= low && value <= high) return value;
  }
  at_ = start;
  refuse_value(fmt::format("a whole number from {} to {}", low, high));
}

std::uint64_t JsonReader::whole_number(std::uint64_t high) {
  return scan_whole_number<std::uint64_t>(0, high);
}

std::int64_t JsonReader::whole_number(std::int64_t low, std::int64_t high) {
  return scan_whole_number(low, high);
}

double JsonReader::number(double low, double high) {
  const char first = next_character();
  const std::size_t start = at_;
  if (is_digit(first) || first == '-') {
    const std::string_view digits = scan_number();
    double value = 0;
    const auto [end, error] = std::from_chars(digits.begin(), digits.end(), value);
    // strtod tells too large from too small, which from_chars does not. The program uses the C
    // locale.
    if (error == std::errc::result_out_of_range)
      value = std::strtod(std::string(digits).c_str(), nullptr);
    if (value >= low && value <= high) return value;
  }
  at_ = start;
  refuse_value(fmt::format("a number from {:g} to {:g}", low, high));
}

bool JsonReader::null() {
  return next_character() == 'n' && take("null");
}

void JsonReader::skip() {
  const char first = next_character();
  if (first == '{') {
    object([this](std::string_view) { skip(); });
  } else if (first == '[') {
    array([this](std::size_t) { skip(); });
  } else if (first == '"') {
    scan_text(nullptr);
  } else if (is_digit(first) || first == '-') {
    scan_number();
  } else if (first == 't' ? !take("true") : first == 'f' ? !take("false") : !null()) {
    refuse_syntax("a value");
  }
}

void JsonReader::finish() {
  while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
  if (at_ < text_.size()) refuse_syntax("nothing more after the end of the document");
}

void JsonReader::refuse(std::string_view expected, std::string_view found) const {
  const std::string where = place();
  throw JsonError(fmt::format("{}{}expected {}, found {} (byte {})", where,
                              where.empty() ? "" : ": ", expected, found, at_));
}

bool JsonReader::open(char bracket, char closing, std::string_view what) {
  if (next_character() != bracket) refuse_value(what);
  if (steps_.size() == json_depth_max) {
    refuse_syntax(fmt::format("values that nest at most {} deep", json_depth_max));
  }
  ++at_;
  if (next_character() == closing) {
    ++at_;
    return false;
  }
  steps_.emplace_back().in_array = bracket == '[';
  return true;
}

bool JsonReader::goes_on(char closing) {
  const char next = next_character();
  if (next != ',' && next != closing) refuse_syntax(fmt::format("a comma or {}", closing));
  ++at_;
  if (next == ',') return true;
  steps_.pop_back();
  return false;
}

void JsonReader::read_key() {
  std::string& key = steps_.back().key;
  key.clear();
  if (next_character() != '"') refuse_syntax("a name in quotes");
  scan_text(&key);
  if (next_character() != ':') refuse_syntax("a colon");
  ++at_;
}

char JsonReader::next_character() {
  while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
  if (at_ == text_.size()) refuse_cut();
  return text_[at_];
}

void JsonReader::scan_text(std::string* into) {
  ++at_;  // the quote
  while (true) {
    if (at_ == text_.size()) refuse_cut();
    const char c = text_[at_];
    if (c == '"') break;
    if (c == '\\') {
      scan_escape(into);
      continue;
    }
    if (static_cast<unsigned char>(c) < 0x20) refuse_syntax("no control characters in a text");
    const text::Utf8Character character = text::first_character(text_.substr(at_));
    if (!character.valid) {
      if (is_cut_character(text_.substr(at_))) refuse_cut();
      refuse_syntax("text in UTF-8");
    }
    if (into != nullptr) into->append(text_.substr(at_, character.bytes));
    at_ += character.bytes;
  }
  ++at_;
}

void JsonReader::scan_escape(std::string* into) {
  ++at_;
  if (at_ == text_.size()) refuse_cut();
  constexpr std::string_view letters = "\"\\/bfnrt";
  constexpr std::string_view meanings = "\"\\/\b\f\n\r\t";
  const char letter = text_[at_];
  if (const std::size_t known = letters.find(letter); known != std::string_view::npos) {
    ++at_;
    if (into != nullptr) *into += meanings[known];
    return;
  }
  if (letter != 'u') refuse_syntax("one of the letters \"\\/bfnrtu after a backslash");
  ++at_;
  char32_t point = scan_hex();
  if (point >= 0xd800 && point < 0xdc00) {
    // The first half of a character beyond 16 bits.
    if (!take("\\u")) refuse_syntax("the second half of a surrogate pair");
    const char32_t low = scan_hex();
    if (low < 0xdc00 || low >= 0xe000) refuse_syntax("the second half of a surrogate pair");
    point = 0x10000 + ((point - 0xd800) << 10) + (low - 0xdc00);
  } else if (point >= 0xdc00 && point < 0xe000) {
    refuse_syntax("the first half of a surrogate pair");
  }
  if (into != nullptr) text::append_utf8(*into, point);
}

char32_t JsonReader::scan_hex() {
  unsigned value = 0;
  for (int i = 0; i < 4; ++i) {
    if (at_ == text_.size()) refuse_cut();
    unsigned digit = 0;
    const char* here = text_.data() + at_;
    if (std::from_chars(here, here + 1, digit, 16).ec != std::errc()) {
      refuse_syntax("four hexadecimal digits");
    }
    value = value * 16 + digit;
    ++at_;
  }
  return value;
}

std::string_view JsonReader::scan_number() {
  const std::size_t start = at_;
  if (text_[at_] == '-') ++at_;
  const bool leading_zero = at_ < text_.size() && text_[at_] == '0';
  const std::size_t digits = at_;
  scan_digits();
  if (leading_zero && at_ > digits + 1) {
    at_ = digits;
    refuse_syntax("a number without leading zeros");
  }
  if (at_ < text_.size() && text_[at_] == '.') {
    ++at_;
    scan_digits();
  }
  if (at_ < text_.size() && (text_[at_] == 'e' || text_[at_] == 'E')) {
    ++at_;
    if (at_ < text_.size() && (text_[at_] == '+' || text_[at_] == '-')) ++at_;
    scan_digits();
  }
  return text_.substr(start, at_ - start);
}

// At least one.
void JsonReader::scan_digits() {
  if (at_ == text_.size()) refuse_cut();
  if (!is_digit(text_[at_])) refuse_syntax("a digit");
  while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
}

bool JsonReader::take(std::string_view word) {
  const std::string_view rest = text_.substr(at_, word.size());
  if (rest.size() < word.size() && word.starts_with(rest)) {
    at_ = text_.size();
    refuse_cut();
  }
  if (rest != word) return false;
  at_ += word.size();
  return true;
}

std::string JsonReader::place() const {
  std::string where;
  for (const Step& step : steps_) {
    if (step.in_array) {
      where += fmt::format("[{}]", step.index);
    } else {
      where += fmt::format("{}{}", where.empty() ? "" : ".", text::shown(step.key));
    }
  }
  constexpr std::size_t longest = 200;
  if (where.size() <= longest) return where;
  std::size_t from = where.size() - longest;
  while ((static_cast<unsigned char>(where[from]) & 0xc0) == 0x80)
    ++from;  // not within a character
  return "..." + where.substr(from);
}

std::string JsonReader::found_here() const {
  const char c = at_ < text_.size() ? text_[at_] : ' ';
  if (c == '{') return "an object";
  if (c == '[') return "a list";
  // A text to its end, a number to the next sign of the grammar.
  const std::size_t from = c == '"' ? at_ + 1 : at_;
  const std::string_view rest = text_.substr(from, 200);
  const std::string_view excerpt =
      rest.substr(0, rest.find_first_of(c == '"' ? "\"" : ",:]} \t\r\n"));
  if (c == '"') return fmt::format("\"{}\"", text::shown(excerpt, 40));
  return text::shown(excerpt.empty() ? rest.substr(0, 1) : excerpt, 40);
}

void JsonReader::refuse_cut() const {
  if (text_.empty()) throw JsonError("it is empty");
  throw JsonError(fmt::format(
      "the document ends too early, at byte {}. It was truncated, or is still being written",
      text_.size()));
}

void JsonReader::refuse_syntax(std::string_view expected) const {
  const std::string where = place();
  throw JsonError(
      fmt::format("the document is not valid JSON at byte {}{}{}: expected {}, found {}", at_,
                  where.empty() ? "" : ", in ", where, expected, found_here()));
}

// Another value than expected, or no value at all.
void JsonReader::refuse_value(std::string_view expected) const {
  if (at_ < text_.size() && begins_value(text_[at_])) refuse(expected, found_here());
  refuse_syntax(expected);
}

}  // namespace drover::report
