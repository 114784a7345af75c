// A run of scripts.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "benchmark/clients.h"
#include "workload/sql/clients/clients.h"
#include "workload/sql/database.h"

namespace drover::benchmark {

struct SqlBenchmarkOptions {
  sql::ScriptPlan plan = {};
  bool counts_branches =
      false;  // prepare() reads the scale from the tables of the built-in scripts
  std::optional<database::Isolation> isolation = {};  // none: chosen by the server and the scripts
};

class SqlBenchmark final : public ClientBenchmark<SqlBenchmarkOptions, sql::Database> {
 public:
  SqlBenchmark(SqlBenchmarkOptions options, const sql::Database& database)
      : ClientBenchmark(std::move(options), database) {}

  coro::Task<database::ServerFacts> prepare() override;
  void complete(settings::RunSettings& settings) override;
  std::string title() const override { return settings_.protocol; }
  std::vector<std::string> notes() const override;
  load::WorkloadFactory workload(std::function<void(std::string_view)> on_note) override;
  coro::Task<void> ask_afterwards(coro::Duration) override { co_return; }
  void add_to(const load::Outcome& outcome, report::Result& result) const override;

  // Returns a line with the first failure of each script that failed. Requires: the run has ended.
  std::vector<std::string> first_failures() const;

 private:
  database::ServerFacts server_;
  std::string isolation_;  // the server's default, or options_.isolation
  std::optional<sql::RunCounts> counts_;
};

}  // namespace drover::benchmark
