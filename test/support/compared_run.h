// For tests and the study of `drover compare`: results with given figures, as runs of 60 s without
// delays give them.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "report/document/result.h"

namespace drover::report {

struct ComparedRun {
  double tpmc = 3000;
  double new_order_ms = 5;  // every percentile of it
  std::int64_t start_ts = 1'763'670'000;
  std::uint64_t failed = 0;
};

inline Result compared_result(const ComparedRun& run) {
  Result result;
  result.tool = {"drover", "0.1.0", "abc1234", "clang 19.1.7"};
  result.plan.warehouses = 10;
  result.plan.duration_s = 60;
  result.plan.connections = 16;
  result.plan.max_inflight = 16;
  result.plan.no_delays = true;
  result.plan.statements = "batched";
  result.plan.isolation = "read committed";
  result.environment.client = {"herd", "Debian 12", 2, "Xeon"};
  result.environment.server = Server{"15.8",
                                     {{"fsync", "off"},
                                      {"synchronous_commit", "off"},
                                      {"full_page_writes", "off"},
                                      {"shared_buffers", "1GB"}}};
  result.summary.time_seconds = 60;
  result.summary.measure_start_ts = run.start_ts;
  result.transactions = tpcc_transactions();
  TransactionResult& new_order = result.transactions[0];
  new_order.ok_count = static_cast<std::uint64_t>(std::llround(run.tpmc));
  new_order.failed_count = run.failed;
  new_order.attempts = new_order.ok_count + run.failed;
  new_order.latency.record(static_cast<std::uint64_t>(std::llround(run.new_order_ms * 1e6)));
  complete_summary(result);
  // Not rounded to whole New-Orders.
  result.summary.tpmc = run.tpmc;
  return result;
}

// A run for each figure, an hour apart, `minutes_later` behind those of another side.
inline std::vector<Result> compared_results(const std::vector<double>& tpmcs,
                                            std::int64_t minutes_later = 0) {
  std::vector<Result> results;
  for (std::size_t i = 0; i < tpmcs.size(); ++i) {
    ComparedRun run;
    run.tpmc = tpmcs[i];
    run.start_ts += static_cast<std::int64_t>(i) * 3600 + minutes_later * 60;
    results.push_back(compared_result(run));
  }
  return results;
}

struct ComparedSides {
  std::vector<Result> base;
  std::vector<Result> new_runs;
};

// The same in the order base, new, new, base, base, new, …: neighbours change places from each pair
// to the next. Requires: as many figures of each.
inline ComparedSides compared_in_turns(const std::vector<double>& base,
                                       const std::vector<double>& new_runs) {
  constexpr std::int64_t half_an_hour_s = 1800;
  ComparedSides sides{compared_results(base), compared_results(new_runs)};
  for (std::size_t k = 0; k < base.size(); ++k) {
    Result& later = k % 2 == 0 ? sides.new_runs[k] : sides.base[k];
    later.summary.measure_start_ts += half_an_hour_s;
  }
  return sides;
}

}  // namespace drover::report
