// The commands of the program and their options, declared once as a tree: what the command line, variables
// and the file of --config are read into, and what the help, completions and the man page are made of.
//
//   Command& run = tpcc.add_command("run", "Runs the benchmark and reports");
//   run.add_options("Load", {{"-w,--warehouses", &request.warehouses, "W|auto", "How many"},
//                            {"--no-delays", &request.no_delays, "", "At once"}});
//   run.action = [&] { return perform(request); };
//
// A target has to live as long as the tree. No thread safety of its own.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "run/usage_error.h"

namespace drover::ranks {
class Member;
}

namespace drover::cli {

struct HostsArguments;

// The group of the commands that say how the others are used: help, completion, man.
inline constexpr const char* about_group = "About drover";
// The group of what every command takes: --help, --config.
inline constexpr const char* general_group = "General";
// The group of options without a group of their own.
inline constexpr const char* plain_group = "Options";
// Groups that few users need: help and man page show them last.
inline constexpr const char* failures_group = "Failures";
inline constexpr const char* hosts_group = "Several hosts";
inline constexpr const char* properties_group = "YCSB properties (see docs/ycsb-reference.md)";
inline constexpr const char* database_group = "Database";

// What an option's value is put into; a flag's is a bool. None: the words alone, and nothing is made of them.
using OptionTarget = std::variant<std::monostate, bool*, std::string*, std::optional<std::string>*,
                                  double*, std::optional<double>*, int*, std::optional<int>*,
                                  std::int64_t*, std::uint64_t*, std::optional<std::uint64_t>*,
                                  std::vector<std::string>*, std::vector<std::size_t>*>;

// Both are included.
struct Range {
  double low = 0;
  double high = 0;
};

// What few options have.
struct OptionDetails {
  std::string default_text{};  // else what the target has when the option is declared
  std::optional<Range> range{};
  std::vector<std::string> only{};  // the only values
  char delimiter = '\0';            // of a list: "a,b" is two values
  bool several = false;             // of a list: "--base a b" is two values
  bool required = false;
  bool configurable = true;  // by variables and the file of --config
  bool common = false;       // one of the about ten options of a command that --help shows
  std::string variable{};    // stands for it in every command: DROVER_DB
};

// The details that most options with details have.
inline const OptionDetails required_option{.required = true};
inline const OptionDetails command_line_only{.configurable = false};
inline const OptionDetails common_option{.common = true};
inline const OptionDetails comma_list{.delimiter = ','};
inline OptionDetails in_range(double low, double high) {
  return {.range = Range{low, high}};
}
inline OptionDetails default_is(std::string text) {
  return {.default_text = std::move(text)};
}

enum class ValueKind : std::uint8_t { none, text, file, folder };

struct Option : OptionDetails {
  // Names as "-w,--warehouses", or that of an argument, without dashes. `value` is how the help writes it:
  // "W|auto", of which the words in small letters are completed; empty for a flag.
  Option(std::string_view names, OptionTarget target, std::string value, std::string description,
         OptionDetails details = {});

  std::vector<std::string> names;  // "-w", "--warehouses", or the name of an argument
  OptionTarget target;
  std::string value;
  std::string description;  // one paragraph
  std::string group = plain_group;
  ValueKind kind = ValueKind::text;
  std::vector<std::string> choices;  // the words among the values: "auto"
  std::vector<std::string> words;    // that it was given
  // Where they come from, as messages end: " (from the variable …)"; empty: the command line.
  std::string origin;

  const std::string& name() const { return names.back(); }  // the long one: as messages begin
  bool is_argument() const { return !name().starts_with('-'); }
  bool is_flag() const { return kind == ValueKind::none; }
  bool is_list() const;
  bool is_given() const { return !words.empty(); }
  // The word that a variable or a file gives it by, without dashes; empty if neither may.
  std::string key() const;
  std::string range_text() const;   // "1 to 1000", or empty
  std::string target_text() const;  // what the target has now; empty if there is nothing to show
  // Puts the words into the target. Throws UsageError, which tells what was expected, and then has not
  // taken them: "--pace fast: expected a number".
  void give(const std::vector<std::string>& given, std::string from = {});

 private:
  [[noreturn]] void refuse(const std::string& word) const;
  template <class Number>
  Number number_of(const std::string& word) const;
  std::vector<std::string> split(const std::vector<std::string>& given) const;
  bool takes_whole_numbers() const;
  bool requires_text() const;
};

struct Command {
  explicit Command(std::string name, std::string about = {}, std::string examples = {},
                   std::vector<std::string> above = {});

  Command& add_command(std::string name, std::string about = {}, std::string examples = {});
  void add_options(std::string_view their_group, std::vector<Option> added);
  void add_options(std::vector<Option> added) { add_options(plain_group, std::move(added)); }

  const std::string& name() const { return path.back(); }
  std::string full_name() const;  // "drover tpcc run"
  std::vector<std::string> command_names() const;
  // Null if there is none.
  const Command* find_command(std::string_view name) const;
  // By any of its names as it is written: "-w", "--warehouses".
  const Option* find_option(std::string_view written) const;

  std::vector<std::string> path;  // "drover", "tpcc", "run"
  std::string description;
  std::string footer;
  std::string group = "Subcommands";
  std::function<int()> action{};  // what the command does; returns the exit code
  // For commands that run on several hosts: performs the part of an agent, which the coordinator's
  // message describes; and the arguments that name the hosts.
  std::function<int(ranks::Member&, const nlohmann::json& work)> member_action{};
  HostsArguments* hosts = nullptr;
  std::vector<Option> options{};
  std::vector<Option> arguments{};
  std::list<Command> commands{};
};

// The command and all below it.
std::vector<const Command*> all_commands(const Command& command);

// "bash, zsh or fish"
std::string alternatives(const std::vector<std::string>& words);

// Options other than --db show their value in messages. libpq allows blanks around the sign.
bool may_hold_password(std::string_view option, std::string_view value);

}  // namespace drover::cli
