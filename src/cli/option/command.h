// The commands of the program, declared once as a tree. The command line, environment variables and
// the file of --config are read into it; help, completions and the man page are written from it.
//
//   Command& run = tpcc.add_command("run", "Run the benchmark and report");
//   run.add_options("Load", {{"-w,--warehouses", &warehouses, "W|auto", "Number of warehouses"},
//                            {"--no-delays", &no_delays, "", "Run without think times"}});
//   run.action = [&] { return perform(...); };
//
// The variables of options must outlive the tree. Not thread-safe.
#pragma once

#include <functional>
#include <list>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

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

}  // namespace drover::cli
