// RunHistory: the last minutes of a run, a point a second. For one thread.
//
// Bounded: the oldest points are dropped.
#pragma once

#include <cstddef>
#include <deque>
#include <vector>

#include "load/snapshot.h"
#include "ui/chart.h"

namespace drover::ui {

class RunHistory {
 public:
  static constexpr std::size_t points_most = 900;
  // Rates of now are means over so long: terminals think for seconds.
  static constexpr coro::Duration rate_window = std::chrono::seconds(10);

  using Rates = std::array<double, tpcc::transaction_type_count>;

  void add(const load::Sample& sample);
  std::size_t size() const noexcept { return samples_.size(); }

  // Committed a second, by type, in the last rate_window.
  Rates recent_rates() const;

  // What a chart of `columns` columns shows, `each` samples a column, the last one at the right.
  std::vector<ChartPoint> tpmc_points(std::size_t columns, std::size_t each) const;
  // The highest of a column's seconds.
  std::vector<ChartPoint> p90_points(std::size_t columns, std::size_t each) const;

 private:
  template <class Make>
  std::vector<ChartPoint> points(std::size_t columns, std::size_t each, Make make) const;

  std::deque<load::Sample> samples_;
  std::uint64_t dropped_ = 0;  // so that points keep their columns while samples come
};

}  // namespace drover::ui
