// The commands of the program. Each function adds a command to its parent.
#pragma once

#include "cli/option/command.h"

namespace drover::cli {

// Groups, with all of their commands.
void add_tpcc(Command& app);
void add_ycsb(Command& app);
void add_sql(Command& app);
void add_lab(Command& app);
void add_pg(Command& app);

void add_tpcc_import(Command& tpcc);
void add_tpcc_run(Command& tpcc);
void add_tpcc_search(Command& tpcc);
void add_tpcc_check(Command& tpcc);
void add_ycsb_run(Command& ycsb);
void add_ycsb_search(Command& ycsb);

void add_demo(Command& app);
void add_report(Command& app);
void add_merge(Command& app);
void add_compare(Command& app);
void add_history(Command& app);

// `app` must outlive these commands: an agent executes the commands of its coordinator, and the
// others print the help of all commands.
void add_agent(Command& app);
void add_completion(Command& app);
void add_help(Command& app);
void add_man(Command& app);

}  // namespace drover::cli
