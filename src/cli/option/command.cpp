#include "cli/option/command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <map>

#include "file/bounded_file.h"
#include "text/nearest_name.h"
#include "text/utf8.h"

namespace drover::cli {

Command::Command(std::string name, std::string about, std::string examples,
                 std::vector<std::string> above)
    : path(std::move(above)), description(std::move(about)), footer(std::move(examples)) {
  path.push_back(std::move(name));
  add_options({{"-h,--help", {}, "", "Print this help", command_line_only}});
}

Command& Command::add_command(std::string name, std::string about, std::string examples) {
  return commands.emplace_back(std::move(name), std::move(about), std::move(examples), path);
}

void Command::add_options(std::string_view their_group, std::vector<Option> added) {
  for (Option& option : added) {
    // Options of the command line alone are common to all commands, unless they have a group.
    const bool is_general = !option.configurable && their_group == plain_group;
    option.group = is_general ? general_group : their_group;
    (option.is_argument() ? arguments : options).push_back(std::move(option));
  }
}

std::string Command::full_name() const {
  return fmt::format("{}", fmt::join(path, " "));
}

std::vector<std::string> Command::command_names() const {
  std::vector<std::string> names;
  for (const Command& command : commands) names.push_back(command.name());
  return names;
}

const Command* Command::find_command(std::string_view name) const {
  const auto found = std::ranges::find(commands, name, &Command::name);
  return found == commands.end() ? nullptr : &*found;
}

const Option* Command::find_option(std::string_view written) const {
  const auto found = std::ranges::find_if(
      options, [&](const Option& option) { return std::ranges::count(option.names, written) > 0; });
  return found == options.end() ? nullptr : &*found;
}

bool Command::is_given(std::string_view name) const {
  const Option* option = find_option(name);
  return option != nullptr && option->is_given();
}

std::vector<const Command*> all_commands(const Command& command) {
  std::vector<const Command*> all = {&command};
  for (const Command& below : command.commands)
    std::ranges::copy(all_commands(below), std::back_inserter(all));
  return all;
}

std::vector<const Option*> all_options(const Command& command) {
  std::vector<const Option*> all;
  for (const Option& option : command.options) all.push_back(&option);
  for (const Option& argument : command.arguments) all.push_back(&argument);
  return all;
}

namespace {

// Returns "; drover tpcc run has it" if few commands have an option of this name: siblings of the
// chosen command if any of them has it, else all.
std::string owners_of(const Command& program, const Command& chosen, const std::string& option) {
  const auto is_sibling = [&chosen](const Command& command) {
    return command.path.size() > 2 && command.path.size() == chosen.path.size() &&
           std::equal(chosen.path.begin(), chosen.path.end() - 1, command.path.begin());
  };
  std::vector<std::string> owners;
  std::vector<std::string> siblings;
  for (const Command* command : all_commands(program)) {
    const Option* found = command->find_option(option);
    if (found == nullptr || found->name() != option) continue;
    (is_sibling(*command) ? siblings : owners).push_back(command->full_name());
  }
  if (!siblings.empty()) owners = std::move(siblings);
  constexpr std::size_t owners_most = 3;  // a longer list is no help
  if (owners.empty() || owners.size() > owners_most) return {};
  return fmt::format("; {} {} it", fmt::join(owners, ", "), owners.size() == 1 ? "has" : "have");
}

std::string unknown_option(const Command& program, const Command& command, std::string option) {
  // A password may follow the equals sign.
  option.resize(std::min(option.find('='), option.size()));
  std::vector<std::string> names;
  for (const Option& known : command.options) names.push_back(known.name());
  std::string hint = text::did_you_mean(option, names);
  if (hint.empty()) hint = owners_of(program, command, option);
  return fmt::format("{}: unknown option {}{}", command.full_name(), text::terminal_text(option),
                     hint);
}

std::string surplus_word(const Command& command, const std::string& word) {
  if (may_hold_password("", word)) {
    return fmt::format("{}: pass a connection string with --db", command.full_name());
  }
  const std::string shown = text::terminal_text(word);
  if (command.commands.empty()) {
    return fmt::format("{} takes no argument {}", command.full_name(), shown);
  }
  return fmt::format("unknown command: {} {}{}", command.full_name(), shown,
                     text::did_you_mean(word, command.command_names()));
}

// Splits "--schema=" into two words, because CLI11 takes the next word for an empty value.
std::vector<std::string> with_empty_values_apart(const std::vector<std::string>& words) {
  std::vector<std::string> apart;
  bool are_arguments = false;  // words after "--"
  for (const std::string& word : words) {
    are_arguments = are_arguments || word == "--";
    apart.push_back(word);
    if (are_arguments || !word.starts_with("--") || word.find('=') != word.size() - 1) continue;
    apart.back().pop_back();
    apart.emplace_back();
  }
  return apart;
}

// Assigns the words of a command line to commands and options by a tree of CLI11 that has the same
// commands and options. Options parse their values themselves.
class WordReader {
 public:
  explicit WordReader(Command& program) : program_(program), tree_("", program.name()) {
    add(program, tree_);
  }

  std::vector<Command*> read(const std::vector<std::string>& words) {
    std::vector<std::string> reversed = with_empty_values_apart(words);  // as CLI11 expects them
    std::ranges::reverse(reversed);
    try {
      tree_.parse(std::move(reversed));
    } catch (const CLI::ParseError& error) {
      value_missing(error.what());
    }
    std::vector<Command*> path;
    for (CLI::App* node = &tree_; node != nullptr;) {
      nodes_.push_back(node);
      path.push_back(commands_.at(node));
      const std::vector<CLI::App*> next = node->get_subcommands();
      node = next.empty() ? nullptr : next.front();
    }
    return path;
  }

  void give() {
    for (const auto& [option, node] : options_) {
      if (!node->results().empty()) option->give(node->results());
    }
  }

  // Returns the message about the first word that belongs to no command and option, or nothing.
  std::optional<std::string> unknown_word() const {
    for (const CLI::App* node : nodes_) {
      std::vector<std::string> unknown = node->remaining(false);
      std::erase(unknown, "--");  // CLI11 keeps the mark
      if (unknown.empty()) continue;
      const std::string& word = unknown.front();
      const Command& command = *commands_.at(node);
      if (word.starts_with('-') && word.size() > 1) return unknown_option(program_, command, word);
      return surplus_word(command, word);
    }
    return std::nullopt;
  }

 private:
  void add(Command& command, CLI::App& node) {
    commands_.emplace(&node, &command);
    node.set_help_flag();
    node.allow_extras();
    node.require_subcommand(0, 1);
    for (std::vector<Option>* options : {&command.options, &command.arguments}) {
      for (Option& option : *options) {
        const std::string names = fmt::format("{}", fmt::join(option.names, ","));
        CLI::Option* added = option.is_flag() ? node.add_flag(names) : node.add_option(names);
        if (!option.is_flag()) {
          added->allow_extra_args(option.several || (option.is_argument() && option.is_list()));
        }
        added->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
        options_.emplace_back(&option, added);
      }
    }
    for (Command& below : command.commands) add(below, *node.add_subcommand(below.name()));
  }

  // Rewrites the only error that CLI11 reports for this tree: "--pace: 1 required TEXT missing".
  [[noreturn]] void value_missing(const std::string& message) const {
    const std::string name = message.substr(0, message.find(':'));
    for (const auto& [node, command] : commands_) {
      if (!node->get_subcommands().empty() || !(node->parsed() || node == &tree_)) continue;
      const Option* option = command->find_option(name);
      throw UsageError(fmt::format("{}\nSee: {} --help",
                                   option != nullptr
                                       ? fmt::format("{} needs a value: {}", name, option->value)
                                       : text::terminal_text(message),
                                   command->full_name()));
    }
    throw UsageError(text::terminal_text(message));
  }

  Command& program_;
  CLI::App tree_;
  std::map<const CLI::App*, Command*> commands_;
  std::vector<CLI::App*> nodes_;  // the chosen commands, beginning with the program
  std::vector<std::pair<Option*, CLI::Option*>> options_;
};

bool is_on_ydb(const Command& command) {
  const Option* database = command.find_option("--db");
  return database != nullptr && database->is_given() &&
         (database->words.back().starts_with("ydb://") ||
          database->words.back().starts_with("ydbs://"));
}

bool is_set(const Command& command, const std::string& name) {
  const Option* option = command.find_option(name);
  return option != nullptr && option->is_set();
}

// Refuses an option that the database does not have, that lacks the option which it needs, or that
// another option excludes.
void require_fit(const Command& command, const Option& option, bool is_ydb) {
  if (option.only_on != OnlyOn::any && is_ydb != (option.only_on == OnlyOn::ydb)) {
    throw UsageError(fmt::format("{} applies only to {}{}{}", option.name(),
                                 is_ydb ? "PostgreSQL" : "YDB (--db ydb://…)",
                                 option.instead.empty() ? "" : ". ", option.instead));
  }
  if (option.needs && !is_set(command, option.needs->option)) {
    throw UsageError(
        fmt::format("{} needs {}: {}", option.name(), option.needs->option, option.needs->why));
  }
  for (const Relation& excluded : option.excludes) {
    if (!is_set(command, excluded.option)) continue;
    throw UsageError(fmt::format("{} cannot be combined with {}, {}. Leave out one of them",
                                 option.name(), excluded.option, excluded.why));
  }
}

}  // namespace

std::vector<Command*> read_words(Command& program, const std::vector<std::string>& words) {
  WordReader reader(program);
  std::vector<Command*> path = reader.read(words);
  const Command& chosen = *path.back();
  const std::string see = fmt::format("\nSee: {} --help", chosen.full_name());
  try {
    reader.give();
  } catch (const UsageError& error) {
    throw UsageError(error.what() + see);
  }
  if (has_flag(path, "--help") || has_flag(path, "--version")) return path;
  if (const auto unknown = reader.unknown_word()) throw UsageError(*unknown + see);
  if (!chosen.commands.empty()) {
    throw CommandMissing(fmt::format("{} needs a subcommand: {}{}", chosen.full_name(),
                                     fmt::join(chosen.command_names(), ", "), see),
                         chosen);
  }
  return path;
}

bool has_flag(const std::vector<Command*>& path, std::string_view written) {
  return std::ranges::any_of(path, [&](const Command* one) { return one->is_given(written); });
}

void require_complete(const Command& command) {
  const bool is_ydb = is_on_ydb(command);
  for (const Option* option : all_options(command)) {
    if (option->is_set()) require_fit(command, *option, is_ydb);
    if (!option->required || option->is_given()) continue;
    throw UsageError(
        fmt::format("{0} needs {1}{2} {3}\nSee: {0} --help", command.full_name(), option->name(),
                    option->is_argument() ? ":" : "",
                    option->only.empty() ? option->value : alternatives(option->only)));
  }
}

void require_one_reader_of_standard_input(const Command& command, const std::string& config) {
  std::vector<std::string> readers;
  if (file::is_standard_input(config)) readers.emplace_back("--config");
  for (const Option* option : all_options(command)) {
    if (!option->is_input) continue;
    for (const std::string& word : option->words) {
      // A script may have a weight: "-@2".
      const std::string_view path = std::string_view(word).substr(0, word.find('@'));
      if (file::is_standard_input(path)) readers.push_back(option->name());
    }
  }
  if (readers.size() < 2) return;
  const bool is_same = readers[0] == readers[1];
  throw UsageError(fmt::format("{}: the standard input can be read only once{}. Name a file",
                               readers[1],
                               is_same ? "" : fmt::format(", and {} reads it", readers[0])));
}

std::string origin_note(const Command& command, std::string_view message) {
  const std::string_view name = message.substr(0, message.find_first_of(" :"));
  const Option* option = name.size() < message.size() ? command.find_option(name) : nullptr;
  return option == nullptr ? std::string() : option->origin;
}

std::string same_database_note(const Command& command, std::string_view message) {
  const Option* database = command.find_option("--db");
  if (database == nullptr || !database->is_given() || !database->origin.empty()) return {};
  if (message.find("--db") != std::string_view::npos) return {};
  for (const std::string_view group : {"'drover tpcc ", "'drover ycsb ", "'drover sql "}) {
    if (message.find(group) != std::string_view::npos) return " (with the same --db)";
  }
  return {};
}

}  // namespace drover::cli
