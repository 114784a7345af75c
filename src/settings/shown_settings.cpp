#include "settings/shown_settings.h"

#include <fmt/format.h>

#include <algorithm>

#include "text/plain_text.h"

namespace drover::settings {
namespace {

std::string or_else(std::string text, std::string_view of_none) {
  return text.empty() ? std::string(of_none) : text;
}

std::string pacing_text(const RunSettings& run) {
  if (run.no_delays) return "no delays";
  return run.pace == 1 ? "as specified" : fmt::format("{:g} times", run.pace);
}

// Without delays, it is the transactions at a time that make the load; with them, the terminals.
std::string inflight_text(const RunSettings& run) {
  if (!run.no_delays) return "by the terminals";
  return fmt::format("{}", std::min(run.max_inflight, run.connections));
}

}  // namespace

std::vector<ShownSetting> settings_of_load(const RunSettings& run) {
  return {{"Benchmark", run.benchmark},
          {"Warehouses", text::grouped(run.warehouses)},
          {"Measured", text::length_text(run.duration_s) + " planned"},
          {"Warm-up", text::length_text(run.warmup_s)},
          {"Keying and think times",
           run.no_delays ? "none" : fmt::format("as specified, divided by {:g}", run.pace)},
          {"Seed", fmt::format("{}", run.seed)},
          {"Deliveries", run.deferred_delivery ? "deferred" : "at once"}};
}

std::vector<ShownSetting> settings_of_database(const RunSettings& run) {
  return {{"Threads", text::grouped(run.threads)},
          {"Connections", text::grouped(run.connections)},
          {"Transactions at a time",
           fmt::format("{}, {}", text::grouped(run.max_inflight),
                       run.max_inflight_chosen ? "as asked for" : "by itself")},
          {"Statements", run.statements},
          {"Schema", or_else(run.schema, "by the search path")},
          {"Isolation", run.isolation},
          {"When the database is lost", or_else(run.on_db_loss, "–")},
          {"Statement timeout",
           run.statement_timeout_s > 0 ? text::length_text(run.statement_timeout_s) : "none"},
          {"Simulated",
           run.simulate_ms ? fmt::format("transactions of {:g} ms", *run.simulate_ms) : "no"}};
}

std::vector<ComparedSetting> settings_to_agree_in(const RunSettings& run) {
  return {{"benchmark", {"benchmark", run.benchmark}},
          // Where there was a database, the result knows which.
          {"backend",
           {"transactions run on",
            run.simulate_ms ? fmt::format("simulated, {:g} ms", *run.simulate_ms) : ""}},
          {"warehouses", {"warehouses", fmt::format("{}", run.warehouses)}},
          {"pacing", {"pacing (keying and think times)", pacing_text(run)}},
          {"inflight", {"transactions at a time without delays", inflight_text(run)}},
          {"isolation", {"isolation", run.isolation}},
          {"statements", {"style of statements", run.statements}},
          {"delivery", {"Delivery", run.deferred_delivery ? "deferred" : "by the terminal"}}};
}

std::vector<ShownSetting> settings_worth_a_note(const RunSettings& run) {
  return {{"worker threads", fmt::format("{}", run.threads)},
          {"connections", fmt::format("{}", run.connections)}};
}

}  // namespace drover::settings
