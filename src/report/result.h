// The result of a run: everything that is known at its end, in one plain value.
//
// A Result is made once, by the end of a run; the file, the summary and comparisons are made of
// it and of nothing else. Values only: no thread safety of its own, copy it freely.
//
// Counts add up, and count_errors() says where they do not:
//   all      = ok + user aborted + failed
//   attempts = all + retries
// All figures are those of the measurement interval, unless they say otherwise. It is not tied to
// TPC-C: transactions are a list of names.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "measure/histogram.h"
#include "measure/host.h"

namespace drover::report {

// Raised when a field changes its meaning or goes away; a new field alone does not raise it.
inline constexpr int result_schema_version = 1;

// What 10 terminals of one warehouse can do at most with the times of clause 5.2.5.
inline constexpr double tpmc_per_warehouse_max = 12.86;

struct Tool {
  std::string name = "drover";
  std::string version;
  std::string commit;
  std::string compiler;
};

// What was asked for, with every "auto" resolved. Never a password or a connection string.
struct PlanSummary {
  std::string benchmark = "tpcc";
  std::uint64_t warehouses = 0;
  double duration_s = 0;
  double warmup_s = 0;
  std::uint64_t threads = 0;
  std::uint64_t connections = 0;
  std::uint64_t max_inflight = 0;
  bool no_delays = false;
  double pace = 1.0;  // keying and think times were divided by it
  std::uint64_t seed = 0;
  std::string statements;  // "batched" or "single"
  std::string schema;
  std::string isolation;
  std::optional<double> simulate_ms;  // there was no database
};

struct Server {
  std::string version;
  std::map<std::string, std::string> settings;  // as SHOW prints them
};

struct Environment {
  measure::Host client;
  std::optional<Server> server;  // none if transactions were simulated
};

struct Summary {
  std::string name = "Total";         // the word of YDB's CLI, which scripts may look for
  double time_seconds = 0;            // the measured interval as it was, not as it was planned
  std::int64_t measure_start_ts = 0;  // Unix time, seconds
  std::uint64_t warehouses = 0;
  std::uint64_t new_orders = 0;  // committed New-Orders
  double tpmc = 0;
  double efficiency = 0;  // percent, never clipped; see efficiency_is_meaningful()
  // Half the width of the 95% confidence interval of the efficiency, in percentage points.
  double efficiency_sampling_error = 0;
};

struct TransactionResult {
  std::string name;
  std::uint64_t ok_count = 0;            // committed
  std::uint64_t user_aborted_count = 0;  // rolled back because the inputs asked for it
  std::uint64_t failed_count = 0;        // given up, or not to be retried
  std::uint64_t retry_count = 0;
  std::uint64_t attempts = 0;  // counted on its own, so that the sum can be checked

  // Committed transactions, from the end of keying to the answer: waits of ours included.
  measure::HistogramSnapshot latency;
  // The part of it that was spent waiting for a permit and a connection.
  measure::HistogramSnapshot wait;

  // Every attempt that ended in an error, so that each of them sums to failed + retries.
  std::map<std::string, std::uint64_t> errors_by_class;
  std::map<std::string, std::uint64_t> errors_by_sqlstate;  // only where there was one

  // What the 90th percentile must not exceed (TPC-C: clause 5.2.5.7), seconds.
  std::optional<double> latency_limit_s;

  std::uint64_t all_count() const { return ok_count + user_aborted_count + failed_count; }
  // Nothing if there is no limit or nothing was measured.
  std::optional<bool> holds_latency_limit() const;
};

struct ClientCost {
  double cpu_seconds = 0;            // of the measurement interval
  std::uint64_t peak_rss_bytes = 0;  // of the whole life of the process
  std::uint64_t threads = 0;
  std::uint64_t terminals = 0;
  std::uint64_t connections = 0;
  std::vector<double> worker_loads;  // 0..1: the share of the interval that each worker was busy

  double busiest_worker_load() const;
};

struct TimePoint {
  double t = 0;                   // seconds since the run began: the end of this interval
  std::string phase;              // "ramp-up", "warm-up", "measure"
  std::vector<std::uint64_t> ok;  // parallel to Result::transactions
  std::uint64_t failed = 0;
  double p50_ms = 0;
  double p90_ms = 0;
  double p99_ms = 0;
  std::uint64_t in_flight = 0;
  std::uint64_t waiting = 0;  // terminals that wait for a permit or a connection
};

struct Verdict {
  std::string name;
  bool ok = false;
  std::string text;
};

struct Result {
  Tool tool;
  PlanSummary plan;
  Environment environment;
  Summary summary;
  std::vector<TransactionResult> transactions;
  std::uint64_t delivery_skipped_districts = 0;
  ClientCost client;
  std::vector<TimePoint> time_series;
  std::vector<Verdict> verdicts;
  bool interrupted = false;

  const TransactionResult* find_transaction(const std::string& name) const;
  std::uint64_t all_count() const;        // of all transactions
  double cpu_us_per_transaction() const;  // client CPU over all_count(); 0 if there were none
  measure::HistogramSnapshot all_waits() const;
  // Without delays terminals are as fast as the database: nothing to be efficient against.
  bool efficiency_is_meaningful() const { return !plan.no_delays; }
};

// The five of TPC-C with the names of YDB's CLI and the limits of clause 5.2.5.7, in the order
// NewOrder, Payment, OrderStatus, Delivery, StockLevel.
std::vector<TransactionResult> tpcc_transactions();

// Fills in new_orders, tpmc, efficiency and its error, of the transactions, the plan and
// summary.time_seconds: call it once these are there.
void complete_summary(Result& result);

// A sentence for each count that does not add up; none if all is well.
std::vector<std::string> count_errors(const Result& result);

}  // namespace drover::report
