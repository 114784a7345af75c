// `drover help`, `drover man` and `drover completion`: what the program says of itself.
#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/help/help.h"
#include "cli/standard_output.h"
#include "cli/version.h"
#include "text/nearest_name.h"
#include "text/utf8.h"

namespace drover::cli {
namespace {

int print_help(const Command& app, const std::vector<std::string>& names) {
  const Command* command = &app;
  for (const std::string& name : names) {
    const Command* below = command->find_command(name);
    if (below == nullptr) {
      throw UsageError(fmt::format("unknown command: {} {}{}", command->full_name(),
                                   text::terminal_text(name),
                                   text::did_you_mean(name, command->command_names())));
    }
    command = below;
  }
  print(help_text(*command, help_width()), "the help");
  return exit_success;
}

int print_script(const Command& app, const std::string& shell) {
  const auto make = shell == "bash"  ? bash_completion
                    : shell == "zsh" ? zsh_completion
                                     : fish_completion;
  print(make(with_help_topics(app)), "the script");
  return exit_success;
}

Command& add_about(Command& app, const char* name, const char* description, const char* examples) {
  Command& command = app.add_command(name, description, examples);
  command.group = about_group;
  return command;
}

}  // namespace

void add_help(Command& app) {
  const auto names = std::make_shared<std::vector<std::string>>();
  Command& command =
      add_about(app, "help", "Print all options of a command", "Example:\n  drover help tpcc run");
  command.add_options(
      {{"command", names.get(), "NAME", "The command, such as tpcc run. Default: drover itself"}});
  command.action = [&app, names] { return print_help(app, *names); };
}

void add_completion(Command& app) {
  const auto shell = std::make_shared<std::string>();
  Command& command = add_about(
      app, "completion",
      "Print the completion script for a shell. 'cmake --install' installs the scripts; otherwise "
      "install them as in the examples.",
      "Examples:\n"
      "  source <(drover completion bash)          # in ~/.bashrc\n"
      "  drover completion zsh > ~/.zfunc/_drover  # a folder of $fpath, then compinit\n"
      "  drover completion fish > ~/.config/fish/completions/drover.fish");
  command.add_options({{"shell",
                        shell.get(),
                        "SHELL",
                        "The shell to complete in",
                        {.only = {"bash", "zsh", "fish"}, .required = true}}});
  command.action = [&app, shell] { return print_script(app, *shell); };
}

void add_man(Command& app) {
  Command& command = add_about(
      app, "man",
      "Print the man page drover(1), with all options of all commands. 'cmake --install' installs "
      "it.",
      "Example:\n  drover man | man -l -");
  command.action = [&app] {
    print(man_page(app, "drover " + tool().version, commit_date()), "the manual page");
    return exit_success;
  };
}

}  // namespace drover::cli
