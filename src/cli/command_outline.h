// What a person may type after `drover`: the commands and their options, as plain values, read from
// CLI11's tree. The help, the completion of shells and the man page are made of it.
//
// Values only: no thread safety of its own.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

namespace drover::cli {

enum class ValueKind : std::uint8_t { none, text, file, folder };

struct OptionOutline {
  std::vector<std::string> names{};  // "-w", "--warehouses"; the name alone of an argument
  std::string description{};         // one paragraph
  std::string group{};
  ValueKind kind = ValueKind::none;
  std::string value{};                 // as the help writes it: "N|auto"; empty for a flag
  std::vector<std::string> choices{};  // the words among the values: "auto"
  std::string range{};                 // "1 to 1000", or empty
  std::string default_value{};         // empty: none that is worth a word
  std::string variable{};              // that stands for it; empty: none
  bool variable_is_common = false;     // to all commands: DROVER_DB
  bool required = false;
  bool repeatable = false;

  bool is_argument() const { return !names.front().starts_with('-'); }
  const std::string& longest_name() const { return names.back(); }
};

struct CommandOutline {
  std::vector<std::string> path{};  // "drover", "tpcc", "run"
  std::string description{};
  std::string footer{};
  std::string group{};                     // of the parent's list; empty: it is not listed
  std::vector<std::string> groups{};       // of options, in the order of the help
  std::vector<OptionOutline> options{};    // named ones, in the order in which they were added
  std::vector<OptionOutline> arguments{};  // without a name, in their order
  std::vector<CommandOutline> commands{};

  const std::string& name() const { return path.back(); }
  std::string full_name() const;  // "drover tpcc run"
};

// The group of what every command takes: --help, --config.
inline constexpr const char* general_group = "General";

// Options and commands that are hidden (of the group "") are left out.
CommandOutline outline_of(const CLI::App& command);

// The first sentence, or what comes before a semicolon, without the dot: for a list. At most
// `characters`, cut between words.
std::string first_sentence(std::string_view text, std::size_t characters);

}  // namespace drover::cli
