#include "cli/option/option_sources.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <ranges>
#include <set>

#include "text/nearest_name.h"
#include "text/utf8.h"
#include "text/wrapped_text.h"

namespace drover::cli {
namespace {

constexpr std::string_view program_prefix = "DROVER_";

// All that the variables of options may be called, by any number of names in front, and the others.
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

// "; did you mean …?" What all of them begin with makes none of them alike.
std::string variable_meant_by(const std::string& name, const std::set<std::string>& known) {
  std::vector<std::string> names;
  for (const std::string& one : known) names.push_back(one.substr(program_prefix.size()));
  const auto nearest = text::nearest_name(name.substr(program_prefix.size()), names);
  return nearest ? fmt::format("; did you mean {}{}?", program_prefix, *nearest) : std::string();
}

// The option of a variable that is of the chosen command's is missed by the user; any other may
// be somebody else's, or of another version of this program.
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

// What an option is given by the value of a variable.
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

// Takes the variable of most names that is set.
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

// What the option takes, if it is not what the file has.
const char* expected_instead(const Option& option, ConfigKind kind) {
  const bool is_list = option.is_list();
  if (option.is_flag()) return kind == ConfigKind::truth ? nullptr : "true or false";
  if (kind == ConfigKind::truth) return is_list ? "a list" : "text in quotes or a number";
  if (kind == ConfigKind::list && !is_list) return "a single value";
  return nullptr;
}

class ConfigApplication {
 public:
  ConfigApplication(const Command& program, Command& chosen, const std::string& file)
      : program_(program), chosen_(chosen), file_(file) {}

  void apply(const std::vector<ConfigEntry>& entries) {
    std::vector<const ConfigEntry*> ours;
    for (const ConfigEntry& entry : entries) {
      if (require_fit(entry)) ours.push_back(&entry);
    }
    // The nearest section first: what is set stays.
    std::ranges::sort(ours, [](const ConfigEntry* one, const ConfigEntry* other) {
      return std::pair(other->section.size(), one->line) <
             std::pair(one->section.size(), other->line);
    });
    std::set<std::string> decided;  // by a nearer section
    for (const ConfigEntry* entry : ours) {
      if (decided.insert(entry->key).second) give(*entry);
    }
  }

 private:
  [[noreturn]] void refuse(const ConfigEntry& entry, std::string_view what) const {
    throw UsageError(fmt::format("{}, line {}: {}", file_, entry.line, what));
  }

  // Whether the entry's section is the chosen command's or one above it.
  bool require_fit(const ConfigEntry& entry) const {
    const Command* command = &program_;
    for (std::size_t i = 0; i < entry.section.size(); ++i) {
      const Command* below = command->find_command(entry.section[i]);
      if (below == nullptr) refuse_section(entry, *command, i);
      command = below;
    }
    bool is_known = false;
    for (const Command* one : all_commands(*command)) {
      const auto option = std::ranges::find(one->options, entry.key, &Option::key);
      if (option == one->options.end()) continue;
      is_known = true;
      if (const char* expected = expected_instead(*option, entry.kind)) {
        refuse(entry, fmt::format("{}: expected {}", entry.key, expected));
      }
    }
    if (!is_known) refuse_key(entry);
    for (const std::string& value : entry.values) {
      if (!may_hold_password(entry.key, value)) continue;
      refuse(entry, fmt::format("{}: set a connection string with the key db", entry.key));
    }
    const auto begins = std::ranges::mismatch(command->path, chosen_.path);
    return begins.in1 == command->path.end();
  }

  [[noreturn]] void refuse_key(const ConfigEntry& entry) const {
    const std::string section = fmt::format("{}", fmt::join(entry.section, " "));
    refuse(entry, fmt::format("{}: unknown option{}. See: drover {}{}--help", entry.key,
                              section.empty() ? "" : " of drover " + section, section,
                              section.empty() ? "" : " "));
  }

  [[noreturn]] void refuse_section(const ConfigEntry& entry, const Command& command,
                                   std::size_t index) const {
    const std::vector<std::string> names = command.command_names();
    const auto known = entry.section | std::views::take(index + 1);
    refuse(entry,
           fmt::format(
               "unknown command: drover {}. Expected {}", fmt::join(known, " "),
               names.empty() ? "a key" : fmt::format("a section of {}", fmt::join(names, ", "))));
  }

  // Where neither the command line nor a variable has.
  void give(const ConfigEntry& entry) {
    const auto option = std::ranges::find(chosen_.options, entry.key, &Option::key);
    if (option == chosen_.options.end() || option->is_given()) return;
    if (entry.kind == ConfigKind::truth && entry.values.front() == "false") return;
    try {
      option->give(entry.values, fmt::format(" (from {}, line {})", file_, entry.line));
    } catch (const UsageError& error) {
      refuse(entry, error.what());
    }
  }

  const Command& program_;
  Command& chosen_;
  std::string file_;
};

}  // namespace

EnvironmentVariables drover_variables() {
  EnvironmentVariables variables;
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    const std::size_t equals = text.find('=');
    if (!text.starts_with(program_prefix) || equals == std::string_view::npos) continue;
    if (equals + 1 == text.size()) continue;
    variables.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  return variables;
}

std::string variable_name(const std::vector<std::string>& command, std::size_t depth,
                          std::string_view key) {
  std::string name = fmt::format("{}_{}", fmt::join(command | std::views::take(depth), "_"), key);
  for (char& character : name) {
    if (character >= 'a' && character <= 'z') character = static_cast<char>(character - 'a' + 'A');
    if (character == '-') character = '_';
  }
  return name;
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
  ConfigApplication(program, chosen, file).apply(entries);
}

void apply_config_file(const Command& program, Command& chosen, const std::string& path) {
  apply_config(program, chosen, read_config_file(path), config_file_name(path));
}

}  // namespace drover::cli
