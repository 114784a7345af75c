// The result of a run: everything that is known at its end, in one plain value. The file, the summary and
// comparisons are made of it and of nothing else. result_fields.h has the bounds of each member, and what
// the document says of it.
//
// Counts add up, and count_errors() says where they do not:
//   all       = ok + user aborted + failed
//   attempts  = all + retries
//   latencies = ok + pending.answered + pending.unanswered
//   failed   = the transactions whose terminal got no answer: those that certainly left nothing in
//              the data, and the ambiguous ones
// All figures are those of the measurement interval, unless they say otherwise. It is not tied to
// TPC-C: transactions are a list of names; what only TPC-C has is empty in the results of others.
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
#include "settings/run_settings.h"

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

struct Server {
  std::string version;                          // empty where the server does not tell
  std::map<std::string, std::string> settings;  // of PostgreSQL: as SHOW prints them
  std::string kind = "PostgreSQL";              // or "YDB", or a relative of PostgreSQL

  // "PostgreSQL 15.20", "YDB"
  std::string name() const { return version.empty() ? kind : kind + " " + version; }
};

struct Environment {
  measure::Host client;
  std::optional<Server> server;  // none if transactions were simulated
};

struct Summary {
  std::string name = "Total";         // the word of YDB's CLI, which scripts may look for
  double time_seconds = 0;            // the measured interval as it was, not as it was planned
  std::int64_t measure_start_ts = 0;  // Unix time, seconds
  // What follows is of TPC-C: empty in the results of others.
  std::uint64_t warehouses = 0;
  std::uint64_t new_orders = 0;  // committed New-Orders
  double tpmc = 0;
  double efficiency = 0;                 // percent, never clipped; see efficiency_is_meaningful()
  double efficiency_sampling_error = 0;  // half of its 95% interval, in percentage points
};

// Commits whose answer never came, by what the data said about them afterwards.
struct Ambiguous {
  std::uint64_t committed = 0;
  std::uint64_t not_committed = 0;
  std::uint64_t unresolved = 0;  // the data could not be asked, or could not tell

  std::uint64_t count() const { return committed + not_committed + unresolved; }
};

// Transactions that terminals waited for when the interval ended. They are in none of the counts.
// Those that were late (see late_after_ns) are in the latencies: with their own, if a commit was
// answered within the time that is left to them, else with the time that they were waited for,
// which theirs exceeds.
struct Pending {
  std::uint64_t count = 0;
  std::uint64_t answered = 0;             // of these, in the latencies with their own
  measure::HistogramSnapshot unanswered;  // and with a lower bound: these
};

// A transaction that has waited for longer is late: twice as long as half of the committed ones
// took, and a tenth of a second more.
inline std::uint64_t late_after_ns(const measure::HistogramSnapshot& committed) {
  return 2 * committed.percentile_ns(50) + 100'000'000;
}

// A statement of a script, by its place there; attempts that were repeated included.
struct StatementResult {
  std::string name;
  std::uint64_t ok_count = 0;
  std::uint64_t failed_count = 0;
  measure::HistogramSnapshot latency;  // of those that succeeded
};

// So many of a transaction are taken from a document.
inline constexpr std::size_t statements_max = 100;
// And of transactions.
inline constexpr std::size_t transactions_max = 128;  // as pgbench takes scripts

struct TransactionResult {
  std::string name;
  std::uint64_t ok_count = 0;            // committed
  std::uint64_t user_aborted_count = 0;  // rolled back because the inputs asked for it
  std::uint64_t failed_count = 0;        // given up, or not to be retried
  std::uint64_t retry_count = 0;
  std::uint64_t attempts = 0;  // counted on its own, so that the sum can be checked
  Ambiguous ambiguous;         // part of failed_count

  // Committed transactions, from the end of keying to the answer: waits of ours included; and what
  // was pending for long.
  measure::HistogramSnapshot latency;
  Pending pending;
  // The part of it that was spent in line for a permit and a connection, while there was a database
  // to wait for: what an outage or a late timer made a terminal wait is in `latency` only.
  measure::HistogramSnapshot wait;

  // Every attempt that ended in an error, so that each of them sums to failed + retries.
  std::map<std::string, std::uint64_t> errors_by_class;
  std::map<std::string, std::uint64_t> errors_by_sqlstate;  // only where there was one
  std::map<std::string, std::string> error_messages;        // the first one for each SQLSTATE

  // What the terminals did before and after: as it was, a late timer included. Empty without
  // delays. Think times are those that followed a transaction of this type.
  measure::HistogramSnapshot keying;
  measure::HistogramSnapshot think;

  // Committed transactions of an open loop, from when the client had a session to the answer: the latency
  // without what a late begin and the line for a session added.
  measure::HistogramSnapshot service;

  std::vector<StatementResult> statements;  // of scripts, in their order
  std::optional<double> share;              // of all transactions, that was asked for: 0 to 1

  // What the 90th percentile must not exceed (TPC-C: clause 5.2.5.7), seconds.
  std::optional<double> latency_limit_s;

  std::uint64_t all_count() const { return ok_count + user_aborted_count + failed_count; }
  // Counts and histograms; not the statements, which are those of a type.
  void add(const TransactionResult& other);
  // Nothing if there is no limit, nothing was measured, or too many had no answer to say.
  std::optional<bool> holds_latency_limit() const;

  // The latencies without lower bounds.
  measure::HistogramSnapshot answered_latency() const;
};

// Whether the percentile of the latencies is itself how long somebody waited in vain: it would be a
// higher one if those of `unanswered`, which are among them, that waited at least as long never had
// an answer. 100 is the maximum.
bool is_lower_bound(const measure::HistogramSnapshot& latency,
                    const measure::HistogramSnapshot& unanswered, double percent);

// "50", … "max": the figures of which that is so.
std::vector<std::string> lower_bounds(const measure::HistogramSnapshot& latency,
                                      const measure::HistogramSnapshot& unanswered);

// The percentiles that the document names.
inline constexpr std::array<std::pair<const char*, double>, 5> percentiles_written = {
    {{"50", 50}, {"90", 90}, {"95", 95}, {"99", 99}, {"99.9", 99.9}}};

// What was in the transactions that were completed: committed, or rolled back because they had to be.
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
  std::uint64_t deliveries = 0;  // in the database, deferred ones included
};

// In it no transaction succeeded, and no attempt to open a session.
struct Outage {
  double start_s = 0;
  std::optional<double> end_s;          // none if the run ended before
  std::uint64_t transactions_lost = 0;  // failed in it, ambiguous ones included
  std::string first_error;
};

inline constexpr double shortest_outage_s = 0.1;

struct Stall {
  double start_s = 0;
  std::optional<double> end_s;  // none if the run ended before
};

// Counts the whole run, the warm-up included.
struct Availability {
  std::vector<Outage> outages;
  std::vector<Stall> stalls;
  std::uint64_t interruptions = 0;  // too short for an outage
  std::uint64_t sessions_lost = 0;
  std::uint64_t sessions_ended_idle = 0;  // among those lost; 0 in older documents
  std::uint64_t sessions_reopened = 0;
  std::optional<std::uint64_t> sessions_renewed = {};  // for their age; none where nobody asked
  double run_start_ts = 0;   // Unix time at which the run began; 0 in older documents
  double unavailable_s = 0;  // of the measurement interval, outages only
  double stalled_s = 0;      // of the measurement interval, stalls only
};

// The warehouses of TPC-C that were away in the measured interval while the database as a whole
// was up.
struct WarehouseAvailability {
  std::vector<std::uint64_t> away;  // their numbers, ascending
  double away_s = 0;                // summed over these warehouses
  // Mean share of the measured interval in which a warehouse was available. No warehouse is
  // available in an outage of the whole database.
  double available_percent = 100;
};

// What a run wrote, over all its phases: what was answered, and what of the ambiguous is known to
// have happened.
struct Ledger {
  std::uint64_t new_orders = 0;
  std::uint64_t payments = 0;
  std::int64_t payment_cents = 0;
  std::uint64_t deliveries = 0;
  std::uint64_t orders_delivered = 0;  // by them
  bool exact = true;                   // nothing ambiguous is left unresolved
};

// The same as the data say it.
struct LedgerInData {
  std::int64_t new_orders = 0;     // by sum(d_next_o_id)
  std::int64_t payment_cents = 0;  // by sum(w_ytd)
  // By sum(d_next_o_id) and the rows of new_order; older results do not have it.
  std::optional<std::int64_t> orders_delivered = {};
};

// Whether the data have of each as much as the client has counted.
bool agrees(const Ledger& ledger, const LedgerInData& data) noexcept;

// A commit that was acknowledged and is not in the data, by what it would be found there.
struct LostCommit {
  std::string transaction;                         // NewOrder, Payment, Delivery
  double answered_ts = 0;                          // Unix time
  std::uint64_t w_id = 0;                          // its warehouse
  std::optional<std::uint64_t> d_id = {};          // of a New-Order, of a Payment
  std::optional<std::uint64_t> o_id = {};          // the number that a New-Order was given
  std::optional<std::uint64_t> c_id = {};          // of a New-Order: who orders
  std::optional<std::uint64_t> amount_cents = {};  // of a Payment
  std::optional<std::uint64_t> carrier_id = {};    // of a Delivery
  std::optional<std::uint64_t> mark = {};  // of a Payment, of a Delivery: microseconds of its date
};

// So many are taken from a document, and written.
inline constexpr std::size_t lost_commits_max = 10'000;

// What the database took back that it had acknowledged: a failover to a replica that was behind.
struct LostCommits {
  std::uint64_t new_orders = 0;
  std::uint64_t payments = 0;
  std::int64_t payment_cents = 0;
  std::uint64_t deliveries = 0;
  std::uint64_t orders_delivered = 0;    // by them
  bool complete = true;                  // they are all by which the data have less than the ledger
  std::vector<LostCommit> commits = {};  // the first of them, as they were answered

  std::uint64_t count() const noexcept { return new_orders + payments + deliveries; }
};

// Something that a run of another benchmark has changed in the data so many times, over all its phases.
struct Account {
  std::string name;           // "updates", "inserts"
  std::uint64_t counted = 0;  // acknowledged, and what of the ambiguous is known to have happened
  std::optional<std::int64_t> in_data =
      {};                        // by how much the data rose; none if they could not be asked
  std::uint64_t unresolved = 0;  // of the ambiguous, any of which may have happened besides

  // How many of the unresolved have happened, as the data say.
  std::optional<std::int64_t> more() const {
    return in_data ? std::optional(*in_data - static_cast<std::int64_t>(counted)) : std::nullopt;
  }
  std::optional<bool> agrees() const {
    if (!in_data) return std::nullopt;
    return *more() >= 0 && static_cast<std::uint64_t>(*more()) <= unresolved;
  }
};

// What was read and held against what must have been written.
struct Verification {
  std::uint64_t values = 0;  // all of them
  std::uint64_t wrong = 0;
  std::uint64_t not_found = 0;  // rows that are to be there
  std::string first_wrong =
      {};  // where the first wrong one is, and what is there; empty if none is
};

// Deliveries that were queued and executed beside the terminals (clause 2.7.2). Queued ones are
// counted in the interval in which they were queued.
struct DeferredDelivery {
  std::uint64_t queued = 0;
  std::uint64_t completed = 0;
  std::uint64_t failed = 0;
  std::uint64_t unfinished = 0;           // at the end of the run
  measure::HistogramSnapshot latency;     // from queueing to completion, or to the end of the run
  measure::HistogramSnapshot unanswered;  // the unfinished ones among them: lower bounds
  double latency_limit_s = 80;            // of the 90th percentile (clause 5.2.5.7)
};

// The same as one more type of transaction.
TransactionResult deferred_row(const DeferredDelivery& deferred);

struct WorkerHealth {
  double load = 0;              // 0..1: the share of the time in which it had a processor
  double run_queue_share = 0;   // 0..1: the share in which it was ready and had to wait for one
  double wake_up_delay_ms = 0;  // mean wait for a processor, each time that it became ready
};

struct ClientCost {
  double cpu_seconds = 0;            // of the measurement interval
  std::uint64_t peak_rss_bytes = 0;  // of the whole life of the process
  std::uint64_t threads = 0;
  std::uint64_t terminals = 0;
  std::uint64_t connections = 0;
  std::optional<double> terminals_up_s;  // before the first second of the run
  std::vector<WorkerHealth> workers;
  bool run_queue_known = false;  // the kernel tells of the time spent waiting for a processor
  measure::HistogramSnapshot timer_lag;  // how late timers were, over all workers

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
  std::uint64_t retries = 0;
  double client_load = 0;  // 0..1, of the busiest worker
  // Latencies of all transactions committed in it: in the part of a run of several hosts, whose seconds are to be added up.
  measure::SparseHistogram latency = {};
};

// A point of the time series within the measured interval. Longer than a second in a long run.
struct MeasuredSecond {
  const TimePoint& point;
  double length_s;
};

// Without the last one of an interrupted run, if it is short and says little. They point into the series.
std::vector<MeasuredSecond> measured_seconds(const std::vector<TimePoint>& time_series);

struct Checkpoint {
  double start_s = 0;
  std::optional<double> end_s;  // none if the run ended before
  bool requested = false;       // by a command or the amount of WAL, and not by the clock
};

// The sessions of the run that were found in an event of the server.
struct WaitEvent {
  std::string name;     // "LWLock:WALWrite"; "CPU" where they waited for nothing
  double sessions = 0;  // in the mean of the samples of the measurement interval
};

struct ServerSample {
  double t = 0;                                   // seconds since the run began
  std::map<std::string, std::uint64_t> sessions;  // by event
};

// By the server's own count, over the whole run.
struct ServerStatement {
  std::string text;
  std::uint64_t calls = 0;
  double total_ms = 0;
  std::uint64_t rows = 0;

  double mean_ms() const { return calls > 0 ? total_ms / static_cast<double>(calls) : 0; }
};

// What the server was doing for the run, by a look a second at its sessions.
struct ServerStats {
  std::uint64_t samples_measured = 0;  // in the measurement interval
  std::vector<WaitEvent> wait_events;  // that with the most sessions first
  std::vector<ServerSample> samples;   // of the whole run
  // Those that took longest, that first; none where the server does not count.
  std::optional<std::vector<ServerStatement>> statements;

  double sessions() const;  // in any event
  // Those with the most sessions; what is behind them is one more, called "others".
  std::vector<WaitEvent> longest(std::size_t most) const;
};

// What was done at one of the hosts over which the connections were spread.
struct HostResult {
  std::string name;               // "host:port"
  std::uint64_t connections = 0;  // at the end
  std::uint64_t ok_count = 0;
  std::uint64_t failed_count = 0;
  measure::HistogramSnapshot service;  // of those that succeeded, from when they had their session
};

// So many are taken from a document.
inline constexpr std::size_t hosts_max = 64;

// The clock of a host that makes load, against that of the host that gathers the results: theirs less ours, as a round
// trip showed it, which may be wrong by half of its length.
struct ClockOffset {
  double wall_s = 0;  // of the clocks that tell the time of day
  double monotonic_s =
      0;  // of those that measure: of any size, where the hosts did not boot together
  double uncertainty_s = 0;
};

// One of several hosts that made the load of a run together: what it had of it, and how it got on.
struct RankResult {
  std::uint64_t rank = 0;  // from 0
  std::string name;        // of the host, as it was named
  // What the parts of a run have in common, and no other run has; empty for one that was started by other means.
  std::string run;
  std::uint64_t ranks = 1;  // how many the run was to have
  // Its warehouses in TPC-C, both included; 0 in others.
  std::uint64_t warehouse_first = 0;
  std::uint64_t warehouse_last = 0;
  measure::Host host;
  std::uint64_t terminals = 0;
  std::uint64_t connections = 0;
  std::uint64_t threads = 0;  // workers; theirs in ClientCost::workers are in the order of ranks
  double start_ts = 0;      // Unix time by its own clock at which its phases began; 0: they did not
  double start_late_s = 0;  // after the instant that was agreed on, by its own clock
  std::optional<ClockOffset> clock_at_start = {};  // none where nobody compared them
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
  std::string audit;  // its own, in a sentence; empty where there was none
  bool valid = true;  // by it
  // Why nothing came of it after some time; empty: it ended as it should. Then its figures are those that it told last.
  std::string lost = {};
  std::optional<double> lost_at_s = {};  // seconds since the run began
  std::string part = {};                 // the file on its disk, as it names it; empty: none
};

// So many are taken from a document.
inline constexpr std::size_t ranks_max = 10'000;

// When its phases began by the clock of the host that gathered the results, as far as that is known: Unix time; none if
// they did not begin.
std::optional<double> start_of(const RankResult& one);

// The time between the first and the last start of the hosts, in seconds. The true value lies in
// [least_s, most_s], because clocks are known with an uncertainty only. For a clock that was not
// compared the uncertainty is infinite.
struct StartSpread {
  double apart_s = 0;  // as the clocks show it
  double least_s = 0;
  double most_s = 0;
  double uncertainty_s = 0;  // of the least known clock
};

// Returns nothing if fewer than two hosts began.
std::optional<StartSpread> start_spread(const std::vector<RankResult>& ranks);

// The part of the run that `one` had: "rank 2 of 4 (counted from 0), warehouses 21 to 30".
std::string part_text(const RankResult& one);

// "host b"; with its rank where several have that name.
std::string rank_text(const std::vector<RankResult>& ranks, const RankResult& one);

enum class Judgement : std::uint8_t {
  held,
  broken,      // a rule of the specification does not hold: the figures are true, but not compliant
  invalid,     // the figures cannot be trusted
  not_judged,  // it does not apply, or there was too little to judge by
};

struct Verdict {
  std::string name;    // short and constant, such as "mix" or "client.load"
  std::string clause;  // of the specification; empty where it is a rule of ours
  Judgement judgement = Judgement::not_judged;
  std::string text;  // the figure, its bound, and what to do
};

// The text of a line that could not be judged, since the run never came to its measurement.
inline constexpr std::string_view nothing_measured = "nothing was measured";

struct AuditSummary {
  bool valid = true;      // no line is invalid
  bool compliant = true;  // none is broken either; says nothing of those that were not judged
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

// "held", "broken", "invalid", "not_judged": the words of the result document.
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
  std::optional<LedgerInData> ledger_in_data;  // none where the data could not be asked
  std::optional<LostCommits> lost_commits;     // none where nobody could say
  std::vector<Account> accounts;
  std::optional<Verification> verification;  // none where nothing was verified
  // Transactions that were due by the schedule when the interval ended and had not begun; none in a closed loop.
  std::optional<std::uint64_t> backlog;
  ClientCost client;
  std::vector<TimePoint> time_series;
  // Seconds that a point covers: a power of two in a long run.
  std::uint64_t time_series_step_s = 1;
  std::optional<std::vector<Checkpoint>> checkpoints;  // none where the server does not tell
  std::optional<ServerStats> server_stats;             // none where nobody asked, or none told
  std::vector<HostResult> hosts;                       // none where there was one
  // Several: those that made the load together. One: this is the part of a run that it says (is_part()), or all of it.
  // None: the run was alone.
  std::vector<RankResult> ranks;
  std::optional<std::string> incomplete;  // what of the run is missing here: a host that was lost
  std::vector<Verdict> audit;             // see audit.h
  std::optional<std::string> failure;     // why the run was given up before its end
  bool interrupted = false;

  // Several hosts made it, or were to.
  bool is_of_several() const { return ranks.size() > 1 || incomplete.has_value(); }
  // What one of several hosts had of a run; a run that was to have one host is whole.
  bool is_part() const {
    return ranks.size() == 1 && !incomplete &&
           (ranks[0].ranks > 1 || own_warehouses() != plan.warehouses);
  }
  const TransactionResult* find_transaction(std::string_view name) const;
  std::uint64_t all_count() const;  // of all transactions
  double throughput() const;        // transactions committed a second; 0 if nothing was measured
  double cpu_us_per_transaction() const;  // client CPU over all_count(); 0 if there were none
  // The time of so many sessions while measuring, over all_count(); 0 if there were none.
  double ms_per_transaction(double sessions) const;
  bool has_lower_bounds() const;  // some percentile of some transaction is one
  bool is_tpcc() const { return plan.is_tpcc(); }
  // Whose terminals are in it: those of the plan, or of a part those that its host had.
  std::uint64_t own_warehouses() const {
    if (ranks.size() != 1) return plan.warehouses;
    const auto [first, last] = std::pair(ranks[0].warehouse_first, ranks[0].warehouse_last);
    return first == 0 || last < first ? plan.warehouses : last - first + 1;
  }
  // Without delays terminals are as fast as the database: nothing to be efficient against.
  bool efficiency_is_meaningful() const { return is_tpcc() && !plan.no_delays; }
};

// All types of transaction as one, without a name and a limit, and without what terminals did meanwhile.
TransactionResult all_transactions(const Result& result);

// A result, and what it is called where several are shown: by its file, as a rule.
struct NamedResult {
  std::string name;
  Result result;
};

// The five of TPC-C with the names of YDB's CLI and the limits of clause 5.2.5.7, in the order
// NewOrder, Payment, OrderStatus, Delivery, StockLevel.
std::vector<TransactionResult> tpcc_transactions();

// Fills in of TPC-C new_orders, tpmc, efficiency and its error, of the transactions, the plan and
// summary.time_seconds: call it once these are there.
void complete_summary(Result& result);

// Sorts the warehouses that were away and fills in the percentage: call it when all of them, the ranks,
// summary.time_seconds and the outages are there.
void complete_availability(Result& result);

// "66.75% of the warehouses' time: 2 of 4 warehouses (1, 3) were away for 13.2 s on average", or an empty
// text if no warehouse was away while the database as a whole was up.
std::string warehouses_away_text(const Result& result);

// A sentence for each count that does not add up; none if all is well.
std::vector<std::string> count_errors(const Result& result);

}  // namespace drover::report
