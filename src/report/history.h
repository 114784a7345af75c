// A figure over many results in the order of time, and where it changed its level.
//
// Only results that are comparable are drawn: the largest group of those that agree in everything
// that has to be the same (comparability.h) and were measured for about as long; of groups of the
// same size, that with the latest run. The others are listed with the reason. docs/compare.md has
// the method.
//
// Pure functions; texts are printable whatever the results hold.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "report/metric.h"
#include "report/result.h"

namespace drover::report {

// A result without its histograms and seconds, so that thousands fit into the memory.
struct HistoryEntry {
  std::string name;
  std::optional<double> value;
  Result result;
};

HistoryEntry history_entry(std::string name, Result result, const Metric& metric);

struct HistoryPoint {
  std::string name;
  std::int64_t start_ts = 0;
  double value = 0;
  std::string tool;    // "drover 0.1.0 (abc1234)"
  std::string server;  // "PostgreSQL 15.8"; empty if there was none
};

struct HistoryChange {
  std::size_t first_after = 0;  // into History::points
  double before_median = 0;
  double after_median = 0;
  std::optional<double> percent;  // nothing if it was 0 before
  double p = 1;
  bool is_better = false;
};

struct LeftOut {
  std::string name;
  std::string reason;
};

struct History {
  Metric metric;
  std::vector<HistoryPoint> points{};
  std::vector<HistoryChange> changes{};
  std::vector<LeftOut> left_out{};

  // Whether nothing being found means something: with fewer results, even an obvious change is
  // mostly not told from chance.
  bool has_enough_points() const { return points.size() >= points_enough; }
  static constexpr std::size_t points_enough = 12;
};

// What cannot be read is the caller's to add to left_out. `allow_different`: keys of obstacles, as
// of `drover compare`.
History make_history(std::vector<HistoryEntry> entries, const Metric& metric,
                     std::span<const std::string> allow_different);

}  // namespace drover::report
