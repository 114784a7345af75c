#include "cli/parse_message.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "cli/chosen_command.h"
#include "cli/nearest_name.h"
#include "report/bounded_file.h"

namespace drover::cli {
namespace {

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_group().empty()) continue;  // hidden
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::vector<std::string> command_names(CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::App* below : commands_of(command)) names.push_back(below->get_name());
  return names;
}

// The commands that have an option of this name, if it is not near to one of the chosen command's.
std::string owners_of(CLI::App& app, const std::string& option) {
  std::vector<std::string> owners;
  const std::function<void(CLI::App&)> look_in = [&](CLI::App& command) {
    const std::vector<std::string> names = option_names(command);
    if (std::ranges::find(names, option) != names.end()) owners.push_back(name_of(command));
    for (CLI::App* below : commands_of(command)) look_in(*below);
  };
  look_in(app);
  constexpr std::size_t owners_most = 3;  // of more it is no help
  if (owners.empty() || owners.size() > owners_most) return {};
  return fmt::format("; {} {} it", fmt::join(owners, ", "), owners.size() == 1 ? "has" : "have");
}

std::string of_unknown_option(CLI::App& app, CLI::App& command, std::string option) {
  // Behind the = there may be a password.
  if (const auto equals = option.find('='); equals != std::string::npos) option.resize(equals);
  std::string hint = did_you_mean(option, option_names(command));
  if (hint.empty()) hint = owners_of(app, option);
  return fmt::format("{}: unknown option {}{}", name_of(command), report::terminal_text(option),
                     hint);
}

std::string of_surplus_word(CLI::App& command, const std::string& word) {
  if (may_hold_password("", word)) {
    return fmt::format("{}: a connection string belongs to --db", name_of(command));
  }
  const std::string shown = report::terminal_text(word);
  const std::vector<std::string> names = command_names(command);
  if (names.empty()) {
    return fmt::format("{} takes no argument {}", name_of(command), shown);
  }
  return fmt::format("unknown command: {} {}{}", name_of(command), shown,
                     did_you_mean(word, names));
}

// The words that nobody took, of the command to which each was given.
std::optional<std::string> of_unknown_words(CLI::App& app) {
  for (CLI::App* command : chosen_path(app)) {
    const std::vector<std::string> unknown = command->remaining(false);
    if (unknown.empty()) continue;
    const std::string& word = unknown.front();
    if (word.starts_with('-') && word.size() > 1 && word != "--") {
      return of_unknown_option(app, *command, word);
    }
    return of_surplus_word(*command, word);
  }
  return std::nullopt;
}

std::string of_missing_command(CLI::App& command) {
  return fmt::format("{} needs a subcommand: {}", name_of(command),
                     fmt::join(command_names(command), ", "));
}

// The parts of a text around the separators, if they come in it in this order.
template <std::size_t count>
std::optional<std::array<std::string, count + 1>> parts_of(
    std::string_view text, const std::array<std::string_view, count>& separators) {
  std::array<std::string, count + 1> parts;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = text.find(separators[i]);
    if (at == std::string_view::npos) return std::nullopt;
    parts[i] = text.substr(0, at);
    text.remove_prefix(at + separators[i].size());
  }
  parts[count] = text;
  return parts;
}

// CLI11 writes the bounds of a range with zeros: "0.010000" is "0.01".
std::string without_zeros(std::string number) {
  if (number.find('.') == std::string::npos) return number;
  number.resize(number.find_last_not_of('0') + 1);
  if (number.ends_with('.')) number.pop_back();
  return number;
}

// "{bash,zsh,fish}" is "bash, zsh or fish".
std::string alternatives(std::string_view set) {
  if (set.starts_with('{')) set.remove_prefix(1);
  if (set.ends_with('}')) set.remove_suffix(1);
  std::string text(set);
  const std::size_t last = text.rfind(',');
  for (std::size_t at = last; at != std::string::npos && at > 0; at = text.rfind(',', at - 1)) {
    text.replace(at, 1, at == last ? " or " : ", ");
  }
  return text;
}

// The messages of CLI11 that the options of this program can bring about.
std::string in_plain_words(const std::string& message) {
  if (const auto parts = parts_of<2>(message, {": 1 required ", " missing"})) {
    return fmt::format("{} needs a value: {}", (*parts)[0], (*parts)[1]);
  }
  if (const auto parts = parts_of<2>(message, {": At Most ", " required but received "})) {
    return fmt::format("{}: given {} times; expected {}", (*parts)[0], (*parts)[2],
                       (*parts)[1] == "1" ? "once" : (*parts)[1] + " times at most");
  }
  if (const auto parts = parts_of<3>(message, {": Value ", " not in range ", " to "})) {
    const auto& [name, value, low, high] = *parts;
    return fmt::format("{} {}: expected {} from {} to {}", name, value,
                       low.find('.') == std::string::npos ? "a whole number" : "a number",
                       without_zeros(low), without_zeros(high));
  }
  if (const auto parts = parts_of<2>(message, {": ", " not in {"})) {
    return fmt::format("{} {}: expected {}", (*parts)[0], (*parts)[1], alternatives((*parts)[2]));
  }
  if (const auto parts = parts_of<2>(message, {"Could not convert: ", " = "})) {
    return fmt::format("{} {}: expected a number", (*parts)[1], (*parts)[2]);
  }
  return message;
}

// The message of an option that is missing: "drover tpcc import needs --warehouses W".
std::string of_missing_option(CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    if (!option->get_required() || option->count() > 0) continue;
    // CLI11 puts what it checks behind the type: "TEXT:{bash,zsh,fish}".
    std::string type = option->get_type_name();
    if (const std::size_t check = type.find(':'); check != std::string::npos) {
      type = type[check + 1] == '{' ? alternatives(type.substr(check + 1)) : type.substr(0, check);
    }
    const std::string name = option->get_name();
    return fmt::format("{} needs {}{} {}", name_of(command), name,
                       option->get_positional() ? ":" : "", type);
  }
  return {};
}

// A value for a flag, which CLI11 cannot convert.
bool is_of_flag(CLI::App& command, const std::string& message) {
  return std::ranges::any_of(command.get_options(), [&](const CLI::Option* option) {
    return option->get_items_expected_max() == 0 &&
           message.starts_with("Could not convert: " + option->get_name() + " = ");
  });
}

}  // namespace

std::string option_message(const CLI::ParseError& error) {
  const std::string message = error.what();
  if (may_hold_password("", message)) return "a connection string belongs to --db";
  return report::terminal_text(in_plain_words(message));
}

bool is_command_missing(const CLI::ParseError& error, CLI::App& app) {
  return dynamic_cast<const CLI::RequiredError*>(&error) != nullptr &&
         !commands_of(*chosen_path(app).back()).empty() && !of_unknown_words(app);
}

std::string parse_message(const CLI::ParseError& error, CLI::App& app) {
  CLI::App& chosen = *chosen_path(app).back();
  const bool is_missing = dynamic_cast<const CLI::RequiredError*>(&error) != nullptr;
  const bool is_surplus = dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr;
  std::string message = option_message(error);
  // CLI11 misses a command before it looks at the words that it did not understand, and it is these
  // that were meant to be one.
  const auto unknown = is_missing || is_surplus ? of_unknown_words(app) : std::nullopt;
  if (unknown) {
    message = *unknown;
  } else if (is_missing && !commands_of(chosen).empty()) {
    message = of_missing_command(chosen);
  } else if (is_missing) {
    message = of_missing_option(chosen);
  } else if (is_of_flag(chosen, error.what())) {
    message = fmt::format("{} takes no value", message.substr(0, message.find(' ')));
  }
  return fmt::format("{}\nSee: {} --help", message, name_of(chosen));
}

}  // namespace drover::cli
