#include "metrics/families.h"

#include <fmt/format.h>
#include <prometheus/check_names.h>

#include <algorithm>
#include <cassert>
#include <cctype>
#include <cmath>
#include <deque>
#include <iterator>
#include <span>
#include <string_view>

#include "database/error.h"
#include "text/plain_text.h"

namespace drover::metrics {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;
using enum prometheus::MetricType;
using coro::seconds_of;
using Labels = std::vector<ClientMetric::Label>;

// A deque, whose elements keep their addresses.
using Families = std::deque<MetricFamily>;

MetricFamily& add_family(Families& families, MetricType type, std::string name, std::string help) {
  assert(prometheus::CheckMetricName(name));
  return families.emplace_back(MetricFamily{std::move(name), std::move(help), type, {}});
}

template <class Number>
void add(MetricFamily& family, Number number, Labels labels = {}) {
  ClientMetric metric;
  metric.label = std::move(labels);
  (family.type == Counter ? metric.counter.value : metric.gauge.value) =
      static_cast<double>(number);
  family.metric.push_back(std::move(metric));
}

void add(MetricFamily& family, ClientMetric::Histogram histogram, Labels labels) {
  ClientMetric metric;
  metric.label = std::move(labels);
  metric.histogram = std::move(histogram);
  family.metric.push_back(std::move(metric));
}

// Adds a family with one series without labels.
void add_single(Families& families, MetricType type, std::string name, std::string help,
                auto number) {
  add(add_family(families, type, std::move(name), std::move(help)), number);
}

ClientMetric::Histogram histogram_of(const measure::HistogramSnapshot& values,
                                     std::span<const double> bounds_s) {
  std::vector<std::uint64_t> bounds_ns;
  for (const double bound : bounds_s) {
    bounds_ns.push_back(static_cast<std::uint64_t>(std::llround(bound * 1e9)));
  }
  const std::vector<std::uint64_t> counts = values.counts_up_to(bounds_ns);
  ClientMetric::Histogram histogram{.sample_count = values.count(),
                                    .sample_sum = static_cast<double>(values.sum_ns()) * 1e-9,
                                    .bucket = {}};
  for (std::size_t i = 0; i < bounds_s.size(); ++i) {
    histogram.bucket.push_back({counts[i], bounds_s[i]});
  }
  return histogram;
}

// Requires: both have the same bounds.
void add_to(ClientMetric::Histogram& total, const ClientMetric::Histogram& more) {
  total.sample_count += more.sample_count;
  total.sample_sum += more.sample_sum;
  for (std::size_t i = 0; i < total.bucket.size(); ++i) {
    total.bucket[i].cumulative_count += more.bucket[i].cumulative_count;
  }
}

void add_to(load::PhaseTotals& total, const load::SharedPhase& more) {
  for (std::size_t type = 0; type < more.size(); ++type) load::add_live(more[type], total[type]);
}

// Raises a counter, which must not fall: an interruption that lasts longer becomes an outage.
void raise(std::uint64_t& count, std::uint64_t to) {
  count = std::max(count, to);
}

void take_availability(const load::AvailabilityRecord& record, DatabaseFigures& figures) {
  raise(figures.outages, record.outages.size() + record.outages_dropped);
  raise(figures.stalls, record.stalls.size() + record.stalls_dropped);
  raise(figures.interruptions, record.interruptions);
  raise(figures.sessions_lost, record.sessions_lost);
  raise(figures.sessions_reopened, record.sessions_reopened);
}

// Returns the name of a metric of the workload.
std::string name_of(const load::WorkloadInfo& workload, std::string_view what) {
  return fmt::format("drover_{}_{}", workload.key, what);
}

// Calls `action` with the labels and figures of each phase and type.
template <class Action>
void for_each_transaction(const load::WorkloadInfo& workload, const RunFigures& figures,
                          Action action) {
  for (const auto& [phase, all] :
       {std::pair<std::string_view, const load::PhaseTotals&>("warmup", figures.warmup),
        {"measure", figures.measured}}) {
    for (std::size_t type = 0; type < workload.types.size(); ++type) {
      action(Labels{{"phase", std::string(phase)}, {"transaction", workload.types[type].name}},
             all[type]);
    }
  }
}

Labels with(Labels labels, std::string name, std::string_view value) {
  labels.push_back({std::move(name), std::string(value)});
  return labels;
}

// Makes a label of a text from outside: at most 200 bytes of printable ASCII.
std::string label_value(const std::string& text) {
  constexpr std::size_t bytes_most = 200;
  std::string value = text.substr(0, bytes_most);
  for (char& byte : value) {
    if (byte < ' ' || byte > '~') byte = '?';
  }
  return value;
}

// Adds a metric with a help text such as "Warehouses of the run."
void add_quantity(const load::WorkloadInfo& workload, const load::Quantity& one,
                  Families& families) {
  const std::string nouns = text::plural(2, one.noun);
  std::string help = nouns + " of the run.";
  help.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(help.front())));
  add_single(families, Gauge, name_of(workload, nouns), std::move(help), one.count);
}

void add_run(const RunDescription& run, const RunFigures& figures, Families& families) {
  const load::WorkloadInfo& workload = run.plan.workload;
  Labels labels{{"benchmark", workload.key}};
  for (const auto& [name, value] : run.info) {
    assert(prometheus::CheckLabelName(name));
    labels.push_back({name, label_value(value)});
  }
  add(add_family(families, Gauge, "drover_run_info", "Always 1; the labels describe the run."), 1,
      std::move(labels));
  MetricFamily& phase = add_family(families, Gauge, "drover_run_phase",
                                   "1 for the current phase of the run, 0 for the other phases.");
  constexpr std::array<std::string_view, run_state_count> names = {"starting", "warmup", "measure",
                                                                   "ended"};
  for (std::size_t i = 0; i < names.size(); ++i) {
    add(phase, i == static_cast<std::size_t>(figures.state) ? 1 : 0,
        {{"phase", std::string(names[i])}});
  }
  for (const load::Quantity& one : workload.size) add_quantity(workload, one, families);
  add_quantity(workload, {"terminal", run.plan.terminal_count}, families);
}

void add_transactions(const load::WorkloadInfo& workload, const RunFigures& figures,
                      Families& families) {
  MetricFamily& transactions = add_family(
      families, Counter, name_of(workload, "transactions_total"),
      fmt::format("Transactions that have ended, by outcome: committed, user_aborted ({}), failed.",
                  workload.rollbacks));
  MetricFamily& retries =
      add_family(families, Counter, name_of(workload, "retries_total"),
                 "Repeated attempts of transactions after a deadlock or a serialization "
                 "failure.");
  MetricFamily& errors =
      add_family(families, Counter, name_of(workload, "errors_total"),
                 "Database errors by class, including errors that were retried.");
  MetricFamily& duration = add_family(
      families, Histogram, name_of(workload, "transaction_duration_seconds"),
      "Response times of committed transactions, from the intended start to the answer.");
  for_each_transaction(workload, figures, [&](const Labels& labels, const model::Totals& one) {
    add(transactions, one.ok_count, with(labels, "outcome", "committed"));
    add(transactions, one.user_aborted_count, with(labels, "outcome", "user_aborted"));
    add(transactions, one.failed_count, with(labels, "outcome", "failed"));
    add(retries, one.retry_count, labels);
    for (std::size_t i = 0; i < database::error_class_count; ++i) {
      const std::string name(database::error_class_name(static_cast<database::ErrorClass>(i)));
      const auto found = one.errors_by_class.find(name);
      add(errors, found == one.errors_by_class.end() ? 0 : found->second,
          with(labels, "class", name));
    }
    add(duration, histogram_of(one.latency, duration_bounds_s), labels);
  });
}

void add_workers(const load::WorkloadInfo& workload, const RunFigures& figures,
                 Families& families) {
  MetricFamily& in_flight = add_family(families, Gauge, name_of(workload, "transactions_in_flight"),
                                       "Transactions in flight, by worker thread.");
  MetricFamily& waiting =
      add_family(families, Gauge, name_of(workload, "terminals_waiting"),
                 "Terminals that wait for a permit or a connection, by worker thread.");
  MetricFamily& cpu = add_family(families, Counter, "drover_worker_cpu_seconds_total",
                                 "CPU time of the worker thread; its rate is the share of a core.");
  MetricFamily& lag = add_family(families, Histogram, "drover_worker_timer_lag_seconds",
                                 "Timer lag of the worker thread.");
  for (std::size_t i = 0; i < figures.workers.size(); ++i) {
    const WorkerFigures& worker = figures.workers[i];
    const Labels labels{{"worker", std::to_string(i)}};
    add(in_flight, worker.in_flight, labels);
    add(waiting, worker.waiting, labels);
    add(cpu, worker.cpu_s, labels);
    add(lag, worker.timer_lag, labels);
  }
}

// Adds the hosts of a run on several hosts, instead of their workers.
void add_ranks(const RunFigures& figures, Families& families) {
  MetricFamily& up =
      add_family(families, Gauge, "drover_host_up",
                 "0 if the host was lost (its other metrics keep their last values), else 1.");
  MetricFamily& rate = add_family(families, Gauge, "drover_host_transactions_per_second",
                                  "Transactions that the host committed in the last second.");
  MetricFamily& in_flight = add_family(families, Gauge, "drover_host_transactions_in_flight",
                                       "Transactions that the host has in flight.");
  MetricFamily& load =
      add_family(families, Gauge, "drover_host_worker_load_ratio",
                 "CPU share of the busiest worker thread of the host, from 0 to 1.");
  MetricFamily& lag = add_family(families, Gauge, "drover_host_timer_lag_p99_seconds",
                                 "99th percentile of the host's timer lag in the last second.");
  MetricFamily& connections =
      add_family(families, Gauge, "drover_host_connections_open", "Open connections of the host.");
  for (std::size_t i = 0; i < figures.ranks.size(); ++i) {
    const load::RankNow& rank = figures.ranks[i];
    const Labels labels{{"rank", std::to_string(i)}, {"host", label_value(rank.name)}};
    add(up, rank.is_lost ? 0 : 1, labels);
    add(rate, rank.per_second, labels);
    add(in_flight, rank.in_flight, labels);
    add(load, rank.worker_load, labels);
    add(lag, rank.timer_lag_p99_ms * 1e-3, labels);
    add(connections, rank.connections_open, labels);
  }
}

void add_database(const RunDescription& run, const DatabaseFigures& database, Families& families) {
  const auto gauge = [&](const char* name, const char* help, auto value) {
    add_single(families, Gauge, name, help, value);
  };
  const auto counter = [&](const char* name, const char* help, std::uint64_t value) {
    add_single(families, Counter, name, help, value);
  };
  gauge("drover_database_up", "0 during an outage of the database, else 1.",
        database.away_s > 0 ? 0 : 1);
  gauge("drover_database_away_seconds", "Duration of the current outage; 0 if there is none.",
        database.away_s);
  counter("drover_database_outages_total", "Outages of 100 ms or more.", database.outages);
  gauge("drover_database_silent_seconds", "Duration of the current stall; 0 if there is none.",
        database.silent_s);
  counter("drover_database_stalls_total",
          "Stalls: at least 1 s in which terminals waited and no answer arrived.", database.stalls);
  counter("drover_database_interruptions_total", "Interruptions shorter than 100 ms.",
          database.interruptions);
  counter("drover_database_sessions_lost_total", "Lost connections.", database.sessions_lost);
  counter("drover_database_sessions_reopened_total", "Lost connections that were reopened.",
          database.sessions_reopened);
  gauge("drover_database_connections_open", "Open connections.", database.connections_open);
  gauge("drover_database_connections_wanted",
        "Connections that the run tries to keep open; 0 without a database.", run.plan.connections);
}

}  // namespace

RunFigures::RunFigures(std::size_t workers_count)
    : workers(workers_count, {.timer_lag = histogram_of({}, timer_lag_bounds_s)}) {}

void RunFigures::take(const load::Snapshot& snapshot) {
  state = snapshot.second.phase == load::Phase::warmup ? RunState::warmup : RunState::measure;
  warmup = snapshot.warmup;
  measured = snapshot.measured;
  const double length_s = seconds_of(snapshot.second.length);
  for (std::size_t i = 0; i < std::min(workers.size(), snapshot.workers.size()); ++i) {
    const load::WorkerSnapshot& worker = snapshot.workers[i];
    workers[i].cpu_s += std::max(worker.load, 0.0) * length_s;
    workers[i].in_flight = worker.in_flight;
    workers[i].waiting = worker.waiting;
    add_to(workers[i].timer_lag, histogram_of(worker.timer_lag, timer_lag_bounds_s));
  }
  ranks = snapshot.ranks;
  take_availability(snapshot.availability, database);
  database.away_s = seconds_of(snapshot.second.away);
  database.silent_s = seconds_of(snapshot.second.silent);
  database.connections_open = snapshot.connections_open;
}

void RunFigures::end(bool database_away) {
  state = RunState::ended;
  for (WorkerFigures& worker : workers) worker.in_flight = worker.waiting = 0;
  for (load::RankNow& rank : ranks) rank.in_flight = 0;
  if (!database_away) database.away_s = 0;
  database.silent_s = 0;
}

void RunFigures::take(const load::Outcome& outcome) {
  warmup = {};
  measured = {};
  for (const auto& worker : outcome.workers) {
    add_to(warmup, worker->warmup);
    add_to(measured, worker->measured);
  }
  take_availability(outcome.availability, database);
}

std::vector<MetricFamily> families_of(const RunDescription& run, const RunFigures& figures,
                                      const measure::ProcessUsage& process) {
  Families families;
  add_run(run, figures, families);
  add_transactions(run.plan.workload, figures, families);
  if (figures.ranks.empty()) {
    add_workers(run.plan.workload, figures, families);
  } else {
    add_ranks(figures, families);
  }
  add_database(run, figures.database, families);
  add_single(families, Counter, "process_cpu_seconds_total",
             "Total user and system CPU time spent in seconds.", process.cpu_seconds);
  add_single(families, Gauge, "process_resident_memory_bytes", "Resident memory size in bytes.",
             process.rss_bytes);
  add_single(families, Gauge, "process_start_time_seconds",
             "Start time of the process since unix epoch in seconds.", run.process_start_s);
  return {std::make_move_iterator(families.begin()), std::make_move_iterator(families.end())};
}

}  // namespace drover::metrics
