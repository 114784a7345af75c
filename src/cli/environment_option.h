// Variables of the environment for the options of every command.
//
// DROVER_TPCC_RUN_DURATION stands for --duration of `drover tpcc run`. What has fewer names of
// commands in front is for every command below that has such an option: DROVER_TPCC_SCHEMA, or
// DROVER_DB. The command line comes first, then the variable with the most names, then the file of
// --config. An empty variable is as if it were not set. DROVER_CONFIG names the file of --config.
//
// No message shows a value that could hold a password.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace drover::cli {

// A name, and a value that is not empty.
using EnvironmentVariables = std::vector<std::pair<std::string, std::string>>;

// Those of this process whose names begin with DROVER_.
EnvironmentVariables drover_variables();

// A variable that is no option's.
struct KnownVariable {
  std::string_view name;
  std::string_view meaning;
};
const std::vector<KnownVariable>& known_variables();

// "DROVER_TPCC_RUN_DURATION", of the names of commands from the program on, and a long option.
std::string variable_name(const std::vector<std::string>& command, std::string_view option);

// What came of variables, for the messages about it.
class EnvironmentSource {
 public:
  // " (from the variable DROVER_TPCC_RUN_PACE)", if the message is about an option ("--pace 0: …")
  // that a variable has set; else nothing.
  std::string note_for(std::string_view message) const;

 private:
  friend class EnvironmentApplication;

  struct Origin {
    std::vector<std::string> names;
    std::string variable;
  };
  std::vector<Origin> origins_;
};

// Adds --no-environment to `app` and its commands; requires that these have all their options, and
// that add_config_option() comes after it. While app.parse() runs, a variable that does not fit
// throws UsageError, and unknown ones are warned of on the error stream.
std::shared_ptr<const EnvironmentSource> add_environment_option(CLI::App& app);

// Gives the options of the parsed command, where the command line has not, what the variables say,
// and returns warnings. Throws UsageError, also for a variable that has the whole name of the
// chosen command and no option of it.
std::vector<std::string> apply_environment(CLI::App& app, const EnvironmentVariables& variables,
                                           EnvironmentSource& source);

}  // namespace drover::cli
