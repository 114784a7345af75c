#include "cli/option/option_sources.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <ranges>
#include <set>

#include "text/nearest_name.h"
#include "text/utf8.h"
#include "text/wrapped_text.h"

namespace drover::cli {
namespace {

constexpr std::string_view program_prefix = "DROVER_";

// Returns "DROVER_TPCC_RUN_DURATION": the first `depth` names of a command, and the key of an
// option.
std::string variable_name(const std::vector<std::string>& command, std::size_t depth,
                          std::string_view key) {
  std::string name = fmt::format("{}_{}", fmt::join(command | std::views::take(depth), "_"), key);
  for (char& character : name) {
    if (character >= 'a' && character <= 'z') character = static_cast<char>(character - 'a' + 'A');
    if (character == '-') character = '_';
  }
  return name;
}

// Returns the variables of all options by any number of command names, and known_variables.
std::set<std::string> all_variables(const Command& program) {
  std::set<std::string> variables;
  for (const auto& variable : known_variables) variables.emplace(variable.first);
  for (const Command* command : all_commands(program)) {
    for (const Option& option : command->options) {
      if (option.key().empty()) continue;
      for (std::size_t depth = 1; depth <= command->path.size(); ++depth) {
        variables.insert(variable_name(command->path, depth, option.key()));
      }
    }
  }
  return variables;
}

// Returns "; did you mean …?", or nothing. Compares names without their common prefix.
std::string variable_meant_by(const std::string& name, const std::set<std::string>& known) {
  std::vector<std::string> names;
  for (const std::string& one : known) names.push_back(one.substr(program_prefix.size()));
  const auto nearest = text::nearest_name(name.substr(program_prefix.size()), names);
  return nearest ? fmt::format("; did you mean {}{}?", program_prefix, *nearest) : std::string();
}

// Throws for an unknown variable of the chosen command, which is a mistake of the user. Returns
// warnings about other unknown variables, which may belong to another version of this program.
std::vector<std::string> require_known(const Command& program, const Command& chosen,
                                       const EnvironmentVariables& variables) {
  const std::set<std::string> known = all_variables(program);
  const std::string of_command = variable_name(chosen.path, chosen.path.size(), "");
  std::vector<std::string> warnings;
  for (const auto& [name, value] : variables) {
    if (known.contains(name)) continue;
    const std::string shown = text::terminal_text(name);
    const std::string meant = variable_meant_by(name, known);
    if (chosen.path.size() > 1 && name.starts_with(of_command)) {
      const std::string command = chosen.full_name();
      throw UsageError(
          fmt::format("the variable {} does not match any option of {}{}", shown, command,
                      meant.empty() ? fmt::format("; see: {} --help", command) : meant));
    }
    warnings.push_back(fmt::format(
        "the variable {} does not match any option of drover and is ignored{}", shown, meant));
  }
  return warnings;
}

// Returns the words that the value of a variable stands for.
std::vector<std::string> words_of(const Option& option, const std::string& variable,
                                  const std::string& value) {
  if (option.is_flag()) {
    if (value == "true" || value == "1") return {"true"};
    if (value == "false" || value == "0") return {"false"};
    throw UsageError(fmt::format("{}: expected true, false, 1 or 0", variable));
  }
  if (may_hold_password(option.key(), value)) {
    throw UsageError(
        fmt::format("{}: set a connection string in the variable DROVER_DB", variable));
  }
  if (!option.is_list()) return {value};
  std::vector<std::string> words = text::parts(value, ';');
  std::erase(words, "");
  return words;
}

// Sets the option from the variable with the most command names.
void give_variable(const Command& command, Option& option, const EnvironmentVariables& variables) {
  for (std::size_t depth = command.path.size(); depth >= 1; --depth) {
    const std::string variable = variable_name(command.path, depth, option.key());
    const auto found =
        std::ranges::find(variables, variable, &EnvironmentVariables::value_type::first);
    if (found == variables.end()) continue;
    const std::vector<std::string> words = words_of(option, variable, found->second);
    const std::string origin = fmt::format(" (from the variable {})", variable);
    try {
      option.give(words, origin);
    } catch (const UsageError& error) {
      throw UsageError(error.what() + origin);
    }
    return;
  }
}

[[noreturn]] void refuse(const std::string& file, const ConfigEntry& entry, std::string_view what) {
  throw UsageError(fmt::format("{}, line {}: {}", file, entry.line, what));
}

// Returns the command of the entry's section.
const Command& command_of(const Command& program, const ConfigEntry& entry,
                          const std::string& file) {
  const Command* command = &program;
  for (std::size_t i = 0; i < entry.section.size(); ++i) {
    const Command* below = command->find_command(entry.section[i]);
    if (below == nullptr) {
      const std::vector<std::string> names = command->command_names();
      refuse(file, entry,
             fmt::format(
                 "unknown command: drover {}. Expected {}",
                 fmt::join(entry.section | std::views::take(i + 1), " "),
                 names.empty() ? "a key" : fmt::format("a section of {}", fmt::join(names, ", "))));
    }
    command = below;
  }
  return *command;
}

// Returns the kind of value that the option takes, or null if it takes values of this kind.
const char* expected_instead(const Option& option, ConfigKind kind) {
  const bool is_list = option.is_list();
  if (option.is_flag()) return kind == ConfigKind::truth ? nullptr : "true or false";
  if (kind == ConfigKind::truth) return is_list ? "a list" : "text in quotes or a number";
  if (kind == ConfigKind::list && !is_list) return "a single value";
  return nullptr;
}

// Requires that a command of the section has the option, and that the value has its kind.
void require_fit(const Command& command, const ConfigEntry& entry, const std::string& file) {
  bool is_known = false;
  for (const Command* one : all_commands(command)) {
    const auto option = std::ranges::find(one->options, entry.key, &Option::key);
    if (option == one->options.end()) continue;
    is_known = true;
    if (const char* expected = expected_instead(*option, entry.kind)) {
      refuse(file, entry, fmt::format("{}: expected {}", entry.key, expected));
    }
  }
  if (!is_known) {
    const std::string section = fmt::format("{}", fmt::join(entry.section, " "));
    refuse(file, entry,
           fmt::format("{}: unknown option{}. See: drover {}{}--help", entry.key,
                       section.empty() ? "" : " of drover " + section, section,
                       section.empty() ? "" : " "));
  }
  for (const std::string& value : entry.values) {
    if (!may_hold_password(entry.key, value)) continue;
    refuse(file, entry, fmt::format("{}: set a connection string with the key db", entry.key));
  }
}

}  // namespace

EnvironmentVariables variables_with_prefix(const std::vector<std::string_view>& prefixes) {
  EnvironmentVariables variables;
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    const std::size_t equals = text.find('=');
    const auto begins_text = [text](std::string_view one) { return text.starts_with(one); };
    if (equals == std::string_view::npos || std::ranges::none_of(prefixes, begins_text)) continue;
    variables.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  return variables;
}

EnvironmentVariables drover_variables() {
  EnvironmentVariables variables = variables_with_prefix({program_prefix});
  std::erase_if(variables, [](const auto& one) { return one.second.empty(); });
  return variables;
}

std::string variable_of(const Command& command, const Option& option) {
  if (option.key().empty() || !option.variable.empty()) return option.variable;
  return variable_name(command.path, command.path.size(), option.key());
}

std::vector<std::string> apply_environment(const Command& program, Command& chosen,
                                           const EnvironmentVariables& variables) {
  std::vector<std::string> warnings = require_known(program, chosen, variables);
  for (Option& option : chosen.options) {
    if (!option.key().empty() && !option.is_given()) give_variable(chosen, option, variables);
  }
  return warnings;
}

void apply_config(const Command& program, Command& chosen, const std::vector<ConfigEntry>& entries,
                  const std::string& file) {
  std::vector<const ConfigEntry*> ours;  // in sections of the chosen command and of those above it
  for (const ConfigEntry& entry : entries) {
    const Command& command = command_of(program, entry, file);
    require_fit(command, entry, file);
    const bool is_above =
        std::ranges::mismatch(command.path, chosen.path).in1 == command.path.end();
    if (is_above) ours.push_back(&entry);
  }
  // The nearest section comes first, and later entries with the same key have no effect.
  std::ranges::sort(ours, {}, [](const ConfigEntry* one) {
    return std::pair(-std::ssize(one->section), one->line);
  });
  std::set<std::string> keys;
  for (const ConfigEntry* entry : ours) {
    if (!keys.insert(entry->key).second) continue;
    const auto option = std::ranges::find(chosen.options, entry->key, &Option::key);
    if (option == chosen.options.end() || option->is_given()) continue;
    if (entry->kind == ConfigKind::truth && entry->values.front() == "false") continue;
    try {
      option->give(entry->values, fmt::format(" (from {}, line {})", file, entry->line));
    } catch (const UsageError& error) {
      refuse(file, *entry, error.what());
    }
  }
}

void apply_config_file(const Command& program, Command& chosen, const std::string& path) {
  apply_config(program, chosen, read_config_file(path), config_file_name(path));
}

}  // namespace drover::cli
