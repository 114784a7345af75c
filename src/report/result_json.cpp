#include "report/result_json.h"

#include <cmath>

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
                 {"simulate_ms", nullptr}};
  if (plan.simulate_ms) object["simulate_ms"] = finite(*plan.simulate_ms);
  return object;
}

json environment_to_json(const Environment& environment) {
  const measure::Host& client = environment.client;
  json server;
  if (environment.server) {
    server = {{"version", environment.server->version}, {"settings", environment.server->settings}};
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

json transaction_to_json(const TransactionResult& transaction) {
  json object = {{"ok_count", transaction.ok_count},
                 {"failed_count", transaction.failed_count},
                 {"user_aborted_count", transaction.user_aborted_count},
                 {"all_count", transaction.all_count()},
                 {"retry_count", transaction.retry_count},
                 {"attempts", transaction.attempts},
                 {"errors_by_class", transaction.errors_by_class},
                 {"errors_by_sqlstate", transaction.errors_by_sqlstate},
                 {"latency_limit_s", nullptr},
                 {"latency_limit_held", nullptr}};
  if (transaction.latency_limit_s) object["latency_limit_s"] = *transaction.latency_limit_s;
  if (const auto held = transaction.holds_latency_limit()) object["latency_limit_held"] = *held;
  add_histogram(object, transaction.latency);
  add_histogram(object["wait"], transaction.wait);
  return object;
}

json client_to_json(const Result& result) {
  const ClientCost& client = result.client;
  json loads = json::array();
  for (const double load : client.worker_loads) loads.push_back(finite(load));
  return {{"cpu_seconds", finite(client.cpu_seconds)},
          {"cpu_us_per_transaction", finite(result.cpu_us_per_transaction())},
          {"peak_rss_bytes", client.peak_rss_bytes},
          {"threads", client.threads},
          {"terminals", client.terminals},
          {"connections", client.connections},
          {"busiest_worker_load", finite(client.busiest_worker_load())},
          {"worker_loads", std::move(loads)}};
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
          {"waiting", point.waiting}};
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
  json verdicts = json::array();
  for (const Verdict& verdict : result.verdicts) {
    verdicts.push_back({{"name", verdict.name}, {"ok", verdict.ok}, {"text", verdict.text}});
  }
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
          {"delivery_skipped_districts", result.delivery_skipped_districts},
          {"client", client_to_json(result)},
          {"time_series", std::move(time_series)},
          {"verdicts", std::move(verdicts)},
          {"interrupted", result.interrupted}};
}

}  // namespace drover::report
