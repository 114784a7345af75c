#include <fmt/format.h>

#include "cli/completion.h"

namespace drover::cli {
namespace {

constexpr std::size_t description_characters_max = 70;

constexpr std::string_view walk = R"(
function __drover_command
    set -l command drover
    set -l is_value no
    set -l words (commandline -opc)
    set -e words[1]
    for word in $words
        if test $is_value = yes
            set is_value no
            continue
        end
        switch $word
            case '--*=*'
            case '-*'
                if contains -- "$command $word" $__drover_options_with_value
                    set is_value yes
                end
            case '*'
                if contains -- "$command $word" $__drover_commands
                    set command "$command $word"
                end
        end
    end
    echo $command
end

function __drover_at
    test (__drover_command) = "$argv"
end

complete -c drover -f
)";

// In single quotes, in which fish knows the escapes \' and \\.
std::string fish_quoted(std::string_view text) {
  std::string quoted = "'";
  for (const char character : text) {
    if (character == '\'' || character == '\\') quoted += '\\';
    quoted += character;
  }
  return quoted + "'";
}

std::string condition(const CommandOutline& command) {
  return fish_quoted("__drover_at " + command.full_name());
}

// What the values are, as options of `complete`.
std::string values(const OptionOutline& option) {
  const std::string choices =
      option.choices.empty()
          ? ""
          : " -a " + fish_quoted(fmt::format("{}", fmt::join(option.choices, " ")));
  switch (option.kind) {
    case ValueKind::none:
      return "";
    case ValueKind::text:
      return " -x" + choices;
    case ValueKind::file:
      return " -r -F" + choices;
    case ValueKind::folder:
      return " -x -a '(__fish_complete_directories)'";
  }
  return "";
}

std::string option_line(const CommandOutline& command, const OptionOutline& option) {
  std::string line = "complete -c drover -n " + condition(command);
  for (const std::string& name : option.names) {
    line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  }
  return line + values(option) + " -d " +
         fish_quoted(first_sentence(option.description, description_characters_max)) + "\n";
}

std::string argument_line(const CommandOutline& command, const OptionOutline& argument) {
  std::string line = "complete -c drover -n " + condition(command);
  if (argument.kind == ValueKind::file) return line + " -F\n";
  if (argument.kind == ValueKind::folder) return line + " -a '(__fish_complete_directories)'\n";
  if (argument.choices.empty()) return "";
  return line + " -a " + fish_quoted(fmt::format("{}", fmt::join(argument.choices, " "))) + "\n";
}

std::string lists(const std::vector<const CommandOutline*>& commands) {
  std::string text = "set -g __drover_commands";
  for (const CommandOutline* command : commands) {
    if (command->path.size() > 1) text += " \\\n    " + fish_quoted(command->full_name());
  }
  text += "\nset -g __drover_options_with_value";
  for (const CommandOutline* command : commands) {
    for (const OptionOutline& option : command->options) {
      if (option.kind == ValueKind::none) continue;
      for (const std::string& name : option.names) {
        text += " \\\n    " + fish_quoted(command->full_name() + " " + name);
      }
    }
  }
  return text + "\n";
}

}  // namespace

std::string fish_completion(const CommandOutline& program) {
  const std::vector<const CommandOutline*> commands = all_commands(program);
  std::string text = "# Completion of drover for fish, made by 'drover completion fish'.\n\n" +
                     lists(commands) + std::string(walk);
  for (const CommandOutline* command : commands) {
    text += fmt::format("\n# {}\n", command->full_name());
    for (const CommandOutline& below : command->commands) {
      text +=
          fmt::format("complete -c drover -n {} -a {} -d {}\n", condition(*command), below.name(),
                      fish_quoted(first_sentence(below.description, description_characters_max)));
    }
    for (const OptionOutline& option : command->options) text += option_line(*command, option);
    if (!command->arguments.empty()) {
      text += argument_line(*command, command->arguments.front());
    }
  }
  return text;
}

}  // namespace drover::cli
