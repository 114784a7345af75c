// A result with something in every field, for the tests of this folder.
#pragma once

#include "report/audit/audit.h"
#include "report/document/result.h"

namespace drover::report {

inline void fill_example_transactions(Result& result) {
  result.transactions = tpcc_transactions();
  TransactionResult& new_order = result.transactions[0];
  new_order.ok_count = 120;
  new_order.user_aborted_count = 2;
  new_order.failed_count = 4;
  new_order.retry_count = 4;
  new_order.attempts = 130;
  new_order.ambiguous = {.committed = 1, .not_committed = 1, .unresolved = 1};
  for (std::uint64_t i = 1; i <= 120; ++i) {
    new_order.latency.record(i * 1'000'000);
    new_order.wait.record(i * 1'000);
    new_order.keying.record(18'000'000'000 + i * 1'000);
    new_order.think.record(i * 200'000'000);
  }
  new_order.errors_by_class = {{"retryable", 4}, {"statement", 1}, {"ambiguous_commit", 3}};
  new_order.errors_by_sqlstate = {{"40001", 4}, {"XX000", 1}};
  TransactionResult& stock_level = result.transactions[4];
  stock_level.ok_count = 12;
  stock_level.attempts = 12;
  for (int i = 0; i < 12; ++i) {
    stock_level.latency.record(30'000'000'000);
    stock_level.wait.record(1'000);
  }
  // One of three that were pending had waited for longer than the others, to no avail.
  stock_level.pending.count = 3;
  stock_level.pending.answered = 1;
  stock_level.pending.unanswered.record(30'000'000'000);
  for (int i = 0; i < 2; ++i) stock_level.latency.record(30'000'000'000);
}

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
  result.plan.on_db_loss = "wait";
  result.plan.statement_timeout_s = 2.5;
  result.plan.max_inflight_chosen = true;
  result.plan.deferred_delivery = true;
  result.environment.client = {"herd", "Debian 12, Linux 6.1", 2, "Xeon"};
  result.environment.server =
      Server{"15.8", {{"fsync", "off"}, {"synchronous_commit", "on"}, {"shared_buffers", "1GB"}}};
  result.summary.time_seconds = 60.25;
  result.summary.measure_start_ts = 1'763'670'000;
  fill_example_transactions(result);
  result.inputs = {.new_orders = 122,
                   .new_orders_rolled_back = 2,
                   .order_lines = 1'230,
                   .order_lines_remote = 13,
                   .payments = 110,
                   .payments_remote = 17,
                   .payments_by_name = 66,
                   .order_statuses = 12,
                   .order_statuses_by_name = 7,
                   .deliveries = 11};
  result.delivery_skipped_districts = 3;
  result.deferred_delivery.emplace();
  result.deferred_delivery->queued = 14;
  result.deferred_delivery->completed = 11;
  result.deferred_delivery->failed = 1;
  result.deferred_delivery->unfinished = 2;
  for (std::uint64_t i = 1; i <= 11; ++i) {
    result.deferred_delivery->latency.record(i * 100'000'000);
  }
  result.availability = {.outages = {{20.5, 31.25, 9, "server closed the connection"},
                                     {60, std::nullopt, 0, "the database system is starting up"}},
                         .stalls = {{35, 36.5}, {58.25, std::nullopt}},
                         .interruptions = 1,
                         .sessions_lost = 17,
                         .sessions_reopened = 16,
                         .unavailable_s = 16.5,
                         .stalled_s = 9};
  result.ledger = {.new_orders = 131,
                   .payments = 118,
                   .payment_cents = 29'500'050,
                   .deliveries = 12,
                   .orders_delivered = 117,
                   .exact = false};
  result.ledger_in_data =
      LedgerInData{.new_orders = 132, .payment_cents = 29'500'050, .orders_delivered = 117};
  result.client.cpu_seconds = 1.25;
  result.client.peak_rss_bytes = 50u << 20;
  result.client.threads = 3;
  result.client.terminals = 100;
  result.client.connections = 16;
  result.client.terminals_up_s = 0.125;
  result.client.workers = {{0.01, 0.002, 0.05}, {0.25, 0.01, 0.125}};
  result.client.run_queue_known = true;
  for (std::uint64_t i = 1; i <= 100; ++i) result.client.timer_lag.record(i * 10'000);
  result.time_series = {{1, "warm-up", {5, 4, 1, 0, 0}, 0, 1.5, 2.5, 3.5, 2, 1, 0, 0.25},
                        {2, "measure", {6, 5, 0, 1, 1}, 1, 1.25, 2.25, 3.25, 3, 0, 2, 0.125}};
  result.checkpoints = {{0, 12.5, true}, {50, std::nullopt, false}};
  complete_summary(result);
  result.audit = {{"mix", "5.2.3", Judgement::held, "Payment 43.5%"},
                  {"availability", "", Judgement::broken, "2 outages in the measurement interval"},
                  {"client.load", "", Judgement::invalid,
                   "a worker needed 96% of a processor; use more --threads"},
                  {"interval", "5.5.2", Judgement::not_judged, "1 min measured"}};
  result.failure = "the database was away for longer than it may";
  return result;
}

}  // namespace drover::report
