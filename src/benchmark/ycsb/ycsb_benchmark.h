// A run of YCSB.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "database/server.h"
#include "run/benchmark.h"
#include "settings/run_settings.h"
#include "workload/ycsb/clients/clients.h"
#include "workload/ycsb/clients/plan.h"
#include "workload/ycsb/database.h"

namespace drover::benchmark {

// What the options say of it.
struct YcsbOptions {
  ycsb::Plan plan = {};
  std::optional<database::Isolation> isolation = {};  // none: as the server has it
  bool verify = false;                                // what is read
  bool all_rows = false;                              // that are there: nobody has said how many
  // By the host that gathers the run (found_for_all()); empty: prepare() asks itself.
  std::string found = {};
};

class YcsbBenchmark final : public run::Benchmark {
 public:
  // The database must outlive the benchmark.
  YcsbBenchmark(YcsbOptions options, const ycsb::Database& database);

  load::Plan& plan() noexcept override { return options_.plan; }
  coro::Task<database::ServerFacts> prepare() override;
  std::optional<double> transactions_a_second() const override;
  double connections_wanted() const override {
    return static_cast<double>(options_.plan.terminal_count);
  }
  std::size_t threads_most() const override { return options_.plan.terminal_count; }
  std::size_t threads_without_rate() const override;
  std::uint64_t terminals_of(const load::Share& share) const override {
    return share.of(options_.plan.clients);
  }
  void complete(settings::RunSettings& settings) override;
  std::string title() const override { return settings_.isolation; }
  std::vector<std::string> notes() const override;
  load::WorkloadFactory workload(std::function<void(std::string_view)> on_note) override;
  const database::ObservedServer* server() const override { return &database_; }
  coro::Task<void> ask_afterwards(coro::Duration patience) override;
  void add_to(const load::Outcome& outcome, report::Result& result) const override;

  // Where several runs wrote, none of them can ask how many rows and versions came of its own: only who has asked before
  // they began, and asks when they have ended.
  coro::Task<void> ask_what_all_wrote(coro::Duration patience) override {
    return ask_afterwards(patience);
  }
  std::string found_for_all() const override;
  void complete_accounts(report::Result& merged) const override;

 private:
  void take_all_rows();

  YcsbOptions options_;
  database::Isolation isolation_ = database::Isolation::read_committed;  // once it is prepared
  const ycsb::Database& database_;
  settings::RunSettings settings_;
  ycsb::RunPreparation prepared_;
  std::optional<ycsb::RunRecords> records_;
  std::optional<ycsb::TableSums> after_;
};

}  // namespace drover::benchmark
