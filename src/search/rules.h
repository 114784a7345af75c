// The rules that a search asks of each run, and which of them a run breaks.
//
// Pure functions; any thread.
#pragma once

#include <string>
#include <vector>

#include "report/compare/compare_limit.h"
#include "report/document/result.h"

namespace drover::search {

struct Rules {
  // Percent of what the terminals could do; judged with the sampling error in favour of the run,
  // and only where terminals have delays. 0: not asked for.
  double efficiency_least = 90;
  bool failures_allowed = true;  // as far as the audit has no objection
  // Values that must not be: "new_order.p90 > 20". Requires: Limit::Kind::value.
  std::vector<report::Limit> limits;
};

// Whether one of these sentences says that the client's own machine was too slow: then the figures
// are the client's, and whatever else is broken says nothing about the database, either. A line for
// a connection (client.waiting) is no matter of the machine, but of --connections.
bool blames_client_machine(const std::vector<std::string>& broken);

// A sentence for each broken rule; none if all hold. Of the audit count the lines that tell whether
// the database and the client could carry the load: what a short run or another pace breaks by
// itself (keying, think, interval, steady_state) does not. A rate that could not be judged is no
// rate that was reached.
std::vector<std::string> broken_rules(const report::Result& result, const Rules& rules);

}  // namespace drover::search
