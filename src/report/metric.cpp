#include "report/metric.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numeric>
#include <utility>

#include "report/bounded_file.h"

namespace drover::report {

namespace {

using Kind = Metric::Kind;

constexpr std::size_t name_length_max = 100;
// Smaller ones would be written with an exponent, and mean nothing.
constexpr double percent_least = 0.001;

struct PlainMetric {
  const char* name;
  Kind kind;
  const char* unit;
  const char* meaning;
  bool higher_is_better;
};

constexpr std::array<PlainMetric, 10> plain_metrics = {
    {{"tpmC", Kind::tpmc, "/min", "New-Orders committed a minute", true},
     {"efficiency", Kind::efficiency, "%", "of what the terminals could do at most", true},
     {"throughput", Kind::throughput, "/s", "transactions committed a second", true},
     {"failed", Kind::failed, "", "transactions that failed", false},
     {"retries", Kind::retries, "", "attempts that were repeated", false},
     {"unanswered", Kind::unanswered, "", "late transactions without an answer at the end", false},
     {"unavailable_s", Kind::unavailable, "s", "outages within the measurement", false},
     {"stalled_s", Kind::stalled, "s", "stalls within the measurement", false},
     {"client.cpu_us", Kind::client_cpu, "us", "CPU of the client a transaction", false},
     {"client.memory", Kind::client_memory, "MiB", "peak memory of the client", false}}};

struct NamedTransaction {
  const char* name;
  const char* in_results;  // empty: all together
};

constexpr const char* deferred_name = "deferred";

constexpr std::array<NamedTransaction, 7> named_transactions = {{{"new_order", "NewOrder"},
                                                                 {"payment", "Payment"},
                                                                 {"order_status", "OrderStatus"},
                                                                 {"delivery", "Delivery"},
                                                                 {"stock_level", "StockLevel"},
                                                                 {"all", ""},
                                                                 {deferred_name, ""}}};

struct NamedStatistic {
  const char* name;
  Kind kind;
};

constexpr std::array<NamedStatistic, 4> named_statistics = {
    {{"mean", Kind::mean},
     {"max", Kind::maximum},
     {"ok", Kind::ok_rate},
     {"failed", Kind::failed_of_transaction}}};

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

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ') || text.starts_with('\t')) text.remove_prefix(1);
  while (text.ends_with(' ') || text.ends_with('\t')) text.remove_suffix(1);
  return text;
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

// The least number of letters to insert, remove or replace (Levenshtein).
std::size_t edit_distance(std::string_view from, std::string_view to) {
  std::vector<std::size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < from.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < to.size(); ++j) {
      const std::size_t replaced = diagonal + (from[i] == to[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, diagonal + 1, row[j] + 1});
    }
  }
  return row.back();
}

// Empty if nothing is near.
std::string nearest_name(std::string_view text) {
  const std::string wanted = folded(text);
  std::string nearest;
  std::size_t least = 1 + std::max<std::size_t>(2, wanted.size() / 3);
  static const std::vector<std::string> folded_names = [] {
    std::vector<std::string> names;
    for (const std::string& name : metric_names()) names.push_back(folded(name));
    return names;
  }();
  for (std::size_t i = 0; i < folded_names.size(); ++i) {
    const std::size_t distance = edit_distance(wanted, folded_names[i]);
    if (distance >= least) continue;
    least = distance;
    nearest = metric_names()[i];
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
      shown(text), nearest.empty() ? "" : fmt::format(" (did you mean {}?)", nearest)));
}

std::optional<double> latency_value(const Metric& metric, const measure::HistogramSnapshot& all) {
  if (all.empty()) return std::nullopt;
  if (metric.kind() == Kind::mean) return all.mean_ns() * 1e-6;
  if (metric.kind() == Kind::maximum) return static_cast<double>(all.max_ns()) * 1e-6;
  return static_cast<double>(all.percentile_ns(metric.percent())) * 1e-6;
}

const PlainMetric* plain_of(Kind kind) {
  const auto* found = std::ranges::find(plain_metrics, kind, &PlainMetric::kind);
  return found == plain_metrics.end() ? nullptr : &*found;
}

}  // namespace

Metric Metric::parse(std::string_view text) {
  const std::string_view name = trimmed(text);
  if (name.empty() || name.size() > name_length_max) refuse(name);
  const std::string wanted = folded(name);
  if (const auto plain = find_plain(wanted)) return *plain;
  if (const auto of_transaction = find_of_transaction(wanted)) return *of_transaction;
  refuse(name);
}

std::optional<Metric> Metric::find_plain(std::string_view wanted) {
  for (const PlainMetric& plain : plain_metrics) {
    if (folded(plain.name) != wanted) continue;
    Metric metric;
    metric.name_ = plain.name;
    metric.kind_ = plain.kind;
    return metric;
  }
  return std::nullopt;
}

std::optional<Metric> Metric::find_of_transaction(std::string_view wanted) {
  const std::size_t dot = wanted.find('.');
  if (dot == std::string_view::npos) return std::nullopt;
  const std::string_view transaction = wanted.substr(0, dot);
  const std::string_view statistic = wanted.substr(dot + 1);
  const auto* named = std::ranges::find_if(
      named_transactions, [&](const auto& one) { return folded(one.name) == transaction; });
  if (named == named_transactions.end()) return std::nullopt;
  Metric metric;
  metric.transaction_ = named->in_results;
  metric.deferred_ = named->name == std::string_view(deferred_name);
  if (const auto percent = percent_of(statistic)) {
    metric.kind_ = Kind::percentile;
    metric.percent_ = *percent;
    // The shortest text that is the same number, so that equal metrics have equal names.
    metric.name_ = fmt::format("{}.p{}", named->name, *percent);
    return metric;
  }
  const auto* known = std::ranges::find_if(named_statistics,
                                           [&](const auto& one) { return one.name == statistic; });
  if (known == named_statistics.end()) return std::nullopt;
  metric.kind_ = known->kind;
  metric.name_ = fmt::format("{}.{}", named->name, known->name);
  return metric;
}

std::string_view Metric::unit() const {
  if (const PlainMetric* plain = plain_of(kind_)) return plain->unit;
  if (is_latency()) return "ms";
  return kind_ == Kind::ok_rate ? "/s" : "";
}

std::string_view Metric::meaning() const {
  if (const PlainMetric* plain = plain_of(kind_)) return plain->meaning;
  if (kind_ == Kind::percentile) return "percentile of the latency";
  if (kind_ == Kind::mean) return "mean latency";
  if (kind_ == Kind::maximum) return "longest latency";
  return kind_ == Kind::ok_rate ? "committed a second" : "failed";
}

bool Metric::higher_is_better() const {
  if (const PlainMetric* plain = plain_of(kind_)) return plain->higher_is_better;
  return kind_ == Kind::ok_rate;
}

bool Metric::is_latency() const {
  return kind_ == Kind::percentile || kind_ == Kind::mean || kind_ == Kind::maximum;
}

std::optional<double> Metric::value(const Result& result) const {
  if (is_latency()) return latency_value(*this, histogram(result));
  if (kind_ == Kind::ok_rate || kind_ == Kind::failed_of_transaction) {
    return value_of_transaction(result);
  }
  return value_of_all(result);
}

std::optional<double> Metric::value_of_all(const Result& result) const {
  const double seconds = result.summary.time_seconds;
  if (seconds <= 0) return std::nullopt;
  const auto sum = [&result](std::uint64_t TransactionResult::* count) {
    double total = 0;
    for (const auto& one : result.transactions) total += static_cast<double>(one.*count);
    return total;
  };
  switch (kind_) {
    case Kind::tpmc:
      return result.summary.tpmc;
    case Kind::efficiency:
      if (!result.efficiency_is_meaningful()) return std::nullopt;
      return result.summary.efficiency;
    case Kind::throughput:
      return sum(&TransactionResult::ok_count) / seconds;
    case Kind::failed:
      return sum(&TransactionResult::failed_count);
    case Kind::retries:
      return sum(&TransactionResult::retry_count);
    case Kind::unanswered:
      return static_cast<double>(result.all_pending().unanswered.count());
    case Kind::stalled:
      return result.availability.stalled_s;
    case Kind::unavailable:
      return result.availability.unavailable_s;
    case Kind::client_cpu:
      if (result.all_count() == 0) return std::nullopt;
      return result.cpu_us_per_transaction();
    default:
      return static_cast<double>(result.client.peak_rss_bytes) / (1024.0 * 1024.0);
  }
}

std::optional<double> Metric::value_of_transaction(const Result& result) const {
  const bool is_rate = kind_ == Kind::ok_rate;
  const double seconds = result.summary.time_seconds;
  if (seconds <= 0) return std::nullopt;
  double count = 0;
  if (deferred_) {
    if (!result.deferred_delivery) return std::nullopt;
    const DeferredDelivery& deferred = *result.deferred_delivery;
    count = static_cast<double>(is_rate ? deferred.completed : deferred.failed);
  } else {
    bool found = false;
    for (const TransactionResult& one : result.transactions) {
      if (!transaction_.empty() && one.name != transaction_) continue;
      count += static_cast<double>(is_rate ? one.ok_count : one.failed_count);
      found = true;
    }
    if (!found) return std::nullopt;
  }
  return is_rate ? count / seconds : count;
}

measure::HistogramSnapshot Metric::histogram(const Result& result) const {
  if (!is_latency()) return {};
  if (deferred_) {
    if (!result.deferred_delivery) return {};
    return result.deferred_delivery->latency;
  }
  if (transaction_.empty()) return result.all_latencies();
  const TransactionResult* one = result.find_transaction(transaction_);
  return one == nullptr ? measure::HistogramSnapshot() : one->latency;
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
    for (const PlainMetric& plain : plain_metrics) all.emplace_back(plain.name);
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

}  // namespace drover::report
