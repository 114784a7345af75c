// YCSB as a benchmark of drover run (run/benchmark.h).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "benchmark/clients.h"
#include "database/server.h"
#include "workload/ycsb/clients/clients.h"
#include "workload/ycsb/database.h"

namespace drover::benchmark {

struct YcsbOptions {
  ycsb::Plan plan = {};
  std::optional<database::Isolation> isolation = {};  // none: the server's default
  bool verify = false;                                // the values that are read
  bool all_rows = false;                              // use all existing rows of the table
  // The coordinator's found_for_all(). Empty: prepare() reads the table.
  std::string found = {};
};

class YcsbBenchmark final : public ClientBenchmark<YcsbOptions, ycsb::Database> {
 public:
  YcsbBenchmark(YcsbOptions options, const ycsb::Database& database)
      : ClientBenchmark(std::move(options), database) {}

  coro::Task<database::ServerFacts> prepare() override;
  void complete(settings::RunSettings& settings) override;
  std::string title() const override { return settings_.isolation; }
  std::vector<std::string> notes() const override;
  load::WorkloadFactory workload(std::function<void(std::string_view)> on_note) override;
  coro::Task<void> ask_afterwards(coro::Duration patience) override;
  void add_to(const load::Outcome& outcome, report::Result& result) const override;

  // Called on the coordinator: the change of the table's sums is what all hosts have written.
  coro::Task<void> ask_what_all_wrote(coro::Duration patience) override {
    return ask_afterwards(patience);
  }
  std::string found_for_all() const override;
  void complete_accounts(report::Result& merged) const override;

 private:
  void take_all_rows();

  database::Isolation isolation_ = database::Isolation::read_committed;  // after prepare()
  ycsb::RunPreparation prepared_;
  std::optional<ycsb::RunRecords> records_;
  std::optional<ycsb::TableSums> after_;
};

}  // namespace drover::benchmark
