// --config FILE, for every command: options from a file.
//
// A section has the name of a command ([tpcc.run]) and its keys are the long options of it. What
// stands in the section of a group ([tpcc]) or before all sections is for every command of the
// group, or of all, that has such an option. The command line comes first, then environment
// variables, then the nearest section. The whole file is checked, also what is for other commands:
// names, and whether a value is a text or number, a truth, or a list.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/config_file.h"

namespace drover::cli {

// What came of the file, for the messages about it.
class ConfigSource {
 public:
  // " (from the config file "x", line 3)", if the message is about an option ("--pace 0: …") that
  // the file has set; else nothing.
  std::string note_for(std::string_view message) const;

 private:
  friend class ConfigApplication;

  struct Origin {
    std::vector<std::string> names;  // "--warehouses", "-w"
    std::size_t line = 0;
  };
  std::string file_;
  std::vector<Origin> origins_;
};

// Adds --config to `app` and to each of its commands; requires that these have all their options.
// While app.parse() runs, a file that cannot be read or does not fit throws UsageError. A command
// that is not on the command line is never chosen by the file.
std::shared_ptr<const ConfigSource> add_config_option(CLI::App& app);

// Gives the options of the parsed command, where nothing else has, what the entries say. Throws
// UsageError.
void apply_config(CLI::App& app, const std::vector<ConfigEntry>& entries, const std::string& file,
                  ConfigSource& source);

}  // namespace drover::cli
