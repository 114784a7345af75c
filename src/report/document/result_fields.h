// The description of a result: every field of the document with its bounds and what it says. The writer,
// the reader and docs/result.schema.json follow from it (settings/field.h says how).
//
// For the .cpp files that are such visitors.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>

#include "report/document/result.h"
#include "settings/field.h"

namespace drover::report {

using settings::amount;
using settings::count;
using settings::figure;
using settings::flag;
using settings::milliseconds;
using settings::Need;
using settings::objects;
using settings::Of;
using settings::seconds;
using settings::sentence;
using settings::share;

// What is said of the figures of a histogram.
struct FigureWords {
  std::string_view percentiles = {};
  std::string_view mean = "Mean in milliseconds, exact.";
  std::string_view least = "The smallest value in milliseconds, exact.";
  std::string_view most = "The largest value in milliseconds, exact.";
  std::string_view buckets = "All of the values.";
};

// A histogram, and what stands beside it and follows from it.
void describe_figures(auto& visit, Of<measure::HistogramSnapshot> auto& histogram,
                      const FigureWords& words) {
  const auto& known = histogram;
  visit.percentiles(histogram, words.percentiles);
  const auto ms = [](std::uint64_t ns) { return static_cast<double>(ns) * 1e-6; };
  visit.repeats("mean_ms", [&] { return known.mean_ns() * 1e-6; }, milliseconds, words.mean);
  visit.repeats("min_ms", [&] { return ms(known.min_ns()); }, milliseconds, words.least);
  visit.repeats("max_ms", [&] { return ms(known.max_ns()); }, milliseconds, words.most);
  visit.buckets("histogram", histogram, words.buckets);
}

void describe(auto& visit, Of<Tool> auto& tool) {
  visit.field("name", tool.name, settings::name, "drover.");
  visit.field("version", tool.version, settings::name, "Its version.");
  visit.field("commit", tool.commit, settings::name,
              "The commit that it was built of; with -dirty behind it if the sources had been "
              "changed since.");
  visit.field("compiler", tool.compiler, settings::name, "The compiler, with its version.");
}

void describe(auto& visit, Of<Server> auto& server) {
  visit.definition("The database.");
  visit.field("kind", server.kind, settings::name,
              "The kind of database: PostgreSQL, a relative of it, or YDB. Missing in documents "
              "from before there was "
              "a second one: PostgreSQL.",
              Need::added);
  visit.field("version", server.version, settings::name,
              "As the server says it; empty where it does not (YDB).");
  visit.field("settings", server.settings, sentence,
              "Of PostgreSQL: settings as SHOW prints them, such as fsync and shared_buffers. Of "
              "CockroachDB, YugabyteDB and Citus in addition: dialect, dialect_support. Of YDB: "
              "nodes, discovery, tls.");
}

void describe(auto& visit, Of<measure::Host> auto& host) {
  visit.field("hostname", host.hostname, settings::name, "Its name.");
  visit.field("os", host.os, settings::name, "Its operating system.");
  visit.field("cpus", host.cpus, settings::Whole{1u << 20}, "Processors that the process may use.");
  visit.field("cpu_model", host.cpu_model, settings::name, "What they are.");
}

void describe(auto& visit, Of<Environment> auto& environment) {
  visit.field("client", environment.client, "That of drover.");
  visit.field("server", environment.server, "The database server, or null if there was none.");
}

void describe_tpcc_summary(auto& visit, Of<Result> auto& result) {
  auto& summary = result.summary;
  visit.field("warehouses", summary.warehouses, objects, "W.");
  visit.field("new_orders", summary.new_orders, count, "New-Orders committed in it.");
  visit.field("tpmc", summary.tpmc, figure, "new_orders * 60 / measured_seconds.");
  visit.field("efficiency", summary.efficiency, figure,
              "Percent: tpmc / (12.86 * W * pace) * 100, not clipped.");
  visit.field(
      "efficiency_sampling_error", summary.efficiency_sampling_error, figure,
      "Half the width of the 95% confidence interval of efficiency, in percentage points; 0 "
      "without delays.");
  visit.follows(
      "efficiency_is_meaningful", [&result] { return result.efficiency_is_meaningful(); }, flag,
      "False without delays: terminals are then as fast as the database.");
}

void describe_summary(auto& visit, Of<Result> auto& result) {
  constexpr std::int64_t end_of_year_9999 = 253'402'300'799;
  auto& summary = result.summary;
  visit.field("name", summary.name, settings::name, "Total.");
  visit.repeats(
      "time_seconds",
      [&summary] {
        return std::isfinite(summary.time_seconds) ? std::llround(summary.time_seconds) : 0;
      },
      settings::Whole{10'000'000'000}, "Length of the measurement interval in seconds, rounded.");
  visit.field("measured_seconds", summary.time_seconds, seconds, "The same, exactly.");
  visit.field("measure_start_ts", summary.measure_start_ts, settings::Amount{0, end_of_year_9999},
              "Its beginning, Unix time in seconds.");
  visit.follows(
      "throughput", [&result] { return result.throughput(); }, figure,
      "Transactions of all types committed a second.", Need::added);
  visit.where(result.is_tpcc(), [&](auto& inner) { describe_tpcc_summary(inner, result); });
}

void describe(auto& visit, Of<Ambiguous> auto& ambiguous) {
  visit.repeats("count", [&] { return ambiguous.count(); }, count, "All of them.");
  visit.field("committed", ambiguous.committed, count,
              "Those of which the data said afterwards that they happened.");
  visit.field("not_committed", ambiguous.not_committed, count,
              "Those of which the data said that they did not.");
  visit.field("unresolved", ambiguous.unresolved, count, "Those of which the data could not tell.");
}

constexpr settings::Text lower_bounds_kind = settings::one_of("50|90|95|99|99.9|max");
constexpr std::string_view lower_bounds_text =
    "Which percentiles are the time that somebody waited without an answer: theirs would be "
    "higher.";

void describe_pending(auto& visit, Of<TransactionResult> auto& transaction) {
  auto& pending = transaction.pending;
  visit.field("count", pending.count, count, "All of them.");
  visit.field("answered", pending.answered, count,
              "Those that were late and whose commit was answered within 5 s.");
  visit.repeats(
      "unanswered", [&pending] { return pending.unanswered.count(); }, count,
      "Those that were late and had no answer: in the histogram with the time they were waited "
      "for.");
  visit.figures_or_null("waited", pending.unanswered,
                        "The unanswered ones of the histogram; null if there are none.",
                        Need::written);
  visit.follows(
      "lower_bounds", [&] { return lower_bounds(transaction.latency, pending.unanswered); },
      lower_bounds_kind, lower_bounds_text);
}

void describe(auto& visit, Of<StatementResult> auto& statement) {
  visit.definition("A statement of a script, attempts that were repeated included.", "statement");
  visit.field("name", statement.name, settings::name,
              "Its place in the script, and how it begins.");
  visit.field("ok_count", statement.ok_count, count, "Succeeded.");
  visit.field("failed_count", statement.failed_count, count, "Ended in an error.");
  visit.figures("latency", statement.latency,
                "Of those that succeeded, from when it was sent to its answer.");
}

void describe(auto& visit, Of<TransactionResult> auto& one) {
  visit.definition("What became of the transactions of one type in the measurement interval.",
                   "transaction");
  visit.field("ok_count", one.ok_count, count, "Committed.");
  visit.field("failed_count", one.failed_count, count, "Ended in an error for good.");
  visit.field("user_aborted_count", one.user_aborted_count, count,
              "Rolled back because the inputs asked for it (clause 2.4.1.4).");
  visit.repeats(
      "all_count", [&one] { return one.all_count(); }, count,
      "ok_count + user_aborted_count + failed_count.");
  visit.field("retry_count", one.retry_count, count, "Attempts that were followed by another one.");
  visit.field("attempts", one.attempts, count, "Counted apart: all_count + retry_count.");
  visit.field("ambiguous", one.ambiguous,
              "The part of failed_count whose commit was sent and never answered.", Need::added);
  visit.counts("errors_by_class", one.errors_by_class,
               settings::one_of("retryable|connection_lost|ambiguous_commit|unavailable|denied|"
                                "statement|timed_out"),
               "Attempts that ended in an error, by class; the sum is failed_count + retry_count.");
  visit.counts("errors_by_sqlstate", one.errors_by_sqlstate, settings::name,
               "The same by SQLSTATE, where there was one.");
  visit.field("error_messages", one.error_messages, sentence,
              "By SQLSTATE: the server's first message of an error that is not tried again.",
              Need::added);
  visit.field("latency_limit_s", one.latency_limit_s, seconds,
              "Seconds that the 90th percentile must not exceed (clause 5.2.5.7), or null if there "
              "is no limit.");
  visit.follows(
      "latency_limit_held", [&one] { return one.holds_latency_limit(); }, flag,
      "Whether it does not; null if there is no limit, nothing was measured, or it is a lower "
      "bound "
      "below the limit.",
      Need::added);
  describe_figures(visit, one.latency,
                   {.percentiles = "Latency of the committed ones, from the end of keying to the "
                                   "answer, over all attempts, and of the late ones that were "
                                   "pending at the end, in milliseconds.",
                    .mean = "Mean latency in milliseconds, exact.",
                    .least = "Least latency in milliseconds, exact.",
                    .most = "Greatest latency in milliseconds, exact.",
                    .buckets = "Latency of the committed ones, and of pending.answered and "
                               "pending.unanswered."});
  visit.within(
      "pending",
      "Transactions that terminals waited for when the interval ended; they are in none of "
      "the counts.",
      Need::added, [&one](auto& inner) { describe_pending(inner, one); });
  visit.figures("wait", one.wait,
                "The part of the latency spent waiting for a permit and a connection while the "
                "database was there.");
  visit.figures_or_null("keying", one.keying,
                        "Pauses before the transactions, as they were; null if there were none.",
                        Need::added);
  visit.figures_or_null("think", one.think,
                        "Pauses after them, as they were; null if there were none.", Need::added);
  visit.figures_if_any("service", one.service,
                       "The latency from when the client had a session: without what a late begin "
                       "and the line for a "
                       "session added. In an open loop only.");
  visit.list_if_any("statements", one.statements, "The statements of a script, in their order.");
  visit.if_known("share", one.share, settings::Real{0, 1},
                 "The share of all transactions that was asked for.");
}

void describe(auto& visit, Of<InputCounts> auto& inputs) {
  constexpr auto by_name = "Those that named the customer by last name.";
  visit.field("new_orders", inputs.new_orders, count, "New-Orders.");
  visit.field("new_orders_rolled_back", inputs.new_orders_rolled_back, count,
              "Those that asked for an unused item.");
  visit.field("order_lines", inputs.order_lines, count, "Their lines.");
  visit.field("order_lines_remote", inputs.order_lines_remote, count,
              "Those supplied by another warehouse.");
  visit.field("payments", inputs.payments, count, "Payments.");
  visit.field("payments_remote", inputs.payments_remote, count,
              "Those of a customer of another warehouse.");
  visit.field("payments_by_name", inputs.payments_by_name, count, by_name);
  visit.field("order_statuses", inputs.order_statuses, count, "Order-Statuses.");
  visit.field("order_statuses_by_name", inputs.order_statuses_by_name, count, by_name);
  visit.field("deliveries", inputs.deliveries, count,
              "Deliveries executed in the database, deferred ones included.");
}

void describe(auto& visit, Of<DeferredDelivery> auto& deferred) {
  visit.definition("Deliveries that were queued while measuring.");
  visit.field("queued", deferred.queued, count, "All of them.");
  visit.field("completed", deferred.completed, count, "Those that were executed.");
  visit.field("failed", deferred.failed, count, "Those that were given up.");
  visit.field("unfinished", deferred.unfinished, count, "Those that were still queued at the end.");
  visit.field("latency_limit_s", deferred.latency_limit_s, seconds,
              "Seconds that the 90th percentile must not exceed (clause 5.2.5.7).");
  visit.figures("latency", deferred.latency,
                "From queueing to completion; of the unfinished ones to the end of the run.");
  visit.figures_or_null("waited", deferred.unanswered,
                        "The unfinished ones of latency; null if there are none.", Need::added);
  visit.follows(
      "lower_bounds", [&] { return lower_bounds(deferred.latency, deferred.unanswered); },
      lower_bounds_kind, lower_bounds_text, Need::added);
}

// Where and how long an outage or a stall was.
void describe_span(auto& visit, auto& span) {
  visit.field("start_s", span.start_s, seconds, "Seconds since the run began.");
  visit.field("end_s", span.end_s, seconds,
              "Seconds since the run began; null if the run ended before.");
  visit.repeats(
      "seconds",
      [&span] { return span.end_s ? std::optional(*span.end_s - span.start_s) : std::nullopt; },
      seconds, "Its length, or null.");
}

void describe(auto& visit, Of<Outage> auto& outage) {
  visit.definition(
      "A stretch of at least 0.1 s that began with a failure and in which nothing succeeded.",
      "outage");
  describe_span(visit, outage);
  visit.field("transactions_lost", outage.transactions_lost, count,
              "Transactions that failed in it, ambiguous ones included.");
  visit.field("first_error", outage.first_error, sentence, "The message with which it began.");
}

void describe(auto& visit, Of<Stall> auto& stall) {
  visit.definition(
      "A stretch of at least 1 s in which terminals waited and nobody had an answer, though "
      "nothing failed.",
      "stall");
  describe_span(visit, stall);
}

void describe(auto& visit, Of<Availability> auto& availability) {
  visit.field("outages", availability.outages, "In the order of time.");
  visit.field("stalls", availability.stalls, "In the order of time.", Need::added);
  visit.field("stalled_s", availability.stalled_s, seconds,
              "Seconds of the measurement interval that were in stalls.", Need::added);
  visit.field("interruptions", availability.interruptions, count, "Shorter ones.");
  visit.field("sessions_lost", availability.sessions_lost, count, "Connections that were lost.");
  visit.field("sessions_ended_idle", availability.sessions_ended_idle, count,
              "Of those lost, connections that were ended while they were idle: no transaction "
              "failed by it. 0 in older documents.",
              Need::added);
  visit.field("sessions_reopened", availability.sessions_reopened, count,
              "Those that were opened again.");
  visit.if_known(
      "sessions_renewed", availability.sessions_renewed, count,
      "Connections that were closed for their age, with another one in their place; they "
      "are not among those lost. Only with --connection-max-age.");
  visit.field("run_start_ts", availability.run_start_ts, seconds,
              "Unix time in seconds, with its fraction, at which the run began by the client's "
              "clock: what the "
              "seconds of this document are to be added to. 0 in older documents.",
              Need::added);
  visit.field("unavailable_s", availability.unavailable_s, seconds,
              "Seconds of the measurement interval that were in outages.");
}

void describe(auto& visit, Of<WarehouseAvailability> auto& availability) {
  visit.field("away", availability.away, objects,
              "The warehouses that were away for at least 0.1 s of the measured interval while "
              "the database as a whole was up.");
  visit.field("away_s", availability.away_s, figure,
              "Seconds for which they were away, summed over these warehouses.");
  visit.field("available_percent", availability.available_percent, settings::Real{0, 100},
              "Of the measured interval, in the mean over all warehouses. In an outage of the "
              "whole database no warehouse is available.");
}

void describe(auto& visit, Of<Ledger> auto& ledger) {
  visit.field("new_orders", ledger.new_orders, count, "New-Orders.");
  visit.field("payments", ledger.payments, count, "Payments.");
  visit.field("payment_cents", ledger.payment_cents,
              settings::Amount{0, amount.most, count.definition}, "Their sum in cents.");
  visit.field("deliveries", ledger.deliveries, count, "Deliveries.");
  visit.field("orders_delivered", ledger.orders_delivered, count,
              "The orders that they delivered. Missing in older documents.", Need::added);
  visit.field("exact", ledger.exact, flag, "False if ambiguous commits stayed unresolved.");
}

void describe(auto& visit, Of<LedgerInData> auto& ledger) {
  visit.definition(
      "The same as the data have it: the difference between the end of the run and its beginning.");
  visit.field("new_orders", ledger.new_orders, amount, "The rise of the sum of d_next_o_id.");
  visit.field("payment_cents", ledger.payment_cents, amount,
              "The rise of the sum of w_ytd, in cents.");
  visit.if_known(
      "orders_delivered", ledger.orders_delivered, amount,
      "The rise of the sum of d_next_o_id, less that of the number of rows in new_order. "
      "Missing in older documents.");
}

void describe(auto& visit, Of<LostCommit> auto& commit) {
  visit.definition("A commit that was acknowledged and is not in the data.", "lost_commit");
  visit.field("transaction", commit.transaction, settings::one_of("NewOrder|Payment|Delivery"),
              "Its type.");
  visit.field("answered_ts", commit.answered_ts, seconds,
              "Unix time in seconds, with its fraction, at which it was acknowledged.");
  visit.field("w_id", commit.w_id, objects, "Its warehouse.");
  visit.field("d_id", commit.d_id, objects,
              "Its district; null of a Delivery, which has them all.");
  visit.field("o_id", commit.o_id, objects,
              "The order number that a New-Order was given, and that another one may have now; or "
              "null.");
  visit.field("c_id", commit.c_id, objects, "The customer of a New-Order; or null.");
  visit.field("amount_cents", commit.amount_cents, count, "Of a Payment in cents; or null.");
  visit.field("carrier_id", commit.carrier_id, objects, "Of a Delivery; or null.");
  visit.field("mark", commit.mark, objects,
              "The microseconds of h_date or ol_delivery_d that a Payment or a Delivery would "
              "have; or null.");
}

void describe(auto& visit, Of<LostCommits> auto& lost) {
  visit.definition("Commits that were acknowledged and are not in the data.");
  visit.repeats("count", [&lost] { return lost.count(); }, count, "All of them.");
  visit.field("new_orders", lost.new_orders, count, "New-Orders.");
  visit.field("payments", lost.payments, count, "Payments.");
  visit.field("payment_cents", lost.payment_cents,
              settings::Amount{0, amount.most, count.definition}, "Their sum in cents.");
  visit.field("deliveries", lost.deliveries, count, "Deliveries.");
  visit.field("orders_delivered", lost.orders_delivered, count, "The orders that they delivered.");
  visit.field("complete", lost.complete, flag,
              "Whether they are all by which ledger_in_data is less than ledger.");
  visit.field("commits", lost.commits, "The first 10,000 of them, as they were acknowledged.");
}

void describe(auto& visit, Of<Account> auto& account) {
  visit.definition("Something that the run has changed in the data, over all its phases.",
                   "account");
  visit.field("name", account.name, settings::name, "What is counted: updates or inserts.");
  visit.field("counted", account.counted, count,
              "Those that were acknowledged, and of the ambiguous ones those that are known to "
              "have happened.");
  visit.field("in_data", account.in_data, amount,
              "By how much the data rose; null if they could not be asked.");
  visit.field("unresolved", account.unresolved, count,
              "At most so many more have happened, of ambiguous commits.");
}

void describe(auto& visit, Of<Verification> auto& verification) {
  visit.definition("Values that were read, and held against what must have been written.");
  visit.field("values", verification.values, count, "All of them.");
  visit.field("wrong", verification.wrong, count, "Those that were others.");
  visit.field("not_found", verification.not_found, count,
              "Rows that were to be there, and were not.");
  visit.field("first_wrong", verification.first_wrong, sentence,
              "Where the first wrong one is, and what is there; empty if none is.");
}

void describe(auto& visit, Of<WorkerHealth> auto& worker) {
  visit.definition("How a worker thread got on with the machine, over the measurement interval.",
                   "worker");
  visit.field("load", worker.load, share,
              "Share of the interval in which it had a processor, 0 to 1 but for rounding.");
  visit.field("run_queue_share", worker.run_queue_share, share,
              "Share in which it was ready and had none, 0 to 1 but for rounding.");
  visit.field("wake_up_delay_ms", worker.wake_up_delay_ms, milliseconds,
              "Mean wait for a processor in milliseconds, each time that it became ready.");
}

void describe_client(auto& visit, Of<Result> auto& result) {
  auto& client = result.client;
  visit.field("cpu_seconds", client.cpu_seconds, seconds,
              "User and system time of the process in the measurement interval.");
  visit.follows(
      "cpu_us_per_transaction", [&result] { return result.cpu_us_per_transaction(); }, figure,
      "The same in microseconds over the sum of all_count.");
  visit.field("peak_rss_bytes", client.peak_rss_bytes, count,
              "Most memory ever resident, of the whole life of the process.");
  visit.field("threads", client.threads, objects, "Threads of the process.");
  visit.field("terminals", client.terminals, objects, "Terminals.");
  visit.field("connections", client.connections, objects, "Connections.");
  visit.column("worker_loads", client.workers, &WorkerHealth::load, share,
               "The loads of workers again.");
  visit.repeats(
      "busiest_worker_load", [&client] { return client.busiest_worker_load(); }, share,
      "The highest of worker_loads.");
  visit.field("workers", client.workers, "The worker threads.", Need::added);
  visit.field("run_queue_known", client.run_queue_known, flag,
              "False if the kernel does not tell of waits for a processor: then they are 0.",
              Need::added);
  visit.field("terminals_up_s", client.terminals_up_s, seconds,
              "Seconds that the terminals took to come up, before the first second of the run; or "
              "null.",
              Need::added);
  visit.figures_or_null("timer_lag", client.timer_lag,
                        "How late timers were, or null if there were none.", Need::added);
}

void describe(auto& visit, Of<TimePoint> auto& point) {
  visit.definition("A second of the run, or time_series_step_s of them.", "time_point");
  visit.field("t", point.t, seconds,
              "Seconds since the run began, at the end of the point's time.");
  visit.field("phase", point.phase, settings::one_of("ramp-up|warm-up|measure"),
              "What the run did.");
  visit.counts_by_transaction("ok", point.ok,
                              "Commits of that second, by the transaction types of transactions.");
  visit.field("failed", point.failed, count, "Failures of that second.");
  visit.field("p50_ms", point.p50_ms, milliseconds,
              "Median latency of all types in that second, in milliseconds.");
  visit.field("p90_ms", point.p90_ms, milliseconds, "90th percentile of it, in milliseconds.");
  visit.field("p99_ms", point.p99_ms, milliseconds, "99th percentile of it, in milliseconds.");
  visit.field("in_flight", point.in_flight, count,
              "Transactions that were being executed at that moment.");
  visit.field("waiting", point.waiting, count,
              "Transactions that waited for a permit or a connection at that moment.");
  visit.field("retries", point.retries, count,
              "Attempts of that second that were followed by another one.", Need::added);
  visit.field("client_load", point.client_load, share,
              "Share of that second in which the busiest worker thread had a processor, 0 to 1 but "
              "for rounding.",
              Need::added);
  visit.buckets_if_any("latency", point.latency,
                       "Of all transactions committed in it: in the part of a run of several "
                       "hosts, whose seconds are to be added up.");
}

void describe(auto& visit, Of<Checkpoint> auto& checkpoint) {
  visit.definition("A checkpoint of the server.", "checkpoint");
  visit.field("start_s", checkpoint.start_s, seconds,
              "Seconds since the run began; 0 if it had begun before.");
  visit.field("end_s", checkpoint.end_s, seconds, "Likewise; null if the run ended before.");
  visit.field("requested", checkpoint.requested, flag,
              "True: by a command or by the amount of WAL; false: by the clock.");
}

void describe(auto& visit, Of<WaitEvent> auto& event) {
  visit.definition("An event in which sessions of the run were found.", "wait_event");
  visit.field("name", event.name, settings::name,
              "Its type and name as the server has them, or CPU of sessions that waited for "
              "nothing.");
  visit.field("sessions", event.sessions, figure,
              "How many, in the mean of the samples of the measurement interval.");
}

void describe(auto& visit, Of<ServerSample> auto& sample) {
  visit.definition("A look at the sessions of the run.", "server_sample");
  visit.field("t", sample.t, seconds, "Seconds since the run began.");
  visit.counts("sessions", sample.sessions, settings::name,
               "How many were in each event; those without a transaction are in none.",
               "Sessions.");
}

void describe(auto& visit, Of<ServerStatement> auto& statement) {
  visit.definition("A statement by the server's count, over the whole run.", "server_statement");
  visit.field("text", statement.text, sentence,
              "As the server has it, with $1 in place of constants, on one line and shortened.");
  visit.field("calls", statement.calls, count, "How often it was executed.");
  visit.field("total_ms", statement.total_ms, milliseconds,
              "Milliseconds that the server spent on all of them.");
  visit.repeats(
      "mean_ms", [&statement] { return statement.mean_ms(); }, milliseconds,
      "Milliseconds of one, in the mean.");
  visit.field("rows", statement.rows, count, "Rows that they returned or touched.");
}

void describe(auto& visit, Of<ServerStats> auto& stats) {
  visit.field("samples_measured", stats.samples_measured, count,
              "Samples of the measurement interval.");
  visit.field("wait_events", stats.wait_events, "That with the most sessions first.");
  visit.field("samples", stats.samples, "One a second, of the whole run, in the order of time.");
  visit.field("statements", stats.statements,
              "Those on which the server spent most time, that first, by pg_stat_statements; null "
              "where it was not to be had.");
}

void describe(auto& visit, Of<HostResult> auto& host) {
  visit.definition("What was done at one of several hosts, in the measurement interval.", "host");
  visit.field("name", host.name, settings::name, "Its name and port in the connection string.");
  visit.field("connections", host.connections, objects, "Connections to it, at the end.");
  visit.field("ok_count", host.ok_count, count, "Transactions that were committed there.");
  visit.field("failed_count", host.failed_count, count, "Those that ended in an error for good.");
  visit.figures("service", host.service,
                "Of those committed, from when they had their connection to the answer.");
}

void describe(auto& visit, Of<ClockOffset> auto& clock) {
  constexpr settings::Real any_seconds{-1e12, 1e12};
  visit.definition(
      "A host's clocks less those of the host that gathered the results, as a round trip of "
      "messages showed it.",
      "clock_offset");
  visit.field("wall_s", clock.wall_s, any_seconds, "Seconds, of those that tell the time of day.");
  visit.field(
      "monotonic_s", clock.monotonic_s, any_seconds,
      "Seconds, of those that measure: of any size, where the hosts did not boot together.");
  visit.field("uncertainty_s", clock.uncertainty_s, seconds, "Half of the round trip, in seconds.");
}

void describe_load_of(auto& visit, Of<RankResult> auto& one) {
  visit.field("terminals", one.terminals, objects, "Its terminals.");
  visit.field("connections", one.connections, objects, "Its connections.");
  visit.field("threads", one.threads, objects,
              "Its worker threads: those of client.workers, in the order of ranks.");
  visit.field("start_ts", one.start_ts, seconds,
              "Unix time in seconds by its own clock at which its phases began; 0: they did not.");
  visit.field("start_late_s", one.start_late_s, seconds,
              "Seconds after the instant that was agreed on, by its own clock.");
  visit.field("clock_at_start", one.clock_at_start,
              "Its clocks before the run; null where nobody compared them.");
  visit.field("clock_at_end", one.clock_at_end, "Its clocks after it.");
  visit.field("measured_s", one.measured_s, seconds, "Its measurement interval in seconds.");
  visit.field("ok_count", one.ok_count, count, "Transactions that it committed in it.");
  visit.field("failed_count", one.failed_count, count, "Those that ended in an error for good.");
  visit.figures_or_null("latency", one.latency,
                        "Of all its transactions; null if there were none.");
  visit.field("cpu_seconds", one.cpu_seconds, seconds,
              "User and system time of the process in the measurement interval.");
  visit.field("peak_rss_bytes", one.peak_rss_bytes, count, "Most memory ever resident.");
  visit.field("busiest_worker_load", one.busiest_worker_load, share,
              "Of its busiest worker thread.");
  visit.figures_or_null("timer_lag", one.timer_lag, "How late its timers were, or null.");
  visit.field("unavailable_s", one.unavailable_s, seconds,
              "Seconds of the interval in which it found the database away.");
}

void describe(auto& visit, Of<RankResult> auto& one) {
  visit.definition("One of several hosts that made the load together.", "rank");
  visit.field("rank", one.rank, objects, "Its number, from 0.");
  // Of DNS 253, and which of that name.
  constexpr settings::Text host_name{300};
  visit.field("name", one.name, host_name, "The host, as it was named.");
  visit.field("run", one.run, settings::name,
              "What the parts of a run have in common; empty where it was started by other means.");
  visit.field("ranks", one.ranks, objects, "How many the run was to have.");
  visit.field("warehouse_first", one.warehouse_first, objects,
              "Of tpcc: its first warehouse; else 0.");
  visit.field("warehouse_last", one.warehouse_last, objects, "And its last.");
  visit.field("host", one.host, "The machine.");
  describe_load_of(visit, one);
  visit.field("audit", one.audit, sentence, "Its own audit in a sentence, or empty.");
  visit.field("valid", one.valid, flag, "Whether that says that it can be trusted.");
  visit.field("lost", one.lost, sentence,
              "Why nothing came of it after some time; empty: it ended as it should.");
  visit.field("lost_at_s", one.lost_at_s, seconds, "When that was: seconds since the run began.");
  visit.field("part", one.part, sentence, "The file on its disk with its part, or empty.");
}

void describe(auto& visit, Of<Verdict> auto& verdict) {
  visit.definition("A line of the audit.", "verdict");
  visit.field("name", verdict.name, settings::name,
              "Short and constant, such as mix or client.load.");
  visit.field("clause", verdict.clause, settings::name,
              "Of the specification; empty where it is a rule of drover's.");
  visit.field("judgement", verdict.judgement, settings::one_of("held|broken|invalid|not_judged"),
              "held; broken: a rule does not hold; invalid: the figures cannot be trusted; "
              "not_judged.");
  visit.field("text", verdict.text, sentence, "The figure, its bound, and what to do.");
}

void describe_audit(auto& visit, Of<std::vector<Verdict>> auto& lines) {
  visit.follows(
      "validity", [&] { return std::string(summarise(lines).valid ? "valid" : "invalid"); },
      settings::one_of("valid|invalid"), "invalid if a line is.");
  visit.follows(
      "compliant", [&] { return summarise(lines).compliant; }, flag,
      "The result is valid and no line is broken; lines that are not judged do not count.");
  visit.follows(
      "sentence", [&] { return summarise(lines).sentence; }, sentence, "The audit in a sentence.");
  visit.field("lines", lines, "Each rule, in the same order each time.");
}

void describe_what_tpcc_did(auto& visit, Of<Result> auto& result) {
  visit.field("inputs", result.inputs,
              "What was in the transactions that were completed (clauses 2.4.1, 2.5.1, 2.6.1).",
              Need::added);
  visit.field("delivery_skipped_districts", result.delivery_skipped_districts, count,
              "Districts in which a Delivery found no undelivered order (clause 2.7.4.2).");
  visit.field("deferred_delivery", result.deferred_delivery,
              "Deliveries that were executed beside the terminals, or null.", Need::added);
  visit.field("warehouse_availability", result.warehouse_availability,
              "Which warehouses were away, and for how long; null in older documents.",
              Need::added);
  visit.field("ledger", result.ledger,
              "What the run wrote over all its phases, as the client has it.", Need::added);
  visit.field("ledger_in_data", result.ledger_in_data,
              "The same as the data have it; null if there was no database or it could not be "
              "asked.",
              Need::added);
  visit.field(
      "lost_commits", result.lost_commits,
      "What the database took back that it had acknowledged; null if it could not be found out.",
      Need::added);
}

void describe_what_others_did(auto& visit, Of<Result> auto& result) {
  visit.order_of("transaction_order", result.transactions,
                 "The names in transactions, in the order in which they are shown.");
  visit.list_if_any("accounts", result.accounts,
                    "What the run wrote, as the client and the data have it.");
  visit.field("verification", result.verification,
              "What was read and verified, or null if nothing was.", Need::added);
  visit.field("backlog", result.backlog, count,
              "Transactions that were due by the schedule when the interval ended and had not "
              "begun; null in a "
              "closed loop.",
              Need::added);
}

void describe(auto& visit, Of<Result> auto& result) {
  visit.version("schema_version", result_schema_version,
                "Of this format. It rises when a field changes its meaning or goes away.");
  visit.field("tool", result.tool, "The program that ran.");
  visit.field("plan", result.plan,
              "What was to be done, with every auto resolved. Never a password or a connection "
              "string.");
  visit.field("environment", result.environment, "The two machines.");
  visit.within("summary",
               "The headline. Fields of the same names as those of ydb workload tpcc run --format "
               "json have the same meaning and unit.",
               Need::required, [&](auto& inner) { describe_summary(inner, result); });
  visit.by_name(
      "transactions", result.transactions,
      "By type of transaction. Of tpcc: NewOrder, Payment, OrderStatus, Delivery, StockLevel; of "
      "ycsb: READ, UPDATE, INSERT, SCAN, READ-MODIFY-WRITE; of sql: the names of the scripts.");
  visit.where(result.is_tpcc(), [&](auto& inner) { describe_what_tpcc_did(inner, result); });
  visit.where(!result.is_tpcc(), [&](auto& inner) { describe_what_others_did(inner, result); });
  visit.field("availability", result.availability,
              "When the database was away, over the whole run, the warm-up included.", Need::added);
  visit.within("client", "What the load generator itself cost.", Need::required,
               [&](auto& inner) { describe_client(inner, result); });
  visit.field("time_series", result.time_series,
              "A point every time_series_step_s seconds, of the whole run.");
  visit.field("time_series_step_s", result.time_series_step_s, settings::Whole{1'000'000'000},
              "Seconds that a point of time_series covers: 1, and a power of two in a run of more "
              "than four hours. The last point of a phase may cover less.",
              Need::added);
  visit.field("checkpoints", result.checkpoints,
              "The server's checkpoints while the run went on, or null where it does not tell of "
              "them.",
              Need::added);
  visit.field("server_stats", result.server_stats,
              "What the server was doing (--server-stats), or null where nobody asked, or it does "
              "not tell.",
              Need::added);
  visit.list_if_any(
      "hosts", result.hosts,
      "The hosts over which the connections were spread (--balance), in their order.");
  visit.list_if_any("ranks", result.ranks,
                    "Several: the hosts that made the load together. One: this is the part of a "
                    "run that it says.");
  visit.if_known("incomplete", result.incomplete, sentence,
                 "What of the run is missing here, such as a host that was lost.");
  visit.within("audit", "Whether the result can be trusted, and which rules it keeps.", Need::added,
               [&](auto& inner) { describe_audit(inner, result.audit); });
  visit.field("failure", result.failure, sentence,
              "Why the run was given up before its end, or null.", Need::added);
  visit.field("interrupted", result.interrupted, flag,
              "The run ended before its time; the figures are those of the time it had.");
}

}  // namespace drover::report
