#include "cli/option/option.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <regex>

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

// The syntax of two whole numbers with a character between them, the first from 1 to the second.
Syntax<Pair> pair_syntax(char between, std::uint64_t most, const char* expected) {
  return {.read =
              [=](const Option& option, const std::string& word) {
                const std::size_t at = std::min(word.find(between), word.size());
                const std::string_view text = word;
                const auto first = text::number_of<std::uint64_t>(text.substr(0, at));
                const auto second =
                    text::number_of<std::uint64_t>(text.substr(std::min(at + 1, word.size())));
                if (first && second && *first >= 1 && *first <= *second && *second <= most) {
                  return Pair(*first, *second);
                }
                throw UsageError(fmt::format("{} {}: expected {} at most {}", option.name(),
                                             text::shown(word), expected, most));
              },
          .text =
              [between](const Pair& pair) {
                return fmt::format("{}{}{}", pair.first, between, pair.second);
              }};
}

// Returns the Unix seconds of "2026-11-25T20:00:00.5+01:00", or nothing.
std::optional<double> parse_iso_8601(const std::string& text) {
  constexpr std::size_t bytes_most = 64;  // std::regex recurses for each character
  static const std::regex shape(
      R"((\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d(?:\.\d+)?)(?:[Zz]|([+-])(\d\d):?(\d\d)))");
  std::smatch match;
  if (text.size() > bytes_most || !std::regex_match(text, match, shape)) return std::nullopt;
  const auto number = [&](std::size_t group) {
    return text::number_of<double>(match.str(group)).value_or(0);
  };
  const std::chrono::year_month_day day(std::chrono::year(static_cast<int>(number(1))),
                                        std::chrono::month(static_cast<unsigned>(number(2))),
                                        std::chrono::day(static_cast<unsigned>(number(3))));
  const bool is_in_day = number(4) < 24 && number(5) < 60 && number(6) < 60;
  if (!day.ok() || !is_in_day || number(8) > 14 || number(9) > 59) return std::nullopt;
  const double east_s = (match.str(7) == "-" ? -60 : 60) * (number(8) * 60 + number(9));
  const auto days = std::chrono::sys_days(day).time_since_epoch().count();
  return static_cast<double>(days) * 86400 + number(4) * 3600 + number(5) * 60 + number(6) - east_s;
}

}  // namespace

namespace detail {

bool is_automatic(const Option& option, const std::string& word) {
  return word == "auto" && std::ranges::count(option.choices, word) > 0;
}

template <>
Syntax<bool> plain_syntax() {
  return {.read = [](const Option& option, const std::string& word) {
    if (word != "true" && word != "false") option.refuse(word);
    return word == "true";
  }};
}

template <>
Syntax<std::string> plain_syntax() {
  return {.read = [](const Option&, const std::string& word) { return word; },
          .text = [](const std::string& text) { return text; }};
}

template <>
Syntax<coro::Duration> plain_syntax() {
  return {.read =
              [](const Option& option, const std::string& word) {
                const coro::Duration duration = parse_duration(option.name(), word);
                require_in_range(option, word, coro::seconds_of(duration));
                return duration;
              },
          .text = duration_text};
}

// Numbers.
template <class Value>
Syntax<Value> plain_syntax() {
  return {.read =
              [](const Option& option, const std::string& word) {
                const std::string_view digits = word;
                const auto number =
                    text::number_of<Value>(digits.substr(digits.starts_with('+') ? 1 : 0));
                if (!number) option.refuse(word);
                require_in_range(option, word, static_cast<long double>(*number));
                return *number;
              },
          .text =
              [](const Value& value) {
                if constexpr (std::is_integral_v<Value>) return fmt::format("{}", value);
                return fmt::format("{:g}", static_cast<double>(value));
              }};
}

template Syntax<double> plain_syntax();
template Syntax<std::int32_t> plain_syntax();
template Syntax<std::int64_t> plain_syntax();
template Syntax<std::uint64_t> plain_syntax();

}  // namespace detail

OptionDetails operator+(OptionDetails one, const OptionDetails& other) {
  if (!other.default_text.empty()) one.default_text = other.default_text;
  if (other.range) one.range = other.range;
  if (!other.only.empty()) one.only = other.only;
  if (other.needs) one.needs = other.needs;
  one.excludes.insert(one.excludes.end(), other.excludes.begin(), other.excludes.end());
  if (other.only_on != OnlyOn::any) one.only_on = other.only_on;
  if (!other.instead.empty()) one.instead = other.instead;
  if (other.delimiter != '\0') one.delimiter = other.delimiter;
  if (!other.variable.empty()) one.variable = other.variable;
  one.several |= other.several;
  one.required |= other.required;
  one.configurable &= other.configurable;
  one.is_input |= other.is_input;
  one.common |= other.common;
  return one;
}

OptionTarget in_seconds(double* variable) {
  OptionTarget target(variable,
                      Syntax<double>{.read =
                                         [](const Option& option, const std::string& word) {
                                           static const auto syntax =
                                               detail::plain_syntax<coro::Duration>();
                                           return coro::seconds_of(syntax.read(option, word));
                                         },
                                     .text = seconds_text});
  target.is_duration = true;
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

Syntax<double> percent_syntax(double low, double high, std::string example) {
  return {.read =
              [=](const Option& option, const std::string& word) {
                const std::string_view digits =
                    std::string_view(word).substr(0, word.size() - (word.ends_with('%') ? 1 : 0));
                const auto percent = text::number_of<double>(digits);
                if (percent && *percent >= low && *percent <= high) return *percent / 100;
                throw UsageError(
                    fmt::format("{} {}: expected a percentage from {:g} to {:g}, such as {}",
                                option.name(), text::shown(word), low, high, example));
              },
          .text = [](const double& share) { return fmt::format("{:g}%", share * 100); }};
}

Syntax<double> start_time_syntax(std::function<double()> now) {
  return {.read = [now = std::move(now)](const Option& option, const std::string& word) {
    const auto refuse = [&](const std::string& why) {
      return UsageError(fmt::format(
          "{} {}: {}. Expected Unix seconds, as `date +%s -d '+1 minute'` prints them, or a time "
          "such as 2026-11-25T20:00:00Z",
          option.name(), text::shown(word), why));
    };
    if (word.starts_with('+')) {
      throw refuse("a relative time is not allowed, because it would differ between hosts");
    }
    std::optional<double> time = text::number_of<double>(word);
    if (!time || !std::isfinite(*time) || *time < 0) time = parse_iso_8601(word);
    if (!time) throw refuse("the text is not a time with a time zone");
    const double ahead_s = *time - now();
    if (ahead_s < 0) {
      throw refuse(fmt::format("by this host's clock, this time passed {} ago",
                               text::length_text(-ahead_s)));
    }
    if (ahead_s > 7 * 86400) throw refuse("more than a week ahead");
    return *time;
  }};
}

}  // namespace drover::cli
