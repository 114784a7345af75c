// The properties of YCSB on the command line: a workload by name, property files, -p key=value, and a flag for each
// property of the workload; and the runs that are made of them, of `ycsb run` and `ycsb search`.
#pragma once

#include <deque>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "benchmark/ycsb/ycsb_benchmark.h"
#include "cli/client_options.h"
#include "cli/option/command.h"
#include "cli/option/database_option.h"
#include "workload/ycsb/properties/properties.h"

namespace drover::cli {

struct PropertyArguments {
  std::string workload;               // a … f; empty: none
  std::vector<std::string> files;     // -P
  std::vector<std::string> settings;  // -p
  // By the name of the property. Options refer to them.
  std::deque<std::pair<std::string, std::optional<std::string>>> flags;
};

// `common` are the names of the options that the short help shows, without dashes.
void add_property_options(Command& command, PropertyArguments& arguments,
                          const std::set<std::string_view>& common);

// A flag wins over -p, which wins over a file; of files and of -p the last one wins. Throws UsageError.
ycsb::Properties read_properties(const PropertyArguments& arguments);

// The same, for what looks into rows: the file of lengths that they may name is read, too.
ycsb::Properties read_row_properties(const PropertyArguments& arguments);

// What the options of a run say besides.
struct YcsbWorkload {
  ycsb::Properties properties;
  bool verify = false;
};

// Says, on the error stream, which of the properties that were given mean nothing here.
void note_without_effect(const ycsb::Properties& properties);

// --verify and --isolation.
void add_verify_option(Command& command, bool& verify);
void add_isolation_option(Command& command, ClientRequest& request);

struct YcsbRun {
  run::RunPlan run;
  benchmark::YcsbOptions options;
};

// What properties say of the client is not looked at. Throws UsageError.
YcsbRun make_ycsb_run(const ClientRequest& written, const YcsbWorkload& workload,
                      const DatabaseOption& database);

// Nothing if it was interrupted before it began.
std::optional<run::MeasuredRun> measure_ycsb(YcsbRun run, const DatabaseTarget& target);

}  // namespace drover::cli
