#include "ui/run/run_model.h"

#include <algorithm>
#include <numeric>
#include <ranges>

#include "ui/number_text.h"

namespace drover::ui {
namespace {

ChartPoint point_of(const RunHistory::Column& seconds, std::optional<double> value) {
  return {.value = value,
          .faint = seconds.back().phase != load::Phase::measure,
          .away = std::ranges::any_of(seconds, [](const load::Sample& sample) {
            return std::max(sample.away, sample.silent) > coro::Duration::zero();
          })};
}

// The sum of what the headline counts, from a figure of each type.
template <class PerType>
auto headline_sum(const load::Headline& headline, const PerType& counts) {
  using Count = std::ranges::range_value_t<PerType>;
  if (headline.type) return static_cast<Count>(counts[*headline.type]);
  return std::accumulate(counts.begin(), counts.end(), Count{});
}

}  // namespace

std::uint64_t headline_count(const load::Headline& headline, const load::Sample& second) {
  return headline_sum(headline, second.committed);
}

ChartPoint headline_point(const load::Headline& headline, const RunHistory::Column& seconds) {
  std::uint64_t count = 0;
  coro::Duration length{};
  for (const load::Sample& sample : seconds) {
    count += headline_count(headline, sample);
    length += sample.length;
  }
  if (length <= coro::Duration::zero()) return point_of(seconds, std::nullopt);
  return point_of(seconds, static_cast<double>(count) * headline.seconds / seconds_of(length));
}

ChartPoint p90_point(const RunHistory::Column& seconds) {
  std::optional<double> highest;
  for (const load::Sample& sample : seconds) {
    // Nothing was committed: there is no percentile.
    if (sample.p90_ms > 0) highest = std::max(highest.value_or(0), sample.p90_ms);
  }
  return point_of(seconds, highest);
}

Rates recent_rates(const RunHistory& history, std::size_t types) {
  constexpr coro::Duration window = std::chrono::seconds(10);
  Rates rates(types);
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
  const load::Headline& headline = plan.workload.headline;
  const Rates rates = recent_rates(history, plan.workload.types.size());
  Throughput figures{.headline_now = headline_sum(headline, rates) * headline.seconds,
                     .per_second = std::accumulate(rates.begin(), rates.end(), 0.0)};
  const double measured_s = seconds_of(snapshot->second.elapsed - plan.warmup);
  if (snapshot->second.phase == load::Phase::measure && measured_s > 0) {
    std::vector<double> committed;
    for (std::size_t i = 0; i < rates.size(); ++i) {
      committed.push_back(static_cast<double>(snapshot->measured[i].committed));
    }
    figures.headline_measured = headline_sum(headline, committed) * headline.seconds / measured_s;
  }
  const double reached = figures.headline_measured.value_or(figures.headline_now);
  if (headline.most > 0 && reached > 0) figures.efficiency = reached / headline.most * 100;
  return figures;
}

}  // namespace drover::ui
