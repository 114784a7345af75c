// The settings of a run: what was asked for, with every "auto" resolved.
//
// Made once from the options (run/run_plan.h) and carried whole: by what the backends are made of, by the
// result, and from there into its document and pages. tpcc::Plan has what the engine needs, in
// whole numbers and durations. Never a password or a connection string. Plain values.
#pragma once

#include <chrono>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>

#include "settings/field.h"

namespace drover::settings {

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
  bool max_inflight_chosen = false;
  bool deferred_delivery = false;
  std::optional<double> simulate_ms;

  bool waits_for_database() const { return on_db_loss != "fail"; }
  std::chrono::nanoseconds statement_timeout() const {
    return std::chrono::nanoseconds(std::llround(statement_timeout_s * 1e9));
  }
};

void describe(auto& visit, Of<RunSettings> auto& run) {
  visit.field("benchmark", run.benchmark, name, "tpcc.");
  visit.field("warehouses", run.warehouses, objects, "W; there are 10 terminals for each.");
  visit.field("duration_s", run.duration_s, seconds, "Seconds to measure, as planned.");
  visit.field("warmup_s", run.warmup_s, seconds, "Seconds before that, as planned.");
  visit.field("threads", run.threads, objects, "Worker threads.");
  visit.field("connections", run.connections, objects, "Connections to the database.");
  visit.field("max_inflight", run.max_inflight, objects, "Transactions at a time.");
  visit.field("no_delays", run.no_delays, flag, "No keying and think times.");
  visit.field("pace", run.pace, Real{0, 1e6}, "Keying and think times were divided by this.");
  visit.field("seed", run.seed, any_whole, "Of all random inputs.");
  visit.field("statements", run.statements, one_of("batched|single|none"),
              "batched: pipelines and arrays; single: a statement a row; none: no database.");
  visit.field("schema", run.schema, name,
              "Where the tables are; empty: as the search path of the server says.");
  visit.field("isolation", run.isolation,
              one_of("read committed|repeatable read|snapshot|serializable|none"),
              "Of the transactions; none: no database.");
  visit.field("on_db_loss", run.on_db_loss, one_of("wait|fail|"),
              "What the run does when the database is away; empty if there was none.", Need::added);
  visit.field("statement_timeout_s", run.statement_timeout_s, seconds,
              "Seconds that a statement may take; 0: for ever.", Need::added);
  visit.field("max_inflight_chosen", run.max_inflight_chosen, flag,
              "max_inflight was asked for, so that waiting for a permit is intended.", Need::added);
  visit.field("deferred_delivery", run.deferred_delivery, flag,
              "Deliveries were queued (clause 2.7.2).", Need::added);
  visit.field("simulate_ms", run.simulate_ms, milliseconds,
              "Milliseconds of a simulated transaction, or null if there was a database.");
}

}  // namespace drover::settings
