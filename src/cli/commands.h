// The commands, one file each. Each adds itself to its parent and, when the command line names it,
// sets `chosen` to what does the work and returns the exit code (see usage_error.h).
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

#include "cli/pg.h"

namespace drover::cli {

// `tpcc` with its five commands.
void add_tpcc(CLI::App& app, std::function<int()>& chosen);

void add_tpcc_init(CLI::App& tpcc, std::function<int()>& chosen);
void add_tpcc_import(CLI::App& tpcc, std::function<int()>& chosen);
void add_tpcc_run(CLI::App& tpcc, std::function<int()>& chosen);
void add_tpcc_check(CLI::App& tpcc, std::function<int()>& chosen);
void add_tpcc_clean(CLI::App& tpcc, std::function<int()>& chosen);
void add_demo(CLI::App& app, std::function<int()>& chosen);
void add_report(CLI::App& app, std::function<int()>& chosen);

std::string version_text();

}  // namespace drover::cli
