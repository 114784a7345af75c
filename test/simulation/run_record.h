// RunRecord: all that is known of a simulated run when it is over, for the checks.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "load/run.h"
#include "load/snapshot.h"
#include "report/document/result.h"
#include "scenario.h"
#include "witness.h"
#include "workload/tpcc/terminals/terminals.h"

namespace drover::simulation {

// Looks on as the screen and the metrics endpoint do.
struct Watcher final : load::Observer {
  explicit Watcher(Witness& told) : witness(told) {}

  void on_started(coro::Duration ramp_up) override;
  void on_snapshot(const load::Snapshot& snapshot) override;
  void on_ended(bool away) override;

  Witness& witness;
  std::optional<load::Snapshot> last;
  std::optional<std::size_t> signs_at_end;  // so many had come when the run's record was made
  std::uint64_t sessions_lost_at_end = 0;
  std::uint64_t sessions_opened_at_end = 0;
};

struct RunRecord {
  const Scenario& scenario;
  const Witness& witness;
  const Watcher& watcher;
  tpcc::RunRecords& records;
  std::optional<load::Outcome> outcome;   // none: it could not begin
  std::optional<report::Result> result;   // likewise
  std::optional<std::string> refusal;     // why it could not
  std::set<std::size_t> in_data_at_read;  // attempts, when the ledger was read
  std::set<std::size_t> in_data_at_end;   // when nothing was under way any more
  bool ledger_read = false;
  std::optional<coro::Instant> interrupted;  // when the run was
  coro::Instant run_ended;
};

// Says in a sentence each what does not hold.
std::vector<std::string> check(const RunRecord& record);

}  // namespace drover::simulation
