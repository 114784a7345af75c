#include "report/document/result.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <ranges>

#include "model/adder.h"
#include "report/document/result_fields.h"
#include "report/document/specification.h"
#include "text/plain_text.h"

namespace drover::report {
namespace {

constexpr double normal_quantile_95_percent = 1.96;

std::uint64_t total(const std::map<std::string, std::uint64_t>& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const auto& entry) { return sum + entry.second; });
}

}  // namespace

std::optional<bool> TransactionResult::holds_latency_limit() const {
  if (!latency_limit_s || latency.empty()) return std::nullopt;
  if (static_cast<double>(latency.percentile_ns(90)) * 1e-9 > *latency_limit_s) return false;
  if (is_lower_bound(latency, pending.unanswered, 90)) return std::nullopt;
  return true;
}

measure::HistogramSnapshot TransactionResult::answered_latency() const {
  measure::HistogramSnapshot answered = latency;
  answered.subtract(pending.unanswered);
  return answered;
}

bool is_lower_bound(const measure::HistogramSnapshot& latency,
                    const measure::HistogramSnapshot& unanswered, double percent) {
  if (unanswered.empty()) return false;
  const std::uint64_t least = latency.percentile_ns(percent);
  measure::SparseHistogram longer = unanswered.to_sparse();
  std::erase_if(longer.buckets, [least](const auto& bucket) {
    return measure::bucket_last_ns(bucket.first) < least;
  });
  constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();
  measure::SparseHistogram endless{.buckets = {},
                                   .overflow = longer.overflow,
                                   .sum_ns = never,
                                   .min_ns = never,
                                   .max_ns = never};
  for (const auto& [index, count] : longer.buckets) endless.overflow += count;
  const auto taken = measure::HistogramSnapshot::from_sparse(longer);
  const auto given = measure::HistogramSnapshot::from_sparse(endless);
  if (!taken || !given || given->empty()) return false;
  measure::HistogramSnapshot worst = latency;
  worst.subtract(*taken);
  worst.merge(*given);
  // Differences below the width of a bucket do not count.
  return worst.percentile_ns(percent) > least + least / measure::sub_buckets_per_octave;
}

std::vector<std::string> lower_bounds(const measure::HistogramSnapshot& latency,
                                      const measure::HistogramSnapshot& unanswered) {
  std::vector<std::string> names;
  for (const auto& [name, percent] : percentiles_written) {
    if (is_lower_bound(latency, unanswered, percent)) names.emplace_back(name);
  }
  if (is_lower_bound(latency, unanswered, 100)) names.emplace_back("max");
  return names;
}

std::vector<MeasuredSecond> measured_seconds(const std::vector<TimePoint>& time_series) {
  constexpr double shortest_s = 0.5;
  std::vector<MeasuredSecond> seconds;
  double last = 0;
  for (const TimePoint& point : time_series) {
    const double length_s = point.t - last;
    last = point.t;
    if (point.phase == "measure" && length_s >= shortest_s) seconds.push_back({point, length_s});
  }
  return seconds;
}

double ClientCost::busiest_worker_load() const {
  double busiest = 0;
  for (const WorkerHealth& worker : workers) busiest = std::max(busiest, worker.load);
  return busiest;
}

std::optional<double> start_of(const RankResult& one) {
  if (one.start_ts <= 0) return std::nullopt;
  return one.start_ts - (one.clock_at_start ? one.clock_at_start->wall_s : 0);
}

std::optional<StartSpread> start_spread(const std::vector<RankResult>& ranks) {
  struct Range {
    double earliest;
    double latest;
  };
  std::vector<double> shown;
  std::vector<Range> possible;
  StartSpread spread;
  for (const RankResult& one : ranks) {
    const std::optional<double> start = start_of(one);
    if (!start) continue;
    const double uncertainty_s = one.clock_at_start ? one.clock_at_start->uncertainty_s
                                                    : std::numeric_limits<double>::infinity();
    spread.uncertainty_s = std::max(spread.uncertainty_s, uncertainty_s);
    shown.push_back(*start);
    // The host may have begun later than the scheduled instant, by up to its lateness.
    possible.push_back(
        {*start - uncertainty_s, *start + std::max(one.start_late_s, 0.0) + uncertainty_s});
  }
  if (shown.size() < 2) return std::nullopt;
  const auto [first, last] = std::ranges::minmax(shown);
  spread.apart_s = last - first;
  std::ranges::sort(possible, {}, &Range::earliest);
  const auto others = possible | std::views::drop(1);
  spread.most_s =
      std::max(std::ranges::max(others, {}, &Range::latest).latest - possible[0].earliest,
               possible[0].latest - possible[1].earliest);
  spread.least_s = std::max(
      possible.back().earliest - std::ranges::min(possible, {}, &Range::latest).latest, 0.0);
  return spread;
}

std::string part_text(const RankResult& one) {
  std::vector<std::string> parts;
  if (one.ranks > 1)
    parts.push_back(fmt::format("rank {} of {} (counted from 0)", one.rank, one.ranks));
  if (one.warehouse_first > 0)
    parts.push_back(fmt::format("warehouses {} to {}", one.warehouse_first, one.warehouse_last));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string rank_text(const std::vector<RankResult>& ranks, const RankResult& one) {
  const auto same = std::ranges::count(ranks, one.name, &RankResult::name);
  return same > 1 ? fmt::format("host {} (rank {})", one.name, one.rank) : "host " + one.name;
}

const TransactionResult* Result::find_transaction(std::string_view name) const {
  const auto found = std::ranges::find(transactions, name, &TransactionResult::name);
  return found == transactions.end() ? nullptr : &*found;
}

std::uint64_t Result::all_count() const {
  std::uint64_t sum = 0;
  for (const TransactionResult& one : transactions) sum += one.all_count();
  return sum;
}

double Result::throughput() const {
  std::uint64_t committed = 0;
  for (const TransactionResult& one : transactions) committed += one.ok_count;
  return summary.time_seconds > 0 ? static_cast<double>(committed) / summary.time_seconds : 0;
}

double Result::cpu_us_per_transaction() const {
  const std::uint64_t count = all_count();
  return count == 0 ? 0.0 : client.cpu_seconds * 1e6 / static_cast<double>(count);
}

double Result::ms_per_transaction(double sessions) const {
  const std::uint64_t count = all_count();
  return count == 0 ? 0.0 : sessions * summary.time_seconds * 1e3 / static_cast<double>(count);
}

double ServerStats::sessions() const {
  double sum = 0;
  for (const WaitEvent& one : wait_events) sum += one.sessions;
  return sum;
}

std::vector<WaitEvent> ServerStats::longest(std::size_t most) const {
  if (wait_events.size() <= most) return wait_events;
  std::vector<WaitEvent> shown(wait_events.begin(),
                               wait_events.begin() + static_cast<std::ptrdiff_t>(most));
  WaitEvent& others = shown.emplace_back();
  others.name = "others";
  for (std::size_t i = most; i < wait_events.size(); ++i)
    others.sessions += wait_events[i].sessions;
  return shown;
}

bool Result::has_lower_bounds() const {
  return std::ranges::any_of(transactions, [](const TransactionResult& one) {
    return !lower_bounds(one.latency, one.pending.unanswered).empty();
  });
}

TransactionResult all_transactions(const Result& result) {
  TransactionResult all;
  for (const TransactionResult& one : result.transactions) model::add(all, one);
  all.statements.clear();
  all.latency_limit_s = all.share = std::nullopt;
  return all;
}

std::vector<TransactionResult> tpcc_transactions() {
  std::vector<TransactionResult> transactions;
  for (const SpecifiedTransaction& one : specified_transactions) {
    transactions.emplace_back().name = one.name;
    transactions.back().latency_limit_s = one.latency_limit_s;
  }
  return transactions;
}

TransactionResult deferred_row(const DeferredDelivery& deferred) {
  TransactionResult row;
  row.ok_count = deferred.completed;
  row.failed_count = deferred.failed;
  row.latency = deferred.latency;
  row.pending.unanswered = deferred.unanswered;
  row.latency_limit_s = deferred.latency_limit_s;
  return row;
}

void complete_summary(Result& result) {
  if (!result.kind().has_tpmc) return;
  Summary& summary = result.summary;
  const TransactionResult* new_order = result.find_transaction("NewOrder");
  summary.warehouses = result.own_warehouses();
  summary.new_orders = new_order == nullptr ? 0 : new_order->ok_count;
  summary.tpmc = summary.efficiency = summary.efficiency_sampling_error = 0;
  if (summary.time_seconds <= 0) return;
  const auto new_orders = static_cast<double>(summary.new_orders);
  summary.tpmc = new_orders * 60 / summary.time_seconds;
  if (summary.warehouses == 0 || result.plan.pace <= 0) return;
  const double tpmc_max =
      tpmc_per_warehouse_max * static_cast<double>(summary.warehouses) * result.plan.pace;
  summary.efficiency = summary.tpmc / tpmc_max * 100;
  if (summary.new_orders == 0 || !result.efficiency_is_meaningful()) return;
  summary.efficiency_sampling_error = normal_quantile_95_percent * summary.efficiency *
                                      std::sqrt(new_order_variance_ratio() / new_orders);
}

AuditSummary summarise(const std::vector<Verdict>& verdicts) {
  AuditSummary summary;
  std::size_t not_judged = 0;
  std::vector<std::string> broken;
  // Texts of invalid rules: of the client's machine, and of its connections and permits.
  std::vector<std::string> client;
  std::vector<std::string> waiting;
  std::vector<std::string> other;
  bool empty = verdicts.empty();
  for (const Verdict& line : verdicts) {
    if (line.judgement == Judgement::not_judged) ++not_judged;
    empty = empty || line.text == nothing_measured;
    if (line.judgement == Judgement::broken) broken.push_back(line.name);
    if (line.judgement != Judgement::invalid) continue;
    std::vector<std::string>& ours = line.name == "client.waiting" ? waiting : client;
    (line.name.starts_with("client.") ? ours : other).push_back(line.text);
  }
  summary.valid = client.empty() && waiting.empty() && other.empty();
  summary.compliant = summary.valid && broken.empty();
  const std::size_t judged = verdicts.size() - not_judged;
  // A contradiction to the data is more important than a slow client.
  if (!other.empty()) {
    summary.sentence = "INVALID: " + other.front();
  } else if (!client.empty()) {
    summary.sentence = "INVALID: client overloaded: " + client.front();
  } else if (!waiting.empty()) {
    summary.sentence = "INVALID: too few connections: " + waiting.front();
  } else if (empty) {
    summary.compliant = false;
    summary.sentence = fmt::format("not judged: {}", nothing_measured);
  } else if (!broken.empty()) {
    summary.sentence =
        fmt::format("valid, but not compliant: {} of {} judged rules {} broken ({})", broken.size(),
                    judged, broken.size() == 1 ? "is" : "are", fmt::join(broken, ", "));
  } else {
    summary.sentence = fmt::format("valid: all {} judged rules hold", judged);
    if (not_judged > 0) summary.sentence += fmt::format(" ({} not judged)", not_judged);
  }
  return summary;
}

std::string_view judgement_name(Judgement judgement) {
  static constexpr std::string_view names[] = {"held", "broken", "invalid", "not_judged"};
  return names[static_cast<std::size_t>(judgement)];
}

void complete_availability(Result& result) {
  if (!result.warehouse_availability) return;
  WarehouseAvailability& one = *result.warehouse_availability;
  std::ranges::sort(one.away);
  const auto repeated = std::ranges::unique(one.away);
  one.away.erase(repeated.begin(), repeated.end());
  const double seconds = result.summary.time_seconds;
  const auto warehouses = static_cast<double>(result.own_warehouses());
  if (seconds <= 0 || warehouses <= 0) return;
  const double away_s = result.availability.unavailable_s + one.away_s / warehouses;
  one.available_percent = std::clamp(100 * (1 - away_s / seconds), 0.0, 100.0);
}

std::string warehouses_away_text(const Result& result) {
  if (!result.warehouse_availability || result.warehouse_availability->away.empty()) return "";
  constexpr std::size_t named_most = 8;
  const WarehouseAvailability& one = *result.warehouse_availability;
  const std::size_t count = one.away.size();
  return fmt::format("{:.2f}% of the warehouses' time: {} of {} ({}{}) {} away for {:.1f} s{}",
                     std::floor(one.available_percent * 100) / 100, count,
                     text::counted(result.own_warehouses(), "warehouse"),
                     fmt::join(one.away | std::views::take(named_most), ", "),
                     count > named_most ? ", …" : "", count == 1 ? "was" : "were",
                     one.away_s / static_cast<double>(count), count == 1 ? "" : " on average");
}

std::vector<std::string> count_errors(const Result& result) {
  std::vector<std::string> errors;
  const auto require = [&errors](const std::string& where, const char* what, std::uint64_t actual,
                                 std::uint64_t expected) {
    if (actual == expected) return;
    errors.push_back(fmt::format("{}: {} is {}, expected {}", where, what, actual, expected));
  };
  for (const TransactionResult& one : result.transactions) {
    require(one.name, "attempts", one.attempts, one.all_count() + one.retry_count);
    const std::uint64_t long_pending = one.pending.answered + one.pending.unanswered.count();
    require(one.name, "the number of latencies", one.latency.count(), one.ok_count + long_pending);
    if (long_pending > one.pending.count) {
      errors.push_back(
          fmt::format("{}: more of the pending transactions have a latency ({}) than "
                      "there are ({})",
                      one.name, long_pending, one.pending.count));
    }
    require(one.name, "the number of errors by class", total(one.errors_by_class),
            one.failed_count + one.retry_count);
    if (one.ambiguous.count() > one.failed_count) {
      errors.push_back(fmt::format("{}: more ambiguous commits ({}) than failed transactions ({})",
                                   one.name, one.ambiguous.count(), one.failed_count));
    }
    if (total(one.errors_by_sqlstate) > total(one.errors_by_class)) {
      errors.push_back(fmt::format("{}: more errors by SQLSTATE ({}) than by class ({})", one.name,
                                   total(one.errors_by_sqlstate), total(one.errors_by_class)));
    }
  }
  const TransactionResult* new_order = result.find_transaction("NewOrder");
  if (result.kind().has_tpmc && new_order != nullptr) {
    require("summary", "new_orders", result.summary.new_orders, new_order->ok_count);
  }
  return errors;
}

bool agrees(const Ledger& ledger, const LedgerInData& data) noexcept {
  const auto delivered = static_cast<std::int64_t>(ledger.orders_delivered);
  return data.new_orders == static_cast<std::int64_t>(ledger.new_orders) &&
         data.payment_cents == ledger.payment_cents &&
         data.orders_delivered.value_or(delivered) == delivered;
}

}  // namespace drover::report
