// A result with something in every field, for the tests of this folder.
#pragma once

#include <array>
#include <vector>

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
  new_order.error_messages = {{"XX000", "tuple concurrently updated"}};
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
  result.plan.max_attempts = 20;
  result.plan.terminals = 100;
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
  Availability& availability = result.availability;
  availability.outages = {{20.5, 31.25, 9, "server closed the connection"},
                          {60, std::nullopt, 0, "the database system is starting up"}};
  availability.stalls = {{35, 36.5}, {58.25, std::nullopt}};
  availability.interruptions = 1;
  availability.sessions_lost = 17;
  availability.sessions_ended_idle = 3;
  availability.sessions_reopened = 16;
  availability.sessions_refused = 42;
  availability.sessions_renewed = 5;
  availability.run_start_ts = 1'763'669'994.5;
  availability.unavailable_s = 16.5;
  availability.stalled_s = 9;
  result.warehouse_availability = {.away = {}, .away_s = 0, .available_percent = 72.5};
  result.ledger = {.new_orders = 131,
                   .payments = 118,
                   .payment_cents = 29'500'050,
                   .deliveries = 12,
                   .orders_delivered = 117,
                   .exact = false};
  result.ledger_in_data =
      LedgerInData{.new_orders = 132, .payment_cents = 29'500'050, .orders_delivered = 117};
  result.lost_commits = {.new_orders = 1,
                         .payments = 1,
                         .payment_cents = 4'250,
                         .deliveries = 1,
                         .orders_delivered = 10,
                         .complete = false,
                         .commits = {{.transaction = "NewOrder",
                                      .answered_ts = 1'763'670'014.5,
                                      .w_id = 7,
                                      .d_id = 3,
                                      .o_id = 3'017,
                                      .c_id = 42},
                                     {.transaction = "Payment",
                                      .answered_ts = 1'763'670'014.75,
                                      .w_id = 7,
                                      .d_id = 4,
                                      .amount_cents = 4'250,
                                      .mark = 999'999},
                                     {.transaction = "Delivery",
                                      .answered_ts = 1'763'670'015,
                                      .w_id = 9,
                                      .carrier_id = 10,
                                      .mark = 0}}};
  result.client.cpu_seconds = 1.25;
  result.client.peak_rss_bytes = 50u << 20;
  result.client.threads = 3;
  result.client.terminals = 100;
  result.client.connections = 16;
  result.client.terminals_up_s = 0.125;
  result.client.workers = {{0.01, 0.002, 0.05}, {0.25, 0.01, 0.125}};
  result.client.run_queue_known = true;
  for (std::uint64_t i = 1; i <= 100; ++i) result.client.timer_lag.record(i * 10'000);
  result.time_series = {{{{5, 4, 1, 0, 0}, 0, 1.5, 2.5, 3.5, 2, 1, 0, 0.25}, 1, "warm-up"},
                        {{{6, 5, 0, 1, 1}, 1, 1.25, 2.25, 3.25, 3, 0, 2, 0.125}, 2, "measure"}};
  result.checkpoints = {{0, 12.5, true}, {50, std::nullopt, false}};
  result.plan.server_stats = true;
  result.server_stats.emplace();
  result.server_stats->samples_measured = 4;
  result.server_stats->wait_events = {
      {"IO:WALSync", 2.5}, {"CPU", 1.25}, {"Client:ClientRead", 0.25}};
  result.server_stats->samples = {{0.5, {{"CPU", 3}}}, {1.5, {{"CPU", 1}, {"IO:WALSync", 2}}}};
  result.server_stats->statements.emplace().push_back(
      {"UPDATE stock SET s_quantity = $1 WHERE s_i_id = $2", 1'000, 1'250, 9'876});
  result.plan.connection_max_age_s = 3'300;
  result.plan.balance = true;
  result.plan.affinity = true;
  result.hosts = {{{150, 1, {}}, "db1:5432", 9}, {{130, 0, {}}, "db2:5433", 7}};
  for (std::uint64_t i = 1; i <= 150; ++i) result.hosts[0].service.record(i * 100'000);
  for (std::uint64_t i = 1; i <= 130; ++i) result.hosts[1].service.record(i * 200'000);
  complete_summary(result);
  result.audit = {{"mix", "5.2.3", Judgement::held, "Payment 43.5%"},
                  {"availability", "", Judgement::broken, "2 outages in the measurement interval"},
                  {"client.load", "", Judgement::invalid,
                   "a worker needed 96% of a processor; use more --threads"},
                  {"interval", "5.5.2", Judgement::not_judged, "1 min measured"}};
  result.failure = "the database was away for longer than it may";
  return result;
}

// What both examples of other benchmarks have: 60 s on PostgreSQL, in which nothing went wrong.
inline Result example_of_others(const char* benchmark, std::vector<const char*> names) {
  Result result;
  result.tool = {"drover", "0.1.0", "abc1234", "clang 19.1.7"};
  result.plan.benchmark = benchmark;
  result.plan.duration_s = 60;
  result.plan.warmup_s = 5;
  result.plan.threads = 2;
  result.plan.clients = result.plan.connections = result.plan.max_inflight = 32;
  result.plan.seed = 7;
  result.plan.isolation = "read committed";
  result.plan.on_db_loss = "wait";
  result.environment.client = {"herd", "Debian 12, Linux 6.1", 2, "Xeon"};
  result.environment.server = Server{"15.8", {{"fsync", "on"}, {"synchronous_commit", "on"}}};
  result.summary.time_seconds = 60;
  result.summary.measure_start_ts = 1'763'670'000;
  for (const char* name : names) result.transactions.emplace_back().name = name;
  result.client.cpu_seconds = 6;
  result.client.peak_rss_bytes = 50u << 20;
  result.client.threads = 3;
  result.client.terminals = 32;
  result.client.connections = 32;
  result.client.workers = {{0.25, 0.002, 0.05}, {0.25, 0.01, 0.05}};
  result.client.run_queue_known = true;
  return result;
}

// Adds committed transactions; latencies rise evenly up to twice the mean.
inline void add_commits(TransactionResult& one, std::uint64_t count, std::uint64_t mean_us) {
  one.ok_count += count;
  one.attempts += count;
  for (std::uint64_t i = 1; i <= count; ++i) {
    one.latency.record(2'000 * mean_us * i / count);
    one.wait.record(1'000);
  }
}

// A read-modify-write beside reads, in an open loop of 100 a second.
inline Result example_ycsb_result() {
  Result result = example_of_others("ycsb", {"READ", "READ-MODIFY-WRITE", "INSERT"});
  result.plan.rate = 100;
  result.plan.arrivals = "poisson";
  result.plan.schema = "public";
  result.plan.workload = {{"recordcount", "1000"},
                          {"requestdistribution", "zipfian"},
                          {"readproportion", "0.5"},
                          {"readmodifywriteproportion", "0.45"},
                          {"insertproportion", "0.05"}};
  const std::array<std::uint64_t, 3> counts = {3'000, 2'700, 300};
  const std::array<double, 3> shares = {0.5, 0.45, 0.05};
  for (std::size_t i = 0; i < counts.size(); ++i) {
    TransactionResult& one = result.transactions[i];
    add_commits(one, counts[i], 4'000);
    one.share = shares[i];
    for (std::uint64_t k = 1; k <= counts[i]; ++k) one.service.record(4'000'000 * k / counts[i]);
  }
  result.accounts = {{"updates", 2'950, 2'950, 0}, {"inserts", 310, 310, 0}};
  result.verification = Verification{.values = 30'000};
  result.backlog = 3;
  result.time_series = {{{{50, 45, 5}, 0, 1.25, 2.25, 3.25, 3, 1, 0, 0.25}, 1, "measure"}};
  result.audit = {{"mix", "", Judgement::held, "READ 50.00%"},
                  {"rate", "", Judgement::held, "100 of 100 transactions a second asked for"}};
  return result;
}

// Two scripts, weighted 3 to 1, in a closed loop.
inline Result example_sql_result() {
  Result result = example_of_others("sql", {"transfer.sql", "look up.sql"});
  result.plan.protocol = "prepared";
  result.plan.operations = 4'000;
  result.plan.workload = {
      {"transfer.sql", "weight 3"}, {"look up.sql", "weight 1"}, {"-D naccounts", "1000"}};
  const std::array<std::uint64_t, 2> counts = {3'000, 1'000};
  for (std::size_t i = 0; i < counts.size(); ++i) {
    TransactionResult& one = result.transactions[i];
    add_commits(one, counts[i], 2'000);
    one.share = i == 0 ? 0.75 : 0.25;
    for (const char* name : {"1 UPDATE accounts SET", "2 SELECT balance <b>"}) {
      StatementResult& statement = one.statements.emplace_back();
      statement.name = name;
      statement.ok_count = counts[i];
      statement.failed_count = i;
      for (std::uint64_t k = 0; k < counts[i]; ++k) statement.latency.record(500'000);
    }
  }
  result.time_series = {{{{50, 17}, 0, 1.25, 2.25, 3.25, 3, 1, 0, 0.25}, 1, "measure"}};
  result.audit = {{"mix", "", Judgement::held, "transfer.sql 75.00%, look up.sql 25.00%"}};
  return result;
}

}  // namespace drover::report
