#include "cli/help/help.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
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
// No line is broken here.
constexpr char fixed_space = '\x01';

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

// What a person has to know besides the description, in brackets.
std::string remarks(const Option& option) {
  std::vector<std::string> remarks;
  if (option.required) remarks.emplace_back("required");
  if (option.range) remarks.push_back(option.range_text());
  if (!option.default_text.empty()) remarks.push_back("default: " + option.default_text);
  const bool says_so = option.description.find("may be ") != std::string::npos;
  if (option.is_list() && !option.is_argument() && !says_so) {
    remarks.emplace_back("may be given again");
  }
  // The others follow one rule, which is said once below.
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

// In the order of their first members.
std::vector<std::string> groups_of(const auto& members) {
  std::vector<std::string> groups;
  for (const auto& member : members) {
    if (std::ranges::find(groups, member.group) == groups.end()) groups.push_back(member.group);
  }
  return groups;
}

std::string options_text(const Command& command, std::size_t width) {
  std::string text;
  if (!command.arguments.empty()) {
    text += "\nArguments:\n";
    for (const Option& one : command.arguments) text += option_entry(one, width);
  }
  // What every command takes comes last.
  std::vector<std::string> groups = groups_of(command.options);
  if (std::erase(groups, general_group) > 0) groups.emplace_back(general_group);
  for (const std::string& group : groups) {
    text += fmt::format("\n{}:\n", group);
    for (const Option& option : command.options) {
      if (option.group == group) text += option_entry(option, width);
    }
  }
  return text;
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

// An option of the command that shows how its variable is called.
std::string variables_text(const Command& command, std::size_t width) {
  const auto own = std::ranges::find_if(command.options, [](const Option& option) {
    return !option.key().empty() && option.variable.empty();
  });
  if (own == command.options.end()) return {};
  return "\n" + wrapped_paragraphs(
                    fmt::format("Each option may come from a variable of the environment ({} for "
                                "{}) or from the file of --config. The command line comes first, "
                                "then variables, then the file.",
                                variable_of(command, *own), own->name()),
                    width);
}

// 0: it is none, or does not say.
std::size_t terminal_width() {
  winsize size{};
  if (isatty(STDOUT_FILENO) != 1 || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return 0;
  return size.ws_col;
}

}  // namespace

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
  std::string text = wrapped_paragraphs(command.description, width);
  text += "\n" + usage(command, width);
  text += commands_text(command, width);
  text += options_text(command, width);
  text += variables_text(command, width);
  if (!command.footer.empty()) text += "\n" + wrapped_paragraphs(command.footer, width);
  return text;
}

}  // namespace drover::cli
