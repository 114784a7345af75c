// Result: everything that is known at the end of a run, as one plain value. The result file, the
// summary, reports and comparisons use nothing else. result_fields.h has the bounds of each member
// and its description in the document.
//
// Counts add up, and count_errors() reports where they do not:
//   all       = ok + user aborted + failed
//   attempts  = all + retries
//   latencies = ok + pending.answered + pending.unanswered
//   failed    = transactions without an answer of success, unknown commits included
// Figures are those of the measured interval unless a comment says otherwise. Sections of TPC-C are
// empty in results of other benchmarks.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "measure/histogram.h"
#include "measure/process.h"
#include "model/totals.h"
#include "settings/run_settings.h"

namespace drover::report {

// Rises when a field is removed or changes its meaning. A new field does not raise it.
inline constexpr int result_schema_version = 1;

// The highest tpmC of one warehouse with the keying and think times of clause 5.2.5.
inline constexpr double tpmc_per_warehouse_max = 12.86;

struct Tool {
  std::string name = "drover";
  std::string version;
  std::string commit;
  std::string compiler;
};

struct Server {
  std::string version;                          // empty if the server reports none
  std::map<std::string, std::string> settings;  // PostgreSQL: as SHOW prints them
  std::string kind = "PostgreSQL";              // or "YDB", or a relative of PostgreSQL

  // Returns "PostgreSQL 15.20" or "YDB".
  std::string name() const { return version.empty() ? kind : kind + " " + version; }
};

struct Environment {
  measure::Host client;
  std::optional<Server> server;  // none if transactions are simulated
};

struct Summary {
  std::string name = "Total";         // as in the output of YDB's CLI
  double time_seconds = 0;            // actual length of the measured interval
  std::int64_t measure_start_ts = 0;  // Unix time, seconds
  // TPC-C:
  std::uint64_t warehouses = 0;
  std::uint64_t new_orders = 0;  // committed New-Orders
  double tpmc = 0;
  double efficiency = 0;                 // percent, not clipped; see efficiency_is_meaningful()
  double efficiency_sampling_error = 0;  // half of the 95% interval, in percentage points
};

// Transactions that clients waited for when the measured interval ended. They are in no other
// count. The latencies contain those that were late (see late_after_ns): with their latency if
// their commit was answered after the interval, otherwise with the time waited, which is a lower
// bound.
struct Pending {
  std::uint64_t count = 0;
  std::uint64_t answered = 0;             // late, in the latencies with their latency
  measure::HistogramSnapshot unanswered;  // late, in the latencies with a lower bound
};

// Returns the wait after which a pending transaction is late: twice the median latency, plus 0.1 s.
inline std::uint64_t late_after_ns(const measure::HistogramSnapshot& committed) {
  return 2 * committed.percentile_ns(50) + 100'000'000;
}

// A statement of a script, retried attempts included.
struct StatementResult {
  std::string name;
  std::uint64_t ok_count = 0;
  std::uint64_t failed_count = 0;
  measure::HistogramSnapshot latency;  // of successful executions
};

// The most elements that a reader accepts: statements of a transaction, and transactions (pgbench's
// limit of scripts).
inline constexpr std::size_t statements_max = 100;
inline constexpr std::size_t transactions_max = 128;

struct TransactionResult : model::Totals {
  std::string name;
  Pending pending;
  std::vector<StatementResult> statements;  // of scripts, in their order
  std::optional<double> share;              // planned share of all transactions: 0 to 1
  // Limit of the 90th percentile (TPC-C: clause 5.2.5.7), seconds.
  std::optional<double> latency_limit_s;

  // Returns nothing if there is no limit, nothing was measured, or too many transactions had no
  // answer.
  std::optional<bool> holds_latency_limit() const;

  // Returns the latencies without lower bounds.
  measure::HistogramSnapshot answered_latency() const;
};

// Returns true if a percentile of the latencies is only a lower bound: it would be higher if the
// transactions of `unanswered` that waited at least as long were never answered. `latency` contains
// `unanswered`. 100 percent is the maximum.
bool is_lower_bound(const measure::HistogramSnapshot& latency,
                    const measure::HistogramSnapshot& unanswered, double percent);

// Returns the names of the percentiles that are lower bounds: "50", … "max".
std::vector<std::string> lower_bounds(const measure::HistogramSnapshot& latency,
                                      const measure::HistogramSnapshot& unanswered);

// The percentiles in documents.
inline constexpr std::array<std::pair<const char*, double>, 5> percentiles_written = {
    {{"50", 50}, {"90", 90}, {"95", 95}, {"99", 99}, {"99.9", 99.9}}};

// Inputs of completed transactions: committed, or rolled back on purpose.
struct InputCounts {
  std::uint64_t new_orders = 0;
  std::uint64_t new_orders_rolled_back = 0;
  std::uint64_t order_lines = 0;
  std::uint64_t order_lines_remote = 0;
  std::uint64_t payments = 0;
  std::uint64_t payments_remote = 0;
  std::uint64_t payments_by_name = 0;
  std::uint64_t order_statuses = 0;
  std::uint64_t order_statuses_by_name = 0;
  std::uint64_t deliveries = 0;  // executed in the database, deferred ones included
};

// An interval in which no transaction and no attempt to open a connection succeeded.
struct Outage {
  double start_s = 0;
  std::optional<double> end_s;          // none if the run ended first
  std::uint64_t transactions_lost = 0;  // failed during the outage, unknown commits included
  std::string first_error;
};

inline constexpr double shortest_outage_s = 0.1;

// An interval in which clients waited, the database answered nothing, and nothing failed.
struct Stall {
  double start_s = 0;
  std::optional<double> end_s;  // none if the run ended first
};

// Outages, stalls and lost connections over the whole run, the warm-up included.
struct Availability : model::ConnectionCounts {
  std::vector<Outage> outages = {};
  std::vector<Stall> stalls = {};
  // Connections replaced because of their age; none without --connection-max-age.
  std::optional<std::uint64_t> sessions_renewed = {};
  double run_start_ts = 0;   // Unix time at which the run began; 0 in older documents
  double unavailable_s = 0;  // seconds of the measured interval in outages
  double stalled_s = 0;      // seconds of the measured interval in stalls
};

// Warehouses of TPC-C that were unavailable in the measured interval while the database as a whole
// was available.
struct WarehouseAvailability {
  std::vector<std::uint64_t> away;  // numbers of warehouses, ascending
  double away_s = 0;                // summed over these warehouses
  // Mean share of the measured interval in which a warehouse was available. No warehouse is
  // available in an outage of the whole database.
  double available_percent = 100;
};

// Sums of what a run committed over all its phases, as far as Drover knows: acknowledged commits,
// and unknown commits that were found in the data.
struct Ledger {
  std::uint64_t new_orders = 0;
  std::uint64_t payments = 0;
  std::int64_t payment_cents = 0;
  std::uint64_t deliveries = 0;
  std::uint64_t orders_delivered = 0;  // by the deliveries
  bool exact = true;                   // no unknown commit is unresolved
};

// The sums of Ledger by the data: their rises during the run.
struct LedgerInData {
  std::int64_t new_orders = 0;     // rise of sum(d_next_o_id)
  std::int64_t payment_cents = 0;  // rise of sum(w_ytd)
  // Rise of sum(d_next_o_id) minus the number of rows of new_order. Older results lack it.
  std::optional<std::int64_t> orders_delivered = {};
};

// Returns true if the data agree with the ledger.
bool agrees(const Ledger& ledger, const LedgerInData& data) noexcept;

// A commit that was acknowledged and is missing from the data, with the keys that identify it.
struct LostCommit {
  std::string transaction;                         // NewOrder, Payment, Delivery
  double answered_ts = 0;                          // Unix time
  std::uint64_t w_id = 0;                          // warehouse
  std::optional<std::uint64_t> d_id = {};          // of a New-Order or a Payment
  std::optional<std::uint64_t> o_id = {};          // of a New-Order
  std::optional<std::uint64_t> c_id = {};          // of a New-Order: the customer
  std::optional<std::uint64_t> amount_cents = {};  // of a Payment
  std::optional<std::uint64_t> carrier_id = {};    // of a Delivery
  // Microseconds of the date that identifies the row of a Payment or a Delivery.
  std::optional<std::uint64_t> mark = {};
};

// The most lost commits in a document.
inline constexpr std::size_t lost_commits_max = 10'000;

// Lost commits, for instance after a failover to a replica that was behind.
struct LostCommits {
  std::uint64_t new_orders = 0;
  std::uint64_t payments = 0;
  std::int64_t payment_cents = 0;
  std::uint64_t deliveries = 0;
  std::uint64_t orders_delivered = 0;    // by the deliveries
  bool complete = true;                  // they explain the whole difference to the ledger
  std::vector<LostCommit> commits = {};  // the first ones, in the order of their acknowledgement

  std::uint64_t count() const noexcept { return new_orders + payments + deliveries; }
};

// A count of writes over all phases of a run of YCSB or scripts, compared with the data.
struct Account {
  std::string name;           // "updates", "inserts"
  std::uint64_t counted = 0;  // acknowledged commits, and unknown ones that the data confirmed
  std::optional<std::int64_t> in_data = {};  // rise in the data; none if they could not be read
  std::uint64_t unresolved = 0;  // unknown commits, any of which may have been committed

  // Returns how many of the unresolved commits are in the data, or nothing if the data could not be
  // read. Negative: counted commits are missing in the data.
  std::optional<std::int64_t> more() const {
    return in_data ? std::optional(*in_data - static_cast<std::int64_t>(counted)) : std::nullopt;
  }
  std::optional<bool> agrees() const {
    if (!in_data) return std::nullopt;
    return *more() >= 0 && static_cast<std::uint64_t>(*more()) <= unresolved;
  }
};

// Values that were read and compared with what the run wrote.
struct Verification {
  std::uint64_t values = 0;
  std::uint64_t wrong = 0;
  std::uint64_t not_found = 0;   // rows that must exist
  std::string first_wrong = {};  // place and content of the first wrong value
};

// Deliveries that were queued in the measured interval and executed in the background (clause
// 2.7.2).
struct DeferredDelivery {
  std::uint64_t queued = 0;
  std::uint64_t completed = 0;
  std::uint64_t failed = 0;
  std::uint64_t unfinished = 0;           // at the end of the run
  measure::HistogramSnapshot latency;     // from queueing to completion, or to the end of the run
  measure::HistogramSnapshot unanswered;  // the part of latency of unfinished ones: lower bounds
  double latency_limit_s = 80;            // of the 90th percentile (clause 5.2.5.7)
};

// Returns deferred deliveries as a transaction type.
TransactionResult deferred_row(const DeferredDelivery& deferred);

struct WorkerHealth {
  double load = 0;              // 0 to 1: share of the time in which it had a processor
  double run_queue_share = 0;   // 0 to 1: share in which it was ready and waited for a processor
  double wake_up_delay_ms = 0;  // mean wait for a processor per wake-up
};

struct ClientCost {
  double cpu_seconds = 0;            // in the measured interval
  std::uint64_t peak_rss_bytes = 0;  // over the whole life of the process
  std::uint64_t threads = 0;
  std::uint64_t terminals = 0;
  std::uint64_t connections = 0;
  std::optional<double> terminals_up_s;  // time in which terminals started, before the run
  std::vector<WorkerHealth> workers;
  bool run_queue_known = false;          // the kernel reports waits for a processor
  measure::HistogramSnapshot timer_lag;  // of all workers

  double busiest_worker_load() const;
};

// A point of the time series. Result::transactions has the names of `ok`.
struct TimePoint : model::IntervalFigures {
  double t = 0;            // seconds since the run began, at the end of the interval
  std::string phase = {};  // "ramp-up", "warm-up", "measure"
};

// A point of the time series within the measured interval. Longer than a second in a long run.
struct MeasuredSecond {
  const TimePoint& point;
  double length_s;
};

// Returns the points of the measured interval, without points shorter than half a second. They
// refer to the elements of `time_series`.
std::vector<MeasuredSecond> measured_seconds(const std::vector<TimePoint>& time_series);

struct Checkpoint {
  double start_s = 0;
  std::optional<double> end_s;  // none if the run ended first
  bool requested = false;       // caused by a command or the amount of WAL, not by the timer
};

// Sessions of the run in a wait event of the server.
struct WaitEvent {
  std::string name;     // "LWLock:WALWrite", or "CPU" for sessions that waited for nothing
  double sessions = 0;  // mean of the samples in the measured interval
};

struct ServerSample {
  double t = 0;                                   // seconds since the run began
  std::map<std::string, std::uint64_t> sessions;  // by event
};

// A statement by the server's statistics, over the whole run.
struct ServerStatement {
  std::string text;
  std::uint64_t calls = 0;
  double total_ms = 0;
  std::uint64_t rows = 0;

  double mean_ms() const { return calls > 0 ? total_ms / static_cast<double>(calls) : 0; }
};

// Wait events of the run's sessions, sampled once a second, and statements of the server.
struct ServerStats {
  std::uint64_t samples_measured = 0;  // in the measured interval
  std::vector<WaitEvent> wait_events;  // most sessions first
  std::vector<ServerSample> samples;   // of the whole run
  // Longest total time first; none if the server does not count.
  std::optional<std::vector<ServerStatement>> statements;

  double sessions() const;  // in any event
  // Returns the events with the most sessions, and the sum of the rest as "others".
  std::vector<WaitEvent> longest(std::size_t most) const;
};

// Figures of one server host, if connections were distributed over several.
struct HostResult : model::HostTotals {
  std::string name;               // "host:port"
  std::uint64_t connections = 0;  // at the end
};

// The most server hosts that a reader accepts.
inline constexpr std::size_t hosts_max = 64;

// A host's clocks minus the clocks of the coordinator, by a round trip of messages.
struct ClockOffset {
  double wall_s = 0;       // of the time-of-day clocks
  double monotonic_s = 0;  // of the monotonic clocks, which count from the boot of each host
  double uncertainty_s = 0;
};

// One of the hosts that made the load of a run together.
struct RankResult {
  std::uint64_t rank = 0;  // from 0
  std::string name;        // as the user named the host
  // Identifier that only the parts of this run share. Empty in a run that was started by hand.
  std::string run;
  std::uint64_t ranks = 1;  // planned number of hosts
  // TPC-C: first and last warehouse of the host; otherwise 0.
  std::uint64_t warehouse_first = 0;
  std::uint64_t warehouse_last = 0;
  measure::Host host;
  std::uint64_t terminals = 0;
  std::uint64_t connections = 0;
  std::uint64_t threads = 0;  // workers. ClientCost::workers lists those of all hosts in this order
  double start_ts = 0;  // Unix time of its start by its own clock; 0 if its phases did not begin
  double start_late_s = 0;  // delay after the agreed instant, by its own clock
  std::optional<ClockOffset> clock_at_start = {};  // none if the clocks were not compared
  std::optional<ClockOffset> clock_at_end = {};
  double measured_s = 0;
  std::uint64_t ok_count = 0;
  std::uint64_t failed_count = 0;
  measure::HistogramSnapshot latency;  // of all types
  double cpu_seconds = 0;
  std::uint64_t peak_rss_bytes = 0;
  double busiest_worker_load = 0;
  measure::HistogramSnapshot timer_lag;
  double unavailable_s = 0;
  std::string audit;  // sentence of the host's own audit, or empty
  bool valid = true;  // by the host's own audit
  // Why the host was lost, or empty. The figures of a lost host are the last that it sent.
  std::string lost = {};
  std::optional<double> lost_at_s = {};  // seconds since the run began
  std::string part = {};                 // file of the part on the host's disk, or empty
};

// The most hosts that a reader accepts.
inline constexpr std::size_t ranks_max = 10'000;

// Returns the Unix time at which the host's phases began, by the coordinator's clock if the clocks
// were compared. Returns nothing if they did not begin.
std::optional<double> start_of(const RankResult& one);

// The time between the first and the last start of the hosts, in seconds. The true value lies in
// [least_s, most_s], because of the uncertainty of the clocks, which is infinite for a clock that
// was not compared.
struct StartSpread {
  double apart_s = 0;  // by the clocks
  double least_s = 0;
  double most_s = 0;
  double uncertainty_s = 0;  // the largest of all clocks
};

// Returns nothing if fewer than two hosts began.
std::optional<StartSpread> start_spread(const std::vector<RankResult>& ranks);

// Returns a text such as "rank 2 of 4 (counted from 0), warehouses 21 to 30".
std::string part_text(const RankResult& one);

// Returns "host b", with the rank if several hosts have this name.
std::string rank_text(const std::vector<RankResult>& ranks, const RankResult& one);

enum class Judgement : std::uint8_t {
  held,
  broken,      // a rule of the specification does not hold. The figures are true
  invalid,     // the figures cannot be trusted
  not_judged,  // the rule does not apply, or there are too few samples
};

struct Verdict {
  std::string name;    // short and constant, such as "mix" or "client.load"
  std::string clause;  // of the specification; empty for a rule of Drover
  Judgement judgement = Judgement::not_judged;
  std::string text;  // the figure, its bound, and the remedy
};

// The text of a rule that was not judged because the run ended before the measured interval.
inline constexpr std::string_view nothing_measured = "nothing was measured";

struct AuditSummary {
  bool valid = true;      // no line is invalid
  bool compliant = true;  // valid, and no line is broken
  std::string sentence;
};

// The sentence is one of
//   valid: all 21 rules judged hold (5 not judged)
//   valid, but not compliant: 2 of 21 rules do not hold: keying, think
//   INVALID: client overloaded: <figure and knob>
//   INVALID: too few connections: <figure and knob>
//   INVALID: <figure>
//   not judged: nothing was measured
AuditSummary summarise(const std::vector<Verdict>& verdicts);

// Returns the word of the result document: "held", "broken", "invalid", "not_judged".
std::string_view judgement_name(Judgement judgement);

struct Result {
  Tool tool;
  settings::RunSettings plan;
  Environment environment;
  Summary summary;
  std::vector<TransactionResult> transactions;
  InputCounts inputs;
  std::uint64_t delivery_skipped_districts = 0;
  std::optional<DeferredDelivery> deferred_delivery;
  Availability availability;
  std::optional<WarehouseAvailability> warehouse_availability;  // none in older documents
  Ledger ledger;
  std::optional<LedgerInData> ledger_in_data;  // none if the data could not be read
  std::optional<LostCommits> lost_commits;     // none if that could not be determined
  std::vector<Account> accounts;
  std::optional<Verification> verification;  // none if nothing was verified
  // Open loop: transactions that were scheduled in the interval and had not begun when it ended.
  std::optional<std::uint64_t> backlog;
  ClientCost client;
  std::vector<TimePoint> time_series;
  // Seconds that a point covers: a power of two in a long run.
  std::uint64_t time_series_step_s = 1;
  std::optional<std::vector<Checkpoint>> checkpoints;  // none if the server does not report them
  std::optional<ServerStats> server_stats;             // none if not requested or not available
  std::vector<HostResult> hosts;                       // empty if there was one server host
  // The hosts of a distributed run. One element: the part of one host (see is_part()). Empty: a run
  // on one host.
  std::vector<RankResult> ranks;
  std::optional<std::string> incomplete;  // what is missing, such as a lost host
  std::vector<Verdict> audit;             // see audit.h
  std::optional<std::string> failure;     // why the run was given up
  bool interrupted = false;

  // Returns true for the merged result of a run on several hosts.
  bool is_of_several() const { return ranks.size() > 1 || incomplete.has_value(); }
  // Returns true for the part of one of several hosts.
  bool is_part() const {
    return ranks.size() == 1 && !incomplete &&
           (ranks[0].ranks > 1 || own_warehouses() != plan.warehouses);
  }
  const TransactionResult* find_transaction(std::string_view name) const;
  std::uint64_t all_count() const;        // of all transaction types
  double throughput() const;              // commits per second; 0 if nothing was measured
  double cpu_us_per_transaction() const;  // client CPU over all_count(); 0 without transactions
  // Returns the time of `sessions` sessions in the interval over all_count(); 0 without
  // transactions.
  double ms_per_transaction(double sessions) const;
  bool has_lower_bounds() const;  // some percentile of a transaction type is a lower bound
  const settings::BenchmarkKind& kind() const { return plan.kind(); }
  // Returns the number of warehouses of the plan, or those of this host in a part.
  std::uint64_t own_warehouses() const {
    if (ranks.size() != 1) return plan.warehouses;
    const auto [first, last] = std::pair(ranks[0].warehouse_first, ranks[0].warehouse_last);
    return first == 0 || last < first ? plan.warehouses : last - first + 1;
  }
  // Returns false without delays, where terminals run as fast as the database answers.
  bool efficiency_is_meaningful() const { return kind().has_tpmc && !plan.no_delays; }
};

// Returns the sum of all transaction types, without name, limit, share and statements.
TransactionResult all_transactions(const Result& result);

// A result and its name where several are shown, which is usually its file.
struct NamedResult {
  std::string name;
  Result result;
};

// Returns the transaction types of TPC-C, with the names of YDB's CLI and the limits of clause
// 5.2.5.7, in the order NewOrder, Payment, OrderStatus, Delivery, StockLevel.
std::vector<TransactionResult> tpcc_transactions();

// Sets warehouses, new_orders, tpmc, efficiency and its error (TPC-C). Requires: transactions, plan
// and summary.time_seconds are set.
void complete_summary(Result& result);

// Sorts the unavailable warehouses and sets the percentage. Requires: these warehouses, the ranks,
// summary.time_seconds and the outages are set.
void complete_availability(Result& result);

// Returns a text such as "66.75% of the warehouses' time: 2 of 4 warehouses (1, 3) were away for
// 13.2 s on average". Returns an empty text if no single warehouse was unavailable.
std::string warehouses_away_text(const Result& result);

// Returns a sentence for each count that does not add up.
std::vector<std::string> count_errors(const Result& result);

}  // namespace drover::report
