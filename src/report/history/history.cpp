#include "report/history/history.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "measure/median.h"
#include "report/compare/comparability.h"
#include "report/document/result_json.h"
#include "report/model/model.h"
#include "text/plain_text.h"
#include "text/utf8.h"

namespace drover::report {
namespace {

// The result with which all other results are compared, and the number of results to draw.
struct Reference {
  const HistoryEntry* entry = nullptr;
  std::size_t count = 0;

  bool is_better_than(const Reference& other) const {
    if (other.entry == nullptr || count != other.count) return count > other.count;
    return entry->result.summary.measure_start_ts >= other.entry->result.summary.measure_start_ts;
  }
};

// Returns the result whose measured time is comparable with most others; of several, the latest.
// Requires: a group in order of time.
Reference reference_in(const std::vector<const HistoryEntry*>& group, bool any_duration) {
  if (any_duration) return {group.back(), group.size()};
  std::vector<double> durations;
  for (const HistoryEntry* entry : group) durations.push_back(entry->result.summary.time_seconds);
  std::ranges::sort(durations);
  Reference best;
  for (const HistoryEntry* entry : group) {
    const double own = entry->result.summary.time_seconds;
    const auto shortest = std::ranges::partition_point(
        durations, [own](double one) { return one * duration_ratio_most < own; });
    const auto behind_longest = std::ranges::partition_point(
        durations, [own](double one) { return one <= own * duration_ratio_most; });
    const Reference reference{entry, static_cast<std::size_t>(behind_longest - shortest)};
    if (reference.is_better_than(best)) best = reference;
  }
  return best;
}

// Returns a result of the largest group. Requires: entries in order of time.
const HistoryEntry* reference_of(const std::vector<HistoryEntry>& entries,
                                 std::span<const std::string> allow_different) {
  std::map<std::string, std::vector<const HistoryEntry*>> groups;
  for (const HistoryEntry& entry : entries)
    groups[circumstances_of(entry.result, allow_different)].push_back(&entry);
  const bool any_duration = is_allowed("duration", allow_different);
  Reference best;
  for (const auto& [circumstances, group] : groups) {
    const Reference reference = reference_in(group, any_duration);
    if (reference.is_better_than(best)) best = reference;
  }
  return best.entry;
}

// Returns the obstacles that are not allowed, as one text; empty if there are none.
std::string joined(const std::vector<Obstacle>& obstacles,
                   std::span<const std::string> allow_different) {
  std::string text;
  for (const Obstacle& one : obstacles) {
    if (is_allowed(one.key, allow_different)) continue;
    text += (text.empty() ? "" : "; ") + one.text;
  }
  return text;
}

// Returns the reason why an entry is never drawn; empty if it may be drawn.
std::string flaw_of(const HistoryEntry& entry, const Metric& metric,
                    std::span<const std::string> allow_different) {
  if (!entry.value) return fmt::format("{} was not measured", metric.name());
  if (entry.result.summary.measure_start_ts <= 0)
    return "its start time is missing (summary.measure_start_ts is 0)";
  return joined(find_flaws(entry.result, "the run"), allow_different);
}

HistoryPoint point_of(const HistoryEntry& entry) {
  return {.name = text::shown(entry.name, 300),
          .start_ts = entry.result.summary.measure_start_ts,
          .value = *entry.value,
          .tool = tool_text(entry.result),
          .server = server_text(entry.result)};
}

// Returns settings that may explain a change between two runs, except the versions of Drover and
// the server, which each point has.
std::vector<std::string> differences_between(const Result& before, const Result& after) {
  std::vector<std::string> differences =
      find_other_differences({{{&before, 1}, {}}, {{&after, 1}, {}}, "before", "after"});
  std::erase_if(differences, [](const std::string& one) {
    return one.starts_with("drover: ") || one.starts_with("server version: ");
  });
  return differences;
}

// Requires: `drawn` has an entry for each point.
void add_changes(History& history, const std::vector<const HistoryEntry*>& drawn) {
  std::vector<double> values;
  for (const HistoryPoint& point : history.points) values.push_back(point.value);
  for (const ChangePoint& one : find_change_points(values)) {
    HistoryChange change{one, {}, false, {}};
    if (one.before_median > 0) change.percent = (one.after_median / one.before_median - 1) * 100;
    change.differences =
        differences_between(drawn[one.first_after - 1]->result, drawn[one.first_after]->result);
    change.is_better = (one.after_median > one.before_median) == history.metric.higher_is_better();
    history.changes.push_back(change);
  }
}

// Returns an entry of the same run, which started in the same second.
const HistoryEntry* copy_among(const std::vector<const HistoryEntry*>& drawn,
                               const HistoryEntry& entry) {
  for (auto one = drawn.rbegin(); one != drawn.rend(); ++one) {
    if ((*one)->result.summary.measure_start_ts != entry.result.summary.measure_start_ts) break;
    if (is_same_run((*one)->result, entry.result)) return *one;
  }
  return nullptr;
}

}  // namespace

std::vector<HistoryLevel> History::levels() const {
  std::vector<HistoryLevel> levels;
  for (std::size_t first = 0; first < points.size(); first = levels.back().last + 1) {
    const std::size_t change = levels.size();
    const std::size_t end = change < changes.size() ? changes[change].first_after : points.size();
    std::vector<double> values;
    for (std::size_t i = first; i < end; ++i) values.push_back(points[i].value);
    levels.push_back({first, end - 1, measure::median_of(values)});
  }
  return levels;
}

HistoryEntry history_entry(std::string name, Result result, const Metric& metric) {
  HistoryEntry entry{.name = std::move(name), .value = metric.value(result), .result = {}};
  result.transactions.clear();
  result.transactions.shrink_to_fit();
  result.time_series = {};
  result.availability.outages = {};
  result.client.workers = {};
  result.client.timer_lag = {};
  result.deferred_delivery.reset();
  entry.result = std::move(result);
  return entry;
}

History make_history(std::vector<HistoryEntry> entries, const Metric& metric,
                     std::span<const std::string> allow_different) {
  History history{.metric = metric};
  std::ranges::sort(entries, {}, [](const HistoryEntry& entry) {
    return std::pair(entry.result.summary.measure_start_ts, entry.name);
  });
  const auto leave_out = [&history](const HistoryEntry& entry, std::string reason) {
    history.left_out.push_back({text::shown(entry.name, 300), std::move(reason)});
  };
  std::erase_if(entries, [&](const HistoryEntry& entry) {
    std::string reason = flaw_of(entry, metric, allow_different);
    if (reason.empty()) return false;
    leave_out(entry, std::move(reason));
    return true;
  });
  const HistoryEntry* reference = reference_of(entries, allow_different);
  std::vector<const HistoryEntry*> drawn;
  for (const HistoryEntry& entry : entries) {
    if (const HistoryEntry* copy = copy_among(drawn, entry)) {
      leave_out(entry, fmt::format("the same run as {}", text::shown(copy->name, 300)));
      continue;
    }
    if (&entry != reference) {
      const auto obstacles = find_obstacles({{{&reference->result, 1}, {}},
                                             {{&entry.result, 1}, {}},
                                             "other results have",
                                             "this result has"});
      std::string reason = joined(obstacles, allow_different);
      if (!reason.empty()) {
        leave_out(entry, "not comparable with the other results: " + reason);
        continue;
      }
    }
    drawn.push_back(&entry);
    history.points.push_back(point_of(entry));
  }
  add_changes(history, drawn);
  return history;
}

namespace {

using nlohmann::json;

constexpr std::size_t left_out_shown_most = 20;

// Returns the position of a point on the horizontal axis, in the middle of its share of the width.
double position_of(std::size_t point) {
  return static_cast<double>(point) + 0.5;
}

CurvePoint curve_point(std::size_t point, double value) {
  return {.x = position_of(point), .low = value, .y = value, .high = value};
}

std::string unit_text(const Metric& metric) {
  return metric.unit().empty() ? "" : fmt::format(" {}", metric.unit());
}

std::string described(const HistoryPoint& point) {
  return fmt::format("{} ({}, {}{})", point.name, text::moment_text(point.start_ts), point.tool,
                     point.server.empty() ? "" : ", " + point.server);
}

// Returns an axis that fits the values with some room, with six ticks. It does not start at 0.
Axis value_axis(const History& history) {
  const auto ends = std::ranges::minmax(history.points, {}, &HistoryPoint::value);
  double low = ends.min.value;
  double high = ends.max.value;
  const double room = std::max({(high - low) * 0.08, std::abs(high) * 0.01, 1e-9});
  low = std::max(low - room, low >= 0 ? 0.0 : low - room);
  high += room;
  Axis axis{Scale::linear(low, high), {}};
  for (int i = 0; i <= 5; ++i) {
    const double value = low + (high - low) * i / 5;
    axis.ticks.push_back({value, number_text(value)});
  }
  return axis;
}

// Returns a dot for each result, a line for each level, and a band for each change.
Chart chart_of(const History& history) {
  const std::string unit(history.metric.unit());
  const std::size_t count = history.points.size();
  Chart chart{
      .id = "chart",
      .title = history.metric.name() + " over time",
      .description = fmt::format("{} of {} in order of time, with {} of level. The scale does not "
                                 "start at 0. The table below has every value.",
                                 history.metric.name(), text::counted(count, "result"),
                                 text::counted(history.changes.size(), "change")),
      .x = Scale::linear(0, static_cast<double>(count)),
      .x_ticks = {{0, text::moment_text(history.points.front().start_ts)},
                  {static_cast<double>(count), text::moment_text(history.points.back().start_ts)}},
      .x_title = "results in order of time",
      .lanes = history.changes.empty() ? 0u : 1u};
  Panel& panel = chart.panels.emplace_back();
  panel.title = history.metric.name() + (unit.empty() ? "" : ", " + unit);
  panel.height = 300;
  panel.axis = value_axis(history);
  Curve levels{.name = "Median between two changes", .classes = "level"};
  for (const HistoryLevel& level : history.levels()) {
    levels.pieces.push_back(
        {curve_point(level.first, level.median), curve_point(level.last, level.median)});
  }
  Curve results{.name = "Results", .classes = "dots t0"};
  for (std::size_t i = 0; i < count; ++i) {
    const HistoryPoint& point = history.points[i];
    results.pieces.push_back({curve_point(i, point.value)});
    chart.read_outs.push_back(
        {.start = static_cast<double>(i),
         .end = static_cast<double>(i + 1),
         .lines = {fmt::format("{}: {} {}, {}, {}", point.name, number_text(point.value), unit,
                               text::moment_text(point.start_ts), point.tool)}});
  }
  panel.curves = {std::move(levels), std::move(results)};
  for (std::size_t i = 0; i < history.changes.size(); ++i) {
    const HistoryChange& change = history.changes[i];
    const auto at = static_cast<double>(change.first_after);
    chart.bands.push_back({.start = at,
                           .end = at,
                           .classes = change.is_better ? "shift good" : "shift bad",
                           .label = change_letter(i),
                           .description = change_sentence(history, i)});
  }
  return chart;
}

Items changes_of(const History& history) {
  Items changes;
  for (std::size_t i = 0; i < history.changes.size(); ++i) {
    Cell& item = changes.items.emplace_back(change_sentence(history, i));
    item.style = history.changes[i].is_better ? "good" : "bad";
  }
  return changes;
}

Table points_table(const History& history) {
  const Metric& metric = history.metric;
  Table table{.caption = only_page("Results in order of time"),
              .columns = {{only_page("Measured from"), false},
                          {only_page("Result"), false},
                          {only_page("Drover"), false},
                          {only_page("Server"), false},
                          {only_page(fmt::format("{} {}", metric.name(), metric.unit()))}}};
  for (const HistoryPoint& point : history.points) {
    table.add({text::moment_text(point.start_ts), point.name, point.tool, point.server,
               number_text(point.value)});
    table.rows.back().cells.front().style = "date";
  }
  return table;
}

Items left_out_of(const History& history, std::size_t shown_most) {
  Items items;
  for (const LeftOut& one : history.left_out) {
    if (items.items.size() == shown_most) break;
    items.items.emplace_back(fmt::format("{}: {}", one.name, one.reason));
  }
  return items;
}

constexpr const char* nothing_to_draw = "No result has this metric.";

// "; also different: connections: before 16, after 100"
std::string differences_text(std::vector<std::string> differences) {
  constexpr std::size_t named_most = 4;
  const std::size_t count = differences.size();
  if (count == 0) return {};
  if (count > named_most) {
    differences.resize(named_most);
    differences.push_back(fmt::format("and {} more", count - named_most));
  }
  return fmt::format("; also different: {}", fmt::join(differences, "; "));
}

}  // namespace

std::string change_letter(std::size_t number) {
  std::string letters;
  for (std::size_t rest = number + 1; rest > 0; rest = (rest - 1) / 26)
    letters.insert(letters.begin(), static_cast<char>('A' + (rest - 1) % 26));
  return letters;
}

std::string change_sentence(const History& history, std::size_t number) {
  const HistoryChange& change = history.changes[number];
  const std::string percent = change.percent ? fmt::format(" ({:+.1f}%)", *change.percent) : "";
  return fmt::format("{}: between {} and {}: {} {} from {} to {}{}{}, p {:.4f}: {}{}",
                     change_letter(number), described(history.points[change.first_after - 1]),
                     described(history.points[change.first_after]), history.metric.name(),
                     change.after_median > change.before_median ? "rose" : "fell",
                     number_text(change.before_median), number_text(change.after_median),
                     unit_text(history.metric), percent, change.p,
                     change.is_better ? "better" : "WORSE", differences_text(change.differences));
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
  const Metric& metric = history.metric;
  Blocks blocks = {
      Paragraph{fmt::format("{}: {}{}", metric.name(), metric.meaning(),
                            metric.unit().empty() ? "" : fmt::format(" [{}]", metric.unit()))}};
  if (history.points.empty()) {
    blocks.emplace_back(Paragraph{nothing_to_draw});
  } else {
    blocks.emplace_back(Figure{.chart = chart_of(history), .in_terminal = true});
    blocks.emplace_back(Paragraph{fmt::format("{}, {} to {}; the scale does not start at 0",
                                              text::counted(history.points.size(), "result"),
                                              text::moment_text(history.points.front().start_ts),
                                              text::moment_text(history.points.back().start_ts))});
    blocks.emplace_back(Gap{});
    for (const Cell& change : changes_of(history).items) blocks.emplace_back(Paragraph{change});
    if (history.changes.empty()) blocks.emplace_back(Paragraph{no_change_sentence(history)});
  }
  if (!history.left_out.empty())
    append(blocks, {Gap{}, Paragraph{"Left out:"}, left_out_of(history, left_out_shown_most)});
  if (history.left_out.size() > left_out_shown_most) {
    blocks.emplace_back(
        Paragraph{fmt::format("and {} more", history.left_out.size() - left_out_shown_most)});
  }
  return render_terminal(blocks);
}

std::string history_html(const History& history) {
  const std::string title = history.metric.name() + " over time";
  Page page{
      .title = title,
      .header = {Heading{1, title}, Paragraph{std::string(history.metric.meaning()), "lead"}}};
  if (history.points.empty()) {
    page.content.emplace_back(Paragraph{nothing_to_draw});
  } else {
    const Block changes = history.changes.empty() ? Block(Paragraph{no_change_sentence(history)})
                                                  : Block(changes_of(history));
    append(page.content,
           {Section{"", {Figure{.chart = chart_of(history)}}}, Section{"Changes", {changes}},
            Section{"Results", {points_table(history)}}});
  }
  if (!history.left_out.empty())
    page.content.emplace_back(Section{"Left out", {left_out_of(history, history.left_out.size())}});
  return render_page(page);
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
  for (const LeftOut& one : history.left_out)
    left_out.push_back({{"name", one.name}, {"reason", one.reason}});
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
