#include "cli/option/command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <type_traits>

#include "text/password.h"
#include "text/plain_text.h"
#include "text/utf8.h"
#include "text/wrapped_text.h"

namespace drover::cli {
namespace {

template <class Type>
struct WithoutOptional {
  using Value = Type;
};
template <class Type>
struct WithoutOptional<std::optional<Type>> {
  using Value = Type;
};
// The type of the values of a target: int for std::optional<int>*.
template <class Target>
using ValueOf = typename WithoutOptional<std::remove_pointer_t<Target>>::Value;

// "auto", but neither "N" nor "NAME=VALUE".
bool is_word(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  });
}

}  // namespace

Option::Option(std::string_view all_names, OptionTarget given_target, std::string value_name,
               std::string about, OptionDetails details)
    : OptionDetails(std::move(details)),
      names(text::parts(all_names, ',')),
      target(given_target),
      value(only.empty() ? std::move(value_name) : fmt::format("{}", fmt::join(only, "|"))),
      description(text::one_paragraph(about)) {
  if (value.empty()) {
    kind = ValueKind::none;
    return;
  }
  if (value.starts_with("FILE")) kind = ValueKind::file;
  if (value.starts_with("DIR")) kind = ValueKind::folder;
  std::ranges::copy_if(text::parts(value, '|'), std::back_inserter(choices), is_word);
  if (default_text.empty()) default_text = target_text();
}

bool Option::is_list() const {
  return std::holds_alternative<std::vector<std::string>*>(target) ||
         std::holds_alternative<std::vector<std::size_t>*>(target);
}

std::string Option::key() const {
  return is_argument() || !configurable ? std::string() : name().substr(2);
}

// An empty value would be treated like an option that was not given: with --json "$FILE" and FILE
// unset, the result would be lost. libpq and --schema take an empty value for the default.
bool Option::requires_text() const {
  return !is_argument() && !is_flag() && !is_list() && name() != "--db" && name() != "--schema";
}

std::string Option::target_text() const {
  return std::visit(
      []<class Target>(Target holder) -> std::string {
        if constexpr (std::is_same_v<Target, double*>) {
          return fmt::format("{:g}", *holder);
        } else if constexpr (std::is_same_v<Target, std::optional<double>*>) {
          return *holder ? fmt::format("{:g}", **holder) : std::string();
        } else if constexpr (requires { holder->has_value(); }) {
          return *holder ? fmt::format("{}", **holder) : std::string();
        } else if constexpr (std::is_same_v<Target, std::string*>) {
          return *holder;
        } else if constexpr (requires { holder->size(); }) {
          return fmt::format("{}", fmt::join(*holder, ","));
        } else if constexpr (std::is_pointer_v<Target>) {
          return fmt::format("{}", *holder);
        }
        return {};
      },
      target);
}

bool Option::takes_whole_numbers() const {
  return std::visit(
      []<class Target>(Target) {
        return std::is_integral_v<ValueOf<Target>> ||
               std::is_same_v<Target, std::vector<std::size_t>*>;
      },
      target);
}

std::string Option::range_text() const {
  const int digits = takes_whole_numbers() ? 17 : 6;
  return range ? fmt::format("{:.{}g} to {:.{}g}", range->low, digits, range->high, digits)
               : std::string();
}

void Option::refuse(const std::string& word) const {
  // A word that may be a connection string is not repeated.
  if (may_hold_password("", word)) throw UsageError("pass a connection string with --db");
  if (is_flag()) throw UsageError(fmt::format("{} takes no value", name()));
  std::string expected = "a number";
  if (!only.empty()) {
    expected = alternatives(only);
  } else if (range) {
    expected = fmt::format("a {}number from {:.17g} to {:.17g}",
                           takes_whole_numbers() ? "whole " : "", range->low, range->high);
  }
  throw UsageError(fmt::format("{} {}: expected {}", name(), text::terminal_text(word), expected));
}

template <class Number>
Number Option::number_of(const std::string& word) const {
  const auto number =
      text::number_of<Number>(std::string_view(word).substr(word.starts_with('+') ? 1 : 0));
  if (!number) refuse(word);
  const auto size = static_cast<double>(*number);
  if (range && !(size >= range->low && size <= range->high)) refuse(word);
  return *number;
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
    throw UsageError(fmt::format("{} is given {} times. Expected once", name(), taken.size()));
  }
  const std::string& word = taken.back();
  if (word.empty() && requires_text()) {
    throw UsageError(fmt::format("{}: the value is empty. Expected {}", name(), value));
  }
  if (!only.empty() && std::ranges::find(only, word) == only.end()) refuse(word);
  std::visit(
      [&]<class Target>(Target holder) {
        using Value = ValueOf<Target>;
        if constexpr (std::is_same_v<Value, bool>) {
          if (word != "true" && word != "false") refuse(word);
          *holder = word == "true";
        } else if constexpr (std::is_same_v<Value, std::string>) {
          *holder = word;
        } else if constexpr (std::is_arithmetic_v<Value>) {
          *holder = number_of<Value>(word);
        } else if constexpr (std::is_same_v<Value, std::vector<std::string>>) {
          *holder = taken;
        } else if constexpr (std::is_same_v<Value, std::vector<std::size_t>>) {
          std::vector<std::size_t> numbers;
          for (const std::string& one : taken) numbers.push_back(number_of<std::size_t>(one));
          *holder = std::move(numbers);
        }
      },
      target);
  words = std::move(taken);
  origin = std::move(from);
}

Command::Command(std::string name, std::string about, std::string examples,
                 std::vector<std::string> above)
    : path(std::move(above)), description(std::move(about)), footer(std::move(examples)) {
  path.push_back(std::move(name));
  add_options({{"-h,--help", {}, "", "Print this help", command_line_only}});
}

Command& Command::add_command(std::string name, std::string about, std::string examples) {
  return commands.emplace_back(std::move(name), std::move(about), std::move(examples), path);
}

void Command::add_options(std::string_view their_group, std::vector<Option> added) {
  for (Option& option : added) {
    // What no variable gives is what every command takes, unless a group of its own says otherwise.
    const bool is_general = !option.configurable && their_group == option.group;
    option.group = is_general ? general_group : their_group;
    (option.is_argument() ? arguments : options).push_back(std::move(option));
  }
}

std::string Command::full_name() const {
  return fmt::format("{}", fmt::join(path, " "));
}

std::vector<std::string> Command::command_names() const {
  std::vector<std::string> names;
  for (const Command& command : commands) names.push_back(command.name());
  return names;
}

const Command* Command::find_command(std::string_view name) const {
  const auto found = std::ranges::find(commands, name, &Command::name);
  return found == commands.end() ? nullptr : &*found;
}

const Option* Command::find_option(std::string_view written) const {
  const auto found = std::ranges::find_if(options, [&](const Option& option) {
    return std::ranges::find(option.names, written) != option.names.end();
  });
  return found == options.end() ? nullptr : &*found;
}

std::vector<const Command*> all_commands(const Command& command) {
  std::vector<const Command*> all = {&command};
  for (const Command& below : command.commands)
    std::ranges::copy(all_commands(below), std::back_inserter(all));
  return all;
}

std::string alternatives(const std::vector<std::string>& words) {
  if (words.size() < 2) return fmt::format("{}", fmt::join(words, ""));
  return fmt::format("{} or {}", fmt::join(words.begin(), words.end() - 1, ", "), words.back());
}

bool may_hold_password(std::string_view option, std::string_view value) {
  return option != "db" && text::may_hold_password(value);
}

}  // namespace drover::cli
