#include "report/result_read.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "report/audit.h"
#include "report/bounded_file.h"
#include "report/histogram_read.h"
#include "report/json_fields.h"
#include "report/json_reader.h"
#include "report/result_consistency.h"

namespace drover::report {

namespace {

constexpr std::size_t name_bytes_max = json_name_bytes_max;
constexpr std::size_t sentence_bytes_max = 100'000;  // settings, messages of a server
constexpr std::size_t transactions_max = 32;
constexpr double seconds_max = 1e10;  // three centuries
constexpr double pace_max = 1e6;
constexpr double share_max = 2;  // of a whole, with room for what clocks differ by
constexpr std::uint64_t objects_max = 1'000'000'000;  // warehouses, sessions, threads
constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();
constexpr std::int64_t unix_time_max = 253'402'300'799;  // the end of the year 9999

std::string read_name(JsonReader& json) {
  return json.text(name_bytes_max);
}

std::string read_sentence(JsonReader& json) {
  return json.text(sentence_bytes_max);
}

std::uint64_t read_count(JsonReader& json) {
  return json.whole_number(result_count_max);
}

double read_seconds(JsonReader& json) {
  return json.number(0, seconds_max);
}

double read_figure(JsonReader& json) {
  return json.number(0, figure_max);
}

double read_ms(JsonReader& json) {
  return json.number(0, ms_max);
}

double read_share(JsonReader& json) {
  return json.number(0, share_max);
}

std::uint64_t read_objects(JsonReader& json) {
  return json.whole_number(objects_max);
}

// A name that stands for itself in a table or a message.
void require_plain_name(const JsonReader& json, std::string_view name) {
  if (!name.empty() && name.size() <= name_bytes_max && shown(name, name_bytes_max) == name) return;
  json.refuse(fmt::format("a printable name of 1 to {} bytes", name_bytes_max),
              fmt::format("\"{}\"", shown(name)));
}

void read_counts(JsonReader& json, std::map<std::string, std::uint64_t>& counts) {
  read_map(json, counts, [&] { return read_count(json); });
}

Tool read_tool(JsonReader& json) {
  Tool tool;
  read_object(json, Field{"name", [&] { tool.name = read_name(json); }},
              Field{"version", [&] { tool.version = read_name(json); }},
              Field{"commit", [&] { tool.commit = read_name(json); }},
              Field{"compiler", [&] { tool.compiler = read_name(json); }});
  return tool;
}

PlanSummary read_plan(JsonReader& json) {
  PlanSummary plan;
  read_object(
      json, Field{"benchmark", [&] { plan.benchmark = read_name(json); }},
      Field{"warehouses", [&] { plan.warehouses = read_objects(json); }},
      Field{"duration_s", [&] { plan.duration_s = read_seconds(json); }},
      Field{"warmup_s", [&] { plan.warmup_s = read_seconds(json); }},
      Field{"threads", [&] { plan.threads = read_objects(json); }},
      Field{"connections", [&] { plan.connections = read_objects(json); }},
      Field{"max_inflight", [&] { plan.max_inflight = read_objects(json); }},
      Field{"no_delays", [&] { plan.no_delays = json.boolean(); }},
      Field{"pace", [&] { plan.pace = json.number(0, pace_max); }},
      Field{"seed", [&] { plan.seed = json.whole_number(unlimited); }},
      Field{"statements", [&] { plan.statements = read_name(json); }},
      Field{"schema", [&] { plan.schema = read_name(json); }},
      Field{"isolation", [&] { plan.isolation = read_name(json); }},
      Field{"on_db_loss", [&] { plan.on_db_loss = read_name(json); }, may_be_missing},
      Field{"statement_timeout_s", [&] { plan.statement_timeout_s = read_seconds(json); },
            may_be_missing},
      Field{"max_inflight_chosen", [&] { plan.max_inflight_chosen = json.boolean(); },
            may_be_missing},
      Field{"deferred_delivery", [&] { plan.deferred_delivery = json.boolean(); }, may_be_missing},
      Field{"simulate_ms", [&] {
              if (!json.null()) plan.simulate_ms = read_ms(json);
            }});
  return plan;
}

Server read_server(JsonReader& json) {
  Server server;
  const auto read_settings = [&] {
    read_map(json, server.settings, [&] { return read_sentence(json); });
  };
  read_object(json, Field{"kind", [&] { server.kind = read_name(json); }, may_be_missing},
              Field{"version", [&] { server.version = read_name(json); }},
              Field{"settings", read_settings});
  return server;
}

Environment read_environment(JsonReader& json) {
  Environment environment;
  measure::Host& client = environment.client;
  const auto read_client = [&] {
    read_object(
        json, Field{"hostname", [&] { client.hostname = read_name(json); }},
        Field{"os", [&] { client.os = read_name(json); }},
        Field{"cpus", [&] { client.cpus = static_cast<unsigned>(json.whole_number(1u << 20)); }},
        Field{"cpu_model", [&] { client.cpu_model = read_name(json); }});
  };
  read_object(json, Field{"client", read_client}, Field{"server", [&] {
                                                          if (!json.null()) {
                                                            environment.server = read_server(json);
                                                          }
                                                        }});
  return environment;
}

Summary read_summary(JsonReader& json) {
  Summary summary;
  Repeated repeated(json);
  read_object(
      json, Field{"name", [&] { summary.name = read_name(json); }}, repeated.field("time_seconds"),
      Field{"measured_seconds", [&] { summary.time_seconds = read_seconds(json); }},
      Field{"measure_start_ts",
            [&] { summary.measure_start_ts = json.whole_number(std::int64_t{0}, unix_time_max); }},
      Field{"warehouses", [&] { summary.warehouses = read_objects(json); }},
      Field{"new_orders", [&] { summary.new_orders = read_count(json); }},
      Field{"tpmc", [&] { summary.tpmc = read_figure(json); }},
      Field{"efficiency", [&] { summary.efficiency = read_figure(json); }},
      Field{"efficiency_sampling_error",
            [&] { summary.efficiency_sampling_error = read_figure(json); }});
  repeated.require("time_seconds", std::round(summary.time_seconds));
  return summary;
}

Ambiguous read_ambiguous(JsonReader& json) {
  Ambiguous ambiguous;
  Repeated repeated(json);
  read_object(json, repeated.field("count"),
              Field{"committed", [&] { ambiguous.committed = read_count(json); }},
              Field{"not_committed", [&] { ambiguous.not_committed = read_count(json); }},
              Field{"unresolved", [&] { ambiguous.unresolved = read_count(json); }});
  repeated.require("count", static_cast<double>(ambiguous.count()));
  return ambiguous;
}

Pending read_pending(JsonReader& json) {
  Pending pending;
  Repeated repeated(json);
  read_object(json, repeated.field("unanswered"),
              Field{"count", [&] { pending.count = read_count(json); }},
              Field{"answered", [&] { pending.answered = read_count(json); }},
              Field{"waited", [&] { pending.unanswered = read_figures(json); }, may_be_missing});
  repeated.require("unanswered", static_cast<double>(pending.unanswered.count()));
  return pending;
}

TransactionResult read_transaction(JsonReader& json) {
  TransactionResult one;
  Repeated repeated(json);
  RepeatedFigures latency(json);
  latency.read_object_with(
      repeated.field("all_count"), Field{"ok_count", [&] { one.ok_count = read_count(json); }},
      Field{"user_aborted_count", [&] { one.user_aborted_count = read_count(json); }},
      Field{"failed_count", [&] { one.failed_count = read_count(json); }},
      Field{"retry_count", [&] { one.retry_count = read_count(json); }},
      Field{"attempts", [&] { one.attempts = read_count(json); }},
      Field{"histogram", [&] { one.latency = read_histogram(json); }},
      Field{"wait", [&] { one.wait = read_figures(json); }},
      Field{"pending", [&] { one.pending = read_pending(json); }, may_be_missing},
      Field{"ambiguous", [&] { one.ambiguous = read_ambiguous(json); }, may_be_missing},
      Field{"keying", [&] { one.keying = read_figures(json); }, may_be_missing},
      Field{"think", [&] { one.think = read_figures(json); }, may_be_missing},
      Field{"errors_by_class", [&] { read_counts(json, one.errors_by_class); }},
      Field{"errors_by_sqlstate", [&] { read_counts(json, one.errors_by_sqlstate); }},
      Field{"latency_limit_s", [&] {
              if (!json.null()) one.latency_limit_s = read_seconds(json);
            }});
  repeated.require("all_count", static_cast<double>(one.all_count()));
  latency.require(one.latency);
  return one;
}

void read_transactions(JsonReader& json, std::vector<TransactionResult>& transactions) {
  json.object([&](std::string_view key) {
    require_plain_name(json, key);
    const auto has_name = [key](const TransactionResult& one) { return one.name == key; };
    if (std::ranges::any_of(transactions, has_name)) json.refuse("one such field", "a second one");
    if (transactions.size() == transactions_max) {
      json.refuse(fmt::format("at most {} transactions", transactions_max), "more");
    }
    std::string name(key);
    transactions.push_back(read_transaction(json));
    transactions.back().name = std::move(name);
  });
}

// The points of time come before the transactions in the document, whose names are sorted: until
// the end, `names` says which count is whose.
struct TimeSeries {
  std::vector<std::string> names;
  std::vector<TimePoint> points;
};

// All points have the same names; so a point that leaves some out cannot make others' room.
std::vector<std::uint64_t> read_point_counts(JsonReader& json, TimeSeries& series) {
  const bool first = series.points.empty();
  std::vector<std::uint64_t> counts(series.names.size());
  std::array<bool, transactions_max> seen{};
  std::size_t length = 0;
  json.object([&](std::string_view key) {
    const auto found = std::ranges::find(series.names, key);
    const auto index = static_cast<std::size_t>(found - series.names.begin());
    if (found == series.names.end()) {
      if (!first) json.refuse("the same transactions as in the first point", "another one");
      if (index == transactions_max) json.refuse("fewer transactions", "more");
      series.names.emplace_back(key);
      counts.push_back(0);
    }
    if (std::exchange(seen[index], true)) json.refuse("one such field", "a second one");
    counts[index] = read_count(json);
    ++length;
  });
  if (length != series.names.size()) {
    json.refuse("the same transactions as in the first point", "fewer");
  }
  return counts;
}

TimePoint read_point(JsonReader& json, TimeSeries& series) {
  TimePoint point;
  read_object(json, Field{"t", [&] { point.t = read_seconds(json); }},
              Field{"phase", [&] { point.phase = read_name(json); }},
              Field{"ok", [&] { point.ok = read_point_counts(json, series); }},
              Field{"failed", [&] { point.failed = read_count(json); }},
              Field{"p50_ms", [&] { point.p50_ms = read_ms(json); }},
              Field{"p90_ms", [&] { point.p90_ms = read_ms(json); }},
              Field{"p99_ms", [&] { point.p99_ms = read_ms(json); }},
              Field{"in_flight", [&] { point.in_flight = read_count(json); }},
              Field{"waiting", [&] { point.waiting = read_count(json); }},
              Field{"retries", [&] { point.retries = read_count(json); }, may_be_missing},
              Field{"client_load", [&] { point.client_load = read_share(json); }, may_be_missing});
  if (point.p50_ms > point.p90_ms || point.p90_ms > point.p99_ms) {
    json.refuse("p50_ms <= p90_ms <= p99_ms",
                fmt::format("{:g}, {:g}, {:g}", point.p50_ms, point.p90_ms, point.p99_ms));
  }
  if (!series.points.empty() && point.t <= series.points.back().t) {
    json.refuse(fmt::format("a t above {:g}, that of the point before", series.points.back().t),
                fmt::format("{:g}", point.t));
  }
  return point;
}

Checkpoint read_checkpoint(JsonReader& json) {
  Checkpoint checkpoint;
  const auto read_end = [&] {
    if (!json.null()) checkpoint.end_s = read_seconds(json);
  };
  read_object(json, Field{"start_s", [&] { checkpoint.start_s = read_seconds(json); }},
              Field{"end_s", read_end},
              Field{"requested", [&] { checkpoint.requested = json.boolean(); }});
  if (checkpoint.end_s && *checkpoint.end_s < checkpoint.start_s) {
    json.refuse(fmt::format("an end_s that is not before start_s, {:g}", checkpoint.start_s),
                fmt::format("{:g}", *checkpoint.end_s));
  }
  return checkpoint;
}

std::optional<std::vector<Checkpoint>> read_checkpoints(JsonReader& json) {
  if (json.null()) return std::nullopt;
  std::vector<Checkpoint> checkpoints;
  json.array([&](std::size_t) { checkpoints.push_back(read_checkpoint(json)); });
  return checkpoints;
}

void read_time_series(JsonReader& json, TimeSeries& series) {
  json.array([&](std::size_t) { series.points.push_back(read_point(json, series)); });
}

WorkerHealth read_worker(JsonReader& json) {
  WorkerHealth worker;
  read_object(json, Field{"load", [&] { worker.load = read_share(json); }},
              Field{"run_queue_share", [&] { worker.run_queue_share = read_share(json); }},
              Field{"wake_up_delay_ms", [&] { worker.wake_up_delay_ms = read_ms(json); }});
  return worker;
}

ClientCost read_client_cost(JsonReader& json) {
  ClientCost client;
  std::vector<double> loads;
  Repeated repeated(json);
  const auto read_loads = [&] {
    json.array([&](std::size_t) { loads.push_back(read_share(json)); });
  };
  const auto read_up = [&] {
    if (!json.null()) client.terminals_up_s = read_seconds(json);
  };
  const auto read_workers = [&] {
    json.array([&](std::size_t) { client.workers.push_back(read_worker(json)); });
  };
  read_object(
      json, repeated.field("cpu_us_per_transaction"), repeated.field("busiest_worker_load"),
      Field{"cpu_seconds", [&] { client.cpu_seconds = read_seconds(json); }},
      Field{"peak_rss_bytes", [&] { client.peak_rss_bytes = read_count(json); }},
      Field{"threads", [&] { client.threads = read_objects(json); }},
      Field{"terminals", [&] { client.terminals = read_objects(json); }},
      Field{"connections", [&] { client.connections = read_objects(json); }},
      Field{"worker_loads", read_loads}, Field{"workers", read_workers, may_be_missing},
      Field{"run_queue_known", [&] { client.run_queue_known = json.boolean(); }, may_be_missing},
      Field{"terminals_up_s", read_up, may_be_missing},
      Field{"timer_lag", [&] { client.timer_lag = read_figures(json); }, may_be_missing});
  // Older documents have the loads only, newer ones have them twice.
  if (client.workers.empty()) {
    for (const double load : loads) client.workers.push_back({.load = load});
  }
  const auto has_load = [](const WorkerHealth& worker, double load) { return worker.load == load; };
  if (!std::ranges::equal(client.workers, loads, has_load)) {
    json.refuse("as many workers as worker_loads, with the same loads", "others");
  }
  repeated.require("busiest_worker_load", client.busiest_worker_load());
  return client;
}

InputCounts read_inputs(JsonReader& json) {
  InputCounts inputs;
  const auto count = [&json](std::string_view name, std::uint64_t& into) {
    return Field{name, [&json, &into] { into = read_count(json); }};
  };
  read_object(json, count("new_orders", inputs.new_orders),
              count("new_orders_rolled_back", inputs.new_orders_rolled_back),
              count("order_lines", inputs.order_lines),
              count("order_lines_remote", inputs.order_lines_remote),
              count("payments", inputs.payments), count("payments_remote", inputs.payments_remote),
              count("payments_by_name", inputs.payments_by_name),
              count("order_statuses", inputs.order_statuses),
              count("order_statuses_by_name", inputs.order_statuses_by_name),
              count("deliveries", inputs.deliveries));
  const auto require_part = [&json](std::string_view name, std::uint64_t part,
                                    std::string_view whole_name, std::uint64_t whole) {
    if (part <= whole) return;
    json.refuse(fmt::format("{} of at most {}, the {}", name, whole, whole_name),
                fmt::format("{}", part));
  };
  require_part("new_orders_rolled_back", inputs.new_orders_rolled_back, "new_orders",
               inputs.new_orders);
  require_part("order_lines_remote", inputs.order_lines_remote, "order_lines", inputs.order_lines);
  require_part("payments_remote", inputs.payments_remote, "payments", inputs.payments);
  require_part("payments_by_name", inputs.payments_by_name, "payments", inputs.payments);
  require_part("order_statuses_by_name", inputs.order_statuses_by_name, "order_statuses",
               inputs.order_statuses);
  return inputs;
}

// One that has not ended says no length.
void require_span(JsonReader& json, double start_s, std::optional<double> end_s,
                  const Repeated& repeated) {
  if (!end_s) return;
  if (*end_s < start_s) {
    json.refuse(fmt::format("an end_s that is not before start_s, {:g}", start_s),
                fmt::format("{:g}", *end_s));
  }
  repeated.require("seconds", *end_s - start_s);
}

Outage read_outage(JsonReader& json) {
  Outage outage;
  Repeated repeated(json);
  const auto read_end = [&] {
    if (!json.null()) outage.end_s = read_seconds(json);
  };
  read_object(json, repeated.field("seconds"),
              Field{"start_s", [&] { outage.start_s = read_seconds(json); }},
              Field{"end_s", read_end},
              Field{"transactions_lost", [&] { outage.transactions_lost = read_count(json); }},
              Field{"first_error", [&] { outage.first_error = read_sentence(json); }});
  require_span(json, outage.start_s, outage.end_s, repeated);
  return outage;
}

Stall read_stall(JsonReader& json) {
  Stall stall;
  Repeated repeated(json);
  const auto read_end = [&] {
    if (!json.null()) stall.end_s = read_seconds(json);
  };
  read_object(json, repeated.field("seconds"),
              Field{"start_s", [&] { stall.start_s = read_seconds(json); }},
              Field{"end_s", read_end});
  require_span(json, stall.start_s, stall.end_s, repeated);
  return stall;
}

Availability read_availability(JsonReader& json) {
  Availability availability;
  const auto read_outages = [&] {
    json.array([&](std::size_t) { availability.outages.push_back(read_outage(json)); });
  };
  const auto read_stalls = [&] {
    json.array([&](std::size_t) { availability.stalls.push_back(read_stall(json)); });
  };
  read_object(
      json, Field{"outages", read_outages}, Field{"stalls", read_stalls, may_be_missing},
      Field{"stalled_s", [&] { availability.stalled_s = read_seconds(json); }, may_be_missing},
      Field{"interruptions", [&] { availability.interruptions = read_count(json); }},
      Field{"sessions_lost", [&] { availability.sessions_lost = read_count(json); }},
      Field{"sessions_reopened", [&] { availability.sessions_reopened = read_count(json); }},
      Field{"unavailable_s", [&] { availability.unavailable_s = read_seconds(json); }});
  return availability;
}

constexpr auto amount_max = static_cast<std::int64_t>(result_count_max);

// Differences of the data may be negative.
std::int64_t read_amount(JsonReader& json) {
  return json.whole_number(-amount_max, amount_max);
}

Ledger read_ledger(JsonReader& json) {
  Ledger ledger;
  read_object(json, Field{"new_orders", [&] { ledger.new_orders = read_count(json); }},
              Field{"payments", [&] { ledger.payments = read_count(json); }},
              Field{"payment_cents",
                    [&] { ledger.payment_cents = json.whole_number(std::int64_t{0}, amount_max); }},
              Field{"deliveries", [&] { ledger.deliveries = read_count(json); }},
              Field{"orders_delivered", [&] { ledger.orders_delivered = read_count(json); },
                    may_be_missing},
              Field{"exact", [&] { ledger.exact = json.boolean(); }});
  return ledger;
}

std::optional<LedgerInData> read_ledger_in_data(JsonReader& json) {
  if (json.null()) return std::nullopt;
  LedgerInData ledger;
  read_object(json, Field{"new_orders", [&] { ledger.new_orders = read_amount(json); }},
              Field{"payment_cents", [&] { ledger.payment_cents = read_amount(json); }},
              Field{"orders_delivered", [&] { ledger.orders_delivered = read_amount(json); },
                    may_be_missing});
  return ledger;
}

std::optional<DeferredDelivery> read_deferred_delivery(JsonReader& json) {
  if (json.null()) return std::nullopt;
  DeferredDelivery deferred;
  read_object(json, Field{"queued", [&] { deferred.queued = read_count(json); }},
              Field{"completed", [&] { deferred.completed = read_count(json); }},
              Field{"failed", [&] { deferred.failed = read_count(json); }},
              Field{"unfinished", [&] { deferred.unfinished = read_count(json); }},
              Field{"latency_limit_s", [&] { deferred.latency_limit_s = read_seconds(json); }},
              Field{"latency", [&] { deferred.latency = read_figures(json); }},
              Field{"waited", [&] { deferred.unanswered = read_figures(json); }, may_be_missing});
  return deferred;
}

Judgement read_judgement(JsonReader& json) {
  const std::string name = read_name(json);
  for (const Judgement one :
       {Judgement::held, Judgement::broken, Judgement::invalid, Judgement::not_judged}) {
    if (judgement_name(one) == name) return one;
  }
  json.refuse("held, broken, invalid or not_judged", fmt::format("\"{}\"", shown(name)));
}

Verdict read_verdict(JsonReader& json) {
  Verdict verdict;
  read_object(json, Field{"name", [&] { verdict.name = read_name(json); }},
              Field{"clause", [&] { verdict.clause = read_name(json); }},
              Field{"judgement", [&] { verdict.judgement = read_judgement(json); }},
              Field{"text", [&] { verdict.text = read_sentence(json); }});
  return verdict;
}

// What sums up the lines follows from them.
std::vector<Verdict> read_audit(JsonReader& json) {
  std::vector<Verdict> lines;
  const auto read_lines = [&] {
    json.array([&](std::size_t) { lines.push_back(read_verdict(json)); });
  };
  read_object(json, Field{"lines", read_lines});
  return lines;
}

// The order of TPC-C where the names are those, then that of the document.
void order_as_tpcc(std::vector<TransactionResult>& transactions) {
  const std::vector<TransactionResult> order = tpcc_transactions();
  for (auto known = order.rbegin(); known != order.rend(); ++known) {
    const auto has_name = [&](const TransactionResult& one) { return one.name == known->name; };
    const auto found = std::ranges::find_if(transactions, has_name);
    if (found != transactions.end()) std::rotate(transactions.begin(), found, found + 1);
  }
}

// Gives the counts of the points the order of the transactions.
void take_time_series(const JsonReader& json, TimeSeries series, Result& result) {
  std::vector<std::size_t> sources;
  for (const TransactionResult& one : result.transactions) {
    const auto found = std::ranges::find(series.names, one.name);
    sources.push_back(static_cast<std::size_t>(found - series.names.begin()));
  }
  const bool same = series.names.size() == sources.size() &&
                    std::ranges::find(sources, series.names.size()) == sources.end();
  if (!series.points.empty() && !same) {
    json.refuse("time_series with the names of the transactions", "others");
  }
  for (TimePoint& point : series.points) {
    std::array<std::uint64_t, transactions_max> counts{};
    std::ranges::copy(point.ok, counts.begin());
    for (std::size_t i = 0; i < sources.size(); ++i) point.ok[i] = counts[sources[i]];
  }
  result.time_series = std::move(series.points);
}

// Looked for on its own and first, since other fields may be others in another version.
void require_schema_version(std::string_view text) {
  JsonReader json(text);
  std::int64_t version = 0;
  json.object([&](std::string_view key) {
    if (key != "schema_version") return json.skip();
    if (version != 0) json.refuse("one such field", "a second one");
    version = json.whole_number(1, std::numeric_limits<std::int64_t>::max());
  });
  json.finish();
  if (version == 0) {
    throw JsonError("it is no result of drover: expected a field schema_version, found none");
  }
  if (version > result_schema_version) {
    throw JsonError(fmt::format(
        "it was written by a newer drover: expected schema_version {}, found {}; use that drover",
        result_schema_version, version));
  }
}

Result read_document(std::string_view text) {
  require_schema_version(text);
  JsonReader json(text);
  Result result;
  TimeSeries series;
  const auto read_failure = [&] {
    if (!json.null()) result.failure = read_sentence(json);
  };
  read_object(
      json, Field{"tool", [&] { result.tool = read_tool(json); }},
      Field{"plan", [&] { result.plan = read_plan(json); }},
      Field{"environment", [&] { result.environment = read_environment(json); }},
      Field{"summary", [&] { result.summary = read_summary(json); }},
      Field{"transactions", [&] { read_transactions(json, result.transactions); }},
      Field{"delivery_skipped_districts",
            [&] { result.delivery_skipped_districts = read_count(json); }},
      Field{"client", [&] { result.client = read_client_cost(json); }},
      Field{"time_series", [&] { read_time_series(json, series); }},
      Field{"checkpoints", [&] { result.checkpoints = read_checkpoints(json); }, may_be_missing},
      Field{"inputs", [&] { result.inputs = read_inputs(json); }, may_be_missing},
      Field{"deferred_delivery", [&] { result.deferred_delivery = read_deferred_delivery(json); },
            may_be_missing},
      Field{"availability", [&] { result.availability = read_availability(json); }, may_be_missing},
      Field{"ledger", [&] { result.ledger = read_ledger(json); }, may_be_missing},
      Field{"ledger_in_data", [&] { result.ledger_in_data = read_ledger_in_data(json); },
            may_be_missing},
      Field{"audit", [&] { result.audit = read_audit(json); }, may_be_missing},
      Field{"failure", read_failure, may_be_missing},
      Field{"interrupted", [&] { result.interrupted = json.boolean(); }});
  order_as_tpcc(result.transactions);
  take_time_series(json, std::move(series), result);
  if (const auto contradiction = contradiction_in(result)) throw JsonError(*contradiction);
  return result;
}

}  // namespace

Result read_result(std::string_view text, std::string_view name) {
  try {
    if (text.size() > result_bytes_max) {
      throw JsonError(fmt::format("it is larger than {} MiB", result_bytes_max >> 20));
    }
    return read_document(text);
  } catch (const JsonError& error) {
    throw ResultReadError(fmt::format("cannot read {}: {}", name, error.what()));
  }
}

Result read_result_file(const std::filesystem::path& path) {
  const std::string name = fmt::format("the result \"{}\"", shown(path.native(), 300));
  std::string text;
  try {
    text = read_bounded_file(path, result_bytes_max);
  } catch (const UnreadableFile& error) {
    throw ResultReadError(fmt::format("{}: {}", name, error.what()));
  }
  return read_result(text, name);
}

}  // namespace drover::report
