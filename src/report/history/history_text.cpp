#include "report/history/history.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "report/document/result_json.h"
#include "text/plain_text.h"

namespace drover::report {
namespace {

using nlohmann::json;

constexpr std::size_t label_columns = 10;
constexpr std::size_t chart_columns = text::folded_columns - label_columns - 2;
constexpr std::size_t chart_rows = 14;
constexpr std::size_t left_out_shown_most = 20;

// Which columns and rows values have.
class Chart {
 public:
  explicit Chart(const History& history) : history_(history), rows_(chart_rows) {
    for (std::string& row : rows_) row.assign(chart_columns, ' ');
    const auto by_value = std::ranges::minmax(history.points, {}, &HistoryPoint::value);
    low_ = by_value.min.value;
    high_ = by_value.max.value;
    // Equal values, and those that differ by a hair, stand in the middle of a scale around them.
    const double least = std::max(std::abs(high_) * 0.02, 1e-9);
    if (high_ - low_ < least) {
      const double middle = (low_ + high_) / 2;
      low_ = middle - least / 2;
      high_ = middle + least / 2;
    }
  }

  std::string draw() {
    draw_levels();
    draw_changes();
    draw_points();
    std::string out;
    for (std::size_t row = 0; row < chart_rows; ++row) {
      const bool labelled = row % 3 == 0 || row + 1 == chart_rows;
      const std::string label = labelled ? Metric::number_text(value_at(row)) : std::string();
      append_line(out, fmt::format("{:>{}} |{}", label, label_columns, rows_[row]));
    }
    append_line(out, fmt::format("{:>{}} +{}", "", label_columns, letters()));
    return out;
  }

 private:
  static void append_line(std::string& out, std::string line) {
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }

  // The middle of the points' share of the width; of many points, several share a column.
  std::size_t column_of(std::size_t point) const {
    const auto count = static_cast<double>(history_.points.size());
    // Few points stand together rather than at the ends of a wide field.
    const double width = std::min(static_cast<double>(chart_columns), count * 6);
    return static_cast<std::size_t>((static_cast<double>(point) + 0.5) / count * width);
  }

  std::size_t row_of(double value) const {
    const double share = (high_ - value) / (high_ - low_);
    return static_cast<std::size_t>(std::llround(share * (chart_rows - 1)));
  }

  double value_at(std::size_t row) const {
    return high_ - (high_ - low_) * static_cast<double>(row) / (chart_rows - 1);
  }

  // The median between two changes, as a line.
  void draw_levels() {
    for (const HistoryLevel& level : history_.levels()) {
      std::string& row = rows_[row_of(level.median)];
      for (std::size_t k = column_of(level.first); k <= column_of(level.last); ++k) row[k] = '-';
    }
  }

  std::size_t column_of_change(const HistoryChange& change) const {
    return (column_of(change.first_after - 1) + column_of(change.first_after)) / 2;
  }

  void draw_changes() {
    for (const HistoryChange& change : history_.changes) {
      for (std::string& row : rows_) row[column_of_change(change)] = ':';
    }
  }

  void draw_points() {
    for (std::size_t i = 0; i < history_.points.size(); ++i) {
      rows_[row_of(history_.points[i].value)][column_of(i)] = 'o';
    }
  }

  std::string letters() const {
    std::string line(chart_columns, '-');
    for (std::size_t i = 0; i < history_.changes.size(); ++i) {
      const std::string letter = change_letter(i);
      const std::size_t column =
          std::min(column_of_change(history_.changes[i]), chart_columns - letter.size());
      line.replace(column, letter.size(), letter);
    }
    return line;
  }

  const History& history_;
  std::vector<std::string> rows_;
  double low_ = 0;
  double high_ = 0;
};

std::string unit_text(const Metric& metric) {
  return metric.unit().empty() ? std::string() : fmt::format(" {}", metric.unit());
}

std::string described(const HistoryPoint& point) {
  return fmt::format("{} ({}, {}{})", point.name, text::moment_text(point.start_ts), point.tool,
                     point.server.empty() ? "" : ", " + point.server);
}

}  // namespace

std::string change_letter(std::size_t number) {
  std::string letters;
  for (std::size_t rest = number + 1; rest > 0; rest = (rest - 1) / 26) {
    letters.insert(letters.begin(), static_cast<char>('A' + (rest - 1) % 26));
  }
  return letters;
}

// "; also different: connections: before 16, after 100"
static std::string differences_text(std::vector<std::string> differences) {
  constexpr std::size_t named_most = 4;
  const std::size_t count = differences.size();
  if (count == 0) return {};
  if (count > named_most) differences.resize(named_most);
  return fmt::format("; also different: {}{}", fmt::join(differences, "; "),
                     count > named_most ? fmt::format("; and {} more", count - named_most) : "");
}

std::string change_sentence(const History& history, std::size_t number) {
  const HistoryChange& change = history.changes[number];
  const std::string percent =
      change.percent ? fmt::format(" ({:+.1f}%)", *change.percent) : std::string();
  return fmt::format("{}: between {} and {}: {} {} from {} to {}{}{}, p {:.4f}: {}{}",
                     change_letter(number), described(history.points[change.first_after - 1]),
                     described(history.points[change.first_after]), history.metric.name(),
                     change.after_median > change.before_median ? "rose" : "fell",
                     Metric::number_text(change.before_median),
                     Metric::number_text(change.after_median), unit_text(history.metric), percent,
                     change.p, change.is_better ? "better" : "WORSE",
                     differences_text(change.differences));
}

std::string no_change_sentence(const History& history) {
  if (history.has_enough_points()) return "No change of level was found.";
  return fmt::format(
      "{} {} too few to detect a change of level: {} or more are needed. A new level is usually "
      "detected when about ten results precede it.",
      history.points.size(), history.points.size() == 1 ? "result is" : "results are",
      History::points_enough);
}

std::string history_text(const History& history) {
  std::string out;
  const Metric& metric = history.metric;
  text::append_folded(
      out, fmt::format("{}: {}{}", metric.name(), metric.meaning(),
                       metric.unit().empty() ? "" : fmt::format(" [{}]", metric.unit())));
  if (history.points.empty()) {
    text::append_folded(out, "No result has this metric.");
  } else {
    out += "\n" + Chart(history).draw();
    text::append_folded(out, fmt::format("{}, {} to {}; the scale does not start at 0",
                                         text::counted(history.points.size(), "result"),
                                         text::moment_text(history.points.front().start_ts),
                                         text::moment_text(history.points.back().start_ts)));
    out += "\n";
    for (std::size_t i = 0; i < history.changes.size(); ++i) {
      text::append_folded(out, change_sentence(history, i));
    }
    if (history.changes.empty()) text::append_folded(out, no_change_sentence(history));
  }
  const std::size_t shown_count = std::min(history.left_out.size(), left_out_shown_most);
  if (shown_count > 0) out += "\nLeft out:\n";
  for (std::size_t i = 0; i < shown_count; ++i) {
    text::append_folded(
        out, fmt::format("- {}: {}", history.left_out[i].name, history.left_out[i].reason));
  }
  if (history.left_out.size() > shown_count) {
    text::append_folded(out, fmt::format("and {} more", history.left_out.size() - shown_count));
  }
  return out;
}

std::string history_json(const History& history) {
  json points = json::array();
  for (const HistoryPoint& one : history.points) {
    points.push_back({{"name", one.name},
                      {"measure_start_ts", one.start_ts},
                      {"value", one.value},
                      {"tool", one.tool},
                      {"server", one.server.empty() ? json(nullptr) : json(one.server)}});
  }
  json changes = json::array();
  for (std::size_t i = 0; i < history.changes.size(); ++i) {
    const HistoryChange& one = history.changes[i];
    changes.push_back({{"letter", change_letter(i)},
                       {"first_after", one.first_after},
                       {"before_median", one.before_median},
                       {"after_median", one.after_median},
                       {"percent", one.percent ? json(*one.percent) : json(nullptr)},
                       {"p", one.p},
                       {"verdict", one.is_better ? "better" : "worse"},
                       {"text", change_sentence(history, i)}});
  }
  json left_out = json::array();
  for (const LeftOut& one : history.left_out) {
    left_out.push_back({{"name", one.name}, {"reason", one.reason}});
  }
  return document_text({{"schema_version", history_schema_version},
                        {"document", "drover history"},
                        {"metric", history.metric.name()},
                        {"unit", history.metric.unit()},
                        {"higher_is_better", history.metric.higher_is_better()},
                        {"points", std::move(points)},
                        {"changes", std::move(changes)},
                        {"enough_points", history.has_enough_points()},
                        {"left_out", std::move(left_out)}});
}

}  // namespace drover::report
