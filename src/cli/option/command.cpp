#include "cli/option/command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace drover::cli {

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
    // Options of the command line alone are common to all commands, unless they have a group.
    const bool is_general = !option.configurable && their_group == plain_group;
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

}  // namespace drover::cli
