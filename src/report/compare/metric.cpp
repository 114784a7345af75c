#include "report/compare/metric.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <ranges>
#include <span>

#include "report/model/chart.h"
#include "text/nearest_name.h"
#include "text/plain_text.h"
#include "text/utf8.h"
#include "text/wrapped_text.h"

namespace drover::report {
namespace {

using Kind = Metric::Kind;

constexpr std::size_t name_length_max = 100;
// Smaller percentages would be written with an exponent and are meaningless.
constexpr double percent_least = 0.001;

using Value = std::optional<double>;

Value commits_a_second(const Metric& metric, const Result& run) {
  const Value count = metric.sum_of(&TransactionResult::ok_count, run);
  return count ? Value(*count / run.summary.time_seconds) : std::nullopt;
}

Value failed(const Metric& metric, const Result& run) {
  return metric.sum_of(&TransactionResult::failed_count, run);
}

// Returns the time of server sessions in the selected wait events per transaction; nothing without
// --server-stats.
Value server_ms(const Result& run, bool (*is_meant)(std::string_view event)) {
  if (!run.server_stats || run.server_stats->samples_measured == 0 || run.all_count() == 0)
    return std::nullopt;
  double sessions = 0;
  for (const WaitEvent& one : run.server_stats->wait_events)
    if (is_meant(one.name)) sessions += one.sessions;
  return run.ms_per_transaction(sessions);
}

bool is_cpu(std::string_view event) {
  return event == "CPU" || event.starts_with("CPU at ");
}

// Waits for the client are idle time of the server.
bool is_wait_for_server(std::string_view event) {
  return !is_cpu(event) && !event.starts_with("Client:");
}

// The first twelve names are complete. The further ones follow a transaction type and a dot.
constexpr std::array<Metric::Traits, 17> kinds = {
    {{"tpmC", Kind::rate, "/min", "New-Orders committed per minute",
      [](const Metric&, const Result& run) {
        return run.kind().has_tpmc ? Value(run.summary.tpmc) : std::nullopt;
      },
      true, 0, "NewOrder"},
     {"efficiency", Kind::rate, "%", "share of the highest tpmC that the terminals allow",
      [](const Metric&, const Result& run) {
        return run.efficiency_is_meaningful() ? Value(run.summary.efficiency) : std::nullopt;
      },
      true, 0, "NewOrder"},
     {"throughput", Kind::rate, "/s", "transactions committed per second",
      [](const Metric& all, const Result& run) -> Value {
        return commits_a_second(all, run).value_or(0);
      },
      true},
     {"failed", Kind::figure, "", "transactions that failed",
      [](const Metric& all, const Result& run) -> Value { return failed(all, run).value_or(0); },
      false, 0.3},
     {"retries", Kind::figure, "", "repeated attempts",
      [](const Metric& all, const Result& run) -> Value {
        return all.sum_of(&TransactionResult::retry_count, run).value_or(0);
      },
      false, 0.3},
     {"unanswered", Kind::figure, "", "late transactions without an answer at the end",
      [](const Metric&, const Result& run) -> Value {
        return static_cast<double>(all_transactions(run).pending.unanswered.count());
      },
      false, 0.3},
     {"unavailable_s", Kind::figure, "s", "time in outages during the measured interval",
      [](const Metric&, const Result& run) -> Value { return run.availability.unavailable_s; },
      false, 0.1},
     {"stalled_s", Kind::figure, "s", "time in stalls during the measured interval",
      [](const Metric&, const Result& run) -> Value { return run.availability.stalled_s; }, false,
      1},
     {"client.cpu_us", Kind::figure, "us", "CPU time of the client per transaction",
      [](const Metric&, const Result& run) {
        return run.all_count() > 0 ? Value(run.cpu_us_per_transaction()) : std::nullopt;
      }},
     {"client.memory", Kind::figure, "MiB", "peak memory of the client",
      [](const Metric&, const Result& run) -> Value {
        return static_cast<double>(run.client.peak_rss_bytes) / (1024.0 * 1024.0);
      }},
     {"server.cpu_ms", Kind::figure, "ms", "time per transaction in which a server session ran",
      [](const Metric&, const Result& run) { return server_ms(run, is_cpu); }},
     {"server.wait_ms", Kind::figure, "ms",
      "time per transaction in which a server session waited in the server",
      [](const Metric&, const Result& run) { return server_ms(run, is_wait_for_server); }},
     {"", Kind::percentile, "ms", "percentile of the latency", nullptr},
     {"mean", Kind::mean, "ms", "mean latency", nullptr},
     {"max", Kind::maximum, "ms", "longest latency", nullptr},
     {"ok", Kind::rate, "/s", "committed per second", commits_a_second, true},
     {"failed", Kind::figure, "", "failed", failed, false, 0.3}}};
constexpr auto plain_kinds = std::span(kinds).first<12>();
constexpr const Metric::Traits& percentile_kind = kinds[12];
constexpr auto kinds_of_transaction = std::span(kinds).last<4>();
constexpr std::size_t kinds_of_tpcc = 2;  // the first of them

// Statistics after ".service".
constexpr std::array<Metric::Traits, 3> kinds_of_service = {
    {{"", Kind::percentile, "ms", "percentile of the service time", nullptr},
     {"mean", Kind::mean, "ms", "mean service time", nullptr},
     {"max", Kind::maximum, "ms", "longest service time", nullptr}}};

struct NamedTransaction {
  std::string name;
  std::string in_results;  // empty: all together
};

constexpr std::string_view deferred_name = "deferred";

// std::tolower depends on the locale and does not accept every char.
char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

// Returns an equal text for "New_Order.P99" and "NewOrder.p99", and in YCSB and scripts for
// "read-modify-write" and "read_modify_write".
std::string folded(std::string_view text, const MetricVocabulary& vocabulary) {
  std::string result;
  for (const char c : text) {
    if (c == '_' || (!vocabulary.has_tpmc && (c == '-' || c == ' '))) continue;
    result += lower(c);
  }
  return result;
}

// Returns "read_modify_write" for "READ-MODIFY-WRITE".
std::string metric_transaction(std::string_view in_results) {
  std::string name;
  for (const char c : in_results) name += c == '-' || c == ' ' ? '_' : lower(c);
  return name;
}

std::vector<NamedTransaction> transactions_of(const MetricVocabulary& vocabulary) {
  if (vocabulary.has_tpmc) {
    return {{"new_order", "NewOrder"},       {"payment", "Payment"},
            {"order_status", "OrderStatus"}, {"delivery", "Delivery"},
            {"stock_level", "StockLevel"},   {"all", ""},
            {std::string(deferred_name), ""}};
  }
  std::vector<NamedTransaction> named;
  for (const std::string& name : vocabulary.transactions)
    named.push_back({metric_transaction(name), name});
  named.push_back({"all", ""});
  return named;
}

std::span<const Metric::Traits> plain_kinds_of(const MetricVocabulary& vocabulary) {
  return vocabulary.has_tpmc ? plain_kinds : plain_kinds.subspan(kinds_of_tpcc);
}

// Returns 99.9 for "p99.9"; nothing if the text is no percentile or out of range.
std::optional<double> percent_of(std::string_view text) {
  if (!text.starts_with('p')) return std::nullopt;
  text.remove_prefix(1);
  double percent = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), percent, std::chars_format::fixed);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (!(percent >= percent_least && percent <= 100)) return std::nullopt;
  return percent;
}

// Returns the most similar metric name, or an empty text if none is similar.
std::string nearest_name(std::string_view text, const MetricVocabulary& vocabulary) {
  const std::string wanted = folded(text, vocabulary);
  std::string nearest;
  std::size_t least = 1 + std::max<std::size_t>(2, wanted.size() / 3);
  for (const std::string& name : metric_names(vocabulary)) {
    const std::size_t distance = text::edit_distance(wanted, folded(name, vocabulary));
    if (distance >= least) continue;
    least = distance;
    nearest = text::shown(name);
  }
  return nearest;
}

[[noreturn]] void refuse(std::string_view text, const MetricVocabulary& vocabulary) {
  const std::string nearest =
      text.size() <= name_length_max ? nearest_name(text, vocabulary) : std::string();
  std::vector<std::string> plain;
  for (const Metric::Traits& one : plain_kinds_of(vocabulary)) plain.emplace_back(one.name);
  std::vector<std::string> transactions;
  for (const NamedTransaction& one : transactions_of(vocabulary))
    transactions.push_back(text::shown(one.name, 60));
  throw MetricError(fmt::format(
      "unknown metric '{}'{}. Expected one of {}; or a transaction ({}) and a suffix: .p50, .p99.9 "
      "(any percentile), .mean, .max, .ok, .failed{}",
      text::shown(text), nearest.empty() ? "" : fmt::format(" (did you mean {}?)", nearest),
      fmt::join(plain, ", "), fmt::join(transactions, ", "),
      vocabulary.has_tpmc ? "" : ", .service.p99, .service.mean, .service.max"));
}

constexpr double change_shown_as_factor = 9;
// Room for a sentence with its remedy at the end.
constexpr std::size_t audit_bytes_most = 2'000;

std::string row_name(const Metric& metric) {
  if (metric.unit().empty()) return metric.name();
  return fmt::format("{} {}", metric.name(), metric.unit());
}

std::optional<double> change_between(const std::optional<double>& first,
                                     const std::optional<double>& value) {
  if (!first || !value || *first == 0) return std::nullopt;
  const double change = *value / *first - 1;
  return std::isfinite(change) ? std::optional(change) : std::nullopt;
}

}  // namespace

MetricVocabulary vocabulary_of(const Result& result) {
  MetricVocabulary vocabulary{.has_tpmc = result.kind().has_tpmc};
  if (vocabulary.has_tpmc) return vocabulary;
  for (const TransactionResult& one : result.transactions)
    vocabulary.transactions.push_back(one.name);
  return vocabulary;
}

Metric Metric::parse(std::string_view text, const MetricVocabulary& vocabulary) {
  const std::string_view name = text::trimmed(text);
  if (name.empty() || name.size() > name_length_max) refuse(name, vocabulary);
  const std::string wanted = folded(name, vocabulary);
  for (const Traits& plain : plain_kinds_of(vocabulary))
    if (folded(plain.name, vocabulary) == wanted) return {plain, std::string(plain.name)};
  // A name may contain dots: the longest one that fits is meant.
  NamedTransaction named;
  std::size_t dot = 0;
  for (NamedTransaction& one : transactions_of(vocabulary)) {
    const std::string folded_name = folded(one.name, vocabulary);
    if (folded_name.size() <= dot || !wanted.starts_with(folded_name + ".")) continue;
    dot = folded_name.size();
    named = std::move(one);
  }
  if (dot == 0) refuse(name, vocabulary);
  std::string statistic = wanted.substr(dot + 1);
  constexpr std::string_view before_service = "service.";
  const bool is_of_service = !vocabulary.has_tpmc && statistic.starts_with(before_service);
  if (is_of_service) statistic.erase(0, before_service.size());
  const std::span<const Traits> kinds_there =
      is_of_service ? std::span<const Traits>(kinds_of_service).subspan(1) : kinds_of_transaction;
  const auto known = std::ranges::find(kinds_there, statistic, &Traits::name);
  const std::optional<double> percent = percent_of(statistic);
  if (!percent && known == kinds_there.end()) refuse(name, vocabulary);
  const std::string before = named.name + (is_of_service ? ".service" : "");
  const Traits& percentile = is_of_service ? kinds_of_service[0] : percentile_kind;
  // The shortest text for the number, so that equal metrics have equal names.
  Metric metric = percent ? Metric(percentile, fmt::format("{}.p{}", before, *percent))
                          : Metric(*known, fmt::format("{}.{}", before, known->name));
  metric.percent_ = percent.value_or(0);
  metric.transaction_ = named.in_results;
  metric.service_ = is_of_service;
  metric.deferred_ = vocabulary.has_tpmc && named.name == deferred_name;
  return metric;
}

std::optional<double> Metric::sum_of(std::uint64_t TransactionResult::* count,
                                     const Result& result) const {
  if (deferred_) return static_cast<double>(deferred_row(*result.deferred_delivery).*count);
  std::optional<double> sum;
  for (const TransactionResult& one : result.transactions)
    if (is_of(one)) sum = sum.value_or(0) + static_cast<double>(one.*count);
  return sum;
}

std::optional<double> Metric::value(const Result& result) const {
  if (traits_->value == nullptr) {
    const measure::HistogramSnapshot latencies = histogram(result);
    if (latencies.empty()) return std::nullopt;
    if (kind() == Kind::mean) return latencies.mean_ns() * 1e-6;
    const bool is_maximum = kind() == Kind::maximum;
    return 1e-6 *
           static_cast<double>(is_maximum ? latencies.max_ns() : latencies.percentile_ns(percent_));
  }
  if (result.summary.time_seconds <= 0) return std::nullopt;
  if (deferred_ && !result.deferred_delivery) return std::nullopt;
  return traits_->value(*this, result);
}

measure::HistogramSnapshot Metric::histogram(const Result& result) const {
  measure::HistogramSnapshot latencies;
  if (deferred_) return result.deferred_delivery ? result.deferred_delivery->latency : latencies;
  for (const TransactionResult& one : result.transactions)
    if (is_of(one)) latencies.merge(service_ ? one.service : one.latency);
  return latencies;
}

// Returns the metrics with these names, each once.
static std::vector<Metric> metrics_of(const std::vector<std::string>& names,
                                      const MetricVocabulary& vocabulary) {
  std::vector<Metric> metrics;
  for (const std::string& name : names) {
    Metric metric = Metric::parse(name, vocabulary);
    if (std::ranges::find(metrics, metric) == metrics.end()) metrics.push_back(std::move(metric));
  }
  return metrics;
}

std::vector<Metric> default_metrics(const Result& result) {
  std::vector<std::string> names = {
      "tpmC",          "efficiency",       "throughput",   "new_order.p50",
      "new_order.p90", "new_order.p99",    "payment.p50",  "payment.p90",
      "payment.p99",   "order_status.p90", "delivery.p90", "stock_level.p90"};
  const MetricVocabulary vocabulary = vocabulary_of(result);
  if (!vocabulary.has_tpmc) {
    constexpr std::size_t transactions_shown_most = 8;
    names = {"throughput"};
    for (std::size_t i = 0; i < vocabulary.transactions.size(); ++i) {
      const std::string name = metric_transaction(vocabulary.transactions[i]);
      // Figures of transactions with longer names are shown on request.
      if (i >= transactions_shown_most || name.size() + 5 > name_length_max) continue;
      for (const char* statistic : {".p50", ".p90", ".p99"}) names.push_back(name + statistic);
    }
    if (result.plan.is_open_loop())
      names.insert(names.end(), {"all.service.p50", "all.service.p99"});
  }
  names.insert(names.end(), {"all.p99", "all.p99.9", "failed", "retries", "unanswered",
                             "unavailable_s", "stalled_s", "client.cpu_us", "client.memory"});
  if (result.server_stats) names.insert(names.end(), {"server.cpu_ms", "server.wait_ms"});
  return metrics_of(names, vocabulary);
}

std::vector<Metric> parse_metrics(std::string_view text, const MetricVocabulary& vocabulary) {
  std::vector<std::string> names;
  for (const auto name : std::views::split(text, ',')) names.emplace_back(name.begin(), name.end());
  if (names.empty()) names.emplace_back();
  return metrics_of(names, vocabulary);
}

std::vector<std::string> metric_names(const MetricVocabulary& vocabulary) {
  std::vector<std::string> all;
  for (const Metric::Traits& plain : plain_kinds_of(vocabulary)) all.emplace_back(plain.name);
  for (const NamedTransaction& transaction : transactions_of(vocabulary)) {
    for (const char* statistic :
         {"p50", "p90", "p95", "p99", "p99.9", "mean", "max", "ok", "failed"}) {
      all.push_back(fmt::format("{}.{}", transaction.name, statistic));
    }
    if (vocabulary.has_tpmc) continue;
    for (const char* statistic : {"p50", "p90", "p99", "mean", "max"})
      all.push_back(fmt::format("{}.service.{}", transaction.name, statistic));
  }
  return all;
}

std::string end_of_name(std::string name, std::size_t width) {
  if (text::text_width(name) <= width) return name;
  constexpr std::string_view mark = "..";
  while (!name.empty() && text::text_width(name) + mark.size() > width)
    name.erase(0, text::first_character(name).bytes);
  return std::string(mark) + name;
}

std::vector<MetricRow> make_metric_table(const std::vector<NamedResult>& results,
                                         const std::vector<Metric>& metrics) {
  std::vector<MetricRow> rows;
  for (const Metric& metric : metrics) {
    MetricRow row{metric, {}};
    bool any = false;
    for (const NamedResult& one : results) {
      MetricCell cell;
      cell.value = metric.value(one.result);
      if (!row.cells.empty()) cell.change = change_between(row.cells.front().value, cell.value);
      any = any || cell.value;
      row.cells.push_back(cell);
    }
    if (any) rows.push_back(std::move(row));
  }
  return rows;
}

std::string value_text(const MetricCell& cell) {
  return cell.value ? number_text(*cell.value) : "n/a";
}

std::string change_text(const MetricCell& cell) {
  if (!cell.change) return {};
  if (*cell.change >= change_shown_as_factor) return "x" + text::figure_text(*cell.change + 1);
  return fmt::format("{:+.1f}%", *cell.change * 100);
}

std::string metric_table_text(const std::vector<NamedResult>& results,
                              const std::vector<MetricRow>& rows, std::size_t width) {
  constexpr std::size_t names_width = 25;
  constexpr std::size_t first_columns = 37;  // with the first result
  constexpr std::size_t columns_a_result = 21;
  const std::size_t results_a_block = (width - first_columns) / columns_a_result;
  const std::size_t name_bytes = width - 10;
  std::string out;
  for (std::size_t i = 0; i < results.size(); ++i) {
    out += fmt::format("{:>3}  {}\n", i + 1, text::shown(results[i].name, name_bytes));
    const std::string audit =
        text::shown(summarise(results[i].result.audit).sentence, audit_bytes_most);
    for (const std::string& line : text::wrapped_lines(audit, width - 5))
      out += fmt::format("     {}\n", line);
  }
  for (std::size_t first = 1; first == 1 || first < results.size(); first += results_a_block) {
    const std::size_t last = std::min(first + results_a_block, results.size());
    out += fmt::format("\n{:<{}} {:>11}", "", names_width, "1");
    for (std::size_t i = first; i < last; ++i) out += fmt::format(" {:>10} {:>9}", i + 1, "");
    out += "\n";
    for (const MetricRow& row : rows) {
      out += fmt::format("{:<{}} {:>11}", end_of_name(row_name(row.metric), names_width),
                         names_width, value_text(row.cells[0]));
      for (std::size_t i = first; i < last; ++i)
        out += fmt::format(" {:>10} {:>9}", value_text(row.cells[i]), change_text(row.cells[i]));
      out += "\n";
    }
  }
  if (results.size() > 1) {
    out +=
        "\nPercentages are changes from result 1.\n'drover compare' tests whether they are "
        "significant.\n";
  }
  return out;
}

namespace {

constexpr double bound_most = 1e12;

[[noreturn]] void refuse_limit(std::string_view text, std::string_view reason) {
  throw LimitError(
      fmt::format("'{}' is not a limit: {}. Expected METRIC < BOUND or METRIC > BOUND, such as "
                  "'tpmC < -3%', 'new_order.p99 > +10%', 'new_order.p99 > +5' (a change) or "
                  "'new_order.p99 > 20' (the value itself)",
                  text::shown(text), reason));
}

struct Bound {
  double number = 0;
  bool has_sign = false;
  std::string_view unit;
};

Bound read_bound(std::string_view text, std::string_view whole) {
  Bound bound;
  const bool negative = text.starts_with('-');
  bound.has_sign = negative || text.starts_with('+');
  if (bound.has_sign) text.remove_prefix(1);
  // from_chars accepts a sign, "inf" and "nan".
  if (text.empty() || text.front() < '0' || text.front() > '9')
    refuse_limit(whole, "it has no number");
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bound.number,
                                            std::chars_format::fixed);
  if (error != std::errc() || bound.number > bound_most)
    refuse_limit(whole, fmt::format("the number is not between -{0:g} and {0:g}", bound_most));
  if (negative) bound.number = -bound.number;
  bound.unit = text::trimmed(text.substr(static_cast<std::size_t>(end - text.data())));
  return bound;
}

// Throws LimitError if the limit would also reject changes in the other direction.
void require_direction(const Limit& limit, std::string_view whole) {
  if (limit.kind == Limit::Kind::value) return;
  if (limit.above ? limit.bound >= 0 : limit.bound <= 0) return;
  const bool percent = limit.kind == Limit::Kind::percent_change;
  refuse_limit(
      whole,
      fmt::format(
          "this limit rejects changes {} {}, so it also rejects changes in the other direction. "
          "Write {}{:g}{}{}",
          limit.above ? "above" : "below", limit.above ? "a negative bound" : "a positive bound",
          limit.above ? '+' : '-', std::abs(limit.bound), percent ? "%" : "",
          percent && !limit.above ? ", or the number without % for the value itself" : ""));
}

}  // namespace

Limit Limit::parse(std::string_view text, const MetricVocabulary& vocabulary) {
  const std::size_t sign = text.find_first_of("<>");
  if (sign == std::string_view::npos) refuse_limit(text, "it has no < or >");
  const std::string_view after = text::trimmed(text.substr(sign + 1));
  if (after.starts_with('=')) refuse_limit(text, "<= and >= are not supported");
  Limit limit{.metric = Metric::parse(text.substr(0, sign), vocabulary),
              .above = text[sign] == '>'};
  const Bound bound = read_bound(after, text);
  limit.bound = bound.number + 0.0;  // no negative zero
  if (bound.unit == "%") {
    limit.kind = Kind::percent_change;
  } else {
    limit.kind = bound.has_sign ? Kind::change : Kind::value;
    if (!bound.unit.empty() && bound.unit != limit.metric.unit()) {
      refuse_limit(text, limit.metric.unit().empty()
                             ? fmt::format("{} has no unit", limit.metric.name())
                             : fmt::format("the unit of {} is {}", limit.metric.name(),
                                           limit.metric.unit()));
    }
    if (limit.kind == Kind::value && limit.bound < 0) refuse_limit(text, "no value is negative");
  }
  require_direction(limit, text);
  return limit;
}

std::string Limit::text() const {
  // The shortest text for the number, without an exponent.
  std::array<char, 400> digits{};
  const auto written =
      std::to_chars(digits.data(), digits.data() + digits.size(), bound, std::chars_format::fixed);
  const char* sign = "";
  if (kind != Kind::value && above) sign = "+";
  if (kind == Kind::change && !above && bound == 0) sign = "-";
  // "%" of a percentage would be read as a change, and the rates speak for themselves.
  const bool has_unit = metric.unit() != "%" && !metric.unit().starts_with('/');
  const std::string_view unit = has_unit ? metric.unit() : std::string_view();
  return fmt::format("{} {} {}{}{}", metric.name(), above ? '>' : '<', sign,
                     std::string_view(digits.data(), written.ptr),
                     kind == Kind::percent_change ? "%" : unit);
}

}  // namespace drover::report
