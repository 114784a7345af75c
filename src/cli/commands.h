// The commands, one file each. Each adds itself to its parent and, when the command line names it,
// sets `chosen` to what does the work and returns the exit code (see usage_error.h).
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

#include "cli/pg.h"

namespace drover::cli {

// `tpcc` with its six commands.
void add_tpcc(CLI::App& app, std::function<int()>& chosen);

void add_tpcc_init(CLI::App& tpcc, std::function<int()>& chosen);
void add_tpcc_import(CLI::App& tpcc, std::function<int()>& chosen);
void add_tpcc_run(CLI::App& tpcc, std::function<int()>& chosen);
void add_tpcc_search(CLI::App& tpcc, std::function<int()>& chosen);
void add_tpcc_check(CLI::App& tpcc, std::function<int()>& chosen);
void add_tpcc_clean(CLI::App& tpcc, std::function<int()>& chosen);
void add_demo(CLI::App& app, std::function<int()>& chosen);
void add_report(CLI::App& app, std::function<int()>& chosen);
void add_compare(CLI::App& app, std::function<int()>& chosen);
void add_history(CLI::App& app, std::function<int()>& chosen);
void add_lab(CLI::App& app, std::function<int()>& chosen);
// What the program says of itself; `app` has to outlive `chosen`.
void add_completion(CLI::App& app, std::function<int()>& chosen);
void add_help(CLI::App& app, std::function<int()>& chosen);
void add_man(CLI::App& app, std::function<int()>& chosen);

}  // namespace drover::cli
