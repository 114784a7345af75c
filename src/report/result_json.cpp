#include "report/result_json.h"

#include <array>
#include <cmath>
#include <utility>

#include "report/audit.h"

namespace drover::report {

namespace {

using nlohmann::json;

// JSON knows no infinity, and the library would write null.
double finite(double value) {
  return std::isfinite(value) ? value : 0.0;
}

double to_ms(std::uint64_t ns) {
  return static_cast<double>(ns) * 1e-6;
}

json percentiles_ms(const measure::HistogramSnapshot& histogram) {
  return {{"50", to_ms(histogram.percentile_ns(50))},
          {"90", to_ms(histogram.percentile_ns(90))},
          {"95", to_ms(histogram.percentile_ns(95))},
          {"99", to_ms(histogram.percentile_ns(99))},
          {"99.9", to_ms(histogram.percentile_ns(99.9))}};
}

json histogram_to_json(const measure::HistogramSnapshot& histogram) {
  const measure::SparseHistogram sparse = histogram.to_sparse();
  json buckets = json::array();
  for (const auto& [index, count] : sparse.buckets) buckets.push_back({index, count});
  return {{"unit", "ns"},
          {"sub_buckets_per_octave", measure::sub_buckets_per_octave},
          {"count", histogram.count()},
          {"sum", sparse.sum_ns},
          {"min", sparse.min_ns},
          {"max", sparse.max_ns},
          {"overflow", sparse.overflow},
          {"buckets", std::move(buckets)}};
}

// The figures of a histogram under the names that stand beside "percentiles".
void add_histogram(json& object, const measure::HistogramSnapshot& histogram) {
  object["percentiles"] = percentiles_ms(histogram);
  object["mean_ms"] = finite(histogram.mean_ns() * 1e-6);
  object["min_ms"] = to_ms(histogram.min_ns());
  object["max_ms"] = to_ms(histogram.max_ns());
  object["histogram"] = histogram_to_json(histogram);
}

// Of something that need not happen at all: null if it did not.
json histogram_or_null(const measure::HistogramSnapshot& histogram) {
  json object;
  if (!histogram.empty()) add_histogram(object, histogram);
  return object;
}

json plan_to_json(const PlanSummary& plan) {
  json object = {{"benchmark", plan.benchmark},
                 {"warehouses", plan.warehouses},
                 {"duration_s", finite(plan.duration_s)},
                 {"warmup_s", finite(plan.warmup_s)},
                 {"threads", plan.threads},
                 {"connections", plan.connections},
                 {"max_inflight", plan.max_inflight},
                 {"no_delays", plan.no_delays},
                 {"pace", finite(plan.pace)},
                 {"seed", plan.seed},
                 {"statements", plan.statements},
                 {"schema", plan.schema},
                 {"isolation", plan.isolation},
                 {"on_db_loss", plan.on_db_loss},
                 {"statement_timeout_s", finite(plan.statement_timeout_s)},
                 {"max_inflight_chosen", plan.max_inflight_chosen},
                 {"deferred_delivery", plan.deferred_delivery},
                 {"simulate_ms", nullptr}};
  if (plan.simulate_ms) object["simulate_ms"] = finite(*plan.simulate_ms);
  return object;
}

json environment_to_json(const Environment& environment) {
  const measure::Host& client = environment.client;
  json server;
  if (environment.server) {
    server = {{"kind", environment.server->kind},
              {"version", environment.server->version},
              {"settings", environment.server->settings}};
  }
  return {{"client",
           {{"hostname", client.hostname},
            {"os", client.os},
            {"cpus", client.cpus},
            {"cpu_model", client.cpu_model}}},
          {"server", std::move(server)}};
}

json summary_to_json(const Result& result) {
  const Summary& summary = result.summary;
  return {{"name", summary.name},
          {"time_seconds", std::llround(finite(summary.time_seconds))},
          {"measured_seconds", finite(summary.time_seconds)},
          {"measure_start_ts", summary.measure_start_ts},
          {"warehouses", summary.warehouses},
          {"new_orders", summary.new_orders},
          {"tpmc", finite(summary.tpmc)},
          {"efficiency", finite(summary.efficiency)},
          {"efficiency_sampling_error", finite(summary.efficiency_sampling_error)},
          {"efficiency_is_meaningful", result.efficiency_is_meaningful()}};
}

constexpr std::array<std::pair<const char*, double>, 6> bounded_figures = {
    {{"50", 50}, {"90", 90}, {"95", 95}, {"99", 99}, {"99.9", 99.9}, {"max", 100}}};

json lower_bounds(const measure::HistogramSnapshot& latency,
                  const measure::HistogramSnapshot& unanswered) {
  json names = json::array();
  for (const auto& [name, percent] : bounded_figures) {
    if (is_lower_bound(latency, unanswered, percent)) names.push_back(name);
  }
  return names;
}

json pending_to_json(const TransactionResult& transaction) {
  const Pending& pending = transaction.pending;
  return {{"count", pending.count},
          {"answered", pending.answered},
          {"unanswered", pending.unanswered.count()},
          {"waited", histogram_or_null(pending.unanswered)},
          {"lower_bounds", lower_bounds(transaction.latency, pending.unanswered)}};
}

json transaction_to_json(const TransactionResult& transaction) {
  json object = {{"ok_count", transaction.ok_count},
                 {"failed_count", transaction.failed_count},
                 {"user_aborted_count", transaction.user_aborted_count},
                 {"all_count", transaction.all_count()},
                 {"retry_count", transaction.retry_count},
                 {"attempts", transaction.attempts},
                 {"ambiguous",
                  {{"count", transaction.ambiguous.count()},
                   {"committed", transaction.ambiguous.committed},
                   {"not_committed", transaction.ambiguous.not_committed},
                   {"unresolved", transaction.ambiguous.unresolved}}},
                 {"errors_by_class", transaction.errors_by_class},
                 {"errors_by_sqlstate", transaction.errors_by_sqlstate},
                 {"latency_limit_s", nullptr},
                 {"latency_limit_held", nullptr}};
  if (transaction.latency_limit_s) object["latency_limit_s"] = *transaction.latency_limit_s;
  if (const auto held = transaction.holds_latency_limit()) object["latency_limit_held"] = *held;
  add_histogram(object, transaction.latency);
  object["pending"] = pending_to_json(transaction);
  add_histogram(object["wait"], transaction.wait);
  object["keying"] = histogram_or_null(transaction.keying);
  object["think"] = histogram_or_null(transaction.think);
  return object;
}

json inputs_to_json(const InputCounts& inputs) {
  return {{"new_orders", inputs.new_orders},
          {"new_orders_rolled_back", inputs.new_orders_rolled_back},
          {"order_lines", inputs.order_lines},
          {"order_lines_remote", inputs.order_lines_remote},
          {"payments", inputs.payments},
          {"payments_remote", inputs.payments_remote},
          {"payments_by_name", inputs.payments_by_name},
          {"order_statuses", inputs.order_statuses},
          {"order_statuses_by_name", inputs.order_statuses_by_name},
          {"deliveries", inputs.deliveries}};
}

json outage_to_json(const Outage& outage) {
  json object = {{"start_s", finite(outage.start_s)},
                 {"end_s", nullptr},
                 {"seconds", nullptr},
                 {"transactions_lost", outage.transactions_lost},
                 {"first_error", outage.first_error}};
  if (outage.end_s) {
    object["end_s"] = finite(*outage.end_s);
    object["seconds"] = finite(*outage.end_s - outage.start_s);
  }
  return object;
}

json stall_to_json(const Stall& stall) {
  json object = {{"start_s", finite(stall.start_s)}, {"end_s", nullptr}, {"seconds", nullptr}};
  if (stall.end_s) {
    object["end_s"] = finite(*stall.end_s);
    object["seconds"] = finite(*stall.end_s - stall.start_s);
  }
  return object;
}

json availability_to_json(const Availability& availability) {
  json outages = json::array();
  for (const Outage& outage : availability.outages) outages.push_back(outage_to_json(outage));
  json stalls = json::array();
  for (const Stall& stall : availability.stalls) stalls.push_back(stall_to_json(stall));
  return {{"outages", std::move(outages)},
          {"stalls", std::move(stalls)},
          {"stalled_s", finite(availability.stalled_s)},
          {"interruptions", availability.interruptions},
          {"sessions_lost", availability.sessions_lost},
          {"sessions_reopened", availability.sessions_reopened},
          {"unavailable_s", finite(availability.unavailable_s)}};
}

json ledger_to_json(const Ledger& ledger) {
  return {{"new_orders", ledger.new_orders},
          {"payments", ledger.payments},
          {"payment_cents", ledger.payment_cents},
          {"deliveries", ledger.deliveries},
          {"orders_delivered", ledger.orders_delivered},
          {"exact", ledger.exact}};
}

json ledger_in_data_to_json(const std::optional<LedgerInData>& ledger) {
  if (!ledger) return nullptr;
  json object = {{"new_orders", ledger->new_orders}, {"payment_cents", ledger->payment_cents}};
  if (ledger->orders_delivered) object["orders_delivered"] = *ledger->orders_delivered;
  return object;
}

json deferred_to_json(const std::optional<DeferredDelivery>& deferred) {
  if (!deferred) return nullptr;
  json object = {{"queued", deferred->queued},
                 {"completed", deferred->completed},
                 {"failed", deferred->failed},
                 {"unfinished", deferred->unfinished},
                 {"latency_limit_s", finite(deferred->latency_limit_s)}};
  add_histogram(object["latency"], deferred->latency);
  object["waited"] = histogram_or_null(deferred->unanswered);
  object["lower_bounds"] = lower_bounds(deferred->latency, deferred->unanswered);
  return object;
}

json client_to_json(const Result& result) {
  const ClientCost& client = result.client;
  json workers = json::array();
  json loads = json::array();
  for (const WorkerHealth& worker : client.workers) {
    workers.push_back({{"load", finite(worker.load)},
                       {"run_queue_share", finite(worker.run_queue_share)},
                       {"wake_up_delay_ms", finite(worker.wake_up_delay_ms)}});
    loads.push_back(finite(worker.load));
  }
  json object = {{"cpu_seconds", finite(client.cpu_seconds)},
                 {"cpu_us_per_transaction", finite(result.cpu_us_per_transaction())},
                 {"peak_rss_bytes", client.peak_rss_bytes},
                 {"threads", client.threads},
                 {"terminals", client.terminals},
                 {"connections", client.connections},
                 {"busiest_worker_load", finite(client.busiest_worker_load())},
                 {"worker_loads", std::move(loads)},
                 {"workers", std::move(workers)},
                 {"run_queue_known", client.run_queue_known},
                 {"terminals_up_s", nullptr}};
  if (client.terminals_up_s) object["terminals_up_s"] = finite(*client.terminals_up_s);
  object["timer_lag"] = histogram_or_null(client.timer_lag);
  return object;
}

json audit_to_json(const std::vector<Verdict>& verdicts) {
  json lines = json::array();
  for (const Verdict& verdict : verdicts) {
    lines.push_back({{"name", verdict.name},
                     {"clause", verdict.clause},
                     {"judgement", judgement_name(verdict.judgement)},
                     {"text", verdict.text}});
  }
  const AuditSummary summary = summarise(verdicts);
  return {{"validity", summary.valid ? "valid" : "invalid"},
          {"compliant", summary.compliant},
          {"sentence", summary.sentence},
          {"lines", std::move(lines)}};
}

json time_point_to_json(const TimePoint& point, const Result& result) {
  json ok = json::object();
  for (std::size_t i = 0; i < result.transactions.size(); ++i) {
    ok[result.transactions[i].name] = i < point.ok.size() ? point.ok[i] : 0;
  }
  return {{"t", finite(point.t)},
          {"phase", point.phase},
          {"ok", std::move(ok)},
          {"failed", point.failed},
          {"p50_ms", finite(point.p50_ms)},
          {"p90_ms", finite(point.p90_ms)},
          {"p99_ms", finite(point.p99_ms)},
          {"in_flight", point.in_flight},
          {"waiting", point.waiting},
          {"retries", point.retries},
          {"client_load", finite(point.client_load)}};
}

json checkpoints_to_json(const std::optional<std::vector<Checkpoint>>& checkpoints) {
  if (!checkpoints) return nullptr;
  json list = json::array();
  for (const Checkpoint& one : *checkpoints) {
    json object = {
        {"start_s", finite(one.start_s)}, {"end_s", nullptr}, {"requested", one.requested}};
    if (one.end_s) object["end_s"] = finite(*one.end_s);
    list.push_back(std::move(object));
  }
  return list;
}

std::string compact(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

void append_text(std::string& text, const json& value, const std::string& indent) {
  const bool has_lines =
      value.is_object() || (value.is_array() && !value.empty() && value.front().is_object());
  if (!has_lines || value.empty()) {
    text += compact(value);
    return;
  }
  const std::string inner = indent + "  ";
  text += value.is_object() ? "{" : "[";
  const char* separator = "\n";
  for (const auto& [key, element] : value.items()) {
    text += separator + inner;
    if (value.is_object()) {
      text += compact(key) + ": ";
      append_text(text, element, inner);
    } else {
      text += compact(element);
    }
    separator = ",\n";
  }
  text += "\n" + indent + (value.is_object() ? "}" : "]");
}

}  // namespace

std::string document_text(const json& document) {
  std::string text;
  append_text(text, document, "");
  return text + "\n";
}

json to_json(const Result& result) {
  json transactions = json::object();
  for (const TransactionResult& one : result.transactions) {
    transactions[one.name] = transaction_to_json(one);
  }
  json time_series = json::array();
  for (const TimePoint& point : result.time_series) {
    time_series.push_back(time_point_to_json(point, result));
  }
  json failure;
  if (result.failure) failure = *result.failure;
  return {{"schema_version", result_schema_version},
          {"tool",
           {{"name", result.tool.name},
            {"version", result.tool.version},
            {"commit", result.tool.commit},
            {"compiler", result.tool.compiler}}},
          {"plan", plan_to_json(result.plan)},
          {"environment", environment_to_json(result.environment)},
          {"summary", summary_to_json(result)},
          {"transactions", std::move(transactions)},
          {"inputs", inputs_to_json(result.inputs)},
          {"delivery_skipped_districts", result.delivery_skipped_districts},
          {"deferred_delivery", deferred_to_json(result.deferred_delivery)},
          {"availability", availability_to_json(result.availability)},
          {"ledger", ledger_to_json(result.ledger)},
          {"ledger_in_data", ledger_in_data_to_json(result.ledger_in_data)},
          {"client", client_to_json(result)},
          {"time_series", std::move(time_series)},
          {"checkpoints", checkpoints_to_json(result.checkpoints)},
          {"audit", audit_to_json(result.audit)},
          {"failure", std::move(failure)},
          {"interrupted", result.interrupted}};
}

}  // namespace drover::report
