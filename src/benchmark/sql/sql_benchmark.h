// SqlBenchmark: a run of scripts.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "benchmark/clients.h"
#include "run/benchmark.h"
#include "settings/run_settings.h"
#include "workload/sql/clients/clients.h"
#include "workload/sql/database.h"

namespace drover::benchmark {

struct SqlBenchmarkOptions {
  sql::ScriptPlan plan = {};
  // prepare() reads the scale from the tables of the built-in scripts.
  bool counts_branches = false;
  std::optional<database::Isolation> isolation = {};  // none: that of the server and the scripts
};

class SqlBenchmark final : public run::Benchmark {
 public:
  // The database must outlive the benchmark.
  SqlBenchmark(SqlBenchmarkOptions options, const sql::Database& database);

  load::Plan& plan() noexcept override { return options_.plan; }
  coro::Task<database::ServerFacts> prepare() override;
  std::optional<double> transactions_a_second() const override { return rate_of(options_.plan); }
  double connections_wanted() const override {
    return static_cast<double>(options_.plan.terminal_count);
  }
  std::size_t threads_most() const override { return options_.plan.terminal_count; }
  std::size_t threads_without_rate() const override {
    return threads_of_closed_loop(options_.plan);
  }
  std::uint64_t terminals_of(const load::Share& share) const override {
    return share.of(options_.plan.clients);
  }
  void complete(settings::RunSettings& settings) override;
  std::string title() const override { return settings_.protocol; }
  std::vector<std::string> notes() const override;
  load::WorkloadFactory workload(std::function<void(std::string_view)> on_note) override;
  const database::ObservedServer* server() const override { return &database_; }
  coro::Task<void> ask_afterwards(coro::Duration) override { co_return; }
  void add_to(const load::Outcome& outcome, report::Result& result) const override;

  // Returns a line with the first failure of each script that failed. Requires: the run has ended.
  std::vector<std::string> first_failures() const;

 private:
  SqlBenchmarkOptions options_;
  const sql::Database& database_;
  settings::RunSettings settings_;
  database::Pooling pooling_ = database::Pooling::none;
  database::Dialect dialect_ = database::Dialect::postgres;
  std::string isolation_;  // the server's default, or options_.isolation
  std::optional<sql::RunCounts> counts_;
};

}  // namespace drover::benchmark
