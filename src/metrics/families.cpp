#include "metrics/families.h"

#include <prometheus/check_names.h>

#include <array>
#include <cassert>
#include <string_view>
#include <utility>

#include "database/error.h"
#include "metrics/process_start.h"
#include "tpcc/transaction.h"

namespace drover::metrics {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;
using Labels = std::vector<ClientMetric::Label>;

MetricFamily family(std::string name, MetricType type, std::string help) {
  return {.name = std::move(name), .help = std::move(help), .type = type, .metric = {}};
}

void add(MetricFamily& family, double value, Labels labels = {}) {
  ClientMetric metric;
  metric.label = std::move(labels);
  (family.type == MetricType::Counter ? metric.counter.value : metric.gauge.value) = value;
  family.metric.push_back(std::move(metric));
}

void add(MetricFamily& family, std::uint64_t value, Labels labels = {}) {
  add(family, static_cast<double>(value), std::move(labels));
}

void add(MetricFamily& family, const CumulativeCounts& counts, std::span<const double> bounds_s,
         Labels labels) {
  ClientMetric metric;
  metric.label = std::move(labels);
  metric.histogram.sample_count = counts.count;
  metric.histogram.sample_sum = counts.sum_s;
  for (std::size_t i = 0; i < bounds_s.size(); ++i) {
    metric.histogram.bucket.push_back(
        {.cumulative_count = counts.up_to[i], .upper_bound = bounds_s[i]});
  }
  family.metric.push_back(std::move(metric));
}

// For a family without labels.
MetricFamily single(std::string name, MetricType type, std::string help, double value) {
  MetricFamily made = family(std::move(name), type, std::move(help));
  add(made, value);
  return made;
}

// Calls `action` with the labels and figures of each phase and type.
template <class Action>
void for_each_transaction(const RunFigures& figures, Action action) {
  for (const auto& [phase, all] :
       {std::pair<std::string_view, const RunFigures::Phase&>("warmup", figures.warmup),
        {"measure", figures.measured}}) {
    for (const tpcc::TransactionType type : tpcc::all_transaction_types) {
      action(Labels{{"phase", std::string(phase)},
                    {"transaction", std::string(tpcc::transaction_name(type))}},
             all[tpcc::index_of(type)]);
    }
  }
}

Labels with(Labels labels, std::string name, std::string_view value) {
  labels.push_back({std::move(name), std::string(value)});
  return labels;
}

// A text of somebody else as a label: printable ASCII, and not without end.
std::string label_value(const std::string& text) {
  constexpr std::size_t bytes_most = 200;
  std::string value = text.substr(0, bytes_most);
  for (char& byte : value) {
    if (byte < ' ' || byte > '~') byte = '?';
  }
  return value;
}

void add_run(const RunDescription& run, const RunFigures& figures,
             std::vector<MetricFamily>& families) {
  MetricFamily info =
      family("drover_run_info", MetricType::Gauge, "What is running, in its labels; always 1.");
  Labels labels{{"benchmark", "tpcc"}};
  for (const auto& [name, value] : run.info) {
    assert(prometheus::CheckLabelName(name));
    labels.push_back({name, label_value(value)});
  }
  add(info, 1.0, std::move(labels));
  families.push_back(std::move(info));

  MetricFamily phase = family("drover_run_phase", MetricType::Gauge,
                              "1 for the phase that the run is in, 0 for the others.");
  constexpr std::array<std::string_view, run_state_count> names = {"starting", "warmup", "measure",
                                                                   "ended"};
  for (std::size_t i = 0; i < names.size(); ++i) {
    add(phase, i == static_cast<std::size_t>(figures.state) ? 1.0 : 0.0,
        {{"phase", std::string(names[i])}});
  }
  families.push_back(std::move(phase));
  families.push_back(single("drover_tpcc_warehouses", MetricType::Gauge, "Warehouses of the run.",
                            run.warehouses));
  families.push_back(single("drover_tpcc_terminals", MetricType::Gauge, "Terminals of the run.",
                            static_cast<double>(run.terminals)));
}

void add_transactions(const RunFigures& figures, std::vector<MetricFamily>& families) {
  MetricFamily transactions = family(
      "drover_tpcc_transactions_total", MetricType::Counter,
      "Transactions that have ended, by outcome: committed, user_aborted (New-Orders that the "
      "specification has roll back), failed.");
  MetricFamily retries = family("drover_tpcc_retries_total", MetricType::Counter,
                                "Attempts after the first one, of transactions that met a deadlock "
                                "or a serialization failure.");
  MetricFamily errors =
      family("drover_tpcc_errors_total", MetricType::Counter,
             "Errors of the database by class, those that were retried included.");
  MetricFamily duration =
      family("drover_tpcc_transaction_duration_seconds", MetricType::Histogram,
             "Response times of committed transactions, from the intended start to the answer.");
  for_each_transaction(figures, [&](const Labels& labels, const TransactionFigures& one) {
    add(transactions, one.committed, with(labels, "outcome", "committed"));
    add(transactions, one.user_aborted, with(labels, "outcome", "user_aborted"));
    add(transactions, one.failed, with(labels, "outcome", "failed"));
    add(retries, one.retries, labels);
    for (std::size_t i = 0; i < one.errors.size(); ++i) {
      const auto error_class = static_cast<database::ErrorClass>(i);
      add(errors, one.errors[i], with(labels, "class", database::error_class_name(error_class)));
    }
    add(duration, one.duration, duration_bounds_s, labels);
  });
  for (MetricFamily* made : {&transactions, &retries, &errors, &duration}) {
    families.push_back(std::move(*made));
  }
}

void add_workers(const RunFigures& figures, std::vector<MetricFamily>& families) {
  MetricFamily in_flight = family("drover_tpcc_transactions_in_flight", MetricType::Gauge,
                                  "Transactions that the database works on, by worker thread.");
  MetricFamily waiting = family("drover_tpcc_terminals_waiting", MetricType::Gauge,
                                "Terminals that wait for a permit or a session, by worker thread.");
  MetricFamily cpu = family("drover_worker_cpu_seconds_total", MetricType::Counter,
                            "CPU time of the worker thread; its rate is the worker's load.");
  MetricFamily lag = family("drover_worker_timer_lag_seconds", MetricType::Histogram,
                            "How late the timers of the worker fired.");
  for (std::size_t i = 0; i < figures.workers.size(); ++i) {
    const WorkerFigures& worker = figures.workers[i];
    const Labels labels{{"worker", std::to_string(i)}};
    add(in_flight, worker.in_flight, labels);
    add(waiting, worker.waiting, labels);
    add(cpu, worker.cpu_s, labels);
    add(lag, worker.timer_lag, timer_lag_bounds_s, labels);
  }
  for (MetricFamily* made : {&in_flight, &waiting, &cpu, &lag}) {
    families.push_back(std::move(*made));
  }
}

void add_database(const RunDescription& run, const DatabaseFigures& database,
                  std::vector<MetricFamily>& families) {
  const auto put = [&families](std::string name, MetricType type, std::string help, double value) {
    families.push_back(single(std::move(name), type, std::move(help), value));
  };
  const auto counter = [&put](std::string name, std::string help, std::uint64_t value) {
    put(std::move(name), MetricType::Counter, std::move(help), static_cast<double>(value));
  };
  put("drover_database_up", MetricType::Gauge, "0 while the database is away, else 1.",
      database.away_s > 0 ? 0 : 1);
  put("drover_database_away_seconds", MetricType::Gauge,
      "For how long the database has been away; 0 if it is not.", database.away_s);
  counter("drover_database_outages_total", "Outages of 100 ms or more.", database.outages);
  put("drover_database_silent_seconds", MetricType::Gauge,
      "For how long terminals have waited without an answer to anybody; 0 if it is no stall.",
      database.silent_s);
  counter("drover_database_stalls_total",
          "Stretches of 1 s or more in which terminals waited and nobody had an answer.",
          database.stalls);
  counter("drover_database_interruptions_total", "Losses that were over within 100 ms.",
          database.interruptions);
  counter("drover_database_sessions_lost_total", "Sessions that were lost.",
          database.sessions_lost);
  counter("drover_database_sessions_reopened_total", "Lost sessions that were opened again.",
          database.sessions_reopened);
  put("drover_database_connections_open", MetricType::Gauge, "Connections that are open.",
      static_cast<double>(database.connections_open));
  put("drover_database_connections_wanted", MetricType::Gauge,
      "Connections that the run wants to have open; 0 if it uses no database.",
      static_cast<double>(run.connections));
}

void add_process(const RunDescription& run, const measure::ProcessUsage& process,
                 std::vector<MetricFamily>& families) {
  families.push_back(single("process_cpu_seconds_total", MetricType::Counter,
                            "Total user and system CPU time spent in seconds.",
                            process.cpu_seconds));
  families.push_back(single("process_resident_memory_bytes", MetricType::Gauge,
                            "Resident memory size in bytes.",
                            static_cast<double>(process.rss_bytes)));
  families.push_back(single("process_start_time_seconds", MetricType::Gauge,
                            "Start time of the process since unix epoch in seconds.",
                            run.process_start_s));
}

}  // namespace

RunDescription RunDescription::of(const load::Plan& plan,
                                  std::vector<std::pair<std::string, std::string>> info) {
  return {.info = std::move(info),
          .warehouses = plan.warehouses,
          .terminals = plan.terminals(),
          .threads = plan.threads,
          .connections = plan.connections,
          .has_warmup = plan.warmup > coro::Duration::zero(),
          .process_start_s = process_start_unix_s()};
}

std::vector<MetricFamily> families_of(const RunDescription& run, const RunFigures& figures,
                                      const measure::ProcessUsage& process) {
  std::vector<MetricFamily> families;
  add_run(run, figures, families);
  add_transactions(figures, families);
  add_workers(figures, families);
  add_database(run, figures.database, families);
  add_process(run, process, families);
  return families;
}

}  // namespace drover::metrics
