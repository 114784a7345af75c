#include <fmt/format.h>

#include "cli/completion.h"

namespace drover::cli {
namespace {

constexpr std::size_t description_characters_max = 70;

std::string function_name(const CommandOutline& command) {
  return "_" + std::string(fmt::format("{}", fmt::join(command.path, "_")));
}

// Within a description of _arguments, in brackets or between colons.
std::string escaped(std::string_view text) {
  std::string escaped;
  for (const char character : text) {
    if (character == '[' || character == ']' || character == ':' || character == '\\') {
      escaped += '\\';
    }
    escaped += character;
  }
  return escaped;
}

std::string action(const OptionOutline& option) {
  switch (option.kind) {
    case ValueKind::file:
      return "_files";
    case ValueKind::folder:
      return "_files -/";
    case ValueKind::none:
    case ValueKind::text:
      break;
  }
  // A space: nothing to choose from, but the name is shown.
  return option.choices.empty() ? " " : fmt::format("({})", fmt::join(option.choices, " "));
}

// '(-w --warehouses)'{-w+,--warehouses=}'[description]:W|auto:(auto)'
std::string option_spec(const OptionOutline& option) {
  std::string spec;
  if (option.repeatable) {
    spec = "'*'";
  } else if (option.names.size() > 1) {
    spec = fmt::format("'({})'", fmt::join(option.names, " "));
  }
  std::vector<std::string> names;
  for (const std::string& name : option.names) {
    const char* value = option.kind == ValueKind::none ? "" : name.starts_with("--") ? "=" : "+";
    names.push_back(name + value);
  }
  spec += names.size() == 1 ? names.front() : fmt::format("{{{}}}", fmt::join(names, ","));
  std::string rest =
      fmt::format("[{}]", escaped(first_sentence(option.description, description_characters_max)));
  if (option.kind != ValueKind::none) {
    rest += fmt::format(":{}:{}", escaped(option.value), action(option));
  }
  return spec + shell_quoted(rest);
}

std::string argument_spec(const OptionOutline& argument, std::size_t index) {
  const std::string place = argument.repeatable ? "*" : fmt::format("{}", index + 1);
  return shell_quoted(
      fmt::format("{}:{}:{}", place, escaped(argument.names.front()), action(argument)));
}

std::string function_of(const CommandOutline& command) {
  std::string text = fmt::format("{}() {{\n", function_name(command));
  const bool has_commands = !command.commands.empty();
  if (has_commands) {
    text += "  local curcontext=\"$curcontext\" state line\n  local -a commands=(\n";
    for (const CommandOutline& below : command.commands) {
      text += fmt::format(
          "    {}\n",
          shell_quoted(fmt::format("{}:{}", below.name(),
                                   first_sentence(below.description, description_characters_max))));
    }
    text += "  )\n";
  }
  text += has_commands ? "  _arguments -C" : "  _arguments -s -S";
  for (const OptionOutline& option : command.options) text += " \\\n    " + option_spec(option);
  for (std::size_t index = 0; index < command.arguments.size(); ++index) {
    text += " \\\n    " + argument_spec(command.arguments[index], index);
  }
  if (!has_commands) return text + "\n}\n\n";
  text +=
      " \\\n    '1: :->command' '*:: :->rest' && return\n"
      "  case $state in\n    command) _describe command commands ;;\n"
      "    rest)\n      case $line[1] in\n";
  for (const CommandOutline& below : command.commands) {
    text += fmt::format("        {}) {} ;;\n", below.name(), function_name(below));
  }
  return text + "      esac\n      ;;\n  esac\n}\n\n";
}

}  // namespace

std::string zsh_completion(const CommandOutline& program) {
  std::string text =
      "#compdef drover\n# Completion of drover for zsh, made by 'drover completion "
      "zsh'.\n\n";
  for (const CommandOutline* command : all_commands(program)) text += function_of(*command);
  // As a file of $fpath its content is the function's body; sourced, it only tells of it.
  return text +
         "if [[ $zsh_eval_context[-1] == loadautofunc ]]; then\n  _drover \"$@\"\nelse\n"
         "  compdef _drover drover\nfi\n";
}

}  // namespace drover::cli
