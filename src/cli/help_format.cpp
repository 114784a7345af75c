#include "cli/help_format.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/environment_option.h"
#include "cli/wrapped_text.h"

namespace drover::cli {
namespace {

constexpr std::size_t width_least = 60;
constexpr std::size_t width_most = 100;
// Where descriptions begin; a longer name has a line of its own.
constexpr std::size_t description_column = 28;
// No line is broken here.
constexpr char fixed_space = '\x01';

std::size_t columns_of_environment() {
  const char* value = std::getenv("COLUMNS");
  const std::string_view text = value == nullptr ? "" : value;
  std::size_t columns = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), columns);
  return error == std::errc() && end == text.data() + text.size() ? columns : 0;
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

std::string usage_name(const OptionOutline& argument) {
  const std::string name = argument.names.front() + (argument.repeatable ? "..." : "");
  return argument.required ? name : "[" + name + "]";
}

std::string usage(const CommandOutline& command, std::size_t width) {
  std::string text = "Usage: " + command.full_name();
  if (!command.commands.empty()) {
    text += " COMMAND";
  } else {
    text += " [OPTIONS]";
    for (const OptionOutline& option : command.options) {
      if (option.required) text += fmt::format(" {} {}", option.longest_name(), option.value);
    }
    for (const OptionOutline& argument : command.arguments) text += " " + usage_name(argument);
  }
  std::string laid_out;
  for (const std::string& line : wrapped_lines(text, width - 7)) {
    laid_out += (laid_out.empty() ? "" : "       ") + line + "\n";
  }
  return laid_out;
}

// What a person has to know besides the description, in brackets.
std::string remarks(const OptionOutline& option) {
  std::vector<std::string> remarks;
  if (option.required) remarks.emplace_back("required");
  if (!option.range.empty()) remarks.push_back(option.range);
  if (!option.default_value.empty()) remarks.push_back("default: " + option.default_value);
  const bool says_so = option.description.find("may be ") != std::string::npos;
  if (option.repeatable && !option.is_argument() && !says_so) {
    remarks.emplace_back("may be given again");
  }
  // The others follow one rule, which is said once below.
  if (option.variable_is_common) remarks.push_back("variable: " + option.variable);
  if (remarks.empty()) return {};
  for (std::string& remark : remarks) std::ranges::replace(remark, ' ', fixed_space);
  return fmt::format(" [{}]", fmt::join(remarks, ", "));
}

std::string option_entry(const OptionOutline& option, std::size_t width) {
  std::string name = fmt::format("{}", fmt::join(option.names, ", "));
  if (!option.is_argument()) {
    // Long names below each other, whether there is a short one or not.
    if (option.names.front().starts_with("--")) name = "    " + name;
    if (!option.value.empty()) name += " " + option.value;
  }
  return entry(name, option.description + remarks(option), width);
}

std::string options_text(const CommandOutline& command, std::size_t width) {
  std::string text;
  if (!command.arguments.empty()) {
    text += "\nArguments:\n";
    for (const OptionOutline& one : command.arguments) text += option_entry(one, width);
  }
  for (const std::string& group : command.groups) {
    std::string entries;
    for (const OptionOutline& option : command.options) {
      if (option.group == group) entries += option_entry(option, width);
    }
    if (!entries.empty()) text += fmt::format("\n{}:\n{}", group, entries);
  }
  return text;
}

std::string commands_text(const CommandOutline& command, std::size_t width) {
  std::vector<std::string> groups;
  for (const CommandOutline& below : command.commands) {
    if (std::ranges::find(groups, below.group) == groups.end()) groups.push_back(below.group);
  }
  std::string text;
  for (const std::string& group : groups) {
    // CLI11's word for those that have no group of their own.
    text += fmt::format("\n{}:\n", group == "Subcommands" ? "Commands" : group);
    for (const CommandOutline& below : command.commands) {
      if (below.group != group) continue;
      text += entry(below.name(), first_sentence(below.description, 200), width);
    }
  }
  return text;
}

// An option of the command that shows how its variable is called.
std::string variables_text(const CommandOutline& command, std::size_t width) {
  const auto own = std::ranges::find_if(command.options, [](const OptionOutline& option) {
    return !option.variable.empty() && !option.variable_is_common;
  });
  if (own == command.options.end()) return {};
  return "\n" + wrapped_paragraphs(
                    fmt::format("Each option may come from a variable of the environment ({} for "
                                "{}) or from the file of --config. The command line comes first, "
                                "then variables, then the file.",
                                own->variable, own->longest_name()),
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

std::string help_text(const CommandOutline& command, std::size_t width) {
  std::string text = wrapped_paragraphs(command.description, width);
  text += "\n" + usage(command, width);
  text += commands_text(command, width);
  text += options_text(command, width);
  text += variables_text(command, width);
  if (!command.footer.empty()) text += "\n" + wrapped_paragraphs(command.footer, width);
  return text;
}

std::string HelpFormat::make_help(const CLI::App* command, std::string /*name*/,
                                  CLI::AppFormatMode /*mode*/) const {
  return help_text(outline_of(*command), help_width());
}

}  // namespace drover::cli
