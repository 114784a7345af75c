// Curves and bands of the charts of a report, made from the time series and histograms of results.
//
// A timeline is a time series ready to be drawn: columns of equal width with the smallest, the mean
// and the largest value of their points. A run of a day has 86,400 points and a chart a few hundred
// columns; a mean alone would hide the second in which everything stood still. Times are seconds
// since the start of the measured interval, so that results lie over each other. There are at most
// columns_max columns, whatever the points are (out of order, days apart, none).
//
// Plain values and pure functions; any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "measure/histogram.h"
#include "report/document/result.h"
#include "report/model/model.h"

namespace drover::report {

enum class TimeFigure : std::uint8_t {
  commits,     // per second
  new_orders,  // per second
  p50_ms,      // latencies: of seconds with commits
  p90_ms,
  p99_ms,
  failed,   // per second
  retries,  // per second
  in_flight,
  waiting,
  client_load,  // 0..1
};
inline constexpr std::size_t time_figure_count = 10;

struct Envelope {
  double low = 0;
  double mean = 0;
  double high = 0;
};

struct TimelineColumn {
  double start_s = 0;
  std::size_t points = 0;
  std::array<std::optional<Envelope>, time_figure_count> figures;

  const std::optional<Envelope>& figure(TimeFigure which) const {
    return figures[static_cast<std::size_t>(which)];
  }
};

// A time span of the run: an outage, a stall or a checkpoint.
struct TimeSpan {
  double start_s = 0;
  double end_s = 0;
  bool open_end = false;  // it lasted beyond the end of the run
  const char* name = "";  // "outage", in small letters

  std::string title() const;        // "Outage"
  std::string length_text() const;  // "4.3 s", "4.3 s, not ended at the end of the run"
};

struct Timeline {
  double start_s = 0;  // of the run: not above 0
  double end_s = 0;
  double column_s = 1;
  std::uint64_t point_s = 1;            // seconds that a point of the time series covers
  bool thinned = false;                 // some column has several points
  std::vector<TimelineColumn> columns;  // in order, without empty ones
  std::vector<TimeSpan> outages;        // and stalls
  std::vector<TimeSpan> checkpoints;

  settings::BenchmarkKind kind;

  // Returns the middle of the part of the column that lies within the run.
  double middle_of(const TimelineColumn& column) const;

  // Returns the largest `high` of any column; 0 without columns.
  double highest(TimeFigure which) const;
  bool has_errors() const;  // some transaction failed or was retried
  // Returns the smallest `low` above 0.
  std::optional<double> lowest_above_zero(TimeFigure which) const;
};

Timeline make_timeline(const Result& result, std::size_t columns_max);

// Returns the start of the measured interval, in seconds since the start of the run.
double measure_start_s(const Result& result);

// A chart shows at most this number of outages, stalls and checkpoints of each kind.
inline constexpr std::size_t timeline_spans_max = 200;

// Returns a curve that is interrupted where a column is missing or has no such figure.
Curve time_curve(const Timeline& timeline, TimeFigure figure, std::string name, std::string classes,
                 bool with_envelope);

// Returns a logarithmic axis for the latencies of all timelines and figures.
Axis latency_axis(const std::vector<Timeline>& timelines, const std::vector<TimeFigure>& figures);

// Returns the outages in the first lane, checkpoints in the next, and the warm-up without a lane.
std::vector<Band> single_bands(const Timeline& timeline);

// The sessions of the server by wait event over time, as stacked curves, of which the uppermost is
// the number of all sessions.
struct WaitEventStack {
  // From the lowest curve up, the events with the most sessions first, and the sum of all other
  // events. Empty without --server-stats.
  std::vector<std::string> events;
  // For each column of the timeline the mean number of sessions in each event, if there was a
  // sample.
  std::vector<std::optional<std::vector<double>>> columns;

  double highest() const;  // highest number of sessions, over all events, in a column
};
WaitEventStack make_wait_event_stack(const Result& result, const Timeline& timeline);

// Returns a curve for each event, at the sum of its sessions and of the events below.
std::vector<Curve> stack_curves(const WaitEventStack& stack, const Timeline& timeline);

// Adds a panel below the throughput, its read-outs, and a sentence. Requires: the chart has the
// timeline's panels and read-outs, and the stack has events.
void add_stack_panel(const WaitEventStack& stack, const Timeline& timeline, Chart& chart);

// Empty without events.
Legend stack_legend(const WaitEventStack& stack);
Table stack_table(const WaitEventStack& stack, const Timeline& timeline);

// The percentile spectrum of a histogram shows latency over 1 / (1 - p), so that each further nine
// has the same width: 90% is at 10, 99.99% at 10,000. With n values it ends at the percentile 1 -
// 1/n.
inline constexpr double spectrum_inverse_max = 10'000;  // 99.99%

// Returns 1 / (1 - p), at most spectrum_inverse_max.
double inverse_of_percent(double percent);

// Returns a curve, without pieces if there are no samples.
Curve spectrum_curve(const measure::HistogramSnapshot& histogram, std::string name,
                     std::string classes);

}  // namespace drover::report
