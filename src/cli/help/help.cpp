#include "cli/help/help.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>

#include "cli/commands.h"
#include "cli/option/option_sources.h"
#include "cli/program.h"
#include "cli/standard_output.h"
#include "text/nearest_name.h"
#include "text/plain_text.h"
#include "text/utf8.h"
#include "text/wrapped_text.h"

namespace drover::cli {
namespace {

using text::first_sentence;
using text::text_width;
using text::wrapped_lines;
using text::wrapped_paragraphs;

constexpr std::size_t width_least = 60;
constexpr std::size_t width_most = 100;
// Column of descriptions. A longer name has its own line.
constexpr std::size_t description_column = 28;
// Stands for a space at which no line is broken.
constexpr char fixed_space = '\x01';
constexpr const char* common_heading = "Common options";

std::size_t columns_of_environment() {
  const char* value = std::getenv("COLUMNS");
  return text::number_of<std::size_t>(value == nullptr ? "" : value).value_or(0);
}

// "  name   description", the description in lines below each other.
std::string entry(const std::string& name, const std::string& description, std::size_t width) {
  std::string text = "  " + name;
  std::string gap;
  if (text_width(text) + 2 > description_column) {
    gap = "\n" + std::string(description_column, ' ');
  } else {
    gap = std::string(description_column - text_width(text), ' ');
  }
  for (const std::string& line : wrapped_lines(description, width - description_column)) {
    text += gap + line;
    gap = "\n" + std::string(description_column, ' ');
  }
  std::ranges::replace(text, fixed_space, ' ');
  return text + "\n";
}

std::string usage_name(const Option& argument) {
  const std::string name = argument.name() + (argument.is_list() ? "..." : "");
  return argument.required ? name : "[" + name + "]";
}

std::string usage(const Command& command, std::size_t width) {
  std::string text = "Usage: " + command.full_name();
  if (!command.commands.empty()) {
    text += " COMMAND";
  } else {
    text += " [OPTIONS]";
    for (const Option& option : command.options) {
      if (option.required) text += fmt::format(" {} {}", option.name(), option.value);
    }
    for (const Option& argument : command.arguments) text += " " + usage_name(argument);
  }
  std::string laid_out;
  for (const std::string& line : wrapped_lines(text, width - 7)) {
    laid_out += (laid_out.empty() ? "" : "       ") + line + "\n";
  }
  return laid_out;
}

// Returns the facts that follow the description, in brackets.
std::string remarks(const Option& option) {
  std::vector<std::string> remarks;
  if (option.required) remarks.emplace_back("required");
  if (option.range) remarks.push_back(option.range_text());
  if (option.is_list() && !option.is_argument()) {
    remarks.emplace_back(option.delimiter == ',' ? "comma-separated" : "may be repeated");
  }
  if (!option.default_text.empty()) remarks.push_back("default: " + option.default_text);
  // variables_text() gives the rule for all other variables.
  if (!option.variable.empty()) remarks.push_back("variable: " + option.variable);
  if (remarks.empty()) return {};
  for (std::string& remark : remarks) std::ranges::replace(remark, ' ', fixed_space);
  return fmt::format(" [{}]", fmt::join(remarks, ", "));
}

std::string option_entry(const Option& option, std::size_t width) {
  std::string name = fmt::format("{}", fmt::join(option.names, ", "));
  if (!option.is_argument()) {
    // Long names are aligned, with or without a short name.
    if (option.names.front().starts_with("--")) name = "    " + name;
    if (!option.value.empty()) name += " " + option.value;
  }
  return entry(name, option.description + remarks(option), width);
}

// Returns the groups in the order of their first members.
std::vector<std::string> groups_of(const auto& members) {
  std::vector<std::string> groups;
  for (const auto& member : members) {
    if (std::ranges::find(groups, member.group) == groups.end()) groups.push_back(member.group);
  }
  return groups;
}

std::string commands_text(const Command& command, std::size_t width) {
  std::string text;
  for (const std::string& group : groups_of(command.commands)) {
    text += fmt::format("\n{}:\n", group == "Subcommands" ? "Commands" : group);
    for (const Command& below : command.commands) {
      if (below.group != group) continue;
      text += entry(below.name(), first_sentence(below.description, 200), width);
    }
  }
  return text;
}

std::string arguments_text(const Command& command, std::size_t width) {
  if (command.arguments.empty()) return {};
  std::string text = "\nArguments:\n";
  for (const Option& one : command.arguments) text += option_entry(one, width);
  return text;
}

std::string group_text(const OptionGroup& group, std::size_t width) {
  std::string text = fmt::format("\n{}:\n", group.heading);
  for (const Option* option : group.options) text += option_entry(*option, width);
  return text;
}

// The beginning that the short and the full help share.
std::string introduction(const Command& command, std::size_t width) {
  return wrapped_paragraphs(command.description, width) + "\n" + usage(command, width) +
         commands_text(command, width) + arguments_text(command, width);
}

std::string footer_text(const Command& command, std::size_t width) {
  if (command.footer.empty()) return {};
  return "\n" + wrapped_paragraphs(command.footer, width);
}

// Returns the rule for the names of variables, with one option as the example.
std::string variables_text(const Command& command, std::size_t width) {
  const Option* own = nullptr;
  for (const OptionGroup& group : option_groups(command)) {
    for (const Option* option : group.options) {
      if (own == nullptr && !option->key().empty() && option->variable.empty()) own = option;
    }
  }
  if (own == nullptr) return {};
  return "\n" + wrapped_paragraphs(
                    fmt::format("Options can also be set by environment variables ({} sets {}) and "
                                "in the file of --config. The command line overrides variables, "
                                "and variables override the file.",
                                variable_of(command, *own), own->name()),
                    width);
}

// Returns 0 if the standard output is no terminal or its width is unknown.
std::size_t terminal_width() {
  winsize size{};
  if (isatty(STDOUT_FILENO) != 1 || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return 0;
  return size.ws_col;
}

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

std::vector<OptionGroup> option_groups(const Command& command) {
  std::vector<std::string> names = groups_of(command.options);
  for (const char* last :
       {failures_group, hosts_group, properties_group, database_group, general_group}) {
    if (std::erase(names, last) > 0) names.emplace_back(last);
  }
  OptionGroup common{common_heading, {}};
  std::vector<OptionGroup> groups;
  for (const std::string& name : names) {
    OptionGroup rest{name, {}};
    for (const Option& option : command.options) {
      if (option.group != name) continue;
      (option.common || option.required ? common : rest).options.push_back(&option);
    }
    if (!rest.options.empty()) groups.push_back(std::move(rest));
  }
  if (common.options.empty()) return groups;
  for (OptionGroup& group : groups) {
    if (group.heading == plain_group) group.heading = "Other options";
  }
  groups.insert(groups.begin(), std::move(common));
  return groups;
}

std::size_t summary_width() {
  const std::size_t width = terminal_width();
  return width == 0 ? width_most : std::clamp(width, width_least, width_most);
}

std::size_t help_width() {
  std::size_t width = terminal_width();
  if (width == 0) width = columns_of_environment();
  if (width == 0) width = 80;
  return std::clamp(width, width_least, width_most);
}

std::string help_text(const Command& command, std::size_t width) {
  std::string text = introduction(command, width);
  for (const OptionGroup& group : option_groups(command)) text += group_text(group, width);
  return text + variables_text(command, width) + footer_text(command, width);
}

std::string short_help_text(const Command& command, std::size_t width) {
  constexpr std::ptrdiff_t lines_most = 48;
  std::string full = help_text(command, width);
  if (std::ranges::count(full, '\n') <= lines_most) return full;
  const OptionGroup first = option_groups(command).front();
  if (first.heading != common_heading) return full;
  const std::string topic =
      fmt::format("{}", fmt::join(command.path.begin() + 1, command.path.end(), " "));
  return introduction(command, width) + group_text(first, width) +
         fmt::format("\nAll options: {} help {}\n", command.path.front(), topic) +
         footer_text(command, width);
}

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
