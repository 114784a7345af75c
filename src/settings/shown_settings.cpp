#include "settings/shown_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <iterator>

#include "text/plain_text.h"

namespace drover::settings {
namespace {

std::string or_else(const std::string& text, std::string_view if_empty) {
  return std::string(text.empty() ? if_empty : text);
}

std::string pacing_text(const RunSettings& run) {
  if (run.no_delays) return "no delays";
  return run.pace == 1 ? "as specified" : fmt::format("{:g} times", run.pace);
}

// Older documents lack the number of terminals. It is then ten per warehouse.
std::uint64_t terminals_of(const RunSettings& run) {
  if (!run.kind().has_warehouses) return 0;
  return run.terminals > 0 ? run.terminals : 10 * run.warehouses;
}

// Returns the smallest figure that is not 0. 0 means that there is no limit.
std::uint64_t smallest_limit(std::initializer_list<std::uint64_t> limits) {
  return std::ranges::min(limits, {}, [](std::uint64_t limit) { return limit - 1; });
}

// Without delays, the load is the number of transactions in flight, else the number of terminals.
std::string inflight_text(const RunSettings& run) {
  if (run.no_delays) {
    return fmt::format("{}",
                       smallest_limit({run.max_inflight, run.connections, terminals_of(run)}));
  }
  if (!run.max_inflight_chosen) return "one per terminal";
  return fmt::format("one per terminal, at most {}", run.max_inflight);
}

std::string rate_text(const RunSettings& run) {
  if (!run.is_open_loop()) return "closed loop";
  return fmt::format("open loop, {:g} tx/s, {}", run.rate, or_else(run.arrivals, "constant"));
}

std::string think_time_text(const RunSettings& run) {
  return run.think_time_s > 0 ? fmt::format("{:g} s", run.think_time_s) : "none";
}

std::string operations_text(const RunSettings& run) {
  return run.operations > 0 ? text::grouped(run.operations) : "by time";
}

std::string attempts_text(const RunSettings& run) {
  if (!run.max_attempts) return "unknown";
  return *run.max_attempts > 0 ? "at most " + text::grouped(*run.max_attempts) : "unlimited";
}

std::string hosts_text(const RunSettings& run) {
  if (!run.balance) return "in the given order";
  return run.affinity ? "balanced, each warehouse on one host" : "balanced";
}

std::vector<ShownSetting> load_of_terminals(const RunSettings& run) {
  return {{"Benchmark", run.benchmark},
          {"Warehouses", text::grouped(run.warehouses)},
          {"Terminals", text::grouped(terminals_of(run))},
          {"Measured", text::length_text(run.duration_s) + " planned"},
          {"Warm-up", text::length_text(run.warmup_s)},
          {"Keying and think times",
           run.no_delays ? "none" : fmt::format("as specified, divided by {:g}", run.pace)},
          {"Seed", fmt::format("{}", run.seed)},
          {"Deliveries", run.deferred_delivery ? "deferred" : "at once"}};
}

std::vector<ShownSetting> load_of_clients(const RunSettings& run) {
  std::vector<ShownSetting> rows = {
      {"Benchmark", run.benchmark},
      {"Clients", text::grouped(run.clients)},
      {"Rate", rate_text(run)},
      {"Measured", run.duration_s > 0 ? text::length_text(run.duration_s) + " planned"
                                      : "until all transactions are executed"},
      {"Warm-up", text::length_text(run.warmup_s)},
      {"Transactions", operations_text(run)},
      {"Seed", fmt::format("{}", run.seed)}};
  if (run.think_time_s > 0) rows.push_back({"Think time", think_time_text(run)});
  for (const WorkloadSetting& one : run.workload) rows.push_back({one.name, one.value});
  return rows;
}

std::vector<ComparedSetting> to_agree_in_of_clients(const RunSettings& run) {
  // An open loop starts its transactions whatever the number of clients, permits and connections.
  const std::uint64_t at_a_time = std::min({run.clients, run.max_inflight, run.connections});
  std::vector<ComparedSetting> settings = {
      {"clients", {"clients", fmt::format("{}", run.clients)}},
      {"rate", {"rate", run.is_open_loop() ? fmt::format("{:g} tx/s", run.rate) : "none"}},
      {"arrivals", {"arrivals", run.arrivals}},
      {"think_time", {"think time", think_time_text(run)}},
      {"operations", {"number of transactions", operations_text(run)}},
      {"inflight",
       {"transactions in flight", run.is_open_loop() ? "open loop" : fmt::format("{}", at_a_time)}},
      {"isolation", {"isolation", run.isolation}},
      {"protocol", {"protocol", run.protocol}}};
  for (const WorkloadSetting& one : run.workload)
    settings.push_back({"workload", {one.name, one.value}});
  return settings;
}

std::vector<ComparedSetting> to_agree_in_of_terminals(const RunSettings& run) {
  return {{"warehouses", {"warehouses", fmt::format("{}", run.warehouses)}},
          {"pacing", {"pacing (keying and think times)", pacing_text(run)}},
          {"inflight", {"transactions in flight (terminals)", inflight_text(run)}},
          {"isolation", {"isolation", run.isolation}},
          {"statements", {"statements", run.statements}},
          {"delivery", {"Delivery", run.deferred_delivery ? "deferred" : "by the terminal"}}};
}

}  // namespace

std::vector<ShownSetting> settings_of_load(const RunSettings& run) {
  return run.kind().has_warehouses ? load_of_terminals(run) : load_of_clients(run);
}

std::vector<ShownSetting> settings_of_database(const RunSettings& run) {
  return {{"Threads", text::grouped(run.threads)},
          {"Connections", text::grouped(run.connections)},
          {"Transactions in flight",
           fmt::format("{}, {}", text::grouped(run.max_inflight),
                       run.max_inflight_chosen ? "from --max-inflight" : "by default")},
          run.kind().has_warehouses ? ShownSetting{"Statements", run.statements}
                                    : ShownSetting{"Protocol", or_else(run.protocol, "–")},
          {"Schema", or_else(run.schema, "by the search path")},
          {"Isolation", run.isolation},
          {"When the database is lost", or_else(run.on_db_loss, "–")},
          {"Statement timeout",
           run.statement_timeout_s > 0 ? text::length_text(run.statement_timeout_s) : "none"},
          {"Attempts per transaction", attempts_text(run)},
          {"Connections renewed", run.connection_max_age_s > 0
                                      ? "after " + text::length_text(run.connection_max_age_s)
                                      : "never"},
          {"Server hosts", hosts_text(run)},
          {"Server statistics", run.server_stats ? "once a second" : "no"},
          {"Simulated",
           run.simulate_ms ? fmt::format("transactions of {:g} ms", *run.simulate_ms) : "no"}};
}

std::vector<ComparedSetting> settings_to_agree_in(const RunSettings& run) {
  std::vector<ComparedSetting> settings = {
      {"benchmark", {"benchmark", run.benchmark}},
      // The result knows the database of other runs.
      {"backend",
       {"transactions run on",
        run.simulate_ms ? fmt::format("simulated, {:g} ms", *run.simulate_ms) : ""}}};
  std::ranges::move(
      run.kind().has_warehouses ? to_agree_in_of_terminals(run) : to_agree_in_of_clients(run),
      std::back_inserter(settings));
  return settings;
}

std::vector<ShownSetting> settings_worth_a_note(const RunSettings& run) {
  return {
      {"worker threads", fmt::format("{}", run.threads)},
      {"connections", fmt::format("{}", run.connections)},
      {"terminals", fmt::format("{}", terminals_of(run))},
      {"--max-inflight",
       run.max_inflight_chosen ? fmt::format("{}", run.max_inflight) : "not given"},
      {"warm-up", text::length_text(run.warmup_s)},
      {"seed", fmt::format("{}", run.seed)},
      {"schema", or_else(run.schema, "by the search path")},
      {"when the database is lost", or_else(run.on_db_loss, "unknown")},
      {"statement timeout",
       run.statement_timeout_s > 0 ? text::length_text(run.statement_timeout_s) : "none"},
      {"attempts per transaction", attempts_text(run)},
      {"--connection-max-age",
       run.connection_max_age_s > 0 ? text::length_text(run.connection_max_age_s) : "not given"},
      {"--balance", run.balance ? run.affinity ? "given, with --affinity" : "given" : "not given"},
      {"--server-stats", run.server_stats ? "given" : "not given"}};
}

}  // namespace drover::settings
