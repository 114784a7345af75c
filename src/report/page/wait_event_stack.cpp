#include "report/page/wait_event_stack.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "text/plain_text.h"

namespace drover::report {
namespace {

constexpr std::size_t events_most = result_colours - 1;  // without "others"

// A sample may be a little late: then a column has none, and the next one two.
constexpr double late_s_most = 1.5;

constexpr std::size_t name_characters_max = 60;

std::string colour_of(std::size_t event) {
  return fmt::format("r{}", std::min(event, events_most));
}

double sum_of(const std::vector<double>& sessions) {
  return std::accumulate(sessions.begin(), sessions.end(), 0.0);
}

// Sums of the samples of a column.
struct Samples {
  std::vector<double> sessions;
  double count = 0;
};

class SamplesByColumn {
 public:
  SamplesByColumn(const std::vector<WaitEvent>& shown, bool has_others) : shown_(shown.size()) {
    const std::size_t named = shown.size() - (has_others ? 1 : 0);
    for (std::size_t i = 0; i < named; ++i) index_.emplace(shown[i].name, i);
  }

  void add(std::int64_t column, const ServerSample& sample) {
    Samples& samples = samples_[column];
    samples.sessions.resize(shown_);
    for (const auto& [event, sessions] : sample.sessions) {
      const auto known = index_.find(event);
      // An event without a sample in the measured interval counts as "others", if these are shown.
      const std::size_t index = known != index_.end() ? known->second : index_.size();
      if (index < shown_) samples.sessions[index] += static_cast<double>(sessions);
    }
    ++samples.count;
  }

  // Returns the means of the column, or of one at most `back_most` columns before it.
  std::optional<std::vector<double>> mean(std::int64_t column, std::int64_t back_most) const {
    auto found = samples_.upper_bound(column);
    if (found == samples_.begin()) return std::nullopt;
    --found;
    if (column - found->first > back_most) return std::nullopt;
    std::vector<double> mean = found->second.sessions;
    for (double& sessions : mean) sessions /= found->second.count;
    return mean;
  }

 private:
  std::size_t shown_;
  std::map<std::string, std::size_t> index_;
  std::map<std::int64_t, Samples> samples_;
};

std::int64_t column_at(double seconds, const Timeline& timeline) {
  constexpr double last = 1e15;
  return static_cast<std::int64_t>(
      std::clamp(std::floor(seconds / timeline.column_s), -last, last));
}

std::string read_out_line(const WaitEventStack& stack, std::size_t column) {
  constexpr std::size_t events_shown_most = 3;
  const auto& sessions = stack.columns[column];
  if (!sessions) return "sessions –";
  std::string line = fmt::format("sessions {:.1f}", sum_of(*sessions));
  for (std::size_t i = 0; i < std::min(stack.events.size(), events_shown_most); ++i) {
    line += fmt::format(" · {} {:.1f}", shortened(stack.events[i], name_characters_max),
                        (*sessions)[i]);
  }
  return line;
}

}  // namespace

double WaitEventStack::highest() const {
  double highest = 0;
  for (const auto& sessions : columns) {
    if (sessions) highest = std::max(highest, sum_of(*sessions));
  }
  return highest;
}

WaitEventStack make_wait_event_stack(const Result& result, const Timeline& timeline) {
  WaitEventStack stack;
  if (!result.server_stats || result.server_stats->wait_events.empty()) return stack;
  const std::vector<WaitEvent> shown = result.server_stats->longest(events_most);
  for (const WaitEvent& one : shown) stack.events.push_back(one.name);
  SamplesByColumn samples(shown, shown.size() > events_most);
  const double origin_s = measure_start_s(result);
  for (const ServerSample& sample : result.server_stats->samples) {
    samples.add(column_at(sample.t - origin_s, timeline), sample);
  }
  const auto back_most = static_cast<std::int64_t>(std::floor(late_s_most / timeline.column_s));
  for (const TimelineColumn& column : timeline.columns) {
    // The middle of the column: its start may be slightly below the multiple.
    const double within_s = column.start_s + timeline.column_s / 2;
    stack.columns.push_back(samples.mean(column_at(within_s, timeline), back_most));
  }
  return stack;
}

std::vector<Curve> stack_curves(const WaitEventStack& stack, const Timeline& timeline) {
  std::vector<Curve> curves;
  for (std::size_t event = 0; event < stack.events.size(); ++event) {
    Curve& curve = curves.emplace_back();
    curve.name = shortened(stack.events[event], name_characters_max);
    curve.classes = "stack " + colour_of(event);
    curve.has_envelope = true;
    bool follows = false;
    for (std::size_t i = 0; i < timeline.columns.size(); ++i) {
      const auto& sessions = stack.columns[i];
      if (!std::exchange(follows, sessions.has_value()) && sessions) curve.pieces.emplace_back();
      if (!sessions) continue;
      const double start = std::max(timeline.columns[i].start_s, timeline.start_s);
      const double end = std::min(timeline.columns[i].start_s + timeline.column_s, timeline.end_s);
      const double below = std::accumulate(
          sessions->begin(), sessions->begin() + static_cast<std::ptrdiff_t>(event), 0.0);
      const double top = below + (*sessions)[event];
      curve.pieces.back().push_back({(start + end) / 2, below, top, top});
    }
  }
  return curves;
}

void lay_beside_throughput(const WaitEventStack& stack, const Timeline& timeline, Chart& chart) {
  Panel panel{.title = "Sessions in the server, by wait event",
              .height = 150,
              .axis = axis_from_zero(stack.highest(), Quantity::number),
              .curves = stack_curves(stack, timeline)};
  chart.panels.insert(chart.panels.begin() + 1, std::move(panel));
  for (std::size_t i = 0; i < chart.read_outs.size(); ++i) {
    std::vector<std::string>& lines = chart.read_outs[i].lines;
    lines.insert(lines.begin() + 1, read_out_line(stack, i));
  }
  chart.description +=
      " The sessions of the run in the server are stacked by wait event. CPU: the session runs and "
      "waits for nothing.";
}

Legend stack_legend(const WaitEventStack& stack) {
  Legend legend;
  for (std::size_t i = 0; i < stack.events.size(); ++i)
    legend.push_back({shortened(stack.events[i], name_characters_max), colour_of(i)});
  return legend;
}

Table stack_table(const WaitEventStack& stack, const Timeline& timeline) {
  Table table{.caption = only_page(fmt::format(
                  "Sessions by wait event, means of each {}, from the start of the measured "
                  "interval",
                  text::length_text(timeline.column_s))),
              .columns = page_columns("From", {"All"})};
  for (const std::string& event : stack.events) table.columns.push_back({only_page(event)});
  for (std::size_t i = 0; i < timeline.columns.size(); ++i) {
    const auto& sessions = stack.columns[i];
    std::vector<Cell> cells = {time_label(timeline.columns[i].start_s),
                               sessions ? number_label(sum_of(*sessions)) : "–"};
    for (std::size_t event = 0; event < stack.events.size(); ++event)
      cells.emplace_back(sessions ? number_label((*sessions)[event]) : "–");
    table.add(std::move(cells));
  }
  return table;
}

}  // namespace drover::report
