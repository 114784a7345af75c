#include "report/result.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "report/specification.h"

namespace drover::report {

namespace {

constexpr double normal_quantile_95_percent = 1.96;

TransactionResult named(const char* name, double latency_limit_s) {
  TransactionResult transaction;
  transaction.name = name;
  transaction.latency_limit_s = latency_limit_s;
  return transaction;
}

std::uint64_t total(const std::map<std::string, std::uint64_t>& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const auto& entry) { return sum + entry.second; });
}

}  // namespace

std::optional<bool> TransactionResult::holds_latency_limit() const {
  if (!latency_limit_s || latency.empty()) return std::nullopt;
  return static_cast<double>(latency.percentile_ns(90)) * 1e-9 <= *latency_limit_s;
}

double ClientCost::busiest_worker_load() const {
  double busiest = 0;
  for (const WorkerHealth& worker : workers) busiest = std::max(busiest, worker.load);
  return busiest;
}

const TransactionResult* Result::find_transaction(const std::string& name) const {
  const auto found = std::find_if(transactions.begin(), transactions.end(),
                                  [&name](const auto& one) { return one.name == name; });
  return found == transactions.end() ? nullptr : &*found;
}

std::uint64_t Result::all_count() const {
  std::uint64_t sum = 0;
  for (const TransactionResult& one : transactions) sum += one.all_count();
  return sum;
}

double Result::cpu_us_per_transaction() const {
  const std::uint64_t count = all_count();
  return count == 0 ? 0.0 : client.cpu_seconds * 1e6 / static_cast<double>(count);
}

measure::HistogramSnapshot Result::all_waits() const {
  measure::HistogramSnapshot waits;
  for (const TransactionResult& one : transactions) waits.merge(one.wait);
  return waits;
}

measure::HistogramSnapshot Result::all_latencies() const {
  measure::HistogramSnapshot latencies;
  for (const TransactionResult& one : transactions) latencies.merge(one.latency);
  return latencies;
}

std::vector<TransactionResult> tpcc_transactions() {
  return {named("NewOrder", 5), named("Payment", 5), named("OrderStatus", 5), named("Delivery", 5),
          named("StockLevel", 20)};
}

void complete_summary(Result& result) {
  Summary& summary = result.summary;
  const TransactionResult* new_order = result.find_transaction("NewOrder");
  summary.warehouses = result.plan.warehouses;
  summary.new_orders = new_order == nullptr ? 0 : new_order->ok_count;
  summary.tpmc = 0;
  summary.efficiency = 0;
  summary.efficiency_sampling_error = 0;
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

std::vector<std::string> count_errors(const Result& result) {
  std::vector<std::string> errors;
  const auto require = [&errors](const std::string& where, const char* what, std::uint64_t actual,
                                 std::uint64_t expected) {
    if (actual == expected) return;
    errors.push_back(fmt::format("{}: {} is {}, expected {}", where, what, actual, expected));
  };
  for (const TransactionResult& one : result.transactions) {
    require(one.name, "attempts", one.attempts, one.all_count() + one.retry_count);
    require(one.name, "the number of latencies", one.latency.count(), one.ok_count);
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
  if (const TransactionResult* new_order = result.find_transaction("NewOrder")) {
    require("summary", "new_orders", result.summary.new_orders, new_order->ok_count);
  }
  return errors;
}

}  // namespace drover::report
