#include "cli/option/option.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "text/plain_text.h"
#include "text/utf8.h"
#include "text/wrapped_text.h"

namespace drover::cli {
namespace {

struct Unit {
  std::string_view name;
  double seconds;
};
constexpr std::array units = {Unit{"ms", 1e-3}, Unit{"s", 1},    Unit{"m", 60},
                              Unit{"min", 60},  Unit{"h", 3600}, Unit{"d", 86400}};

// "auto", but neither "N" nor "NAME=VALUE".
bool is_word(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  });
}

std::string number_text(long double number) {
  const bool is_whole = number == std::floor(number);
  return is_whole ? fmt::format("{:.0f}", number)
                  : fmt::format("{:g}", static_cast<double>(number));
}

std::string seconds_text(long double seconds) {
  return duration_text(coro::Duration(std::llround(seconds * 1e9L)));
}

void require_in_range(const Option& option, const std::string& word, long double value) {
  if (!std::isfinite(value)) option.refuse(word);
  if (option.range && !(value >= option.range->low && value <= option.range->high)) {
    option.refuse(word);
  }
}

template <class Number>
Number number_of(const Option& option, const std::string& word) {
  const auto number =
      text::number_of<Number>(std::string_view(word).substr(word.starts_with('+') ? 1 : 0));
  if (!number) option.refuse(word);
  require_in_range(option, word, static_cast<long double>(*number));
  return *number;
}

// Two whole numbers with a character between them, the first from 1 to the second.
std::optional<Pair> two_numbers(std::string_view text, char between, std::uint64_t most) {
  const std::size_t at = text.find(between);
  if (at == std::string_view::npos) return std::nullopt;
  const auto first = text::number_of<std::uint64_t>(text.substr(0, at));
  const auto second = text::number_of<std::uint64_t>(text.substr(at + 1));
  if (!first || !second || *first < 1 || *first > *second || *second > most) return std::nullopt;
  return Pair(*first, *second);
}

Syntax<Pair> pair_syntax(char between, std::uint64_t most, const char* expected) {
  return {.read =
              [=](const std::string& option, const std::string& word) {
                if (const auto pair = two_numbers(word, between, most)) return *pair;
                throw UsageError(fmt::format("{} {}: expected {} at most {}", option,
                                             text::shown(word), expected, most));
              },
          .text =
              [between](const Pair& pair) {
                return fmt::format("{}{}{}", pair.first, between, pair.second);
              }};
}

}  // namespace

namespace detail {

bool is_automatic(const Option& option, const std::string& word) {
  return word == "auto" && std::ranges::count(option.choices, word) > 0;
}

template <class Value>
Value plain_value(const Option& option, const std::string& word) {
  if constexpr (std::is_same_v<Value, bool>) {
    if (word != "true" && word != "false") option.refuse(word);
    return word == "true";
  } else if constexpr (std::is_same_v<Value, std::string>) {
    return word;
  } else if constexpr (std::is_same_v<Value, coro::Duration>) {
    const coro::Duration duration = parse_duration(option.name(), word);
    require_in_range(option, word, coro::seconds_of(duration));
    return duration;
  } else {
    return number_of<Value>(option, word);
  }
}

template <class Value>
std::string plain_text(const Value& value) {
  if constexpr (std::is_same_v<Value, bool>) {
    return {};
  } else if constexpr (std::is_same_v<Value, coro::Duration>) {
    return duration_text(value);
  } else if constexpr (std::is_same_v<Value, double>) {
    return fmt::format("{:g}", value);
  } else {
    return fmt::format("{}", value);
  }
}

#define DROVER_PLAIN_OPTION(Value)                                      \
  template Value plain_value<Value>(const Option&, const std::string&); \
  template std::string plain_text<Value>(const Value&)
DROVER_PLAIN_OPTION(bool);
DROVER_PLAIN_OPTION(std::string);
DROVER_PLAIN_OPTION(double);
DROVER_PLAIN_OPTION(std::int32_t);
DROVER_PLAIN_OPTION(std::int64_t);
DROVER_PLAIN_OPTION(std::uint64_t);
DROVER_PLAIN_OPTION(coro::Duration);
#undef DROVER_PLAIN_OPTION

}  // namespace detail

OptionTarget in_seconds(double* variable) {
  OptionTarget target;
  target.is_duration = true;
  target.read = [variable](const Option& option, const OptionTarget::Words& words) {
    *variable = coro::seconds_of(detail::plain_value<coro::Duration>(option, words.back()));
  };
  target.text = [variable] { return seconds_text(*variable); };
  return target;
}

Option::Option(std::string_view all_names, OptionTarget given_target, std::string value_name,
               std::string about, OptionDetails details)
    : OptionDetails(std::move(details)),
      names(text::parts(all_names, ',')),
      target(std::move(given_target)),
      value(only.empty() ? std::move(value_name) : fmt::format("{}", fmt::join(only, "|"))),
      description(text::one_paragraph(about)) {
  if (only.empty()) only = target.only;
  if (value.empty()) value = fmt::format("{}", fmt::join(only, "|"));
  if (value.empty()) {
    kind = ValueKind::none;
    return;
  }
  if (value.starts_with("FILE")) kind = ValueKind::file;
  if (value.starts_with("DIR")) kind = ValueKind::folder;
  std::ranges::copy_if(text::parts(value, '|'), std::back_inserter(choices), is_word);
  if (default_text.empty()) default_text = target.text();
  if (default_text.empty() && std::ranges::count(choices, "auto") > 0) default_text = "auto";
}

std::string Option::key() const {
  return is_argument() || !configurable ? std::string() : name().substr(2);
}

// An empty value would be treated like an option that was not given: with --json "$FILE" and FILE
// unset, the result would be lost. Only --db and --schema accept an empty value: the default.
bool Option::requires_text() const {
  const bool is_list_of_texts = is_list() && target.is_text;
  return !is_argument() && !is_flag() && !is_list_of_texts && name() != "--db" &&
         name() != "--schema";
}

bool Option::is_set() const {
  if (is_flag()) return is_given() && words.back() != "false";
  return is_given() && written() != default_text;
}

std::string Option::written() const {
  return words.empty() ? default_text : fmt::format("{}", fmt::join(words, ","));
}

std::string Option::range_text() const {
  if (!range) return {};
  const auto bound = [this](long double number) {
    return target.is_duration ? seconds_text(number) : number_text(number);
  };
  return fmt::format("{} to {}", bound(range->low), bound(range->high));
}

std::string Option::expected() const {
  if (!only.empty() && is_list()) return fmt::format("some of {}", fmt::join(only, ", "));
  if (!only.empty()) return alternatives(choices.empty() ? only : choices);
  std::string what = target.is_duration ? "a time"
                     : target.is_whole  ? "a whole number"
                                        : "a number";
  if (range) what += " from " + range_text();
  for (const std::string& word : choices) what += " or " + word;
  return what;
}

void Option::refuse(const std::string& word) const {
  // A word that may be a connection string is not repeated.
  if (may_hold_password("", word)) throw UsageError("pass a connection string with --db");
  if (is_flag()) throw UsageError(fmt::format("{} takes no value", name()));
  throw UsageError(
      fmt::format("{} {}: expected {}", name(), text::terminal_text(word), expected()));
}

std::vector<std::string> Option::split(const std::vector<std::string>& given) const {
  if (delimiter == '\0') return given;
  std::vector<std::string> all;
  for (const std::string& word : given) {
    for (std::string& part : text::parts(word, delimiter)) {
      if (!part.empty() || word.empty()) all.push_back(std::move(part));
    }
  }
  return all;
}

void Option::give(const std::vector<std::string>& given, std::string from) {
  std::vector<std::string> taken = split(given);
  if (taken.empty()) return;
  if (!is_list() && !is_flag() && taken.size() > 1) {
    throw UsageError(fmt::format("{} is given {} times. Give it once", name(), taken.size()));
  }
  const std::string& word = taken.back();
  if (word.empty() && requires_text()) {
    throw UsageError(fmt::format("{}: the value is empty. Expected {}", name(), value));
  }
  if (!only.empty()) {
    for (const std::string& one : taken) {
      if (std::ranges::count(only, one) == 0 && !detail::is_automatic(*this, one)) refuse(one);
    }
  }
  target.read(*this, taken);
  words = std::move(taken);
  origin = std::move(from);
}

std::string alternatives(const std::vector<std::string>& words) {
  if (words.size() < 2) return fmt::format("{}", fmt::join(words, ""));
  return fmt::format("{} or {}", fmt::join(words.begin(), words.end() - 1, ", "), words.back());
}

bool may_hold_password(std::string_view option, std::string_view value) {
  return option != "db" && text::may_hold_password(value);
}

std::string duration_text(coro::Duration duration) {
  using namespace std::chrono_literals;
  if (duration % 1h == 0h && duration > 0h) return fmt::format("{}h", duration / 1h);
  if (duration % 1min == 0min && duration > 1min) return fmt::format("{}m", duration / 1min);
  if (duration % 1s == 0s) return fmt::format("{}s", duration / 1s);
  return fmt::format("{:g}ms", coro::seconds_of(duration) * 1e3);
}

coro::Duration parse_duration(std::string_view name, const std::string& text) {
  const auto refuse = [&](std::string_view why) -> UsageError {
    return UsageError(
        fmt::format("{} {}: {}. Expected a number with a unit, such as 30s, 10m, 1.5h or 250ms",
                    name, text, why));
  };
  double number = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || !std::isfinite(number)) throw refuse("not a duration");
  if (number < 0) throw refuse("negative");
  const std::string_view unit_name(rest, static_cast<std::size_t>(end - rest));
  if (unit_name.empty() && number == 0) return coro::Duration::zero();
  if (unit_name.empty()) throw refuse("the unit is missing");
  for (const Unit& unit : units) {
    if (unit.name != unit_name) continue;
    const double seconds = number * unit.seconds;
    if (seconds > coro::seconds_of(longest_duration)) throw refuse("longer than a year");
    return coro::Duration(std::llround(seconds * 1e9));
  }
  throw refuse("unknown unit");
}

Syntax<Pair> part_syntax(std::uint64_t most) {
  return pair_syntax('/', most, "I/N, such as 2/3. I is from 1 to N. N is");
}

Syntax<Pair> range_syntax(std::uint64_t most) {
  return pair_syntax('-', most, "A-B, such as 101-200. A is from 1 to B. B is");
}

Syntax<double> percent_syntax(double low, double high) {
  return {.read =
              [=](const std::string& option, const std::string& word) {
                const std::string_view digits =
                    std::string_view(word).substr(0, word.size() - (word.ends_with('%') ? 1 : 0));
                const auto percent = text::number_of<double>(digits);
                if (percent && *percent >= low && *percent <= high) return *percent / 100;
                throw UsageError(
                    fmt::format("{} {}: expected a percentage from {:g} to {:g}, such "
                                "as 5%",
                                option, text::shown(word), low, high));
              },
          .text = [](const double& share) { return fmt::format("{:g}%", share * 100); }};
}

}  // namespace drover::cli
