// Curves and bands of the charts of a report, made of the time series and histograms of results.
//
// A timeline is a time series made ready to be drawn: columns of equal width with the smallest, the
// mean and the largest of what fell into each. A run of a day has 86,400 points and a chart a few
// hundred columns; a mean alone would hide the second in which everything stood still. Times are
// seconds since the start of the measurement, so that results lie over each other. Whatever the
// points are (out of order, days apart, none), there are at most columns_max columns.
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
#include "report/model/chart.h"

namespace drover::report {

enum class TimeFigure : std::uint8_t {
  commits,     // a second
  new_orders,  // a second
  p50_ms,      // latencies: of the seconds in which something was committed
  p90_ms,
  p99_ms,
  failed,   // a second
  retries,  // a second
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

// A stretch of the run: of an outage, a stall, a checkpoint.
struct TimeSpan {
  double start_s = 0;
  double end_s = 0;
  bool open_end = false;  // it had not ended when the run did
  const char* name = "";  // "outage", in small letters

  std::string title() const;        // "Outage"
  std::string length_text() const;  // "4.3 s", "4.3 s, not ended when the run did"
};

struct Timeline {
  double start_s = 0;  // of the run, so not above 0
  double end_s = 0;
  double column_s = 1;
  std::uint64_t point_s = 1;            // seconds that a point of the time series covers
  bool thinned = false;                 // some column has several points
  std::vector<TimelineColumn> columns;  // in order; those without points are left out
  std::vector<TimeSpan> outages;        // those that are within, and stalls
  std::vector<TimeSpan> checkpoints;

  bool is_of_tpcc = true;  // which has a curve of its New-Orders

  // The largest `high` of any column; 0 if there is none.
  double highest(TimeFigure which) const;
  bool has_errors() const;  // some transaction failed, or was tried again
  // The smallest `low` above 0, and the largest mean: of latencies.
  std::optional<double> lowest_above_zero(TimeFigure which) const;
};

Timeline make_timeline(const Result& result, std::size_t columns_max);

// When the measurement began, in seconds since the run did.
double measure_start_s(const Result& result);

// Outages and checkpoints of a chart: more of them are noise.
inline constexpr std::size_t timeline_spans_max = 200;

// In pieces: where a column is missing or has no such figure, the curve is interrupted.
Curve time_curve(const Timeline& timeline, TimeFigure figure, std::string name, std::string classes,
                 bool with_envelope);

// Latencies of all timelines and figures, on one logarithmic axis.
Axis latency_axis(const std::vector<Timeline>& timelines, const std::vector<TimeFigure>& figures);

// Outages in the first lane, checkpoints in the next, and the warm-up without a lane.
std::vector<Band> single_bands(const Timeline& timeline);

// The percentile spectrum of a histogram is latency over 1 / (1 - p), so that each further nine has
// the same room: at 90% the axis reads 10, at 99.99% it reads 10,000. It ends where the sample does:
// of n values none can say more than the percentile 1 - 1/n.
inline constexpr double spectrum_inverse_max = 10'000;  // 99.99%

// 1 / (1 - p), at most spectrum_inverse_max.
double inverse_of_percent(double percent);

// Without pieces if there are no samples.
Curve spectrum_curve(const measure::HistogramSnapshot& histogram, std::string name,
                     std::string classes);

}  // namespace drover::report
