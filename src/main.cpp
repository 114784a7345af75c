// drover: the commands, and what an error looks like.
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/help/help.h"
#include "cli/hosts_option.h"
#include "cli/option/option_sources.h"
#include "cli/program.h"
#include "cli/standard_output.h"
#include "ranks/job.h"
#include "ranks/mpi_meeting.h"
#include "text/utf8.h"

namespace {

using namespace drover;
using namespace drover::cli;

int fail(int code, const char* message) {
  std::fputs(fmt::format("drover: error: {}\n", message).c_str(), stderr);
  return code;
}

// Gives the options of the chosen command what variables and the file of --config say. Returns the
// name of that file, or an empty text.
std::string apply_other_sources(const Command& program, const std::vector<Command*>& path) {
  Command& chosen = *path.back();
  // What says how things are to be written has to work when they are wrong.
  if (chosen.group == about_group) return {};
  const EnvironmentVariables variables =
      has_flag(path, "--no-environment") ? EnvironmentVariables() : drover_variables();
  for (const std::string& warning : apply_environment(program, chosen, variables)) {
    std::fputs(fmt::format("drover: warning: {}\n", warning).c_str(), stderr);
  }
  std::vector<std::string> files;
  for (const Command* command : path) {
    const Option* option = command->find_option("--config");
    if (option != nullptr && option->is_given()) files.push_back(option->words.front());
  }
  if (files.size() > 1) throw UsageError("--config is given twice");
  if (!files.empty()) {
    apply_config_file(program, chosen, files.front());
    return files.front();
  }
  for (const auto& [name, value] : variables) {
    if (name != config_variable) continue;
    try {
      apply_config_file(program, chosen, value);
      return value;
    } catch (const UsageError& error) {
      throw UsageError(fmt::format("{} (the variable {} names the file)", error.what(), name));
    }
  }
  return {};
}

// The options of every command but those about the others, which have to work when what comes from
// elsewhere is wrong. Requires that the commands have all of theirs.
void add_general_options(Command& command) {
  for (Command& below : command.commands) add_general_options(below);
  command.add_options({{"--no-environment",
                        {},
                        "",
                        "Ignore environment variables that set options",
                        command_line_only},
                       {"--config", {}, "FILE", "Read options from FILE", command_line_only}});
}

void add_commands(Command& program) {
  program.add_options({{"--version",
                        {},
                        "",
                        "Print the version, commit, compiler and libraries",
                        command_line_only}});
  for (const auto add : {add_tpcc, add_ycsb, add_sql, add_demo, add_pg, add_report, add_merge,
                         add_agent, add_compare, add_history, add_lab, add_general_options,
                         add_help, add_completion, add_man}) {
    add(program);
  }
}

int perform(Command& program, const std::vector<std::string>& words) {
  const std::vector<Command*> path = read_words(program, words);
  Command& chosen = *path.back();
  if (has_flag(path, "--help")) {
    print(short_help_text(chosen, help_width()), "the help or the version");
    return exit_success;
  }
  if (has_flag(path, "--version")) {
    print(version_text() + "\n", "the help or the version");
    return exit_success;
  }
  const auto complete = [&] {
    const std::string config = apply_other_sources(program, path);
    require_complete(chosen);
    require_one_reader_of_standard_input(chosen, config);
  };
  const bool is_alone = chosen.group == about_group || chosen.full_name() == "drover agent";
  const bool is_rank = !is_alone && ranks::started_by_mpi();
  const auto job = is_alone || is_rank ? std::nullopt : ranks::place_in_job();
  if (!is_rank) complete();
  try {
    if (chosen.hosts == nullptr && (is_rank || (job && job->size))) {
      throw UsageError(fmt::format("{}: {} has started this command several times. Start it once",
                                   chosen.full_name(), is_rank ? "mpirun" : "srun"));
    }
    if (is_rank) {
      if (const std::optional<int> code = meet_by_mpi(*chosen.hosts, complete)) return *code;
    } else if (job && chosen.hosts != nullptr && (job->size || chosen.hosts->agents)) {
      meet_in_job(*chosen.hosts, *job);
    }
    if (chosen.hosts != nullptr) check_hosts(*chosen.hosts);
    try {
      return chosen.action();
    } catch (const std::exception&) {
      if (job && chosen.hosts != nullptr && chosen.hosts->met) refuse_agents(*chosen.hosts);
      throw;
    }
  } catch (const UsageError& error) {
    throw UsageError(error.what() + origin_note(chosen, error.what()) +
                     same_database_note(chosen, error.what()));
  } catch (const std::exception& error) {
    const std::string note = same_database_note(chosen, error.what());
    if (note.empty()) throw;
    throw std::runtime_error(error.what() + note);
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    set_up_process();
  } catch (const std::exception& error) {
    return fail(exit_failure, error.what());
  }
  Command program("drover", "Drover: a load generator for SQL databases",
                  "Examples:\n"
                  "  drover demo\n"
                  "  drover tpcc init && drover tpcc import -w 10\n"
                  "  drover tpcc run -w 10 --duration 3m --json result.json\n"
                  "  drover tpcc check --db postgresql://user@host/name\n"
                  "\n"
                  "Exit codes: 0 success, 1 failure or a broken condition, 2 wrong use,\n"
                  "            3 the server is not running (drover pg status), 130 interrupted");
  add_commands(program);
  try {
    return perform(program, {argv + 1, argv + argc});
  } catch (const CommandMissing& missing) {
    std::fputs((help_text(missing.command, help_width()) + "\n").c_str(), stderr);
    return fail(exit_usage, missing.what());
  } catch (const UsageError& error) {
    let_first_process_speak();
    return fail(exit_usage, text::without_passwords(error.what(), argc, argv).c_str());
  } catch (const std::exception& error) {
    return fail(exit_failure, text::without_passwords(error.what(), argc, argv).c_str());
  }
}
