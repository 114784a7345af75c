// A result with something in every field, for the tests of this folder.
#pragma once

#include "report/result.h"

namespace drover::report {

inline Result example_result() {
  Result result;
  result.tool = {"drover", "0.1.0", "abc1234", "clang 19.1.7"};
  result.plan.warehouses = 10;
  result.plan.duration_s = 60;
  result.plan.warmup_s = 5.5;
  result.plan.threads = 2;
  result.plan.connections = 16;
  result.plan.max_inflight = 64;
  result.plan.seed = 18'446'744'073'709'551'615u;
  result.plan.statements = "batched";
  result.plan.schema = "public";
  result.plan.isolation = "read committed";
  result.environment.client = {"herd", "Debian 12, Linux 6.1", 2, "Xeon"};
  result.environment.server =
      Server{"15.8", {{"fsync", "off"}, {"synchronous_commit", "on"}, {"shared_buffers", "1GB"}}};
  result.summary.time_seconds = 60.25;
  result.summary.measure_start_ts = 1'763'670'000;
  result.transactions = tpcc_transactions();
  TransactionResult& new_order = result.transactions[0];
  new_order.ok_count = 120;
  new_order.user_aborted_count = 2;
  new_order.failed_count = 1;
  new_order.retry_count = 4;
  new_order.attempts = 127;
  for (std::uint64_t i = 1; i <= 120; ++i) {
    new_order.latency.record(i * 1'000'000);
    new_order.wait.record(i * 1'000);
  }
  new_order.errors_by_class = {{"retryable", 4}, {"fatal", 1}};
  new_order.errors_by_sqlstate = {{"40001", 4}, {"XX000", 1}};
  TransactionResult& stock_level = result.transactions[4];
  stock_level.ok_count = 1;
  stock_level.attempts = 1;
  stock_level.latency.record(30'000'000'000);
  stock_level.wait.record(1'000);
  result.delivery_skipped_districts = 3;
  result.client = {1.25, 50u << 20, 4, 100, 16, {0.01, 0.25}};
  result.time_series = {{1, "warm-up", {5, 4, 1, 0, 0}, 0, 1.5, 2.5, 3.5, 2, 1},
                        {2, "measure", {6, 5, 0, 1, 1}, 1, 1.25, 2.25, 3.25, 3, 0}};
  result.verdicts = {{"mix", true, "within the minima of clause 5.2.3"},
                     {"client", false, "the client was overloaded"}};
  complete_summary(result);
  return result;
}

}  // namespace drover::report
