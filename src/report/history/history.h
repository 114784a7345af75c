// A metric over many results in order of time, and the changes of its level.
//
// Only comparable results are drawn: the largest group of results with equal settings
// (comparability.h) that were measured for about the same time; of groups of the same size, the
// group with the latest run. The other results are listed with the reason. docs/compare.md has the
// method.
//
// Pure functions; texts are printable whatever the results contain.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "report/compare/metric.h"
#include "report/document/result.h"

namespace drover::report {

struct ChangePoint {
  std::size_t first_after = 0;  // the index of the first value of the new level
  double before_median = 0;     // of the values since the previous change
  double after_median = 0;      // of the values until the next change
  double p = 1;
};

// Returns the changes in order of first_after.
std::vector<ChangePoint> find_change_points(std::span<const double> values);

// A result without its histograms and time series, so that thousands fit into memory.
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
  std::string server;  // "PostgreSQL 15.8"; empty without a server
};

struct HistoryChange : ChangePoint {  // in History::points
  std::optional<double> percent;      // empty if the level was 0 before
  bool is_better = false;
  // Settings in which the runs before and after the change differ, except the versions of Drover
  // and the server.
  std::vector<std::string> differences;
};

// The points between two changes.
struct HistoryLevel {
  std::size_t first = 0;
  std::size_t last = 0;
  double median = 0;
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

  std::vector<HistoryLevel> levels() const;  // requires: points

  // Returns true if "no change" is significant: among fewer results even an obvious change mostly
  // looks like chance.
  bool has_enough_points() const { return points.size() >= points_enough; }
  static constexpr std::size_t points_enough = 12;
};

// The caller adds unreadable files to left_out. `allow_different`: keys of obstacles, as for
// `drover compare`.
History make_history(std::vector<HistoryEntry> entries, const Metric& metric,
                     std::span<const std::string> allow_different);

// Returns text of at most 100 columns: a chart of characters, a sentence for each change, and the
// results that were left out.
std::string history_text(const History& history);

// Returns a page with a chart and a table of all results.
std::string history_html(const History& history);

// Returns the document that docs/compare.md describes.
std::string history_json(const History& history);
inline constexpr int history_schema_version = 1;

// "A: between a.json (2026-…) and b.json (…): tpmC fell from 3000 to 2850 /min (-5.0%), p 0.0005:
// worse; also different: connections: before 16, after 100". `number` counts from 0.
std::string change_sentence(const History& history, std::size_t number);

// Says that no change was found, or that there are too few results to find one. Requires: no
// changes.
std::string no_change_sentence(const History& history);

// Returns the name of a change in charts: A, B, …, Z, AA, …
std::string change_letter(std::size_t number);

}  // namespace drover::report
