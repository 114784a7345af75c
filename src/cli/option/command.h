// The commands of the program, declared once as a tree, and the reading of a command line into it.
// Environment variables and the file of --config are read into the tree, too (option_sources.h);
// help, completions and the man page are written from it.
//
//   Command& run = tpcc.add_command("run", "Run the benchmark and report");
//   run.add_options("Load", {{"-w,--warehouses", &warehouses, "W|auto", "Number of warehouses"},
//                            {"--no-delays", &no_delays, "", "Run without think times"}});
//   run.action = [&] { return perform(...); };
//
// The variables of options must outlive the tree. Not thread-safe. Errors are UsageError: they say
// what is wrong, what was probably meant, and which help to read. They never contain the value of
// an unknown option, which may be a password.
#pragma once

#include <list>
#include <nlohmann/json_fwd.hpp>

#include "cli/option/option.h"

namespace drover::ranks {
class Member;
}

namespace drover::cli {

struct HostsArguments;

// Group of the commands help, completion and man.
inline constexpr const char* about_group = "About drover";
// Group of the options that every command has: --help, --config.
inline constexpr const char* general_group = "General";
// Group of options without a group of their own.
inline constexpr const char* plain_group = "Options";
// Options of files, displays and the exit code. Only the coordinator of several hosts has them.
inline constexpr const char* output_group = "Output";
// Groups that few users need, which help and man page show last.
inline constexpr const char* failures_group = "Failures";
inline constexpr const char* hosts_group = "Several hosts";
inline constexpr const char* properties_group = "YCSB properties (see docs/ycsb-reference.md)";
inline constexpr const char* database_group = "Database";

struct Command {
  explicit Command(std::string name, std::string about = {}, std::string examples = {},
                   std::vector<std::string> above = {});

  Command& add_command(std::string name, std::string about = {}, std::string examples = {});
  void add_options(std::string_view their_group, std::vector<Option> added);
  void add_options(std::vector<Option> added) { add_options(plain_group, std::move(added)); }

  const std::string& name() const { return path.back(); }
  std::string full_name() const;  // "drover tpcc run"
  std::vector<std::string> command_names() const;
  // Returns the direct subcommand, or null.
  const Command* find_command(std::string_view name) const;
  // `written`: any name of the option, "-w" or "--warehouses". Null if there is none.
  const Option* find_option(std::string_view written) const;
  bool is_given(std::string_view option) const;  // by the command line, a variable or a file

  std::vector<std::string> path;  // "drover", "tpcc", "run"
  std::string description;
  std::string footer;
  std::string group = "Subcommands";
  std::function<int()> action{};  // executes the command and returns the exit code
  // Commands that run on several hosts: executes the part of an agent, which the coordinator's
  // message describes.
  std::function<int(ranks::Member&, const nlohmann::json& work)> member_action{};
  HostsArguments* hosts = nullptr;  // commands that run on several hosts
  std::vector<Option> options{};
  std::vector<Option> arguments{};
  std::list<Command> commands{};
};

// Returns the command and all commands below it.
std::vector<const Command*> all_commands(const Command& command);
// Returns the options and the arguments of a command.
std::vector<const Option*> all_options(const Command& command);

// Error of a command line that names no command, or a group instead of a command of it. The program
// prints the help of `command`.
class CommandMissing : public UsageError {
 public:
  CommandMissing(const std::string& message, const Command& command)
      : UsageError(message), command(command) {}
  const Command& command;
};

// Returns the commands that the words name, beginning with the program, and gives their options the
// values in the words. Words that are wrong are accepted only together with --help or --version.
std::vector<Command*> read_words(Command& program, const std::vector<std::string>& words);

// Returns true if a flag of one of the commands is given: "--help".
bool has_flag(const std::vector<Command*>& path, std::string_view written);

// Throws if a required option of the command is not given, or if a given option does not fit the
// database or another option.
void require_complete(const Command& command);

// Throws if several options read the standard input, which can be read only once. `config` is the
// name of the file of --config, or empty.
void require_one_reader_of_standard_input(const Command& command, const std::string& config);

// Returns " (from the variable DROVER_TPCC_RUN_PACE)" if the message is about an option ("--pace 0:
// …") that a variable or a file has set; else nothing.
std::string origin_note(const Command& command, std::string_view message);

// Returns " (with the same --db)" if the message advises a command that uses a database, and the
// command line of `command` names one: the advised command would use another database without it.
// Returns nothing if the message mentions --db already.
std::string same_database_note(const Command& command, std::string_view message);

}  // namespace drover::cli
