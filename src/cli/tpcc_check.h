// `drover tpcc check`, also for commands that end with a check, as the demo does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "cli/database_option.h"
#include "tpcc/check_report.h"

namespace drover::cli {

struct CheckRequest {
  std::optional<std::int32_t> warehouses = {};  // else those that there are
  bool after_import = false;
  std::size_t connections = 0;  // 0: one for each processor of this machine, at least 2
  std::string json = {};        // file of the JSON document; empty: none; "-": stdout
};

// Checks, prints the report to stdout (to stderr where the document goes there) and returns the
// exit code: exit_success if all conditions hold, exit_failure if one does not or could not be
// judged, exit_interrupted after Ctrl-C. Throws database::Error where there is nothing to check,
// and report::FileError: before the check where the file cannot be made, and after the report is
// printed where it cannot be written.
int check_database(const DatabaseTarget& target, const CheckRequest& request);

// The report as a person reads it: a line a condition, and under those that do not hold the first
// offenders.
std::string format_check_report(const tpcc::CheckReport& report);

}  // namespace drover::cli
