#include "benchmark/sql/sql_benchmark.h"

#include <fmt/format.h>

#include <utility>

#include "text/utf8.h"
#include "workload/sql/script/script_set.h"

namespace drover::benchmark {

using coro::Task;

std::vector<std::string> SqlBenchmark::notes() const {
  std::vector<std::string> notes =
      sql::undefined_variable_notes(*options_.plan.scripts, options_.plan.definitions);
  note_share(notes);
  return notes;
}

Task<database::ServerFacts> SqlBenchmark::prepare() {
  sql::ScriptPreparation prepared = co_await database_.prepare(options_.counts_branches);
  if (prepared.branches) options_.plan.scale = *prepared.branches;
  if (options_.isolation && options_.counts_branches) {
    co_await database_.require_isolation(*options_.isolation);
  }
  isolation_ = options_.isolation ? database::isolation_name(*options_.isolation)
                                  : prepared.server.settings["default_transaction_isolation"];
  server_ = prepared.server;
  co_return std::move(prepared.server);
}

void SqlBenchmark::complete(settings::RunSettings& settings) {
  sql::ScriptPlan& plan = options_.plan;
  plan.workload = workload_info(plan);
  complete_client_settings(settings);
  settings.isolation = isolation_;
  settings.protocol = sql::protocol_name(plan.scripts->protocol());
  for (std::size_t i = 0; i < plan.scripts->titles().size(); ++i) {
    const double percent = plan.scripts->shares()[i] * 100;
    settings.workload.push_back({plan.scripts->titles()[i], fmt::format("{:g}%", percent)});
  }
  for (const sql::VariableDefinition& one : plan.definitions) {
    const bool is_hidden = text::may_hold_password(one.name + "=" + one.value);
    settings.workload.push_back({"-D " + one.name, is_hidden ? "(hidden)" : one.value});
  }
  if (options_.counts_branches || plan.scale != 1)
    settings.workload.push_back({"scale", std::to_string(plan.scale)});
  settings_ = settings;
  counts_.emplace(plan);
}

load::WorkloadFactory SqlBenchmark::workload(std::function<void(std::string_view)>) {
  const auto backends = [this](std::size_t index) {
    sql::ScriptBackendSettings settings;
    settings.run = settings_;
    settings.protocol = options_.plan.scripts->protocol();
    settings.isolation = options_.isolation.value_or(settings.isolation);
    complete_backend_settings(index, server_, settings);
    return database_.make_backend(std::move(settings));
  };
  return sql::make_clients(options_.plan, backends, *counts_);
}

std::vector<std::string> SqlBenchmark::first_failures() const {
  std::vector<std::string> lines;
  const std::vector<std::string>& titles = options_.plan.scripts->titles();
  for (std::size_t i = 0; i < titles.size(); ++i) {
    for (const sql::WorkerCounts& worker : counts_->workers) {
      if (worker.first_failures[i].empty()) continue;
      lines.push_back(fmt::format("{} failed first by: {}", titles[i], worker.first_failures[i]));
      break;
    }
  }
  return lines;
}

void SqlBenchmark::add_to(const load::Outcome& /*outcome*/, report::Result& result) const {
  static_assert(sql::statements_with_figures_max <= report::statements_max);
  for (const sql::Statement& statement : options_.plan.scripts->statements()) {
    auto& list = result.transactions[statement.script].statements;
    if (!statement.has_figures) continue;
    report::StatementResult& entry = list.emplace_back();
    entry.name = fmt::format("line {}: {}", statement.position.line, statement.title);
    for (const sql::WorkerCounts& worker : counts_->workers) {
      const sql::StatementCounts& counts = *worker.statements[statement.number];
      entry.failed_count += counts.failures.get();
      entry.ok_count += counts.executions.get() - counts.failures.get();
      counts.latency.add_to(entry.latency);
    }
  }
}

}  // namespace drover::benchmark
