#include "ui/run/run_model.h"

#include <algorithm>
#include <numeric>
#include <ranges>

#include "ui/number_text.h"
#include "workload/tpcc/mix.h"

namespace drover::ui {
namespace {

constexpr std::size_t new_order = tpcc::index_of(tpcc::TransactionType::NewOrder);

ChartPoint point_of(const RunHistory::Column& seconds, std::optional<double> value) {
  return {.value = value,
          .faint = seconds.back().phase != load::Phase::measure,
          .away = std::ranges::any_of(seconds, [](const load::Sample& sample) {
            return std::max(sample.away, sample.silent) > coro::Duration::zero();
          })};
}

}  // namespace

ChartPoint tpmc_point(const RunHistory::Column& seconds) {
  std::uint64_t count = 0;
  coro::Duration length{};
  for (const load::Sample& sample : seconds) {
    count += sample.committed[new_order];
    length += sample.length;
  }
  if (length <= coro::Duration::zero()) return point_of(seconds, std::nullopt);
  return point_of(seconds, static_cast<double>(count) * 60 / seconds_of(length));
}

ChartPoint p90_point(const RunHistory::Column& seconds) {
  std::optional<double> highest;
  for (const load::Sample& sample : seconds) {
    // Nothing was committed: there is no percentile.
    if (sample.p90_ms > 0) highest = std::max(highest.value_or(0), sample.p90_ms);
  }
  return point_of(seconds, highest);
}

Rates recent_rates(const RunHistory& history) {
  constexpr coro::Duration window = std::chrono::seconds(10);
  Rates rates{};
  coro::Duration length{};
  for (const load::Sample& sample : history.samples() | std::views::reverse) {
    if (length >= window) break;
    for (std::size_t i = 0; i < rates.size(); ++i) {
      rates[i] += static_cast<double>(sample.committed[i]);
    }
    length += sample.length;
  }
  for (double& rate : rates) rate = length.count() > 0 ? rate / seconds_of(length) : 0;
  return rates;
}

void RunModel::take(const load::Snapshot& next, coro::Instant now) {
  history.add(next.second);
  const double length = seconds_of(next.second.length);
  const double cpu = next.process.cpu_seconds;
  cores = length > 0 && snapshot ? (cpu - snapshot->process.cpu_seconds) / length : 0;
  snapshot = next;
  taken_at = now;
}

Throughput RunModel::throughput() const {
  const Rates rates = recent_rates(history);
  Throughput figures{.tpmc_now = rates[new_order] * 60,
                     .per_second = std::accumulate(rates.begin(), rates.end(), 0.0)};
  const double measured = seconds_of(snapshot->second.elapsed - plan.warmup);
  if (snapshot->second.phase == load::Phase::measure && measured > 0) {
    const auto committed = static_cast<double>(snapshot->measured[new_order].committed);
    figures.tpmc_measured = committed * 60 / measured;
  }
  const double tpmc = figures.tpmc_measured.value_or(figures.tpmc_now);
  const double most = tpcc::tpmc_per_warehouse_max(plan.pace) * plan.warehouses;
  // Without delays terminals are as fast as the database: nothing to be efficient against.
  if (!plan.no_delays && most > 0 && tpmc > 0) figures.efficiency = tpmc / most * 100;
  return figures;
}

}  // namespace drover::ui
