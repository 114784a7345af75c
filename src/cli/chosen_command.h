// The commands and options of the program, as the readers of variables and files look for them.
// Functions of CLI11's tree, without state.
#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace drover::cli {

// Of the commands that say how the others are used: help, completion, man.
inline constexpr const char* about_group = "About drover";

inline std::vector<CLI::App*> commands_of(CLI::App& app) {
  return app.get_subcommands([](CLI::App*) { return true; });
}

// Null if there is none.
inline CLI::App* command_of(CLI::App& app, const std::string& name) {
  for (CLI::App* command : commands_of(app)) {
    if (command->get_name() == name) return command;
  }
  return nullptr;
}

// The option that a file or a variable may set by this key, or null.
inline CLI::Option* option_of(CLI::App& command, const std::string& key) {
  for (CLI::Option* option : command.get_options()) {
    if (!option->get_configurable()) continue;
    if (std::ranges::find(option->get_lnames(), key) != option->get_lnames().end()) return option;
  }
  return nullptr;
}

// The commands that the command line names, from the program itself on.
inline std::vector<CLI::App*> chosen_path(CLI::App& app) {
  std::vector<CLI::App*> path = {&app};
  while (true) {
    const std::vector<CLI::App*> next = path.back()->get_subcommands();
    if (next.empty()) return path;
    path.push_back(next.front());
  }
}

// "drover tpcc run"
inline std::string name_of(const CLI::App& command) {
  const CLI::App* parent = command.get_parent();
  return parent == nullptr ? command.get_name() : name_of(*parent) + " " + command.get_name();
}

inline bool asks_for_help(const std::vector<CLI::App*>& path) {
  return std::ranges::any_of(path, [](const CLI::App* command) {
    const CLI::Option* help = command->get_help_ptr();
    return help != nullptr && help->count() > 0;
  });
}

// "--warehouses", "-w": as messages begin with them.
inline std::vector<std::string> written_names_of(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  return names;
}

// Whether a message speaks of one of the names: "--pace 0: …", "--pace: …".
inline bool is_message_about(std::string_view message, const std::vector<std::string>& names) {
  return std::ranges::any_of(names, [&](const std::string& name) {
    if (!message.starts_with(name)) return false;
    const std::string_view rest = message.substr(name.size());
    return rest.starts_with(' ') || rest.starts_with(':');
  });
}

// Options other than --db show their value in messages. libpq allows blanks around the sign.
inline bool may_hold_password(std::string_view option, std::string_view value) {
  if (option == "db") return false;
  if (value.find("://") != std::string_view::npos) return true;
  for (std::size_t at = value.find("password"); at != std::string_view::npos;
       at = value.find("password", at + 1)) {
    const std::size_t next =
        value.find_first_not_of(" \t", at + std::string_view("password").size());
    if (next != std::string_view::npos && value[next] == '=') return true;
  }
  return false;
}

}  // namespace drover::cli
