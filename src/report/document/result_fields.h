// The description of a result: every field of the document with its bounds and meaning. The writer,
// the reader, merging (model/adder.h) and docs/result.schema.json are visitors of it
// (settings/field.h). Descriptions that take several objects are used for merging, too.
//
// Included by the .cpp files that use visitors.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>

#include "model/totals_fields.h"
#include "report/document/result.h"
#include "settings/field.h"

namespace drover::report {

using model::describe_figures;
using model::first_of;
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

void describe(auto& visit, Of<Tool> auto& tool) {
  visit.field("name", tool.name, settings::name, "Always drover.");
  visit.field("version", tool.version, settings::name, "Version of Drover.");
  visit.field("commit", tool.commit, settings::name,
              "Commit of the build, with the suffix -dirty if the sources had been changed.");
  visit.field("compiler", tool.compiler, settings::name, "Compiler and its version.");
}

void describe(auto& visit, Of<Server> auto& server) {
  visit.definition("The database server.");
  visit.field("kind", server.kind, settings::name,
              "Kind of database: PostgreSQL, a relative of it, or YDB. Older documents lack it; "
              "their database is PostgreSQL.",
              Need::added);
  visit.field("version", server.version, settings::name,
              "Version that the server reports; empty for YDB, which reports none.");
  visit.field("settings", server.settings, sentence,
              "PostgreSQL: values that SHOW prints, such as fsync and shared_buffers. CockroachDB, "
              "YugabyteDB and Citus add dialect and dialect_support. YDB: nodes, discovery, tls.");
}

void describe(auto& visit, Of<measure::Host> auto& host) {
  visit.field("hostname", host.hostname, settings::name, "Name of the host.");
  visit.field("os", host.os, settings::name, "Operating system.");
  visit.field("cpus", host.cpus, settings::Whole{1u << 20}, "Processors that the process may use.");
  visit.field("cpu_model", host.cpu_model, settings::name, "Model of the processors.");
}

void describe(auto& visit, Of<Environment> auto& environment) {
  visit.field("client", environment.client, "Machine of the client.");
  visit.field("server", environment.server, "Database server, or null without a database.");
}

void describe_tpcc_summary(auto& visit, Of<Result> auto& result) {
  auto& summary = result.summary;
  visit.field("warehouses", summary.warehouses, objects, "Number of warehouses, W.");
  visit.field("new_orders", summary.new_orders, count,
              "New-Orders committed in the measured interval.");
  visit.field("tpmc", summary.tpmc, figure, "new_orders * 60 / measured_seconds.");
  visit.field("efficiency", summary.efficiency, figure,
              "Percent: tpmc / (12.86 * W * pace) * 100, not clipped.");
  visit.field("efficiency_sampling_error", summary.efficiency_sampling_error, figure,
              "Half the width of the 95% confidence interval of efficiency, in percentage points; "
              "0 without delays.");
  visit.follows(
      "efficiency_is_meaningful", [&result] { return result.efficiency_is_meaningful(); }, flag,
      "False without delays, where terminals run as fast as the database answers.");
}

void describe_summary(auto& visit, Of<Result> auto& result) {
  constexpr std::int64_t end_of_year_9999 = 253'402'300'799;
  auto& summary = result.summary;
  visit.field("name", summary.name, settings::name, "Always Total.");
  visit.repeats(
      "time_seconds",
      [&summary] {
        return std::isfinite(summary.time_seconds) ? std::llround(summary.time_seconds) : 0;
      },
      settings::Whole{10'000'000'000}, "Length of the measured interval in seconds, rounded.");
  visit.field("measured_seconds", summary.time_seconds, seconds,
              "Exact length of the measured interval in seconds.");
  visit.field("measure_start_ts", summary.measure_start_ts, settings::Amount{0, end_of_year_9999},
              "Start of the measured interval, Unix time in seconds.");
  visit.follows(
      "throughput", [&result] { return result.throughput(); }, figure,
      "Committed transactions of all types per second.", Need::added);
  visit.where(result.kind().has_tpmc, [&](auto& inner) { describe_tpcc_summary(inner, result); });
}

constexpr settings::Text lower_bounds_kind = settings::one_of("50|90|95|99|99.9|max");
constexpr std::string_view lower_bounds_text =
    "Names of the percentiles that are only lower bounds, because they are waiting times of "
    "transactions without an answer.";

void describe_pending(auto& visit, Of<TransactionResult> auto&... one) {
  visit.field("count", one.pending.count..., count, "Total number.");
  visit.field("answered", one.pending.answered..., count,
              "Late transactions whose commit was answered within 5 s after the interval.");
  visit.repeats(
      "unanswered", [&] { return first_of(one...).pending.unanswered.count(); }, count,
      "Late transactions without an answer. They are in the histogram with the time waited.");
  visit.figures_or_null("waited", one.pending.unanswered...,
                        "Time waited of the unanswered transactions; null if there are none.",
                        Need::written);
  visit.follows(
      "lower_bounds",
      [&] {
        const auto& known = first_of(one...);
        return lower_bounds(known.latency, known.pending.unanswered);
      },
      lower_bounds_kind, lower_bounds_text);
}

void describe(auto& visit, Of<StatementResult> auto&... statement) {
  visit.definition("A statement of a script, retried attempts included.", "statement");
  visit.field("name", statement.name..., settings::name,
              "Position in the script, and the beginning of the statement.");
  visit.field("ok_count", statement.ok_count..., count, "Successful executions.");
  visit.field("failed_count", statement.failed_count..., count,
              "Executions that ended in an error.");
  visit.figures("latency", statement.latency...,
                "Time from sending the statement to its answer, of the successful executions.");
}

void describe(auto& visit, Of<TransactionResult> auto&... one) {
  visit.definition("Transactions of one type in the measured interval.", "transaction");
  model::describe_totals(visit, one...);
  visit.repeats(
      "all_count", [&] { return first_of(one...).all_count(); }, count,
      "ok_count + user_aborted_count + failed_count.");
  visit.field(
      "latency_limit_s", one.latency_limit_s..., seconds,
      "Limit of the 90th percentile in seconds (clause 5.2.5.7), or null if there is no limit.");
  visit.follows(
      "latency_limit_held", [&] { return first_of(one...).holds_latency_limit(); }, flag,
      "True if the 90th percentile is within the limit. Null without a limit, if nothing was "
      "measured, or if the percentile is a lower bound below the limit.",
      Need::added);
  visit.within("pending",
               "Transactions that clients waited for when the measured interval ended. They are in "
               "no other count.",
               Need::added, [&](auto& inner) { describe_pending(inner, one...); });
  visit.list_if_any("statements", one.statements..., "Statements of a script, in order.");
  visit.if_known("share", one.share..., settings::Real{0, 1}, "Planned share of all transactions.");
}

void describe(auto& visit, Of<InputCounts> auto&... inputs) {
  constexpr auto by_name = "Transactions that select the customer by last name.";
  visit.field("new_orders", inputs.new_orders..., count, "New-Orders.");
  visit.field("new_orders_rolled_back", inputs.new_orders_rolled_back..., count,
              "New-Orders with an unused item, which roll back.");
  visit.field("order_lines", inputs.order_lines..., count, "Order lines of New-Orders.");
  visit.field("order_lines_remote", inputs.order_lines_remote..., count,
              "Order lines supplied by another warehouse.");
  visit.field("payments", inputs.payments..., count, "Payments.");
  visit.field("payments_remote", inputs.payments_remote..., count,
              "Payments by a customer of another warehouse.");
  visit.field("payments_by_name", inputs.payments_by_name..., count, by_name);
  visit.field("order_statuses", inputs.order_statuses..., count, "Order-Status transactions.");
  visit.field("order_statuses_by_name", inputs.order_statuses_by_name..., count, by_name);
  visit.field("deliveries", inputs.deliveries..., count,
              "Deliveries executed in the database, deferred ones included.");
}

void describe(auto& visit, Of<DeferredDelivery> auto&... deferred) {
  visit.definition("Deliveries that were queued during the measured interval.");
  visit.field("queued", deferred.queued..., count, "Total number.");
  visit.field("completed", deferred.completed..., count, "Deliveries that were executed.");
  visit.field("failed", deferred.failed..., count, "Deliveries that failed.");
  visit.field("unfinished", deferred.unfinished..., count,
              "Deliveries that were still in the queue at the end.");
  visit.field("latency_limit_s", deferred.latency_limit_s..., seconds,
              "Limit of the 90th percentile in seconds (clause 5.2.5.7).");
  visit.figures(
      "latency", deferred.latency...,
      "Time from queueing to completion, or to the end of the run for unfinished Deliveries.");
  visit.figures_or_null(
      "waited", deferred.unanswered...,
      "The part of latency that belongs to unfinished Deliveries; null if there are none.",
      Need::added);
  visit.follows(
      "lower_bounds",
      [&] {
        const auto& one = first_of(deferred...);
        return lower_bounds(one.latency, one.unanswered);
      },
      lower_bounds_kind, lower_bounds_text, Need::added);
}

void describe_span(auto& visit, auto& span) {
  visit.field("start_s", span.start_s, seconds, "Seconds since the start of the run.");
  visit.field("end_s", span.end_s, seconds,
              "Seconds since the start of the run; null if the run ended first.");
  visit.repeats(
      "seconds",
      [&span] { return span.end_s ? std::optional(*span.end_s - span.start_s) : std::nullopt; },
      seconds, "Length in seconds, or null.");
}

void describe(auto& visit, Of<Outage> auto& outage) {
  visit.definition(
      "An outage of at least 0.1 s: it begins with a lost or refused connection and ends with the "
      "next success.",
      "outage");
  describe_span(visit, outage);
  visit.field("transactions_lost", outage.transactions_lost, count,
              "Transactions that failed during the outage, unknown commit outcomes included.");
  visit.field("first_error", outage.first_error, sentence,
              "Message of the error with which the outage began.");
}

void describe(auto& visit, Of<Stall> auto& stall) {
  visit.definition(
      "A stall of at least 1 s: clients waited, no client received an answer, and nothing failed.",
      "stall");
  describe_span(visit, stall);
}

void describe(auto& visit, Of<Availability> auto&... availability) {
  visit.field("outages", availability.outages..., "In the order of time.");
  visit.field("stalls", availability.stalls..., "In the order of time.", Need::added);
  visit.field("stalled_s", availability.stalled_s..., seconds,
              "Seconds of the measured interval in stalls.", Need::added);
  model::describe_connections(visit, availability...);
  visit.if_known("sessions_renewed", availability.sessions_renewed..., count,
                 "Connections that were replaced because of their age. They do not count as lost. "
                 "Only with --connection-max-age.");
  visit.field("run_start_ts", availability.run_start_ts..., seconds,
              "Start of the run by the client's clock, Unix time in seconds with fraction. Add the "
              "times of this document to it. 0 in older documents.",
              Need::added);
  visit.field("unavailable_s", availability.unavailable_s..., seconds,
              "Seconds of the measured interval in outages.");
}

void describe(auto& visit, Of<WarehouseAvailability> auto& availability) {
  visit.field("away", availability.away, objects,
              "Warehouses that were unavailable for at least 0.1 s of the measured interval while "
              "the database as a whole was available.");
  visit.field("away_s", availability.away_s, figure,
              "Seconds for which they were unavailable, summed over these warehouses.");
  visit.field(
      "available_percent", availability.available_percent, settings::Real{0, 100},
      "Share of the measured interval in which a warehouse was available, in percent, averaged "
      "over all warehouses. An outage of the whole database makes all warehouses unavailable.");
}

void describe(auto& visit, Of<Ledger> auto&... ledger) {
  visit.field("new_orders", ledger.new_orders..., count, "New-Orders.");
  visit.field("payments", ledger.payments..., count, "Payments.");
  visit.field("payment_cents", ledger.payment_cents...,
              settings::Amount{0, amount.most, count.definition}, "Sum of the Payments in cents.");
  visit.field("deliveries", ledger.deliveries..., count, "Deliveries.");
  visit.field("orders_delivered", ledger.orders_delivered..., count,
              "Orders that the Deliveries delivered. Absent from older documents.", Need::added);
  visit.field("exact", ledger.exact..., flag, "False if unknown commits stayed unresolved.");
}

void describe(auto& visit, Of<LedgerInData> auto&... ledger) {
  visit.definition("Change in the data between the start and the end of the run.");
  visit.field("new_orders", ledger.new_orders..., amount, "Rise of the sum of d_next_o_id.");
  visit.field("payment_cents", ledger.payment_cents..., amount,
              "Rise of the sum of w_ytd, in cents.");
  visit.if_known("orders_delivered", ledger.orders_delivered..., amount,
                 "Rise of the sum of d_next_o_id minus the rise of the number of rows of "
                 "new_order. Absent from older documents.");
}

void describe(auto& visit, Of<LostCommit> auto& commit) {
  visit.definition("A lost commit: it was acknowledged and is missing from the data.",
                   "lost_commit");
  visit.field("transaction", commit.transaction, settings::one_of("NewOrder|Payment|Delivery"),
              "Transaction type.");
  visit.field("answered_ts", commit.answered_ts, seconds,
              "Time of the acknowledgement, Unix time in seconds with fraction.");
  visit.field("w_id", commit.w_id, objects, "Warehouse.");
  visit.field("d_id", commit.d_id, objects,
              "District; null for a Delivery, which covers all districts.");
  visit.field(
      "o_id", commit.o_id, objects,
      "Number that a New-Order was given, or null. Another order may have this number now.");
  visit.field("c_id", commit.c_id, objects, "Customer of a New-Order, or null.");
  visit.field("amount_cents", commit.amount_cents, count, "Amount of a Payment in cents, or null.");
  visit.field("carrier_id", commit.carrier_id, objects, "Carrier of a Delivery, or null.");
  visit.field("mark", commit.mark, objects,
              "Microseconds of the h_date or ol_delivery_d that would identify the row of a "
              "Payment or a Delivery, or null.");
}

void describe(auto& visit, Of<LostCommits> auto&... lost) {
  visit.definition("Lost commits: they were acknowledged and are missing from the data.");
  visit.repeats("count", [&] { return first_of(lost...).count(); }, count, "Total number.");
  visit.field("new_orders", lost.new_orders..., count, "New-Orders.");
  visit.field("payments", lost.payments..., count, "Payments.");
  visit.field("payment_cents", lost.payment_cents...,
              settings::Amount{0, amount.most, count.definition}, "Sum of the Payments in cents.");
  visit.field("deliveries", lost.deliveries..., count, "Deliveries.");
  visit.field("orders_delivered", lost.orders_delivered..., count,
              "Orders that the Deliveries delivered.");
  visit.field("complete", lost.complete..., flag,
              "True if these commits explain the whole difference by which ledger_in_data is less "
              "than ledger.");
  visit.field("commits", lost.commits...,
              "The first 10,000 lost commits, in the order of their acknowledgement.");
}

void describe(auto& visit, Of<Account> auto&... account) {
  visit.definition("A count of writes over all phases of the run, compared with the data.",
                   "account");
  visit.field("name", account.name..., settings::name, "Kind of write: fields updated or inserts.");
  visit.field(
      "counted", account.counted..., count,
      "Writes known as committed: acknowledged ones, and unknown commits that the data confirmed.");
  visit.field("in_data", account.in_data..., amount,
              "Rise in the data; null if the data could not be read.");
  visit.field(
      "unresolved", account.unresolved..., count,
      "Unknown commits that could not be resolved. They may have been committed in addition.");
}

void describe(auto& visit, Of<Verification> auto&... verification) {
  visit.definition("Values that were read and compared with what the run wrote.");
  visit.field("values", verification.values..., count, "Total number.");
  visit.field("wrong", verification.wrong..., count, "Values that differ from what was written.");
  visit.field("not_found", verification.not_found..., count,
              "Rows that must exist and were not found.");
  visit.field("first_wrong", verification.first_wrong..., sentence,
              "Place and content of the first wrong value; empty if there is none.");
}

void describe(auto& visit, Of<WorkerHealth> auto& worker) {
  visit.definition("Processor use of a worker thread in the measured interval.", "worker");
  visit.field(
      "load", worker.load, share,
      "Share of the interval in which the thread had a processor, 0 to 1 except for rounding.");
  visit.field("run_queue_share", worker.run_queue_share, share,
              "Share of the interval in which the thread was ready to run and waited for a "
              "processor, 0 to 1 except for rounding.");
  visit.field("wake_up_delay_ms", worker.wake_up_delay_ms, milliseconds,
              "Mean wait for a processor per wake-up, in milliseconds.");
}

void describe_client(auto& visit, Of<Result> auto&... result) {
  visit.field("cpu_seconds", result.client.cpu_seconds..., seconds,
              "User and system time of the process in the measured interval.");
  visit.follows(
      "cpu_us_per_transaction", [&] { return first_of(result...).cpu_us_per_transaction(); },
      figure, "cpu_seconds in microseconds, divided by the sum of all_count.");
  visit.field("peak_rss_bytes", result.client.peak_rss_bytes..., count,
              "Largest resident memory over the whole life of the process.");
  visit.field("threads", result.client.threads..., objects,
              "Threads of the process: the worker threads and the main thread.");
  visit.field("terminals", result.client.terminals..., objects, "Terminals or clients.");
  visit.field("connections", result.client.connections..., objects, "Connections.");
  visit.column("worker_loads", result.client.workers..., &WorkerHealth::load, share,
               "The load of each element of workers.");
  visit.repeats(
      "busiest_worker_load", [&] { return first_of(result...).client.busiest_worker_load(); },
      share, "Highest value of worker_loads.");
  visit.field("workers", result.client.workers..., "Worker threads.", Need::added);
  visit.field("run_queue_known", result.client.run_queue_known..., flag,
              "False if the kernel does not report waits for a processor. run_queue_share and "
              "wake_up_delay_ms are then 0.",
              Need::added);
  visit.field(
      "terminals_up_s", result.client.terminals_up_s..., seconds,
      "Seconds in which the terminals started, before the first second of the run; or null.",
      Need::added);
  visit.figures_or_null("timer_lag", result.client.timer_lag...,
                        "Timer lag, or null if there were no timers.", Need::added);
}

void describe(auto& visit, Of<TimePoint> auto& point) {
  visit.definition("Figures of one second of the run, or of time_series_step_s seconds.",
                   "time_point");
  visit.field("t", point.t, seconds,
              "Seconds since the start of the run, at the end of the point's interval.");
  visit.field("phase", point.phase, settings::one_of("ramp-up|warm-up|measure"),
              "Phase of the run.");
  model::describe_interval(visit, point);
}

void describe(auto& visit, Of<Checkpoint> auto& checkpoint) {
  visit.definition("A checkpoint of the server.", "checkpoint");
  visit.field("start_s", checkpoint.start_s, seconds,
              "Seconds since the start of the run; 0 if the checkpoint began before it.");
  visit.field("end_s", checkpoint.end_s, seconds,
              "Seconds since the start of the run; null if the run ended first.");
  visit.field(
      "requested", checkpoint.requested, flag,
      "True: caused by a command or by the amount of WAL. False: caused by checkpoint_timeout.");
}

void describe(auto& visit, Of<WaitEvent> auto& event) {
  visit.definition("A wait event of sessions of the run.", "wait_event");
  visit.field(
      "name", event.name, settings::name,
      "Type and name of the event in the server, or CPU for sessions that waited for nothing.");
  visit.field("sessions", event.sessions, figure,
              "Mean number of sessions in the event over the samples of the measured interval.");
}

void describe(auto& visit, Of<ServerSample> auto& sample) {
  visit.definition("A sample of the sessions of the run.", "server_sample");
  visit.field("t", sample.t, seconds, "Seconds since the start of the run.");
  visit.counts("sessions", sample.sessions, settings::name,
               "Number of sessions in each event. Sessions without a transaction are not counted.",
               "Sessions.");
}

void describe(auto& visit, Of<ServerStatement> auto& statement) {
  visit.definition("A statement of pg_stat_statements, over the whole run.", "server_statement");
  visit.field("text", statement.text, sentence,
              "Text in the server, with $1 instead of constants, on one line and shortened.");
  visit.field("calls", statement.calls, count, "Number of executions.");
  visit.field("total_ms", statement.total_ms, milliseconds,
              "Total time of all executions in milliseconds.");
  visit.repeats(
      "mean_ms", [&statement] { return statement.mean_ms(); }, milliseconds,
      "Mean time of an execution in milliseconds.");
  visit.field("rows", statement.rows, count, "Rows returned or changed.");
}

void describe(auto& visit, Of<ServerStats> auto& stats) {
  visit.field("samples_measured", stats.samples_measured, count,
              "Number of samples in the measured interval.");
  visit.field("wait_events", stats.wait_events, "Sorted by sessions, highest first.");
  visit.field("samples", stats.samples,
              "One sample per second of the whole run, in the order of time. A run of more than "
              "eight hours has one every 2, 4, 8, … seconds.");
  visit.field("statements", stats.statements,
              "Statements with the longest total time in pg_stat_statements, longest first. Null "
              "if pg_stat_statements was not available.");
}

void describe(auto& visit, Of<HostResult> auto&... host) {
  visit.definition("Figures of one server host in the measured interval.", "host");
  visit.field("name", host.name..., settings::name, "Name and port in the connection string.");
  visit.field("connections", host.connections..., objects, "Connections to this host at the end.");
  model::describe_host_totals(visit, host...);
}

void describe(auto& visit, Of<ClockOffset> auto& clock) {
  constexpr settings::Real any_seconds{-1e12, 1e12};
  visit.definition(
      "A host's clocks minus the clocks of the coordinator, measured by a round trip of messages.",
      "clock_offset");
  visit.field("wall_s", clock.wall_s, any_seconds,
              "Difference of the time-of-day clocks in seconds.");
  visit.field("monotonic_s", clock.monotonic_s, any_seconds,
              "Difference of the monotonic clocks in seconds. It can be large, because these "
              "clocks count from the boot of each host.");
  visit.field("uncertainty_s", clock.uncertainty_s, seconds, "Half of the round trip, in seconds.");
}

void describe_load_of(auto& visit, Of<RankResult> auto& one) {
  visit.field("terminals", one.terminals, objects, "Terminals of the host.");
  visit.field("connections", one.connections, objects, "Connections of the host.");
  visit.field("threads", one.threads, objects,
              "Number of worker threads. client.workers lists the threads of all hosts in the "
              "order of ranks.");
  visit.field(
      "start_ts", one.start_ts, seconds,
      "Start of the host's phases by its own clock, Unix time in seconds; 0: they did not start.");
  visit.field("start_late_s", one.start_late_s, seconds,
              "Delay of the start after the agreed instant, in seconds of its own clock.");
  visit.field("clock_at_start", one.clock_at_start,
              "Clocks before the run; null if they were not compared.");
  visit.field("clock_at_end", one.clock_at_end,
              "Clocks after the run; null if they were not compared.");
  visit.field("measured_s", one.measured_s, seconds, "Measured interval of the host in seconds.");
  visit.field("ok_count", one.ok_count, count,
              "Transactions that the host committed in the interval.");
  visit.field("failed_count", one.failed_count, count,
              "Transactions that ended in an error after all attempts.");
  visit.figures_or_null("latency", one.latency,
                        "Latency of all its transactions; null if there were none.");
  visit.field("cpu_seconds", one.cpu_seconds, seconds,
              "User and system time of the process in the measured interval.");
  visit.field("peak_rss_bytes", one.peak_rss_bytes, count,
              "Largest resident memory of the process.");
  visit.field("busiest_worker_load", one.busiest_worker_load, share,
              "Load of its busiest worker thread.");
  visit.figures_or_null("timer_lag", one.timer_lag, "Timer lag of the host, or null.");
  visit.field("unavailable_s", one.unavailable_s, seconds,
              "Seconds of the interval in which the database was unavailable to the host.");
}

void describe(auto& visit, Of<RankResult> auto& one) {
  visit.definition("One host of a run on several hosts.", "rank");
  visit.field("rank", one.rank, objects, "Number of the host, from 0.");
  // A DNS name of at most 253 bytes, and a number if several hosts have the same name.
  constexpr settings::Text host_name{300};
  visit.field("name", one.name, host_name, "Name of the host as given by the user.");
  visit.field("run", one.run, settings::name,
              "Identifier that all parts of the run share; empty in a run started by hand.");
  visit.field("ranks", one.ranks, objects, "Planned number of hosts.");
  visit.field("warehouse_first", one.warehouse_first, objects,
              "TPC-C: first warehouse of the host; otherwise 0.");
  visit.field("warehouse_last", one.warehouse_last, objects,
              "TPC-C: last warehouse of the host; otherwise 0.");
  visit.field("host", one.host, "Machine of the host.");
  describe_load_of(visit, one);
  visit.field("audit", one.audit, sentence, "Sentence of the host's own audit, or empty.");
  visit.field("valid", one.valid, flag, "True if the host's own audit says valid.");
  visit.field("lost", one.lost, sentence, "Why the host was lost; empty if it ended normally.");
  visit.field("lost_at_s", one.lost_at_s, seconds,
              "Time at which the host was lost, in seconds since the start of the run; null if it "
              "ended normally.");
  visit.field("part", one.part, sentence, "File with the host's part on its own disk, or empty.");
}

void describe(auto& visit, Of<Verdict> auto& verdict) {
  visit.definition("A rule of the audit and its judgement.", "verdict");
  visit.field("name", verdict.name, settings::name,
              "Constant name of the rule, such as mix or client.load.");
  visit.field("clause", verdict.clause, settings::name,
              "Clause of the specification; empty for a rule of Drover.");
  visit.field("judgement", verdict.judgement, settings::one_of("held|broken|invalid|not_judged"),
              "held; broken: the rule does not hold; invalid: the figures cannot be trusted; "
              "not_judged: the rule does not apply or there are too few samples.");
  visit.field("text", verdict.text, sentence, "The figure, its bound, and the remedy.");
}

void describe_audit(auto& visit, Of<std::vector<Verdict>> auto& lines) {
  visit.follows(
      "validity", [&] { return std::string(summarise(lines).valid ? "valid" : "invalid"); },
      settings::one_of("valid|invalid"), "invalid if the judgement of a line is invalid.");
  visit.follows(
      "compliant", [&] { return summarise(lines).compliant; }, flag,
      "True if the result is valid and no line is broken. Lines that are not judged do not count.");
  visit.follows(
      "sentence", [&] { return summarise(lines).sentence; }, sentence,
      "The audit in one sentence.");
  visit.field("lines", lines, "All rules, always in the same order.");
}

void describe_what_tpcc_did(auto& visit, Of<Result> auto& result) {
  visit.field("inputs", result.inputs,
              "Properties of the inputs of completed transactions (clauses 2.4.1, 2.5.1, 2.6.1).",
              Need::added);
  visit.field("delivery_skipped_districts", result.delivery_skipped_districts, count,
              "Districts in which a Delivery found no undelivered order (clause 2.7.4.2).");
  visit.field("deferred_delivery", result.deferred_delivery,
              "Deliveries that were queued and executed in the background, or null.", Need::added);
  visit.field(
      "warehouse_availability", result.warehouse_availability,
      "Availability of single warehouses in the measured interval; null in older documents.",
      Need::added);
  visit.field("ledger", result.ledger,
              "Sums over all phases of the run that Drover knows as committed.", Need::added);
  visit.field("ledger_in_data", result.ledger_in_data,
              "The same sums in the data; null if there was no database or it could not be read.",
              Need::added);
  visit.field(
      "lost_commits", result.lost_commits,
      "Acknowledged commits that are missing from the data; null if that could not be determined.",
      Need::added);
}

void describe_what_others_did(auto& visit, Of<Result> auto& result) {
  visit.order_of("transaction_order", result.transactions,
                 "Names of transactions in display order.");
  visit.list_if_any("accounts", result.accounts,
                    "Counts of writes, as Drover counted them and as the data show them.");
  visit.field("verification", result.verification,
              "Values that were read and verified, or null if there were none.", Need::added);
  visit.field("backlog", result.backlog, count,
              "Transactions that were scheduled before the end of the measured interval and had "
              "not started by then; null in a closed loop.",
              Need::added);
}

void describe(auto& visit, Of<Result> auto& result) {
  visit.version("schema_version", result_schema_version,
                "Version of this format. It rises when a field is removed or changes its meaning.");
  visit.field("tool", result.tool, "Program that executed the run.");
  visit.field("plan", result.plan,
              "Settings of the run, with every auto resolved. It never contains a password or a "
              "connection string.");
  visit.field("environment", result.environment, "Machine of the client and the database server.");
  visit.within("summary",
               "Main figures. Fields that ydb workload tpcc run --format json also has have the "
               "same meaning and unit.",
               Need::required, [&](auto& inner) { describe_summary(inner, result); });
  visit.by_name(
      "transactions", result.transactions,
      "Figures by transaction type. tpcc: NewOrder, Payment, OrderStatus, Delivery, StockLevel. "
      "ycsb: READ, UPDATE, INSERT, SCAN, READ-MODIFY-WRITE. sql: the names of the scripts.");
  visit.where(result.kind().has_warehouses,
              [&](auto& inner) { describe_what_tpcc_did(inner, result); });
  visit.where(!result.kind().has_warehouses,
              [&](auto& inner) { describe_what_others_did(inner, result); });
  visit.field("availability", result.availability,
              "Outages, stalls and lost connections over the whole run, warm-up included.",
              Need::added);
  visit.within("client", "Resources that the load generator used.", Need::required,
               [&](auto& inner) { describe_client(inner, result); });
  visit.field("time_series", result.time_series,
              "A point for every time_series_step_s seconds of the whole run.");
  visit.field("time_series_step_s", result.time_series_step_s, settings::Whole{1'000'000'000},
              "Seconds that a point of time_series covers: 1, or a higher power of two in a run of "
              "more than four hours. The last point of a phase may cover less.",
              Need::added);
  visit.field(
      "checkpoints", result.checkpoints,
      "Checkpoints of the server during the run, or null if the server does not report them.",
      Need::added);
  visit.field("server_stats", result.server_stats,
              "Wait events and statements of the server (--server-stats), or null if they were not "
              "requested or the server does not report them.",
              Need::added);
  visit.list_if_any(
      "hosts", result.hosts,
      "Server hosts over which the connections were distributed (--balance), in order.");
  visit.list_if_any("ranks", result.ranks,
                    "Hosts of a run on several hosts. A single element marks the document as that "
                    "host's part of a run.");
  visit.if_known("incomplete", result.incomplete, sentence,
                 "What is missing from the result, such as a lost host.");
  visit.within("audit", "Judgement whether the result can be trusted, and which rules it keeps.",
               Need::added, [&](auto& inner) { describe_audit(inner, result.audit); });
  visit.field("failure", result.failure, sentence,
              "Why the run stopped before its planned end, or null.", Need::added);
  visit.field(
      "interrupted", result.interrupted, flag,
      "True if the run ended before its planned end. The figures cover the time until then.");
}

}  // namespace drover::report
