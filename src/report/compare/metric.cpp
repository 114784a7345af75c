#include "report/compare/metric.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <span>

#include "text/nearest_name.h"
#include "text/plain_text.h"
#include "text/utf8.h"

namespace drover::report {
namespace {

using Kind = Metric::Kind;

constexpr std::size_t name_length_max = 100;
// Smaller ones would be written with an exponent, and mean nothing.
constexpr double percent_least = 0.001;

using Value = std::optional<double>;

Value commits_a_second(const Metric& metric, const Result& run) {
  const Value count = metric.sum_of(&TransactionResult::ok_count, run);
  return count ? Value(*count / run.summary.time_seconds) : std::nullopt;
}

Value failed(const Metric& metric, const Result& run) {
  return metric.sum_of(&TransactionResult::failed_count, run);
}

// The first ten stand by their name alone; the others are of a transaction, or of all, and their name
// follows a dot.
constexpr std::array<Metric::Traits, 15> kinds = {
    {{"tpmC", Kind::rate, "/min", "New-Orders committed a minute",
      [](const Metric&, const Result& run) -> Value { return run.summary.tpmc; }, true, 0,
      "NewOrder"},
     {"efficiency", Kind::rate, "%", "of what the terminals could do at most",
      [](const Metric&, const Result& run) {
        return run.efficiency_is_meaningful() ? Value(run.summary.efficiency) : std::nullopt;
      },
      true, 0, "NewOrder"},
     {"throughput", Kind::rate, "/s", "transactions committed a second",
      [](const Metric& all, const Result& run) -> Value {
        return commits_a_second(all, run).value_or(0);
      },
      true},
     {"failed", Kind::figure, "", "transactions that failed",
      [](const Metric& all, const Result& run) -> Value { return failed(all, run).value_or(0); },
      false, 0.3},
     {"retries", Kind::figure, "", "attempts that were repeated",
      [](const Metric& all, const Result& run) -> Value {
        return all.sum_of(&TransactionResult::retry_count, run).value_or(0);
      },
      false, 0.3},
     {"unanswered", Kind::figure, "", "late transactions without an answer at the end",
      [](const Metric&, const Result& run) -> Value {
        return static_cast<double>(all_transactions(run).pending.unanswered.count());
      },
      false, 0.3},
     {"unavailable_s", Kind::figure, "s", "outages within the measurement",
      [](const Metric&, const Result& run) -> Value { return run.availability.unavailable_s; },
      false, 0.1},
     {"stalled_s", Kind::figure, "s", "stalls within the measurement",
      [](const Metric&, const Result& run) -> Value { return run.availability.stalled_s; }, false,
      1},
     {"client.cpu_us", Kind::figure, "us", "CPU of the client a transaction",
      [](const Metric&, const Result& run) {
        return run.all_count() > 0 ? Value(run.cpu_us_per_transaction()) : std::nullopt;
      }},
     {"client.memory", Kind::figure, "MiB", "peak memory of the client",
      [](const Metric&, const Result& run) -> Value {
        return static_cast<double>(run.client.peak_rss_bytes) / (1024.0 * 1024.0);
      }},
     {"", Kind::percentile, "ms", "percentile of the latency", nullptr},
     {"mean", Kind::mean, "ms", "mean latency", nullptr},
     {"max", Kind::maximum, "ms", "longest latency", nullptr},
     {"ok", Kind::rate, "/s", "committed a second", commits_a_second, true},
     {"failed", Kind::figure, "", "failed", failed, false, 0.3}}};
constexpr auto plain_kinds = std::span(kinds).first<10>();
constexpr const Metric::Traits& percentile_kind = kinds[10];
constexpr auto kinds_of_transaction = std::span(kinds).last<4>();

struct NamedTransaction {
  std::string_view name;
  std::string_view in_results;  // empty: all together
};

constexpr std::string_view deferred_name = "deferred";

constexpr std::array<NamedTransaction, 7> named_transactions = {{{"new_order", "NewOrder"},
                                                                 {"payment", "Payment"},
                                                                 {"order_status", "OrderStatus"},
                                                                 {"delivery", "Delivery"},
                                                                 {"stock_level", "StockLevel"},
                                                                 {"all", ""},
                                                                 {deferred_name, ""}}};

// Not std::tolower: it asks the locale, and takes no char.
char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

// "New_Order.P99" and "NewOrder.p99" are the same.
std::string folded(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c != '_') result += lower(c);
  }
  return result;
}

// "p99.9": 99.9. Nothing if it is out of range or no such number.
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

// Empty if nothing is near.
std::string nearest_name(std::string_view text) {
  const std::string wanted = folded(text);
  std::string nearest;
  std::size_t least = 1 + std::max<std::size_t>(2, wanted.size() / 3);
  for (const std::string& name : metric_names()) {
    const std::size_t distance = text::edit_distance(wanted, folded(name));
    if (distance >= least) continue;
    least = distance;
    nearest = name;
  }
  return nearest;
}

[[noreturn]] void refuse(std::string_view text) {
  const std::string nearest = text.size() <= name_length_max ? nearest_name(text) : std::string();
  throw MetricError(fmt::format(
      "unknown metric '{}'{}; expected one of tpmC, efficiency, throughput, failed, retries, "
      "unanswered, unavailable_s, stalled_s, client.cpu_us, client.memory, or one of new_order, "
      "payment, order_status, "
      "delivery, stock_level, all, deferred with one of .p50, .p99.9 (any percentile), "
      ".mean, .max, .ok, .failed",
      text::shown(text), nearest.empty() ? "" : fmt::format(" (did you mean {}?)", nearest)));
}

constexpr double change_shown_as_factor = 9;

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

Metric Metric::parse(std::string_view text) {
  const std::string_view name = text::trimmed(text);
  if (name.empty() || name.size() > name_length_max) refuse(name);
  const std::string wanted = folded(name);
  for (const Traits& plain : plain_kinds) {
    if (folded(plain.name) == wanted) return {plain, std::string(plain.name)};
  }
  const std::size_t dot = wanted.find('.');
  if (dot == std::string::npos) refuse(name);
  const std::string statistic = wanted.substr(dot + 1);
  const auto* named = std::ranges::find(named_transactions, wanted.substr(0, dot),
                                        [](const auto& one) { return folded(one.name); });
  const auto known = std::ranges::find(kinds_of_transaction, statistic, &Traits::name);
  const std::optional<double> percent = percent_of(statistic);
  if (named == named_transactions.end() || (!percent && known == kinds_of_transaction.end())) {
    refuse(name);
  }
  // The shortest text that is the same number, so that equal metrics have equal names.
  Metric metric = percent ? Metric(percentile_kind, fmt::format("{}.p{}", named->name, *percent))
                          : Metric(*known, fmt::format("{}.{}", named->name, known->name));
  metric.percent_ = percent.value_or(0);
  metric.transaction_ = named->in_results;
  metric.deferred_ = named->name == deferred_name;
  return metric;
}

std::optional<double> Metric::sum_of(std::uint64_t TransactionResult::* count,
                                     const Result& result) const {
  if (deferred_) return static_cast<double>(deferred_row(*result.deferred_delivery).*count);
  std::optional<double> sum;
  for (const TransactionResult& one : result.transactions) {
    if (is_of(one)) sum = sum.value_or(0) + static_cast<double>(one.*count);
  }
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
  for (const TransactionResult& one : result.transactions) {
    if (is_of(one)) latencies.merge(one.latency);
  }
  return latencies;
}

std::string Metric::number_text(double value) {
  const double size = std::abs(value);
  if (size >= 999.95 || (size == std::floor(size) && size < 1e15)) {
    return fmt::format("{:.0f}", value);
  }
  if (size >= 99.995) return fmt::format("{:.1f}", value);
  return fmt::format("{:.2f}", value);
}

const std::vector<Metric>& default_metrics() {
  static const std::vector<Metric> metrics = parse_metrics(
      "tpmC,efficiency,throughput,new_order.p50,new_order.p90,new_order.p99,payment.p50,"
      "payment.p90,payment.p99,order_status.p90,delivery.p90,stock_level.p90,all.p99,all.p99.9,"
      "failed,retries,unanswered,unavailable_s,stalled_s,client.cpu_us,client.memory");
  return metrics;
}

std::vector<Metric> parse_metrics(std::string_view text) {
  std::vector<Metric> metrics;
  while (true) {
    const std::size_t comma = text.find(',');
    const Metric metric = Metric::parse(text.substr(0, comma));
    if (std::ranges::find(metrics, metric) == metrics.end()) metrics.push_back(metric);
    if (comma == std::string_view::npos) return metrics;
    text.remove_prefix(comma + 1);
  }
}

const std::vector<std::string>& metric_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const Metric::Traits& plain : plain_kinds) all.emplace_back(plain.name);
    for (const NamedTransaction& transaction : named_transactions) {
      for (const char* statistic :
           {"p50", "p90", "p95", "p99", "p99.9", "mean", "max", "ok", "failed"}) {
        all.push_back(fmt::format("{}.{}", transaction.name, statistic));
      }
    }
    return all;
  }();
  return names;
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
  return cell.value ? Metric::number_text(*cell.value) : "n/a";
}

std::string change_text(const MetricCell& cell) {
  if (!cell.change) return {};
  if (*cell.change >= change_shown_as_factor) return "x" + text::figure_text(*cell.change + 1);
  return fmt::format("{:+.1f}%", *cell.change * 100);
}

std::string metric_table_text(const std::vector<NamedResult>& results,
                              const std::vector<MetricRow>& rows, std::size_t width) {
  constexpr std::size_t first_columns = 37;  // with the first result
  constexpr std::size_t columns_a_result = 21;
  const std::size_t results_a_block = (width - first_columns) / columns_a_result;
  const std::size_t name_bytes = width - 10;
  std::string out;
  for (std::size_t i = 0; i < results.size(); ++i) {
    out += fmt::format("{:>3}  {}\n     {}\n", i + 1, text::shown(results[i].name, name_bytes),
                       text::shown(summarise(results[i].result.audit).sentence, name_bytes));
  }
  for (std::size_t first = 1; first == 1 || first < results.size(); first += results_a_block) {
    const std::size_t last = std::min(first + results_a_block, results.size());
    out += fmt::format("\n{:<25} {:>11}", "", "1");
    for (std::size_t i = first; i < last; ++i) out += fmt::format(" {:>10} {:>9}", i + 1, "");
    out += "\n";
    for (const MetricRow& row : rows) {
      out += fmt::format("{:<25} {:>11}", row_name(row.metric), value_text(row.cells[0]));
      for (std::size_t i = first; i < last; ++i) {
        out += fmt::format(" {:>10} {:>9}", value_text(row.cells[i]), change_text(row.cells[i]));
      }
      out += "\n";
    }
  }
  if (results.size() > 1) {
    out += "\nPercentages are against 1.\nWhether they are more than chance: drover compare\n";
  }
  return out;
}

}  // namespace drover::report
