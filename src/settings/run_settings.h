// The settings of a run, with every "auto" resolved. The options make them (run/run_plan.h), and
// the backends, the result and the reports read them. They never contain a password or a connection
// string. Plain values.
#pragma once

#include <chrono>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "settings/field.h"

namespace drover::settings {

// A kind of benchmark: the facts in which results and reports of the kinds differ.
struct BenchmarkKind {
  std::string_view key;                // RunSettings::benchmark
  std::string_view title;              // in reports; empty: unknown benchmark
  std::string_view client = "client";  // noun
  // The data are warehouses with a ledger, and the load are terminals with keying and think times.
  // Otherwise the load are clients in a closed or open loop.
  bool has_warehouses = false;
  bool has_tpmc = false;  // the main figure is tpmC, of NewOrders; else transactions per second
  // A specification has clauses, latency limits, an order of the transactions and rules.
  bool has_specification = false;
};

inline constexpr BenchmarkKind known_benchmarks[] = {{.key = "tpcc",
                                                      .title = "TPC-C",
                                                      .client = "terminal",
                                                      .has_warehouses = true,
                                                      .has_tpmc = true,
                                                      .has_specification = true},
                                                     {.key = "ycsb", .title = "YCSB"},
                                                     {.key = "sql", .title = "SQL scripts"}};

// Stands for the benchmarks of newer versions.
inline constexpr BenchmarkKind unknown_benchmark = {};

constexpr const BenchmarkKind& benchmark_named(std::string_view key) {
  for (const BenchmarkKind& one : known_benchmarks) {
    if (one.key == key) return one;
  }
  return unknown_benchmark;
}

// A setting of the workload: {"readproportion", "0.5"}, {"transfer.sql", "weight 3"}.
struct WorkloadSetting {
  std::string name;
  std::string value;
};

// Figures of the load of all hosts together, which the hosts of a run divide.
struct SharedFigures {
  std::optional<std::uint64_t> connections;   // none: each host chose
  std::optional<std::uint64_t> max_inflight;  // none: one for each connection
  std::uint64_t terminals = 0;                // or clients
  double rate = 0;
  std::uint64_t operations = 0;
};

struct RunSettings {
  std::string benchmark = "tpcc";
  std::uint64_t warehouses = 0;
  double duration_s = 0;
  double warmup_s = 0;
  std::uint64_t threads = 0;
  std::uint64_t connections = 0;
  std::uint64_t max_inflight = 0;
  bool no_delays = false;
  double pace = 1.0;
  std::uint64_t seed = 0;
  std::string statements;
  std::string schema;
  std::string isolation;
  std::string on_db_loss;
  double statement_timeout_s = 0;
  std::optional<std::uint64_t> max_attempts;  // 0: unlimited; none: older document
  bool max_inflight_chosen = false;
  bool deferred_delivery = false;
  bool server_stats = false;
  double connection_max_age_s = 0;
  bool balance = false;
  bool affinity = false;
  std::optional<double> simulate_ms;
  std::uint64_t terminals = 0;                // of TPC-C; 0: older document
  std::optional<SharedFigures> of_all_hosts;  // only in the part of a run of several hosts
  // Of YCSB and scripts.
  std::uint64_t clients = 0;
  double rate = 0;  // scheduled transactions per second; 0: closed loop
  std::string arrivals;
  double think_time_s = 0;  // closed loop: pause of a client after an answer
  std::uint64_t operations = 0;
  std::string protocol;
  std::vector<WorkloadSetting> workload;  // in the order of the reports

  const BenchmarkKind& kind() const { return benchmark_named(benchmark); }
  bool is_open_loop() const { return rate > 0; }
  bool waits_for_database() const { return on_db_loss != "fail"; }
  // Returns the time to wait for the database after the load.
  std::chrono::nanoseconds patience_afterwards() const {
    return std::chrono::seconds(waits_for_database() ? 60 : 5);
  }
  std::chrono::nanoseconds statement_timeout() const {
    return std::chrono::nanoseconds(std::llround(statement_timeout_s * 1e9));
  }
};

void describe(auto& visit, Of<WorkloadSetting> auto& setting) {
  visit.definition("A setting of the workload.", "given");
  visit.field("name", setting.name, name,
              "ycsb: a property, such as readproportion. sql: a script or a variable.");
  visit.field("value", setting.value, sentence,
              "Value as given by the user; for a script its weight.");
}

void describe(auto& visit, Of<SharedFigures> auto& figures) {
  visit.definition(
      "Load of all hosts together, which the hosts of the run divide among themselves.");
  visit.field("connections", figures.connections, objects,
              "Connections; null: each host chose its own number.");
  visit.field("max_inflight", figures.max_inflight, objects,
              "Transactions in flight at most; null: one per connection.");
  visit.field("terminals", figures.terminals, objects, "Terminals; for ycsb and sql: clients.");
  visit.field("rate", figures.rate, Real{0, 1e12},
              "Open loop: scheduled transactions per second. 0: closed loop.");
  visit.field("operations", figures.operations, count,
              "Number of transactions to execute; 0: the run is limited by time.");
}

void describe_clients(auto& visit, Of<RunSettings> auto& run) {
  visit.field("clients", run.clients, objects,
              "Number of clients. Each executes one transaction at a time.", Need::added);
  visit.field("rate", run.rate, Real{0, 1e12},
              "Open loop: scheduled transactions per second. 0: closed loop.", Need::added);
  visit.field(
      "arrivals", run.arrivals, one_of("constant|poisson|"),
      "Distribution of the time between two scheduled transactions; empty in a closed loop.",
      Need::added);
  visit.field("think_time_s", run.think_time_s, seconds,
              "Closed loop: pause of a client after each answer, in seconds; 0: no pause.",
              Need::added);
  visit.field("operations", run.operations, count,
              "Fixed number of transactions to execute; 0: the run is limited by time.",
              Need::added);
  visit.field("protocol", run.protocol, one_of("simple|extended|prepared|"),
              "Protocol for the statements of scripts; empty without scripts.", Need::added);
  visit.field("workload", run.workload, "Settings of the workload, in order.", Need::added);
}

void describe(auto& visit, Of<RunSettings> auto& run) {
  visit.field("benchmark", run.benchmark, name, "Workload: tpcc, ycsb or sql.");
  visit.field("warehouses", run.warehouses, objects,
              "Number of warehouses, W. Each has 10 terminals.");
  visit.field(
      "duration_s", run.duration_s, seconds,
      "Planned length of the measured interval in seconds; 0: until the operations are done.");
  visit.field("warmup_s", run.warmup_s, seconds, "Planned length of the warm-up in seconds.");
  visit.field("threads", run.threads, objects, "Worker threads.");
  visit.field("connections", run.connections, objects, "Connections to the database.");
  visit.field("max_inflight", run.max_inflight, objects, "Transactions in flight at most.");
  visit.field("no_delays", run.no_delays, flag, "True: without keying and think times.");
  visit.field("pace", run.pace, Real{0, 1e6},
              "Factor by which keying and think times were divided.");
  visit.field("seed", run.seed, any_whole, "Seed of all random inputs.");
  visit.field("statements", run.statements, one_of("batched|single|none|"),
              "batched: pipelines and arrays; single: one statement per row; none: no database; "
              "empty: the workload has no such choice.");
  visit.field("schema", run.schema, name,
              "Schema of the tables; empty: chosen by the server's search path.");
  visit.field("isolation", run.isolation,
              one_of("read committed|repeatable read|snapshot|serializable|none"),
              "Isolation level of the transactions; none: no database.");
  visit.field("on_db_loss", run.on_db_loss, one_of("wait|fail|"),
              "Behaviour in an outage of the database: wait or fail; empty without a database.",
              Need::added);
  visit.field("statement_timeout_s", run.statement_timeout_s, seconds,
              "Longest time in seconds that a statement may take; 0: unlimited.", Need::added);
  visit.field("max_attempts", run.max_attempts, count,
              "Attempts at a transaction that can be retried, the first included; 0: unlimited; "
              "null in older documents.",
              Need::added);
  visit.field("max_inflight_chosen", run.max_inflight_chosen, flag,
              "True if the user set max_inflight, so that waiting for a permit is intended.",
              Need::added);
  visit.field("deferred_delivery", run.deferred_delivery, flag,
              "True if Deliveries were queued (clause 2.7.2).", Need::added);
  visit.field("server_stats", run.server_stats, flag, "True if --server-stats was given.",
              Need::added);
  visit.field("connection_max_age_s", run.connection_max_age_s, seconds,
              "Age in seconds at which a connection is renewed, at the earliest a tenth before it; "
              "0: never.",
              Need::added);
  visit.field(
      "balance", run.balance, flag,
      "True if connections were distributed over the server hosts of the connection string.",
      Need::added);
  visit.field("affinity", run.affinity, flag, "True if each warehouse stayed with one server host.",
              Need::added);
  visit.field(
      "simulate_ms", run.simulate_ms, milliseconds,
      "Duration of a simulated transaction in milliseconds, or null if there was a database.");
  visit.field(
      "of_all_hosts", run.of_all_hosts,
      "In a part of a run on several hosts: the load of all hosts together. Otherwise null.",
      Need::added);
  visit.where(run.kind().has_warehouses, [&run](auto& inner) {
    inner.field("terminals", run.terminals, objects, "Number of terminals; 0 in older documents.",
                Need::added);
  });
  visit.where(!run.kind().has_warehouses, [&run](auto& inner) { describe_clients(inner, run); });
}

}  // namespace drover::settings
