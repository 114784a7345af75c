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

#include "report/compare/metric.h"
#include "report/document/result.h"
#include "report/history/change_points.h"

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

struct HistoryChange : ChangePoint {  // in History::points
  std::optional<double> percent;      // nothing if it was 0 before
  bool is_better = false;
  // Settings in which the runs before and after the change differ, except the versions of Drover
  // and the server.
  std::vector<std::string> differences;
};

// What lies between two changes.
struct HistoryLevel {
  std::size_t first = 0;
  std::size_t last = 0;  // of its points
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

  // Whether nothing being found means something: with fewer results, even an obvious change is
  // mostly not told from chance.
  bool has_enough_points() const { return points.size() >= points_enough; }
  static constexpr std::size_t points_enough = 12;
};

// What cannot be read is the caller's to add to left_out. `allow_different`: keys of obstacles, as
// of `drover compare`.
History make_history(std::vector<HistoryEntry> entries, const Metric& metric,
                     std::span<const std::string> allow_different);

// For a terminal: a chart of characters, at most 100 columns wide, a sentence for each change, and what was
// left out. It ends with a newline; whatever prints it passes it through terminal_text().
std::string history_text(const History& history);

// One file, with a chart in SVG and tables of all results.
std::string history_html(const History& history);

// docs/compare.md describes every field.
std::string history_json(const History& history);
inline constexpr int history_schema_version = 1;

// "A: between a.json (2026-…) and b.json (…): tpmC fell from 3000 to 2850 /min (-5.0%), p 0.0005:
// worse; also different: connections: before 16, after 100". `number` counts from 0.
std::string change_sentence(const History& history, std::size_t number);

// That none was found, or that there are too few results to find one. Requires: no changes.
std::string no_change_sentence(const History& history);

// What a change is called in charts: A, B, …, Z, AA, …
std::string change_letter(std::size_t number);

}  // namespace drover::report
