#include "ui/run_history.h"

#include <algorithm>
#include <span>

#include "ui/number_text.h"

namespace drover::ui {
namespace {

using Samples = std::vector<const load::Sample*>;

constexpr std::size_t new_order = tpcc::index_of(tpcc::TransactionType::NewOrder);

ChartPoint tpmc_point(const Samples& samples) {
  std::uint64_t count = 0;
  coro::Duration length{};
  for (const load::Sample* sample : samples) {
    count += sample->committed[new_order];
    length += sample->length;
  }
  ChartPoint point;
  if (length > coro::Duration::zero()) {
    point.value = static_cast<double>(count) * 60 / seconds_of(length);
  }
  return point;
}

ChartPoint p90_point(const Samples& samples) {
  ChartPoint point;
  for (const load::Sample* sample : samples) {
    // Nothing was committed: there is no percentile.
    if (sample->p90_ms > 0) point.value = std::max(point.value.value_or(0), sample->p90_ms);
  }
  return point;
}

}  // namespace

void RunHistory::add(const load::Sample& sample) {
  samples_.push_back(sample);
  if (samples_.size() <= points_most) return;
  samples_.pop_front();
  ++dropped_;
}

RunHistory::Rates RunHistory::recent_rates() const {
  Rates rates{};
  coro::Duration length{};
  for (auto sample = samples_.rbegin(); sample != samples_.rend() && length < rate_window;
       ++sample) {
    for (std::size_t i = 0; i < rates.size(); ++i) {
      rates[i] += static_cast<double>(sample->committed[i]);
    }
    length += sample->length;
  }
  for (double& rate : rates) rate = length.count() > 0 ? rate / seconds_of(length) : 0;
  return rates;
}

// A column begins at a multiple of `each`: what is in it stays together as it moves to the left.
template <class Make>
std::vector<ChartPoint> RunHistory::points(std::size_t columns, std::size_t each, Make make) const {
  std::vector<ChartPoint> points;
  Samples column;
  const auto finish = [&] {
    if (column.empty()) return;
    ChartPoint point = make(column);
    point.faint = column.back()->phase != load::Phase::measure;
    point.away = std::any_of(column.begin(), column.end(), [](const load::Sample* sample) {
      return std::max(sample->away, sample->silent) > coro::Duration::zero();
    });
    points.push_back(point);
    column.clear();
  };
  for (std::size_t i = 0; i < samples_.size(); ++i) {
    if ((dropped_ + i) % each == 0) finish();
    column.push_back(&samples_[i]);
  }
  finish();
  if (points.size() > columns) {
    points.erase(points.begin(), points.end() - static_cast<std::ptrdiff_t>(columns));
  }
  return points;
}

std::vector<ChartPoint> RunHistory::tpmc_points(std::size_t columns, std::size_t each) const {
  return points(columns, std::max<std::size_t>(each, 1), tpmc_point);
}

std::vector<ChartPoint> RunHistory::p90_points(std::size_t columns, std::size_t each) const {
  return points(columns, std::max<std::size_t>(each, 1), p90_point);
}

}  // namespace drover::ui
