#include <fmt/format.h>

#include "cli/completion.h"

namespace drover::cli {
namespace {

constexpr std::string_view walk = R"(
_drover() {
  local current=${COMP_WORDS[COMP_CWORD]} command=drover option='' word i
  local kind words options commands
  COMPREPLY=()
  # bash cuts --option=value into three words.
  [[ $current == '=' ]] && current=''
  for ((i = 1; i < COMP_CWORD; ++i)); do
    word=${COMP_WORDS[i]}
    if [[ $word == '=' ]]; then
      continue
    elif [[ -n $option ]]; then
      option=''
    elif [[ $word == -- ]]; then
      _drover_files -f
      return
    elif [[ $word == -* ]]; then
      _drover_value "$command $word"
      [[ $kind != none ]] && option=$word
    elif _drover_is_command "$command $word"; then
      command+=" $word"
    fi
  done
  if [[ -n $option ]]; then
    _drover_value "$command $option"
  else
    _drover_command "$command"
    if [[ $current == -* ]]; then
      kind=text words=$options
    elif [[ -n $commands ]]; then
      kind=text words=$commands
    fi
  fi
  case $kind in
    file) _drover_files -f ;;
    folder) _drover_files -d ;;
  esac
  # The words have no spaces in them, and the shell no pattern to expand: they are all letters.
  COMPREPLY+=($(compgen -W "$words" -- "$current"))
}

_drover_files() {
  local file
  compopt -o filenames 2>/dev/null
  while IFS= read -r file; do
    COMPREPLY+=("$file")
  done < <(compgen "$1" -- "$current")
}

complete -F _drover drover
)";

std::string_view kind_name(ValueKind kind) {
  switch (kind) {
    case ValueKind::none:
      return "none";
    case ValueKind::text:
      return "text";
    case ValueKind::file:
      return "file";
    case ValueKind::folder:
      return "folder";
  }
  return "none";
}

std::string joined(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, " "));
}

std::string values_function(const std::vector<const CommandOutline*>& commands) {
  std::string text =
      "# Of an option behind its command: the kind of its value, and the words among them.\n"
      "_drover_value() {\n  kind=none words=''\n  case $1 in\n";
  for (const CommandOutline* command : commands) {
    for (const OptionOutline& option : command->options) {
      if (option.kind == ValueKind::none) continue;
      std::vector<std::string> patterns;
      for (const std::string& name : option.names) {
        patterns.push_back(shell_quoted(command->full_name() + " " + name));
      }
      text += fmt::format("    {}) kind={} words={} ;;\n", fmt::join(patterns, " | "),
                          kind_name(option.kind), shell_quoted(joined(option.choices)));
    }
  }
  return text + "  esac\n}\n\n";
}

// Of arguments without a name, the first says what all of them are.
std::string command_function(const std::vector<const CommandOutline*>& commands) {
  std::string text =
      "# Of a command: its commands, its options, and what its arguments are.\n"
      "_drover_command() {\n  kind=none words='' options='' commands=''\n  case $1 in\n";
  for (const CommandOutline* command : commands) {
    std::vector<std::string> names;
    std::vector<std::string> options;
    for (const CommandOutline& below : command->commands) names.push_back(below.name());
    for (const OptionOutline& option : command->options) {
      options.insert(options.end(), option.names.begin(), option.names.end());
    }
    text += fmt::format("    {})\n      commands={}\n      options={}\n",
                        shell_quoted(command->full_name()), shell_quoted(joined(names)),
                        shell_quoted(joined(options)));
    if (!command->arguments.empty()) {
      const OptionOutline& argument = command->arguments.front();
      text += fmt::format("      kind={} words={}\n", kind_name(argument.kind),
                          shell_quoted(joined(argument.choices)));
    }
    text += "      ;;\n";
  }
  return text + "  esac\n}\n\n";
}

std::string is_command_function(const std::vector<const CommandOutline*>& commands) {
  std::string text = "_drover_is_command() {\n  case $1 in\n";
  for (const CommandOutline* command : commands) {
    if (command->path.size() < 2) continue;
    text += fmt::format("    {}) return 0 ;;\n", shell_quoted(command->full_name()));
  }
  return text + "    *) return 1 ;;\n  esac\n}\n";
}

}  // namespace

std::string bash_completion(const CommandOutline& program) {
  const std::vector<const CommandOutline*> commands = all_commands(program);
  return "# Completion of drover for bash, made by 'drover completion bash'.\n\n" +
         values_function(commands) + command_function(commands) + is_command_function(commands) +
         std::string(walk);
}

}  // namespace drover::cli
