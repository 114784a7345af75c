#include "cli/help/help.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "cli/help/completion.bash.h"
#include "cli/help/completion.fish.h"
#include "text/plain_text.h"
#include "text/wrapped_text.h"

namespace drover::cli {
namespace {

using Commands = std::vector<const Command*>;

std::string joined(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, " "));
}

std::string shown_sentence(std::string_view description) {
  return text::first_sentence(description, 70);
}

// Returns the text with a backslash before each of these characters.
std::string escaped(std::string_view text, std::string_view characters) {
  std::string escaped;
  for (const char character : text) {
    if (characters.find(character) != std::string_view::npos) escaped += '\\';
    escaped += character;
  }
  return escaped;
}

// ---- bash

constexpr std::array<std::string_view, 4> kind_names = {"none", "text", "file", "folder"};

std::string kind_and_words(const Option& option) {
  return fmt::format("kind={} words={}", kind_names[static_cast<std::size_t>(option.kind)],
                     shell_quoted(joined(option.choices)));
}

std::string values_function(const Commands& commands) {
  std::string text =
      "# Of an option behind its command: the kind of its value, and the words among them.\n"
      "_drover_value() {\n  kind=none words=''\n  case $1 in\n";
  for (const Command* command : commands) {
    for (const Option& option : command->options) {
      if (option.is_flag()) continue;
      std::vector<std::string> patterns;
      for (const std::string& name : option.names) {
        patterns.push_back(shell_quoted(command->full_name() + " " + name));
      }
      text += fmt::format("    {}) {} ;;\n", fmt::join(patterns, " | "), kind_and_words(option));
    }
  }
  return text + "  esac\n}\n\n";
}

// Completes all arguments like the first one.
std::string command_function(const Commands& commands) {
  std::string text =
      "# Of a command: its commands, its options, and what its arguments are.\n"
      "_drover_command() {\n  kind=none words='' options='' commands=''\n  case $1 in\n";
  for (const Command* command : commands) {
    std::vector<std::string> options;
    for (const Option& option : command->options) {
      options.insert(options.end(), option.names.begin(), option.names.end());
    }
    text += fmt::format(
        "    {})\n      commands={}\n      options={}\n", shell_quoted(command->full_name()),
        shell_quoted(joined(command->command_names())), shell_quoted(joined(options)));
    if (!command->arguments.empty()) {
      text += fmt::format("      {}\n", kind_and_words(command->arguments.front()));
    }
    text += "      ;;\n";
  }
  return text + "  esac\n}\n\n";
}

std::string is_command_function(const Commands& commands) {
  std::string text = "_drover_is_command() {\n  case $1 in\n";
  for (const Command* command : commands) {
    if (command->path.size() < 2) continue;
    text += fmt::format("    {}) return 0 ;;\n", shell_quoted(command->full_name()));
  }
  return text + "    *) return 1 ;;\n  esac\n}\n";
}

// ---- zsh

std::string function_name(const Command& command) {
  return fmt::format("_{}", fmt::join(command.path, "_"));
}

// Escapes a description of _arguments, in brackets or between colons.
std::string zsh_escaped(std::string_view text) {
  return escaped(text, "[]:\\");
}

std::string zsh_action(const Option& option) {
  if (option.kind == ValueKind::file) return "_files";
  if (option.kind == ValueKind::folder) return "_files -/";
  // A space shows the name of the value without choices.
  return option.choices.empty() ? " " : fmt::format("({})", joined(option.choices));
}

// Returns '(-w --warehouses)'{-w+,--warehouses=}'[description]:W|auto:(auto)'.
std::string option_spec(const Option& option) {
  std::string spec;
  if (option.is_list()) {
    spec = "'*'";
  } else if (option.names.size() > 1) {
    spec = fmt::format("'({})'", joined(option.names));
  }
  std::vector<std::string> names;
  for (const std::string& name : option.names) {
    names.push_back(name + (option.is_flag() ? "" : name.starts_with("--") ? "=" : "+"));
  }
  spec += names.size() == 1 ? names.front() : fmt::format("{{{}}}", fmt::join(names, ","));
  std::string rest = fmt::format("[{}]", zsh_escaped(shown_sentence(option.description)));
  if (!option.is_flag()) {
    rest += fmt::format(":{}:{}", zsh_escaped(option.value), zsh_action(option));
  }
  return spec + shell_quoted(rest);
}

std::string argument_spec(const Option& argument, std::size_t index) {
  const std::string place = argument.is_list() ? "*" : fmt::format("{}", index + 1);
  return shell_quoted(
      fmt::format("{}:{}:{}", place, zsh_escaped(argument.name()), zsh_action(argument)));
}

std::string function_of(const Command& command) {
  std::string text = fmt::format("{}() {{\n", function_name(command));
  const bool has_commands = !command.commands.empty();
  if (has_commands) {
    text += "  local curcontext=\"$curcontext\" state line\n  local -a commands=(\n";
    for (const Command& below : command.commands) {
      text += fmt::format("    {}\n", shell_quoted(fmt::format("{}:{}", below.name(),
                                                               shown_sentence(below.description))));
    }
    text += "  )\n";
  }
  text += has_commands ? "  _arguments -C" : "  _arguments -s -S";
  for (const Option& option : command.options) text += " \\\n    " + option_spec(option);
  for (std::size_t index = 0; index < command.arguments.size(); ++index) {
    text += " \\\n    " + argument_spec(command.arguments[index], index);
  }
  if (!has_commands) return text + "\n}\n\n";
  text +=
      " \\\n    '1: :->command' '*:: :->rest' && return\n"
      "  case $state in\n    command) _describe command commands ;;\n"
      "    rest)\n      case $line[1] in\n";
  for (const Command& below : command.commands) {
    text += fmt::format("        {}) {} ;;\n", below.name(), function_name(below));
  }
  return text + "      esac\n      ;;\n  esac\n}\n\n";
}

// ---- fish

// Returns the text in single quotes, in which fish has the escapes \' and \\.
std::string fish_quoted(std::string_view text) {
  return "'" + escaped(text, "'\\") + "'";
}

// Returns a line about a completion after a command.
std::string completion_at(const Command& command, std::string_view rest) {
  return fmt::format("complete -c drover -n {}{}\n",
                     fish_quoted("__drover_at " + command.full_name()), rest);
}

// Returns the options of `complete` for the values of an option or argument.
std::string fish_values(const Option& option) {
  const char* alone = option.is_argument() ? "" : " -x";
  const std::string choices =
      option.choices.empty() ? "" : " -a " + fish_quoted(joined(option.choices));
  if (option.is_flag()) return "";
  if (option.kind == ValueKind::folder)
    return fmt::format("{} -a '(__fish_complete_directories)'", alone);
  if (option.kind == ValueKind::text) return alone + choices;
  return option.is_argument() ? " -F" : " -r -F" + choices;
}

std::string option_line(const Command& command, const Option& option) {
  std::string rest;
  for (const std::string& name : option.names) {
    rest += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  }
  return completion_at(command, rest + fish_values(option) + " -d " +
                                    fish_quoted(shown_sentence(option.description)));
}

std::string fish_lists(const Commands& commands) {
  std::string text = "set -g __drover_commands";
  for (const Command* command : commands) {
    if (command->path.size() > 1) text += " \\\n    " + fish_quoted(command->full_name());
  }
  text += "\nset -g __drover_options_with_value";
  for (const Command* command : commands) {
    for (const Option& option : command->options) {
      if (option.is_flag()) continue;
      for (const std::string& name : option.names) {
        text += " \\\n    " + fish_quoted(command->full_name() + " " + name);
      }
    }
  }
  return text + "\n";
}

void add_topic(Command& help, const Command& command) {
  Command& topic = help.add_command(command.name(), command.description);
  topic.options.clear();
  for (const Command& below : command.commands) add_topic(topic, below);
}

}  // namespace

std::string shell_quoted(std::string_view text) {
  return "'" + text::replaced(std::string(text), "'", "'\\''") + "'";
}

Command with_help_topics(Command program) {
  const auto help = std::ranges::find(program.commands, "help", &Command::name);
  if (help == program.commands.end()) return program;
  help->arguments.clear();
  for (const Command& command : program.commands) {
    if (&command != &*help) add_topic(*help, command);
  }
  return program;
}

std::string bash_completion(const Command& program) {
  const Commands commands = all_commands(program);
  return "# Completion of drover for bash, made by 'drover completion bash'.\n\n" +
         values_function(commands) + command_function(commands) + is_command_function(commands) +
         completion_bash;
}

std::string zsh_completion(const Command& program) {
  std::string text =
      "#compdef drover\n# Completion of drover for zsh, made by 'drover completion zsh'.\n\n";
  for (const Command* command : all_commands(program)) text += function_of(*command);
  // zsh executes a file of $fpath as the body of the function. A sourced file only registers it.
  return text +
         "if [[ $zsh_eval_context[-1] == loadautofunc ]]; then\n  _drover \"$@\"\nelse\n"
         "  compdef _drover drover\nfi\n";
}

std::string fish_completion(const Command& program) {
  const Commands commands = all_commands(program);
  std::string text = "# Completion of drover for fish, made by 'drover completion fish'.\n\n" +
                     fish_lists(commands) + completion_fish;
  for (const Command* command : commands) {
    text += fmt::format("\n# {}\n", command->full_name());
    for (const Command& below : command->commands) {
      text += completion_at(*command, fmt::format(" -a {} -d {}", below.name(),
                                                  fish_quoted(shown_sentence(below.description))));
    }
    for (const Option& option : command->options) text += option_line(*command, option);
    if (command->arguments.empty()) continue;
    const std::string values = fish_values(command->arguments.front());
    if (!values.empty()) text += completion_at(*command, values);
  }
  return text;
}

}  // namespace drover::cli
