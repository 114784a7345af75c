// The commands, one file each. Each adds itself to its parent, with what does the work and returns the exit code (see
// usage_error.h).
#pragma once

#include "cli/option/command.h"

namespace drover::cli {

// `tpcc` with its six commands.
void add_tpcc(Command& app);

// `ycsb` and `sql` with theirs.
void add_ycsb(Command& app);
void add_sql(Command& app);

void add_ycsb_run(Command& ycsb);
void add_ycsb_search(Command& ycsb);
void add_tpcc_import(Command& tpcc);
void add_tpcc_run(Command& tpcc);
void add_tpcc_search(Command& tpcc);
void add_tpcc_check(Command& tpcc);
void add_demo(Command& app);
void add_pg(Command& app);
void add_report(Command& app);
void add_merge(Command& app);
// `app` must outlive the command, because an agent executes the commands of its coordinator.
void add_agent(Command& app);
void add_compare(Command& app);
void add_history(Command& app);
void add_lab(Command& app);
// What the program says of itself; `app` has to outlive the command.
void add_completion(Command& app);
void add_help(Command& app);
void add_man(Command& app);

}  // namespace drover::cli
