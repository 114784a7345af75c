#include "cli/help/help.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <utility>
#include <vector>

#include "cli/option/option_sources.h"
#include "text/plain_text.h"
#include "text/wrapped_text.h"

namespace drover::cli {
namespace {

using text::first_sentence;
using text::text_width;
using text::wrapped_lines;
using text::wrapped_paragraphs;

constexpr std::size_t width_least = 60;
constexpr std::size_t width_most = 100;
// Where descriptions begin; a longer name has a line of its own.
constexpr std::size_t description_column = 28;
// A space at which no line is broken.
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
    // Long names below each other, whether there is a short one or not.
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

}  // namespace drover::cli
