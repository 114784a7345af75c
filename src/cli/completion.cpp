// `drover completion`: a script for each shell.
#include "cli/completion.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <functional>
#include <memory>
#include <stdexcept>

#include "cli/chosen_command.h"
#include "cli/commands.h"
#include "cli/standard_output.h"
#include "cli/usage_error.h"

namespace drover::cli {
namespace {

int print_script(const CLI::App& app, const std::string& shell) {
  const CommandOutline program = with_help_topics(outline_of(app));
  std::string script;
  if (shell == "bash") script = bash_completion(program);
  if (shell == "zsh") script = zsh_completion(program);
  if (shell == "fish") script = fish_completion(program);
  print(script, "the script");
  return exit_success;
}

CommandOutline without_options(CommandOutline command) {
  command.options.clear();
  command.arguments.clear();
  for (CommandOutline& below : command.commands) below = without_options(std::move(below));
  return command;
}

void set_path(CommandOutline& command, const std::vector<std::string>& above) {
  const std::string name = command.name();
  command.path = above;
  command.path.push_back(name);
  for (CommandOutline& below : command.commands) set_path(below, command.path);
}

}  // namespace

std::string shell_quoted(std::string_view text) {
  std::string quoted = "'";
  for (const char character : text) {
    if (character == '\'') {
      quoted += "'\\''";
    } else {
      quoted += character;
    }
  }
  return quoted + "'";
}

std::vector<const CommandOutline*> all_commands(const CommandOutline& program) {
  std::vector<const CommandOutline*> commands = {&program};
  for (const CommandOutline& below : program.commands) {
    const std::vector<const CommandOutline*> more = all_commands(below);
    commands.insert(commands.end(), more.begin(), more.end());
  }
  return commands;
}

CommandOutline with_help_topics(CommandOutline program) {
  const auto help = std::ranges::find(program.commands, "help", &CommandOutline::name);
  if (help == program.commands.end()) return program;
  std::vector<CommandOutline> topics;
  for (const CommandOutline& command : program.commands) {
    if (command.name() == "help") continue;
    topics.push_back(without_options(command));
    set_path(topics.back(), help->path);
  }
  help->commands = std::move(topics);
  help->arguments.clear();
  return program;
}

void add_completion(CLI::App& app, std::function<int()>& chosen) {
  const auto shell = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand(
      "completion",
      "Print the script by which a shell completes commands, options and values. 'cmake --install' "
      "puts the scripts where the shells look for them; without it, see the examples.");
  command->group(about_group);
  command->add_option("shell", *shell, "The shell")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  command->footer(
      "Examples:\n"
      "  source <(drover completion bash)          # in ~/.bashrc\n"
      "  drover completion zsh > ~/.zfunc/_drover  # a folder of $fpath, then compinit\n"
      "  drover completion fish > ~/.config/fish/completions/drover.fish");
  command->callback(
      [&app, shell, &chosen] { chosen = [&app, shell] { return print_script(app, *shell); }; });
}

}  // namespace drover::cli
