#include "ui/run_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <ranges>
#include <tuple>

#include "text/plain_text.h"
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

// Returns the sum of the figures of the types that the headline counts.
template <class PerType>
auto headline_sum(const load::Headline& headline, const PerType& counts) {
  using Count = std::ranges::range_value_t<PerType>;
  if (headline.type) return *headline.type < counts.size() ? counts[*headline.type] : Count{};
  return std::accumulate(counts.begin(), counts.end(), Count{});
}

}  // namespace

std::uint64_t headline_count(const load::Headline& headline, const load::Sample& second) {
  return headline_sum(headline, second.ok);
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
    // 0 means that nothing was committed.
    if (sample.p90_ms > 0) highest = std::max(highest.value_or(0), sample.p90_ms);
  }
  return point_of(seconds, highest);
}

std::vector<double> recent_rates(const RunHistory& history, std::size_t types) {
  constexpr coro::Duration window = std::chrono::seconds(10);
  std::vector<double> rates(types);
  coro::Duration length{};
  for (const load::Sample& sample : history.samples() | std::views::reverse) {
    if (length >= window) break;
    for (std::size_t i = 0; i < std::min(types, sample.ok.size()); ++i)
      rates[i] += static_cast<double>(sample.ok[i]);
    length += sample.length;
  }
  for (double& rate : rates) rate = length.count() > 0 ? rate / seconds_of(length) : 0;
  return rates;
}

RunProgress run_progress(const load::Plan& plan, const load::Snapshot& snapshot) {
  if (const std::uint64_t all = plan.own_operations(); all > 0) {
    std::uint64_t done = 0;
    for (const model::Totals& one : snapshot.measured) {
      done += one.all_count();
    }
    done = std::min(done, all);
    return {.share = static_cast<double>(done) / static_cast<double>(all),
            .done = fmt::format("{} of {}", text::grouped(done), text::grouped(all)),
            .left = text::grouped(all - done)};
  }
  const load::Sample& second = snapshot.second;
  const bool is_warming =
      second.phase == load::Phase::warmup && plan.warmup > coro::Duration::zero();
  const coro::Duration done = is_warming ? second.elapsed : second.elapsed - plan.warmup;
  const coro::Duration whole = is_warming ? plan.warmup : plan.duration;
  return {.share = whole.count() > 0 ? seconds_of(done) / seconds_of(whole) : 1,
          .done = fmt::format("{} of {}", clock_text(done), clock_text(whole)),
          .left = clock_text(plan.warmup + plan.duration - second.elapsed),
          .is_warming = is_warming};
}

std::string measured_until(const load::Plan& plan) {
  if (plan.own_operations() == 0) return "for " + clock_text(plan.duration);
  return fmt::format("until {} are done", text::grouped(plan.own_operations()));
}

std::string terminals_up_text(const load::Plan& plan, coro::Duration ramp_up) {
  return fmt::format("{} up after {:.2f} s",
                     text::counted_grouped(plan.terminal_count, plan.workload.terminal),
                     seconds_of(ramp_up));
}

std::vector<const load::RankNow*> ranks_to_show(const load::Snapshot& snapshot, std::size_t most) {
  std::vector<const load::RankNow*> shown;
  for (const load::RankNow& rank : snapshot.ranks) shown.push_back(&rank);
  // The addresses order equal hosts by their numbers.
  std::ranges::sort(shown, {}, [](const load::RankNow* rank) {
    return std::tuple(!rank->is_lost, -rank->worker_load, rank);
  });
  shown.resize(std::min(shown.size(), most));
  return shown;
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
  const std::vector<double> rates = recent_rates(history, plan.workload.types.size());
  Throughput figures{.headline_now = headline_sum(headline, rates) * headline.seconds,
                     .per_second = std::accumulate(rates.begin(), rates.end(), 0.0)};
  const double measured_s = seconds_of(snapshot->second.elapsed - plan.warmup);
  if (snapshot->second.phase == load::Phase::measure && measured_s > 0) {
    std::vector<double> committed(rates.size());
    for (std::size_t i = 0; i < rates.size(); ++i) {
      committed[i] = static_cast<double>(snapshot->measured[i].ok_count);
    }
    figures.headline_measured = headline_sum(headline, committed) * headline.seconds / measured_s;
  }
  const double reached = figures.headline_measured.value_or(figures.headline_now);
  if (headline.most > 0 && reached > 0) figures.efficiency = reached / headline.most * 100;
  return figures;
}

}  // namespace drover::ui
