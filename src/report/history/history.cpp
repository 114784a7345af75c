#include "report/history/history.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "measure/median.h"
#include "report/compare/comparability.h"
#include "text/utf8.h"

namespace drover::report {
namespace {

// The result with which the others are compared, and how many results would be drawn.
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
  for (const HistoryEntry* entry : group) {
    durations.push_back(entry->result.summary.time_seconds);
  }
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
  for (const HistoryEntry& entry : entries) {
    groups[circumstances_of(entry.result, allow_different)].push_back(&entry);
  }
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
  std::vector<std::string> differences = find_other_differences(
      {{&before, 1}, {}}, {{&after, 1}, {}}, {.base = "before", .new_runs = "after"});
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
      const auto obstacles =
          find_obstacles({{&reference->result, 1}, {}}, {{&entry.result, 1}, {}},
                         {.base = "other results have", .new_runs = "this result has"});
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

}  // namespace drover::report
