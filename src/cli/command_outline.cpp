#include "cli/command_outline.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/environment_option.h"
#include "cli/wrapped_text.h"

namespace drover::cli {
namespace {

std::string one_paragraph(const std::string& text) {
  return fmt::format("{}", fmt::join(wrapped_lines(text, std::string::npos), " "));
}

// The texts of the checks, which CLI11 appends to the name of the type.
std::vector<std::string> checks_of(CLI::Option& option) {
  std::vector<std::string> checks;
  try {
    for (int index = 0;; ++index) {
      const std::string check = option.get_validator(index)->get_description();
      if (!check.empty()) checks.push_back(check);
    }
  } catch (const CLI::OptionNotFound&) {  // there is no other way to learn how many there are
    return checks;
  }
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text = text.substr(end + 1);
  }
}

// "auto", but neither "N" nor "NAME=VALUE".
bool is_word(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  });
}

// "INT in [1 - 1000]" as CLI::Range() says it.
std::string range_in(std::string_view check) {
  const std::size_t begin = check.find(" in [");
  const std::size_t end = check.find(']');
  if (begin == std::string_view::npos || end == std::string_view::npos) return {};
  std::string range(check.substr(begin + 5, end - begin - 5));
  const std::size_t dash = range.find(" - ");
  return dash == std::string::npos ? range : range.replace(dash, 3, " to ");
}

void read_value(CLI::Option& option, OptionOutline& outline) {
  if (option.get_items_expected_max() == 0) return;
  outline.kind = ValueKind::text;
  outline.repeatable = option.get_items_expected_max() > 1;
  std::string type = option.get_type_name();
  for (const std::string& check : checks_of(option)) {
    if (type.ends_with(":" + check)) type.resize(type.size() - check.size() - 1);
    if (check.starts_with('{') && check.ends_with('}')) {  // CLI::IsMember
      outline.choices = split(check.substr(1, check.size() - 2), ',');
      type = fmt::format("{}", fmt::join(outline.choices, "|"));
    }
    if (outline.range.empty()) outline.range = range_in(check);
  }
  outline.value = type;
  if (outline.choices.empty()) {
    for (std::string& part : split(type, '|')) {
      if (is_word(part)) outline.choices.push_back(std::move(part));
    }
  }
  const std::string kind = split(type, '|').front();
  if (kind.starts_with("FILE")) outline.kind = ValueKind::file;
  if (kind.starts_with("DIR")) outline.kind = ValueKind::folder;
}

OptionOutline outline_of(CLI::Option& option, const std::vector<std::string>& path) {
  OptionOutline outline;
  for (const std::string& name : option.get_snames()) outline.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) outline.names.push_back("--" + name);
  if (outline.names.empty()) outline.names.push_back(option.get_name(true));
  outline.description = one_paragraph(option.get_description());
  outline.required = option.get_required();
  read_value(option, outline);
  if (outline.kind != ValueKind::none) outline.default_value = option.get_default_str();
  outline.group = option.get_configurable() ? option.get_group() : general_group;
  if (option.get_configurable() && !option.get_lnames().empty()) {
    outline.variable_is_common = !option.get_envname().empty();
    outline.variable = outline.variable_is_common
                           ? option.get_envname()
                           : variable_name(path, option.get_lnames().front());
  }
  return outline;
}

// In the order of the help: those of the command, then what every command takes.
std::vector<std::string> groups_of(const std::vector<OptionOutline>& options) {
  std::vector<std::string> groups;
  for (const OptionOutline& option : options) {
    if (option.group != general_group && std::ranges::find(groups, option.group) == groups.end()) {
      groups.push_back(option.group);
    }
  }
  groups.emplace_back(general_group);
  return groups;
}

CommandOutline outline_below(const CLI::App& command, std::vector<std::string> path) {
  path.push_back(command.get_name());
  CommandOutline outline;
  outline.path = path;
  outline.description = command.get_description();
  outline.footer = command.get_footer();
  outline.group = command.get_group();
  // CLI11 has no list of options that cannot be changed, but for its own formatter.
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_group().empty()) continue;
    OptionOutline one = outline_of(const_cast<CLI::Option&>(*option), path);
    (one.is_argument() ? outline.arguments : outline.options).push_back(std::move(one));
  }
  outline.groups = groups_of(outline.options);
  for (const CLI::App* below : command.get_subcommands([](const CLI::App*) { return true; })) {
    if (!below->get_group().empty()) outline.commands.push_back(outline_below(*below, path));
  }
  return outline;
}

}  // namespace

std::string CommandOutline::full_name() const {
  return fmt::format("{}", fmt::join(path, " "));
}

CommandOutline outline_of(const CLI::App& command) {
  std::vector<std::string> path;
  for (const CLI::App* above = command.get_parent(); above != nullptr;
       above = above->get_parent()) {
    path.insert(path.begin(), above->get_name());
  }
  return outline_below(command, std::move(path));
}

std::string first_sentence(std::string_view text, std::size_t characters) {
  const std::size_t paragraph = text.find("\n\n");
  std::string sentence = one_paragraph(std::string(text.substr(0, paragraph)));
  for (const char* end : {". ", "; "}) {
    if (const auto found = sentence.find(end); found != std::string::npos) sentence.resize(found);
  }
  if (sentence.ends_with('.')) sentence.pop_back();
  if (text_width(sentence) <= characters) return sentence;
  const std::vector<std::string> lines = wrapped_lines(sentence, characters - 1);
  return lines.front() + "…";
}

}  // namespace drover::cli
