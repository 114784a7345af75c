#include "cli/parse_message.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
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

// CLI11 says "--pace: 1 required X missing" where the line ends before the value, and shows a value
// that it cannot convert.
std::string in_plain_words(std::string message) {
  constexpr std::string_view required = ": 1 required ";
  constexpr std::string_view missing = " missing";
  const std::size_t middle = message.find(required);
  if (middle != std::string::npos && message.ends_with(missing)) {
    const std::size_t value = middle + required.size();
    return fmt::format("{} needs a value: {}", message.substr(0, middle),
                       message.substr(value, message.size() - missing.size() - value));
  }
  if (may_hold_password("", message)) return "a connection string belongs to --db";
  return report::terminal_text(message);
}

}  // namespace

std::string parse_message(const CLI::ParseError& error, CLI::App& app) {
  CLI::App& chosen = *chosen_path(app).back();
  const bool is_missing = dynamic_cast<const CLI::RequiredError*>(&error) != nullptr;
  const bool is_surplus = dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr;
  std::string message = in_plain_words(error.what());
  // CLI11 misses a command before it looks at the words that it did not understand, and it is these
  // that were meant to be one.
  const auto unknown = is_missing || is_surplus ? of_unknown_words(app) : std::nullopt;
  if (unknown) {
    message = *unknown;
  } else if (is_missing && !commands_of(chosen).empty()) {
    message = of_missing_command(chosen);
  } else if (is_missing) {
    message = fmt::format("{}: {}", name_of(chosen), message);
  }
  return fmt::format("{}\nSee: {} --help", message, name_of(chosen));
}

}  // namespace drover::cli
