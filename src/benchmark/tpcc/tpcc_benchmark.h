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

// What the options say of it.
struct TpccOptions {
  tpcc::Plan plan = {};
  tpcc::StatementStyle style = tpcc::StatementStyle::batched;
  std::optional<tpcc::Isolation> isolation = {};  // none: as the server has it
  bool all_warehouses = false;
  std::optional<tpcc::WarehouseRange> range =
      {};                         // of W, this run has these; none: as the plan's share says
  std::size_t gathers = 0;        // so many hosts make the run, which this process only gathers
  std::string delivery_log = {};  // empty: no file
  std::optional<coro::Duration> simulated = {};  // each transaction takes so long
};

class TpccBenchmark final : public run::Benchmark {
 public:
  // The database is null where transactions are simulated; else it must outlive the benchmark.
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
  std::unique_ptr<database::CheckpointWatch> watch_checkpoints(
      std::function<void(std::string_view)> on_note) const override;
  std::unique_ptr<database::ActivityWatch> watch_activity(
      std::function<void(std::string_view)> on_note) const override;
  coro::Task<void> ask_afterwards(coro::Duration patience) override;
  void add_to(const load::Outcome& outcome, report::Result& result) const override;

  // After the run: why the log of deferred Deliveries is not whole; empty if it is, or nobody asked for one.
  std::string delivery_log_failure() const;

 private:
  class DeliveryLogWriter;

  tpcc::BackendSettings backend_settings(std::size_t worker) const;
  tpcc::WarehouseRange own_range() const;
  coro::Task<void> find_homes();
  tpcc::PlannedWork planned_work() const;

  TpccOptions options_;
  tpcc::Isolation isolation_ = tpcc::Isolation::read_committed;  // once it is prepared
  const tpcc::Database* database_;
  settings::RunSettings settings_;
  tpcc::RunPreparation prepared_;
  std::unique_ptr<DeliveryLogWriter> delivery_log_;  // none: nobody asked for it
  std::optional<tpcc::RunRecords> records_;
  tpcc::LedgerSums ledger_before_;
  std::optional<tpcc::LedgerSums> ledger_after_;
  std::optional<report::LostCommits> lost_commits_;  // none: nobody could say
};

// Says in the plan's share which warehouses are this run's, once W is known. Throws UsageError where there are none.
void choose_warehouses(TpccOptions& options);

// What the workers have counted.
void add_records(const tpcc::Plan& plan, const tpcc::RunRecords& records, report::Result& result);

// Sets the availability of the warehouses. `start`: the run's beginning.
// Requires: the result has its ranks, outages and summary.
void add_availability(const tpcc::RunRecords& records, coro::Instant start, report::Result& result);

// What the data say of a run that was alone: the difference between its end and its beginning.
report::LedgerInData ledger_between(const tpcc::LedgerSums& before, const tpcc::LedgerSums& after);

void complete_settings(const tpcc::Plan& plan, settings::RunSettings& settings);

}  // namespace drover::benchmark
