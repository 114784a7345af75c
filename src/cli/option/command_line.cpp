#include "cli/option/command_line.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "file/bounded_file.h"
#include "text/nearest_name.h"
#include "text/utf8.h"

namespace drover::cli {
namespace {

// The commands that have an option of this name, if it is not near to one of the chosen command's; its neighbours, if
// they are among them.
std::string owners_of(const Command& program, const Command& chosen, const std::string& option) {
  const auto is_neighbour = [&chosen](const Command& command) {
    return command.path.size() > 2 && command.path.size() == chosen.path.size() &&
           std::equal(chosen.path.begin(), chosen.path.end() - 1, command.path.begin());
  };
  std::vector<std::string> owners;
  std::vector<std::string> neighbours;
  for (const Command* command : all_commands(program)) {
    const Option* found = command->find_option(option);
    if (found == nullptr || found->name() != option) continue;
    (is_neighbour(*command) ? neighbours : owners).push_back(command->full_name());
  }
  if (!neighbours.empty()) owners = std::move(neighbours);
  constexpr std::size_t owners_most = 3;  // a longer list is no help
  if (owners.empty() || owners.size() > owners_most) return {};
  return fmt::format("; {} {} it", fmt::join(owners, ", "), owners.size() == 1 ? "has" : "have");
}

std::string unknown_option(const Command& program, const Command& command, std::string option) {
  // Behind the = there may be a password.
  if (const auto equals = option.find('='); equals != std::string::npos) option.resize(equals);
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

// "--schema=" as two words: CLI11 takes the next word for a value that is empty.
std::vector<std::string> with_empty_values_apart(std::vector<std::string> words) {
  std::vector<std::string> apart;
  for (auto word = words.begin(); word != words.end(); ++word) {
    if (*word == "--") {  // arguments alone are behind it
      apart.insert(apart.end(), word, words.end());
      break;
    }
    const bool is_empty = word->starts_with("--") && word->find('=') == word->size() - 1;
    if (is_empty) word->pop_back();
    apart.push_back(std::move(*word));
    if (is_empty) apart.emplace_back();
  }
  return apart;
}

// CLI11's tree beside ours. It cuts the words up and says which are whose; all that is made of them is ours.
class WordReader {
 public:
  explicit WordReader(Command& program) : program_(program), tree_("", program.name()) {
    add(program, tree_);
  }

  std::vector<Command*> read(std::vector<std::string> words) {
    words = with_empty_values_apart(std::move(words));
    std::ranges::reverse(words);  // as CLI11 wants a vector
    try {
      tree_.parse(std::move(words));
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

  // What is wrong with the first word that nobody took, if there is one.
  std::optional<std::string> unknown_word() const {
    for (const CLI::App* node : nodes_) {
      std::vector<std::string> unknown = node->remaining(false);
      std::erase(unknown, "--");  // what marks arguments is kept among them
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

  // CLI11's only complaint that is left: "--pace: 1 required TEXT missing".
  [[noreturn]] void value_missing(const std::string& message) const {
    const std::string name = message.substr(0, message.find(':'));
    for (const auto& [node, command] : commands_) {
      if (node->get_subcommands().empty() && (node->parsed() || node == &tree_)) {
        const Option* option = command->find_option(name);
        throw UsageError(fmt::format("{}\nSee: {} --help",
                                     option != nullptr
                                         ? fmt::format("{} needs a value: {}", name, option->value)
                                         : text::terminal_text(message),
                                     command->full_name()));
      }
    }
    throw UsageError(text::terminal_text(message));
  }

  Command& program_;
  CLI::App tree_;
  std::map<const CLI::App*, Command*> commands_;
  std::vector<CLI::App*> nodes_;  // of what was chosen, from the program on
  std::vector<std::pair<Option*, CLI::Option*>> options_;
};

}  // namespace

bool has_flag(const std::vector<Command*>& path, std::string_view written) {
  return std::ranges::any_of(path, [&](const Command* command) {
    const Option* option = command->find_option(written);
    return option != nullptr && option->is_given();
  });
}

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

namespace {

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

void require_complete(const Command& command) {
  const bool is_ydb = is_on_ydb(command);
  for (const std::vector<Option>* options : {&command.options, &command.arguments}) {
    for (const Option& option : *options) {
      if (option.is_set()) require_fit(command, option, is_ydb);
      if (!option.required || option.is_given()) continue;
      throw UsageError(fmt::format("{0} needs {1}{2} {3}\nSee: {0} --help", command.full_name(),
                                   option.name(), option.is_argument() ? ":" : "",
                                   option.only.empty() ? option.value : alternatives(option.only)));
    }
  }
}

void require_one_reader_of_standard_input(const Command& command, const std::string& config) {
  std::vector<std::string> readers;
  if (file::is_standard_input(config)) readers.emplace_back("--config");
  for (const std::vector<Option>* options : {&command.options, &command.arguments}) {
    for (const Option& option : *options) {
      constexpr std::string_view reading[] = {"--file", "--property-file", "--secret-file",
                                              "--base", "--new"};
      const bool reads = option.is_argument() ? option.kind == ValueKind::file
                                              : std::ranges::count(reading, option.name()) > 0;
      if (!reads) continue;
      for (const std::string& word : option.words) {
        // A script may have a weight: "-@2".
        if (!file::is_standard_input(std::string_view(word).substr(0, word.find('@')))) continue;
        readers.push_back(option.name());
      }
    }
  }
  if (readers.size() < 2) return;
  const bool is_same = readers[0] == readers[1];
  throw UsageError(fmt::format("{}: the standard input can be read only once{}. Name a file",
                               readers[1],
                               is_same ? "" : fmt::format(", and {} reads it", readers[0])));
}

std::string origin_note(const Command& command, std::string_view message) {
  for (const Option& option : command.options) {
    if (option.origin.empty()) continue;
    for (const std::string& name : option.names) {
      if (!message.starts_with(name)) continue;
      const std::string_view rest = message.substr(name.size());
      if (rest.starts_with(' ') || rest.starts_with(':')) return option.origin;
    }
  }
  return {};
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
