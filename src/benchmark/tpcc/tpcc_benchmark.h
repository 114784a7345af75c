// A run of TPC-C, over a database or simulated transactions.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "coro/clock.h"
#include "report/document/result.h"
#include "run/benchmark.h"
#include "settings/run_settings.h"
#include "workload/tpcc/database.h"
#include "workload/tpcc/terminals/plan.h"
#include "workload/tpcc/terminals/terminals.h"

namespace drover::benchmark {

// The settings of a run of TPC-C.
struct TpccOptions {
  tpcc::Plan plan = {};
  tpcc::StatementStyle style = tpcc::StatementStyle::batched;
  std::optional<tpcc::Isolation> isolation = {};  // none: the server's default
  bool all_warehouses = false;
  // The warehouses of this run. None: those of the plan's share.
  std::optional<tpcc::WarehouseRange> range = {};
  std::size_t gathers = 0;        // the number of hosts, in a coordinator that has no terminals
  std::string delivery_log = {};  // empty: no file
  std::optional<coro::Duration> simulated = {};  // the duration of each simulated transaction
};

class TpccBenchmark final : public run::Benchmark {
 public:
  // The database must outlive the benchmark. It is null if transactions are simulated.
  TpccBenchmark(TpccOptions options, const tpcc::Database* database);
  ~TpccBenchmark() override;

  load::Plan& plan() noexcept override { return options_.plan; }
  coro::Task<database::ServerFacts> prepare() override;
  std::optional<double> transactions_a_second() const override;
  double connections_wanted() const override;
  std::size_t threads_most() const override;
  std::size_t threads_without_rate() const override;
  std::uint64_t terminals_of(const load::Share& share) const override;
  void complete(settings::RunSettings& settings) override;
  std::string title() const override;
  std::vector<std::string> notes() const override;
  load::WorkloadFactory workload(std::function<void(std::string_view)> on_note) override;
  load::Observer* observer() override;
  const database::ObservedServer* server() const override { return database_; }
  coro::Task<void> ask_afterwards(coro::Duration timeout) override;
  void describe_share(const load::Share& share, report::Result& part) const override;
  void add_to(const load::Outcome& outcome, report::Result& result) const override;

  // Returns, after the run, why the log of deferred Deliveries is incomplete; empty if it is
  // complete or was not requested.
  std::string delivery_log_failure() const;

 private:
  class DeliveryLogWriter;

  tpcc::BackendSettings backend_settings(std::size_t worker) const;
  tpcc::WarehouseRange own_range() const;
  coro::Task<void> find_homes();
  tpcc::PlannedWork planned_work() const;

  TpccOptions options_;
  tpcc::Isolation isolation_ = tpcc::Isolation::read_committed;  // set by prepare()
  const tpcc::Database* database_;
  settings::RunSettings settings_;
  tpcc::RunPreparation prepared_;
  std::unique_ptr<DeliveryLogWriter> delivery_log_;  // null: no log
  std::optional<tpcc::RunRecords> records_;
  tpcc::LedgerSums ledger_before_;
  std::optional<tpcc::LedgerSums> ledger_after_;
  std::optional<report::LostCommits> lost_commits_;  // none: unknown
};

// Sets the warehouses of this run in the plan's share, once the number of warehouses is known.
// Throws UsageError if a host has no warehouse or no terminal.
void choose_warehouses(TpccOptions& options);

// Adds the counts of the workers to the result.
void add_records(const tpcc::Plan& plan, const tpcc::RunRecords& records, report::Result& result);

// Sets the availability of the warehouses. `start`: the run's beginning.
// Requires: the result has its ranks, outages and summary.
void add_availability(const tpcc::RunRecords& records, coro::Instant start, report::Result& result);

// Returns what a run has written according to the data, if no other run wrote.
report::LedgerInData ledger_between(const tpcc::LedgerSums& before, const tpcc::LedgerSums& after);

// Returns the acknowledged commits of the run that the database has lost, for example in a failover
// to a replica that lagged; nothing if that cannot be found out. Each kept write is looked up,
// which is worth its time only if the sums of the tables disagree with the ledger. `since`:
// RunPreparation::server_time. To be awaited on a worker after the run's workers have ended.
coro::Task<std::optional<report::LostCommits>> find_lost_commits(const tpcc::Database& database,
                                                                 const tpcc::RunRecords& records,
                                                                 std::string since,
                                                                 coro::Duration timeout);

// Returns true if the lost commits account for all that the data lack compared with the ledger.
bool explain(const report::LostCommits& lost, const report::Ledger& ledger,
             const report::LedgerInData& data) noexcept;

void complete_settings(const tpcc::Plan& plan, settings::RunSettings& settings);

}  // namespace drover::benchmark
